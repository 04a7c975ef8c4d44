"""Reading of a kernel's specialization data, which hooks get, for Triton's ``preload``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from blockdsl.errors import LaunchError
from blockdsl.frontend.source import Specialization
from blockdsl.language import types
from blockdsl.language.constexpr import constexpr


def read_back(kernel: str, data: str) -> tuple[Specialization, str, Mapping[str, Any]]:
    """Returns a kernel's specialization, target and options.

    Raises:
        LaunchError: The text is no specialization data, is another kernel's, or contains a constant without a text
            form.
    """
    try:
        given = json.loads(data)
        name, target, options = given["name"], given["target"], given["options"]
        signature, constants, divisibility = given["signature"], given["constants"], given["divisibility"]
    except (ValueError, KeyError, TypeError) as error:
        raise LaunchError(
            f"preload of kernel '{kernel}' expects the specialization_data that a hook was given, got {data!r}"
        ) from error
    if name != kernel:
        raise LaunchError(f"the specialization_data is of kernel '{name}', and not of '{kernel}'")
    if any("[" in each for each in (*signature, *constants)):
        raise LaunchError(f"kernel '{kernel}' was compiled for a tuple, which specialization_data cannot hold")
    read = {each: _value(kernel, each, value) for each, value in constants.items()}
    return Specialization(signature, read, divisibility), target, options


def _value(kernel: str, name: str, written: Any) -> Any:
    if isinstance(written, list):
        return tuple(_value(kernel, name, item) for item in written)
    if not isinstance(written, dict):
        return written
    if "dtype" in written:
        return types.parse(written["dtype"])
    if "constexpr" in written:
        return constexpr(_value(kernel, name, written["constexpr"]))
    raise LaunchError(
        f"argument '{name}' of kernel '{kernel}' is '{written.get('object')}', which specialization_data cannot hold",
        hint="call warmup with it",
    )
