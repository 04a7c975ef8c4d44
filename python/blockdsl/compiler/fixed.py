"""Launching a kernel that is compiled already: arguments are checked against it, and nothing is inferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from blockdsl import _runtime
from blockdsl.compiler import arguments
from blockdsl.compiler.refusals import refusal
from blockdsl.errors import KernelAssertionError, LaunchError, Location

if TYPE_CHECKING:
    from blockdsl.compiler.kernel import CompiledKernel

CPU = -1
"""The number of a device that is no GPU, as in LaunchArguments.h."""

MAY_ALIAS, STREAMING = 1, 2


def raise_failed(name: str, message: str | None, program: tuple[int, int, int]) -> NoReturn:
    """Reports the first failed ``device_assert`` of a launch. The message's second line is the place in the source."""
    text, _, place = (message or "device_assert").partition("\n")
    file, _, position = place.strip().partition(".py:")
    line, _, column = position.partition(":")
    raise KernelAssertionError(
        f"{text} failed in program {program} of kernel '{name}'",
        location=Location(f"{file}.py", int(line), int(column), function=name) if column else None,
        hint="what the kernel has stored so far is only a part of its result",
    )


def _place(device: int) -> str:
    return "the CPU" if device == CPU else f"device 'cuda:{device}'"


class FixedLauncher(_runtime.Launcher):
    """``compiled[grid](...)``: takes the kernel's parameters, and refuses what it was not compiled for."""

    def __init__(self, kernel: CompiledKernel) -> None:
        self._kernel = kernel
        signature = kernel.signature
        rows: list[arguments.Row] = []
        for name in signature.names:
            declared = arguments.wanted(signature.types.get(name))
            constant = (signature.constants[name],) if name in signature.constants else ()
            is_constant = bool(constant)
            role = arguments.CONSTEXPR if is_constant else arguments.RUNTIME
            # A multiple of 16 where the code relies on it is checked; elsewhere the fact says nothing new.
            mask = arguments.ALL_FACTS & ~arguments.EQUAL_TO_ONE
            if name not in signature.divisibility:
                mask &= ~arguments.DIVISIBLE_BY_16
            rows.append((name, role, constant, mask, "n" if is_constant else declared.letter))
        super().__init__(tuple(rows))

    def _compile(
        self, values: Sequence[object], facts: Sequence[int], variant: int, overlapping: Sequence[int], device: int
    ) -> _runtime.AnyKernel:
        self._check_device(device)
        self._check_arguments(values, facts)
        return self._variant(variant, overlapping)

    def _check_device(self, device: int) -> None:
        if device != CPU:
            raise self._error("compiled for", None, (_place(CPU), _place(device)))

    def _check_arguments(self, values: Sequence[object], facts: Sequence[int]) -> None:
        signature = self._kernel.signature
        for name, value, fact in zip(signature.names, values, facts, strict=True):
            if name in signature.constants:
                if value != signature.constants[name]:
                    raise self._error("declared value", name, value, f"{name}={signature.constants[name]!r}")
                continue
            declared = signature.types[name]
            is_pointer = declared.startswith("*")
            if fact & arguments.KIND_MASK == arguments.NONE or (
                is_pointer and not signature.accepts(declared, arguments.type_of(fact))
            ):
                raise self._error("declared dtype", name, value, declared)
            if arguments.is_too_wide(declared, fact):
                raise self._error("declared value", name, value, f"type '{declared}'")
            if signature.divisibility.get(name, 1) % 16 == 0 and not fact & arguments.DIVISIBLE_BY_16:
                where = "an address" if is_pointer else "a number"
                raise self._error("declared value", name, value, f"{where} divisible by 16")

    def _variant(self, variant: int, overlapping: Sequence[int]) -> CompiledKernel:
        from blockdsl.compiler.kernel import compile_kernel

        may_alias = variant & MAY_ALIAS or not self._kernel.written.isdisjoint(overlapping)
        options = replace(self._kernel.options, disjoint=not may_alias, streaming=bool(variant & STREAMING))
        return self._kernel if options == self._kernel.options else compile_kernel(self._kernel.program, options)

    def _error(self, reason: str, name: str | None, value: object, declared: str = "") -> LaunchError:
        return refusal(self._kernel.name, self._kernel.signature.names, reason, name, value, declared)

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise self._error(reason, name, value, self._kernel.signature.types.get(name or "", ""))

    def _failed(self, kernel: CompiledKernel, message: str | None, program: tuple[int, int, int]) -> NoReturn:
        raise_failed(kernel.name, message, program)
