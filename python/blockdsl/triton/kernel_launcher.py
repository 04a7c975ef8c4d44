"""Launchers of Triton's kernels, which select the arguments that a kernel takes, and the variant for them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from blockdsl import _runtime
from blockdsl.compiler.aliases import Aliases, Overlaps
from blockdsl.compiler.cpu_kernel import CPUKernel, compile_kernel
from blockdsl.compiler.program import TextProgram
from blockdsl.errors import BlockdslError
from blockdsl.forks import cached_property
from blockdsl.launcher import arguments
from blockdsl.launcher.compiled_launcher import CPU, STREAMING, CompiledLauncher, device_name
from blockdsl.triton.errors import as_tritons

DEVICE = "cpu"
"""The CPU's key in Triton's tables of devices. A number would equal that of a GPU."""

_PROMISE, _NO_PROMISE = "tt.divisibility = 16 : i32", "tt.divisibility = 1 : i32"


class KernelLauncher(CompiledLauncher):
    """A kernel that Triton has compiled, launched with its run-time arguments: Triton's ``function``.

    Triton checks the arguments when it selects the kernel, but Inductor and programs that store a compiled kernel
    launch it directly. So an address that is no multiple of 16 selects code without this assumption, and a number in
    place of a pointer, which may overlap any argument, selects code without assumptions about aliases.

    Attributes:
        kernel: The machine code, with its stages in ``asm``.
        unaligned: The program without assumptions about alignment.
    """

    _takes_stream = False
    _takes_addresses = True

    def __init__(self, kernel: CPUKernel) -> None:
        self.kernel = kernel
        program = kernel.program
        assert isinstance(program, TextProgram)
        self._strides = strides(program.text, kernel.signature.names)
        super().__init__(kernel)

    @property
    def asm(self) -> Any:
        """The texts of all our stages, by name."""
        return self.kernel.asm

    @cached_property
    def unaligned(self) -> TextProgram:
        return unaligned(self.kernel)

    def _compile(
        self,
        values: Sequence[object],
        attributes: Sequence[arguments.Attributes],
        variant: int,
        overlaps: Overlaps,
        device: int,
    ) -> _runtime.AnyKernel:
        if device != CPU:
            raise self._error("compiled for", None, ("the CPU", device_name(device)))
        self._check_arguments(values, attributes)
        first = self.kernel
        aligned = all(map(self._is_aligned, first.signature.names, attributes))
        known = all(map(self._spans_known_bytes, first.signature.names, attributes))
        ones = [
            name
            for name, attribute in zip(first.signature.names, attributes, strict=True)
            if name in self._strides and isinstance(attribute, int) and attribute & arguments.EQUAL_TO_ONE
        ]
        options = replace(first.options, disjoint=known, merged=(), streaming=bool(variant & STREAMING))
        aliases = Aliases.of(first.signature, overlaps)
        padded = padded_names(first.signature.names, attributes)
        if aligned and not ones and not padded and first.suits(options, aliases):
            return first
        program = first.program if aligned else self.unaligned
        assert isinstance(program, TextProgram)
        if ones:
            program = replace(program, text=with_ones(program.text, ones))
        if padded:
            program = padded_with_nan(program, padded)
        try:
            return compile_kernel(program, options, aliases)
        except BlockdslError as error:
            as_tritons(error)
            raise

    def _check_value(self, name: str, value: object, attribute: arguments.Attributes) -> None:
        if isinstance(attribute, int):
            # Arguments with these attributes get specialized code.
            attribute &= ~(arguments.EQUAL_TO_ONE | arguments.PADDED_WITH_NAN)
        if self._is_pointer(name) and isinstance(attribute, int):
            kind = attribute & arguments.KIND_MASK
            if kind in (arguments.NONE, arguments.INT32, arguments.INT64, arguments.UINT64):
                return
            # Any alignment is accepted.
            attribute |= arguments.DIVISIBLE_BY_16
        super()._check_value(name, value, attribute)

    def _is_pointer(self, name: str) -> bool:
        return self.kernel.signature.types[name].startswith("*")

    def _is_aligned(self, name: str, attribute: arguments.Attributes) -> bool:
        if not self._is_pointer(name) or self.kernel.signature.divisibility.get(name, 1) % 16:
            return True
        assert isinstance(attribute, int)
        return bool(attribute & arguments.DIVISIBLE_BY_16) or attribute & arguments.KIND_MASK == arguments.NONE

    def _spans_known_bytes(self, name: str, attribute: arguments.Attributes) -> bool:
        return not self._is_pointer(name) or (
            isinstance(attribute, int) and attribute & arguments.KIND_MASK == arguments.TENSOR
        )


def unaligned(kernel: CPUKernel) -> TextProgram:
    """Returns the program of a kernel without assumptions about alignment."""
    program = kernel.program
    assert isinstance(program, TextProgram)
    # Not parsed from the text, because a process with all kernels in the disk cache should not load the compiler.
    signature = replace(kernel.signature, divisibility=dict.fromkeys(kernel.signature.divisibility, 1))
    text = program.text.replace(_PROMISE, _NO_PROMISE)
    return replace(program, text=text, read=(kernel.name, signature))


_DESCRIPTOR = re.compile(r"(: !tt\.tensordesc<[\w<>, ]*>)( \{)?")
_HEAD = re.compile(r"^\s*tt\.func public @.*\{$", re.MULTILINE)
_SCALES = re.compile(r"tt\.make_tensor_ptr %[\w$.#-]+, \[[^\]]*\], \[([^\]]*)\]")
_WIDENED = re.compile(r"(%[\w$.#-]+) = arith\.extsi (%[\w$.#-]+) : i32 to i64")


def strides(text: str, names: Sequence[str]) -> frozenset[str]:
    """Returns the parameters that are strides of block pointers in Triton's text, and not specialized for 1."""
    found = {value.strip() for each in _SCALES.findall(text) for value in each.split(",")}
    found |= {source for result, source in _WIDENED.findall(text) if result in found}
    return frozenset(name for name in names if f"%{name}" in found)


def padded_names(names: Sequence[str], attributes: Sequence[arguments.Attributes]) -> list[str]:
    """Returns the parameters whose arguments are descriptors with NaN padding."""
    each = zip(names, attributes, strict=False)
    return [name for name, attribute in each if isinstance(attribute, int) and attribute & arguments.PADDED_WITH_NAN]


def padded_with_nan(program: TextProgram, names: Sequence[str]) -> TextProgram:
    """Returns the program with NaN padding for these descriptors. Triton's type of a descriptor does not include the
    padding, which a GPU's hardware reads from the descriptor."""
    head = _HEAD.search(program.text)
    assert head
    # The text has the same order of parameters, but other names for elements of tuples.
    described = (name for name, kind in program.signature.types.items() if kind.startswith("tensordesc<"))

    def mark(parameter: re.Match[str]) -> str:
        if next(described) not in names:
            return parameter.group()
        return f"{parameter[1]} {{tt.padding = 2 : i32{', ' if parameter[2] else '}'}"

    marked = _DESCRIPTOR.sub(mark, head.group())
    return replace(program, text=program.text[: head.start()] + marked + program.text[head.end() :])


def with_ones(text: str, names: Sequence[str]) -> str:
    """Returns Triton's text with the constant 1 in place of these parameters."""
    head = _HEAD.search(text)
    assert head
    end = text.find("\n  }", head.end())
    body = text[head.end() : end]
    for name in names:
        kind = re.search(rf"%{re.escape(name)}: (i32|i64)\b", head.group())
        assert kind
        body = re.sub(rf"%{re.escape(name)}(?![\w$.#-])", f"%{name}_is_one", body)
        body = f"\n    %{name}_is_one = arith.constant 1 : {kind[1]}{body}"
    return text[: head.end()] + body + text[end:]


Selection = tuple[Any, ...]
"""For each argument whether the kernel takes it: an ellipsis for a number, a tuple of the same for a tuple."""

_NUMBER = re.compile(r"[iu]\d+|fp\d+|bf16")


def _selection(kind: Any) -> Any:
    """Returns the selection for a signature's entry. Constants are not taken."""
    if isinstance(kind, tuple):
        return tuple(map(_selection, kind))
    return ... if _NUMBER.fullmatch(kind) else kind != "constexpr"


def launcher(source: Any, metadata: Any) -> _runtime.TritonLaunch:
    """Returns Triton's launcher. ``source`` and ``metadata`` are those of the compiled kernel.

    Triton passes all arguments. Libraries that store a compiled kernel may launch it without the declared constants, or
    without all constants.
    """
    del metadata
    selections = tuple(map(_selection, source.signature.values()))
    declared = {each.name for each in getattr(getattr(source, "fn", None), "params", ()) if each.is_constexpr}
    undeclared = tuple(each for name, each in zip(source.signature, selections, strict=True) if name not in declared)
    return _runtime.TritonLaunch((selections, undeclared, tuple(each for each in selections if each is not False)))
