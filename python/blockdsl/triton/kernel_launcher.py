"""Launchers of Triton's kernels: the arguments that a kernel takes, and the variant that suits them."""

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
"""The key of what Triton keeps for a device. A number would be that of a GPU, too."""

_PROMISE, _NO_PROMISE = "tt.divisibility = 16 : i32", "tt.divisibility = 1 : i32"


class KernelLauncher(CompiledLauncher):
    """A kernel that Triton has compiled, launched with its run-time arguments: what Triton calls the function.

    Triton looks at the arguments when it chooses the kernel, but a caller may have chosen it before: Inductor does, and
    whoever keeps the kernel that a launch returned. So an address that is no multiple of 16 here gets code that does
    not rely on it, and a number in place of a pointer, of which nobody knows what it overlaps, code that expects
    anything.

    Attributes:
        kernel: The machine code, with its stages in ``asm``.
        unaligned: The program without its promises about addresses.
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
        """The text of every stage of ours, by name."""
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
            # These get code of their own.
            attribute &= ~(arguments.EQUAL_TO_ONE | arguments.PADDED_WITH_NAN)
        if self._is_pointer(name) and isinstance(attribute, int):
            kind = attribute & arguments.KIND_MASK
            if kind in (arguments.NONE, arguments.INT32, arguments.INT64, arguments.UINT64):
                return
            # Whatever the address is.
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
    """The program of a kernel without its promises about addresses."""
    program = kernel.program
    assert isinstance(program, TextProgram)
    # Known without parsing the text: a process that takes its kernels from the disk cache loads no compiler.
    signature = replace(kernel.signature, divisibility=dict.fromkeys(kernel.signature.divisibility, 1))
    text = program.text.replace(_PROMISE, _NO_PROMISE)
    return replace(program, text=text, read=(kernel.name, signature))


_DESCRIPTOR = re.compile(r"(: !tt\.tensordesc<[\w<>, ]*>)( \{)?")
_HEAD = re.compile(r"^\s*tt\.func public @.*\{$", re.MULTILINE)
_SCALES = re.compile(r"tt\.make_tensor_ptr %[\w$.#-]+, \[[^\]]*\], \[([^\]]*)\]")
_WIDENED = re.compile(r"(%[\w$.#-]+) = arith\.extsi (%[\w$.#-]+) : i32 to i64")


def strides(text: str, names: Sequence[str]) -> frozenset[str]:
    """Which parameters are strides of block pointers in Triton's text: its caller kept them from being constants."""
    found = {value.strip() for each in _SCALES.findall(text) for value in each.split(",")}
    found |= {source for result, source in _WIDENED.findall(text) if result in found}
    return frozenset(name for name in names if f"%{name}" in found)


def padded_names(names: Sequence[str], attributes: Sequence[arguments.Attributes]) -> list[str]:
    """The parameters whose arguments are descriptors that are padded with NaN."""
    each = zip(names, attributes, strict=False)
    return [name for name, attribute in each if isinstance(attribute, int) and attribute & arguments.PADDED_WITH_NAN]


def padded_with_nan(program: TextProgram, names: Sequence[str]) -> TextProgram:
    """The program with these descriptors padded with NaN. Triton's type of a descriptor does not say how it is padded:
    a GPU's hardware reads it from the descriptor."""
    head = _HEAD.search(program.text)
    assert head
    # In the text the elements of a tuple have other names, and the same order.
    described = (name for name, kind in program.signature.types.items() if kind.startswith("tensordesc<"))

    def mark(parameter: re.Match[str]) -> str:
        if next(described) not in names:
            return parameter.group()
        return f"{parameter[1]} {{tt.padding = 2 : i32{', ' if parameter[2] else '}'}"

    marked = _DESCRIPTOR.sub(mark, head.group())
    return replace(program, text=program.text[: head.start()] + marked + program.text[head.end() :])


def with_ones(text: str, names: Sequence[str]) -> str:
    """Triton's text with the constant one in place of these parameters."""
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
"""For each argument whether the kernel takes it, an ellipsis for a number; of a tuple a tuple of the same."""

_NUMBER = re.compile(r"[iu]\d+|fp\d+|bf16")


def _selection(kind: Any) -> Any:
    """Of a signature's entry. What the kernel has as a constant it does not take."""
    if isinstance(kind, tuple):
        return tuple(map(_selection, kind))
    return ... if _NUMBER.fullmatch(kind) else kind != "constexpr"


def launcher(source: Any, metadata: Any) -> _runtime.TritonLaunch:
    """What Triton calls to launch. ``source`` and ``metadata`` are those of the compiled kernel.

    Triton passes all arguments. Libraries that keep a kernel pass fewer when they launch it again: without those
    declared as constants, or without all that have become constants.
    """
    del metadata
    taken = tuple(map(_selection, source.signature.values()))
    declared = {each.name for each in getattr(getattr(source, "fn", None), "params", ()) if each.is_constexpr}
    undeclared = tuple(each for name, each in zip(source.signature, taken, strict=True) if name not in declared)
    return _runtime.TritonLaunch((taken, undeclared, tuple(each for each in taken if each is not False)))
