"""Launchers of compiled kernels: arguments are checked against the signature, and no types are inferred."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from blockdsl import _runtime
from blockdsl.compiler.aliases import Aliases, Overlaps
from blockdsl.compiler.compiled_kernel import CompiledKernel, make_launcher
from blockdsl.compiler.cpu_kernel import CPUKernel, compile_kernel
from blockdsl.compiler.cuda import CUDAKernel
from blockdsl.compiler.program import SourceProgram
from blockdsl.compiler.signature import element_names
from blockdsl.errors import LaunchError
from blockdsl.forks import cached_property
from blockdsl.language.constexpr import constexpr, unwrap
from blockdsl.launcher import arguments
from blockdsl.launcher.errors import explain_grid, refusal
from blockdsl.launcher.hooks import Watched
from blockdsl.launcher.reports import Reporting
from blockdsl.tracebacks import border

CPU = -1
"""The number of a device that is no GPU, as in LaunchArguments.h."""

STREAMING = 2
"""The bit of a variant that does not depend on aliases, as in Launcher.h."""


class CompiledLauncher(Watched, Reporting, _runtime.Launcher):
    """Takes the kernel's parameters, and refuses types other than the compiled ones. Accepts a ``stream``."""

    _takes_stream = True
    """Whether a launch accepts a stream; Triton's launcher passes it otherwise."""

    _takes_addresses = False
    """Whether a number may stand for a pointer."""

    _strides: frozenset[str] = frozenset()
    """Parameters with a specialization for the value 1."""

    def __init__(self, kernel: CompiledKernel) -> None:
        self._compiled = kernel
        signature = kernel.signature
        rows: list[arguments.Row] = []
        for name in signature.names:
            declared = arguments.wanted(signature.types.get(name))
            constant = (signature.constants[name],) if name in signature.constants else ()
            is_constant = bool(constant)
            role = arguments.CONSTEXPR if is_constant else arguments.RUNTIME
            # Divisibility by 16 is checked if the code relies on it, ignored otherwise: implied by the signature.
            mask = arguments.ALL_ATTRIBUTES
            if name not in signature.tuples and name not in self._strides:
                mask &= ~arguments.EQUAL_TO_ONE
            if name not in signature.tuples and name not in signature.divisibility:
                mask &= ~arguments.DIVISIBLE_BY_16
            is_open = is_constant or (declared.letter == "p" and self._takes_addresses)
            rows.append((name, role, constant, mask, "n" if is_open else declared.letter))
        if self._takes_stream and "stream" not in signature.names:
            rows.append(("stream", arguments.STREAM, (None,), 0, "n"))
        super().__init__(tuple(rows))

    def binder(self) -> Callable[[object], Callable[..., Any]]:
        """Returns the function that ``compiled[grid]`` calls with the grid."""
        # Libraries that store a compiled kernel launch it without its constants, at any index.
        constants = self._declared_constants
        return self.__getitem__ if constants == sorted(constants) else self._short_binding

    def _short_binding(self, grid: object) -> Callable[..., Any]:
        return functools.partial(self._short, self[grid])

    @border
    def _short(self, bound: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Launches with all arguments, or with all that are not declared constants."""
        signature, declared = self._compiled.signature, self._declared_constants
        names, constants = signature.names, signature.constants
        if len(args) == declared.count(False) and not {*kwargs} - {"stream"}:
            # The same number of arguments may also be all parameters but trailing constants.
            given = dict(zip(names, args, strict=False))
            if not all(name in constants and given.get(name, constants[name]) is constants[name]
                       for name, is_constant in zip(names, declared, strict=True)
                       if is_constant or name not in given):  # fmt: skip
                left = iter(args)
                args = tuple(constants[name] if is_constant else next(left)
                             for name, is_constant in zip(names, declared, strict=True))  # fmt: skip
        return bound(*args, **kwargs)

    @cached_property
    def _declared_constants(self) -> list[bool]:
        """Returns for each parameter whether its annotation declares it a constant."""
        program = self._compiled.program
        program = getattr(program, "program", program)
        parameters = program.source.parameters if isinstance(program, SourceProgram) else ()
        return [each.is_constexpr for each in parameters]

    def run_as_triton(self) -> Callable[..., None]:
        """Returns ``CompiledKernel.run``."""
        names, constants = self._compiled.signature.names, self._compiled.signature.constants
        shortest = max((at + 1 for at, name in enumerate(names) if name not in constants), default=0)
        launch = _runtime.TritonLaunch(tuple((True,) * count for count in range(len(names), shortest - 1, -1)))

        def run(grid_0: int, grid_1: int, grid_2: int, stream: int | None, function: object, *rest: object) -> None:
            del function  # It is the launcher's own kernel.
            launch(grid_0, grid_1, grid_2, stream, self, *rest)

        return run

    def _compile(
        self,
        values: Sequence[object],
        attributes: Sequence[arguments.Attributes],
        variant: int,
        overlaps: Overlaps,
        device: int,
    ) -> _runtime.AnyKernel:
        self._check_device(device)
        known = len(self._compiled.signature.names)
        self._check_arguments(values[:known], attributes[:known])
        return self._kernel(variant, overlaps, device)

    def _check_device(self, device: int) -> None:
        """Raises an error for a device that the kernel is not compiled for."""
        raise NotImplementedError

    def _kernel(self, variant: int, overlaps: Overlaps, device: int) -> _runtime.AnyKernel:
        """Returns the kernel, loaded on a device, or the variant of the program for these aliases."""
        raise NotImplementedError

    def _check_arguments(self, values: Sequence[object], attributes: Sequence[arguments.Attributes]) -> None:
        signature = self._compiled.signature
        for name, value, attribute in zip(signature.names, values, attributes, strict=True):
            if name in signature.tuples:
                self._check_tuple(name, value, attribute, signature.tuples[name])
            elif name in signature.constants:
                if value != signature.constants[name]:
                    raise self._error("declared value", name, value, f"{name}={signature.constants[name]!r}")
            else:
                self._check_value(name, value, attribute)

    def _check_tuple(self, name: str, value: Any, attributes: arguments.Attributes, names: Any) -> None:
        fields, actual = getattr(names, "_fields", None), getattr(value, "_fields", None)
        if not isinstance(attributes, tuple) or len(attributes) != len(names) or (fields and fields != actual):
            description = f"({', '.join(fields)})" if fields else f"of {len(names)} elements"
            raise self._error("declared value", name, value, f"a tuple {description}")
        constants = self._compiled.signature.constants
        elements = element_names(name, len(names))
        for element, item, attribute, inner in zip(elements, value, attributes, names, strict=True):
            if isinstance(inner, tuple):
                self._check_tuple(element, item, attribute, inner)
            elif element in constants:
                self._check_constant(element, item, attribute, constants[element])
            else:
                self._check_value(element, item, attribute)

    def _check_constant(self, name: str, value: object, attribute: arguments.Attributes, constant: object) -> None:
        """Checks a constant element of a tuple. The native launcher keeps the values of constant elements only."""
        known = (arguments.NONE, arguments.CONSTANT)
        is_known = isinstance(attribute, int) and (
            attribute & arguments.KIND_MASK in known or attribute & arguments.EQUAL_TO_ONE
        )
        if not is_known or unwrap(value) != constant:
            raise self._error("declared value", name, value, repr(constant if constant in (None, 1) else
                                                                  constexpr(constant)))  # fmt: skip

    def _check_value(self, name: str, value: object, attribute: arguments.Attributes) -> None:
        signature = self._compiled.signature
        declared = signature.types[name]
        is_pointer = declared.startswith("*")
        is_memory = is_pointer or declared.startswith("tensordesc<")
        actual = None if isinstance(attribute, tuple) else arguments.type_of(attribute, value)
        if (
            isinstance(attribute, tuple)
            or actual is None
            or ((is_memory or actual.startswith("tensordesc<")) and not signature.accepts(declared, actual))
        ):
            raise self._error("declared dtype", name, value, declared)
        if arguments.is_too_wide(declared, attribute):
            raise self._error("declared value", name, value, f"type '{declared}'")
        if signature.divisibility.get(name, 1) % 16 == 0 and not attribute & arguments.DIVISIBLE_BY_16:
            where = "an address" if is_pointer else "a number"
            raise self._error("declared value", name, value, f"{where} divisible by 16")

    def _error(self, reason: str, name: str | None, value: object, declared: str = "") -> LaunchError:
        return refusal(self._compiled.name, self._compiled.signature.names, reason, name, value, declared)

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise self._error(reason, name, value, self._compiled.signature.types.get(name or "", ""))

    def _explain_grid(self, given: Mapping[str, object], error: BaseException) -> None:
        explain_grid(self._compiled.name, given, error)


@make_launcher.register(CPUKernel)
class CPULauncher(CompiledLauncher):
    """``compiled[grid](...)`` for a kernel of the CPU."""

    _compiled: CPUKernel

    def _check_device(self, device: int) -> None:
        if device != CPU:
            raise self._error("compiled for", None, ("the CPU", device_name(device)))

    def _kernel(self, variant: int, overlaps: Overlaps, device: int) -> CPUKernel:
        del device  # Always the CPU.
        first = self._compiled
        options = replace(first.options, disjoint=True, merged=(), streaming=bool(variant & STREAMING))
        aliases = Aliases.of(first.signature, overlaps)
        return first if first.suits(options, aliases) else compile_kernel(first.program, options, aliases)


@make_launcher.register(CUDAKernel)
class CUDALauncher(CompiledLauncher):
    """``compiled[grid](...)`` for a kernel of GPUs, on any GPU with its capability."""

    _compiled: CUDAKernel

    def _check_device(self, device: int) -> None:
        expected = f"GPUs of compute capability {_version(self._compiled.capability)}"
        if device == CPU:
            raise self._error("compiled for", None, (expected, "the CPU"))
        actual = _runtime.cuda_capability(device)
        if actual != self._compiled.capability:
            raise self._error(
                "compiled for", None, (expected, f"{device_name(device)} of capability {_version(actual)}")
            )

    def _kernel(self, variant: int, overlaps: Overlaps, device: int) -> CUDAKernel:
        del variant, overlaps  # A GPU has no variants.
        return self._compiled.ready(device)


def _version(capability: int) -> str:
    return f"{capability // 10}.{capability % 10}"


def device_name(device: int) -> str:
    """Returns the name of a GPU for a message."""
    return f"device 'cuda:{device}'"
