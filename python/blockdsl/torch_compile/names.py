"""Names of kernels and other objects in graphs, which are equal in all processes.

A kernel is ``module:qualified name:digest of its code``. A process that loads a graph imports the module, and checks
that the kernel is still the recorded one.
"""

from __future__ import annotations

import hashlib
import importlib
import uuid
from operator import attrgetter
from typing import Any

from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.errors import LaunchError
from blockdsl.language import types

_objects: dict[str, Any] = {}
_dtypes = {scalar.name: scalar for scalar in types.SCALARS}

_THIS_PROCESS = uuid.uuid4().hex[:8]


def innermost(kernel: Any) -> Any:
    """Returns the kernel below all layers.

    Raises:
        LaunchError: There is no kernel.
    """
    while not isinstance(kernel, KernelInfo):
        if not hasattr(kernel, "fn"):
            raise LaunchError(f"a graph records launches of kernels, got {type(kernel).__name__} {kernel!r}")
        kernel = kernel.fn
    return kernel


def name_of(kernel: Any) -> str:
    """Returns the name of a kernel or of a layer around one, which ``resolve`` resolves."""
    source = innermost(kernel).source
    name = f"{source.function.__module__}:{source.function.__qualname__}:{_digest(kernel)}"
    _objects[name] = kernel
    return name


def _digest(kernel: Any) -> str:
    """Returns a digest of a kernel's code, options and layers."""
    digest = hashlib.sha256()
    while not isinstance(kernel, KernelInfo):
        digest.update(type(kernel).__name__.encode())
        for attribute in ("configs", "keys", "reset_to_zero", "restore_value"):
            digest.update(repr(getattr(kernel, attribute, None)).encode())
        for name, rule in getattr(kernel, "values", {}).items():
            digest.update(name.encode() + rule.__code__.co_code + repr(rule.__code__.co_consts).encode())
        kernel = kernel.fn
    digest.update(kernel.cache_key.encode())
    digest.update(repr((kernel._do_not_specialize, kernel._do_not_specialize_on_alignment)).encode())
    return digest.hexdigest()[:16]


def object_name(value: Any) -> str:
    """Returns the name of another argument: an element type, a jit function, or any other object, which only this
    process can resolve."""
    if isinstance(value, types.dtype) and _dtypes.get(value.name) is value:
        return f"dtype:{value.name}"
    if isinstance(value, KernelInfo) or hasattr(value, "fn"):
        return name_of(value)
    name = f"object:{_THIS_PROCESS}:{id(value)}"
    _objects[name] = value  # Keeps the object alive, so that its id stays unique.
    return name


def resolve(name: str) -> Any:
    """Returns the object with a name.

    Raises:
        LaunchError: This process does not have the object, or has another kernel of that name.
    """
    if name not in _objects:
        kind, _, rest = name.partition(":")
        _objects[name] = _dtypes[rest] if kind == "dtype" else _imported(name)
    return _objects[name]


def _imported(name: str) -> Any:
    module, _, path_and_digest = name.partition(":")
    path, _, digest = path_and_digest.rpartition(":")
    try:
        kernel = attrgetter(path)(importlib.import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise LaunchError(
            f"a graph launches kernel '{path}' of module '{module}', which cannot be imported: {error}",
            hint="a kernel of a saved graph is at the top of a module that can be imported where the graph is loaded",
        ) from None
    # A kernel below a layer has the same name, and may be launched by itself.
    while hasattr(kernel, "fn"):
        if (isinstance(kernel, KernelInfo) or hasattr(kernel, "arg_names")) and _digest(kernel) == digest:
            return kernel
        kernel = kernel.fn
    raise LaunchError(
        f"a graph launches kernel '{path}' of module '{module}', which is another one now",
        hint="export or compile the program anew",
    )
