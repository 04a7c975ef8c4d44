"""Launchers of compiled kernels: arguments are checked against the signature, and no types are inferred.

Parts that depend on the target are in cpu_kernel.py and cuda.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from blockdsl import _runtime
from blockdsl.compiler import arguments, grids
from blockdsl.compiler.aliases import Overlaps
from blockdsl.compiler.hooks import Watched
from blockdsl.compiler.launch_errors import refusal
from blockdsl.errors import KernelAssertionError, LaunchError, Location
from blockdsl.language.constexpr import constexpr, unwrap

if TYPE_CHECKING:
    from blockdsl.compiler.program import Signature

CPU = -1
"""The number of a device that is no GPU, as in LaunchArguments.h."""

STREAMING = 2
"""The bit of a variant that is not about aliases, as in Launcher.h."""


def raise_failed(name: str, message: str | None, program: tuple[int, int, int]) -> NoReturn:
    """Raises for the first failed ``device_assert`` of a launch. The message's second line is the source location."""
    text, _, place = (message or "device_assert").partition("\n")
    file, _, position = place.strip().partition(".py:")
    line, _, column = position.partition(":")
    raise KernelAssertionError(
        f"{text} failed in program {program} of kernel '{name}'",
        location=Location(f"{file}.py", int(line), int(column), function=name) if column else None,
        hint="what the kernel has stored so far is only a part of its result",
    )


class Compiled(Protocol):
    """A kernel that is compiled already, for whatever device."""

    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> Signature: ...


class CompiledLauncher(Watched, _runtime.Launcher):
    """Takes the kernel's parameters, and refuses other types than the compiled ones. Accepts a ``stream``."""

    _takes_stream = True
    """Whether a launch accepts a stream; Triton's launcher passes it otherwise."""

    _takes_addresses = False
    """Whether a number may stand for a pointer."""

    _strides: frozenset[str] = frozenset()
    """Parameters with a specialization for the value 1."""

    def __init__(self, kernel: Compiled) -> None:
        self._compiled = kernel
        signature = kernel.signature
        rows: list[arguments.Row] = []
        for name in signature.names:
            declared = arguments.wanted(signature.types.get(name))
            constant = (signature.constants[name],) if name in signature.constants else ()
            is_constant = bool(constant)
            role = arguments.CONSTEXPR if is_constant else arguments.RUNTIME
            # Divisibility by 16 is checked if the code relies on it, ignored otherwise: implied by the signature.
            mask = arguments.ALL_FACTS
            if name not in signature.tuples and name not in self._strides:
                mask &= ~arguments.EQUAL_TO_ONE
            if name not in signature.tuples and name not in signature.divisibility:
                mask &= ~arguments.DIVISIBLE_BY_16
            is_open = is_constant or (declared.letter == "p" and self._takes_addresses)
            rows.append((name, role, constant, mask, "n" if is_open else declared.letter))
        if self._takes_stream and "stream" not in signature.names:
            rows.append(("stream", arguments.STREAM, (None,), 0, "n"))
        super().__init__(tuple(rows))

    def _compile(
        self,
        values: Sequence[object],
        facts: Sequence[arguments.Facts],
        variant: int,
        overlaps: Overlaps,
        device: int,
    ) -> _runtime.AnyKernel:
        self._check_device(device)
        known = len(self._compiled.signature.names)
        self._check_arguments(values[:known], facts[:known])
        return self._kernel(variant, overlaps, device)

    def _check_device(self, device: int) -> None:
        """Refuses a device that the kernel is not compiled for."""
        raise NotImplementedError

    def _kernel(self, variant: int, overlaps: Overlaps, device: int) -> _runtime.AnyKernel:
        """Returns the kernel, loaded on a device, or another of the same program for a variant."""
        raise NotImplementedError

    def _check_arguments(self, values: Sequence[object], facts: Sequence[arguments.Facts]) -> None:
        signature = self._compiled.signature
        for name, value, fact in zip(signature.names, values, facts, strict=True):
            if name in signature.tuples:
                self._check_tuple(name, value, fact, signature.tuples[name])
            elif name in signature.constants:
                if value != signature.constants[name]:
                    raise self._error("declared value", name, value, f"{name}={signature.constants[name]!r}")
            else:
                self._check_value(name, value, fact)

    def _check_tuple(self, name: str, value: Any, facts: arguments.Facts, names: Any) -> None:
        fields, met = getattr(names, "_fields", None), getattr(value, "_fields", None)
        if not isinstance(facts, tuple) or len(facts) != len(names) or (fields and fields != met):
            called = f"({', '.join(fields)})" if fields else f"of {len(names)} elements"
            raise self._error("declared value", name, value, f"a tuple {called}")
        constants = self._compiled.signature.constants
        elements = arguments.element_names(name, len(names))
        for element, item, fact, inner in zip(elements, value, facts, names, strict=True):
            if isinstance(inner, tuple):
                self._check_tuple(element, item, fact, inner)
            elif element in constants:
                self._check_constant(element, item, fact, constants[element])
            else:
                self._check_value(element, item, fact)

    def _check_constant(self, name: str, value: object, fact: arguments.Facts, constant: object) -> None:
        """Checks a tuple's element that is a constant. The launcher keeps the values of no other elements."""
        known = (arguments.NONE, arguments.CONSTANT)
        is_known = isinstance(fact, int) and (fact & arguments.KIND_MASK in known or fact & arguments.EQUAL_TO_ONE)
        if not is_known or unwrap(value) != constant:
            raise self._error("declared value", name, value, repr(constant if constant in (None, 1) else
                                                                  constexpr(constant)))  # fmt: skip

    def _check_value(self, name: str, value: object, fact: arguments.Facts) -> None:
        signature = self._compiled.signature
        declared = signature.types[name]
        is_pointer = declared.startswith("*")
        is_memory = is_pointer or declared.startswith("tensordesc<")
        met = None if isinstance(fact, tuple) else arguments.type_of(fact, value)
        if (
            isinstance(fact, tuple)
            or met is None
            or ((is_memory or met.startswith("tensordesc<")) and not signature.accepts(declared, met))
        ):
            raise self._error("declared dtype", name, value, declared)
        if arguments.is_too_wide(declared, fact):
            raise self._error("declared value", name, value, f"type '{declared}'")
        if signature.divisibility.get(name, 1) % 16 == 0 and not fact & arguments.DIVISIBLE_BY_16:
            where = "an address" if is_pointer else "a number"
            raise self._error("declared value", name, value, f"{where} divisible by 16")

    def _error(self, reason: str, name: str | None, value: object, declared: str = "") -> LaunchError:
        return refusal(self._compiled.name, self._compiled.signature.names, reason, name, value, declared)

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise self._error(reason, name, value, self._compiled.signature.types.get(name or "", ""))

    def _explain_grid(self, given: Mapping[str, object], error: BaseException) -> None:
        grids.explain(self._compiled.name, given, error)

    def _failed(self, kernel: Compiled, message: str | None, program: tuple[int, int, int]) -> NoReturn:
        raise_failed(kernel.name, message, program)


def device_name(device: int) -> str:
    """Returns the name of a GPU for a message."""
    return f"device 'cuda:{device}'"
