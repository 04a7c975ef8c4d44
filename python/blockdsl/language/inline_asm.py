"""Inline assembly in kernels: `inline_asm_elementwise`. The interpreter runs PTX with ptx.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import expects
from . import ptx, ptx_lanes
from .attributes import boolean, i32, string
from .cast import cast
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .promotion import together
from .shape import as_tensor
from .tensor import tensor
from .types import Type, block, int64, uint32, uint64
from .types import dtype as number


def _operands(
    mode: Mode, asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any
) -> tuple[str, str, tuple[tensor, ...], Any, bool, int]:
    asm, constraints, dtype, pack = map(unwrap, (asm, constraints, dtype, pack))
    expects(
        isinstance(asm, str) and isinstance(constraints, str),
        f"'inline_asm_elementwise' expects asm and constraints as strings, got {asm!r} and {constraints!r}",
    )
    kinds = tuple(map(unwrap, dtype)) if isinstance(dtype, (tuple, list)) else (dtype,)
    expects(
        bool(kinds) and all(isinstance(kind, Type) and not kind.is_block() for kind in kinds),
        f"'inline_asm_elementwise' expects dtype to be a type or a tuple of types, got {dtype!r}",
        hint="such as tl.int32",
    )
    values = together(mode, *(as_tensor(mode, value) for value in args)) if args else ()
    count = int(np.prod(values[0].shape)) if values and values[0].shape else 0
    expects(
        isinstance(pack, int) and not isinstance(pack, bool) and pack >= 1 and count % pack == 0,
        f"'inline_asm_elementwise' expects pack to divide the {count} elements, and to be positive, got {pack!r}",
    )
    return (
        asm,
        constraints,
        values,
        kinds if isinstance(dtype, (tuple, list)) else kinds[0],
        bool(unwrap(is_pure)),
        pack,
    )


@op(operands=_operands)
def inline_asm_elementwise(
    asm: str, constraints: str, args: Sequence[tensor], dtype: number | Sequence[number], is_pure: bool, pack: int
) -> Any:
    """Runs assembly for every group of ``pack`` elements.

    A GPU gets the text unchanged. A CPU and the interpreter read PTX without branches: moves, conversions (also packed,
    as to 4-bit floats), elementwise arithmetic, comparisons and predicated instructions. Barriers and hints do nothing,
    because a program is one thread; fences order memory. Anything else is an error at the kernel's line.

    Args:
        asm: The text. ``$0`` and so on are the registers, first those of the results. Elements of less than 32 bits
            share a register, the first in the low bits, if the group has several.
        constraints: The kind of each register in LLVM's notation: ``"=r,r"`` is a result and an operand of 32 bits. An
            operand of kind ``n`` or ``i`` is a number in the text, and must be a compile-time value.
        args: Blocks or scalars, broadcast together.
        dtype: The element type of the result, or a tuple of element types.
        is_pure: The assembly has no side effects.
        pack: The number of elements of a group. Which elements form a group is unspecified.

    Returns:
        A block of the arguments' shape, or a tuple of blocks if ``dtype`` is a tuple.

    Raises:
        TypeMismatchError: ``pack`` does not divide the number of elements, or an argument does not fit its constraint.

    Example:
        y = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    """


def _types(args: tuple[tensor, ...], kinds: Sequence[Any]) -> list[Any]:
    return [block(kind, args[0].shape) if args else kind for kind in kinds]


@inline_asm_elementwise.emit
def _emit(
    e: Emitter, asm: str, constraints: str, args: tuple[tensor, ...], dtype: Any, is_pure: bool, pack: int
) -> Any:
    given = {
        "asm_string": string(asm),
        "constraints": string(constraints),
        "packed_element": i32(pack),
        "pure": boolean(is_pure),
    }
    kinds = dtype if isinstance(dtype, tuple) else (dtype,)
    made = e.create("tt.elementwise_inline_asm", *args, attributes=given, result=_types(args, kinds))
    single = made[0] if isinstance(made, tuple) else made
    return ((single,) if len(kinds) == 1 else made) if isinstance(dtype, tuple) else single


@inline_asm_elementwise.reference
def _reference(
    e: Any, asm: str, constraints: str, args: tuple[tensor, ...], dtype: Any, is_pure: bool, pack: int
) -> Any:
    kinds = dtype if isinstance(dtype, tuple) else (dtype,)
    shape = args[0].shape if args else ()
    # Neighbors form a group; a scalar is repeated for each element.
    groups = int(np.prod(shape)) // pack if shape else 1
    names, numbers = _registers(constraints), _immediates(constraints)
    outputs = [width for is_output, width in names if is_output]
    inputs: list[tensor] = []
    immediates: dict[str, int] = {}
    for value in args:
        bits = _bits_of(value)
        lanes = np.broadcast_to(bits.handle.reshape(groups, -1), (groups, pack))
        elements = [tensor(np.ascontiguousarray(lanes[:, at]), block(bits.dtype, (groups,))) for at in range(pack)]
        width, count = _packing(value.dtype, pack)
        for first in range(0, pack, count):
            _expect_register(names, len(outputs) + len(inputs), width * count)
            at, whole = len(outputs) + len(inputs), names[len(outputs) + len(inputs)][1]
            if at in numbers:
                immediates[f"${at}"] = _immediate(value, f"${at}")
            inputs.append(ptx_lanes.put_together(elements[first : first + count], width, whole))
    needed = sum(pack // _packing(kind, pack)[1] for kind in kinds)
    expects(
        (needed, len(inputs)) == (len(outputs), len(names) - len(outputs)),
        f"'inline_asm_elementwise' expects constraints for {needed} results and {len(inputs)} operands, got "
        f"{constraints!r}",
    )
    zero = np.zeros(groups, np.uint64)
    registers = {
        f"${at}": tensor(zero.astype(ptx_lanes.REGISTERS[width].carrier), block(ptx_lanes.REGISTERS[width], (groups,)))
        for at, width in enumerate(outputs)
    }
    registers |= {f"${at}": value for at, value in enumerate(inputs, len(outputs)) if at not in numbers}
    for at, output in _tied(constraints):
        registers[f"${output}"] = registers[f"${len(outputs) + at}"]
    ptx.run(asm, registers, immediates)
    results, next_output = [], 0
    for kind in kinds:
        width, count = _packing(kind, pack)
        parts: list[tensor] = []
        for _ in range(0, pack, count):
            _expect_register(names, next_output, width * count)
            parts += ptx_lanes.take_apart(registers[f"${next_output}"], width, count)
            next_output += 1
        flat = np.stack([_element_of(lane, kind).handle for lane in parts], axis=1)
        results.append(tensor(flat.reshape(shape) if shape else flat[0, 0], block(kind, shape)))
    return tuple(results) if isinstance(dtype, tuple) else results[0]


_WIDTHS = {"b": 1, "c": 16, "h": 16, "r": 32, "f": 32, "l": 64, "d": 64}


def _constraints(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip() and not each.strip().startswith("~")]


def _tied(constraints: str) -> list[tuple[int, int]]:
    """Returns the inputs that are tied to an output's register, and the output's number."""
    inputs = [each for each in _constraints(constraints) if not each.startswith("=")]
    return [(at, int(each)) for at, each in enumerate(inputs) if each.isdigit()]


def _registers(constraints: str) -> list[tuple[bool, int]]:
    """Returns for each register whether it is a result's, and its width."""
    found: list[tuple[bool, int]] = []
    for each in _constraints(constraints):
        letters = each.lstrip("=&")
        is_tied = letters.isdigit() and int(letters) < len(found)
        width = found[int(letters)][1] if is_tied else 64 if _is_immediate(each) else _width(letters)
        expects(width, f"'inline_asm_elementwise' expects constraints for registers of 8 to 64 bits, got {each!r}")
        assert width
        found.append((each.startswith("="), width))
    return found


def _width(letters: str) -> int | None:
    """Returns the width of a constraint's register, or None. A letter may allow an immediate as well."""
    known = set(letters) <= {*_WIDTHS, "n", "i"}
    return max((_WIDTHS.get(letter, 0) for letter in letters), default=0) if known else None


def _is_immediate(constraint: str) -> bool:
    return bool(constraint) and set(constraint.lstrip("&")) <= {"n", "i"}


def _immediates(constraints: str) -> set[int]:
    """Returns the inputs that are numbers in the text, not registers."""
    return {at for at, each in enumerate(_constraints(constraints)) if _is_immediate(each)}


def _immediate(value: tensor, name: str) -> int:
    elements = np.unique(value.handle)
    expects(
        len(elements) == 1 and value.dtype.is_int() and value.dtype.primitive_bitwidth > 1,
        f"'inline_asm_elementwise' expects {name} to be an integer that is known when the kernel is compiled",
    )
    return int(elements[0])


def _packing(kind: Any, pack: int) -> tuple[int, int]:
    """Returns the bits of an element, and the number of elements that share a register."""
    width = kind.primitive_bitwidth
    return width, min(max(32 // width, 1), pack)


def _expect_register(names: list[tuple[bool, int]], at: int, bits: int) -> None:
    expects(
        at < len(names) and bits <= names[at][1],
        f"'inline_asm_elementwise' expects a constraint for register ${at} of {bits} bits or more",
    )


def _bits_of(value: tensor) -> tensor:
    kind = value.dtype
    if kind.is_ptr():
        return cast(cast(value, int64), uint64)
    if kind.primitive_bitwidth < 8:
        return cast(value, uint32)
    return cast(value, ptx_lanes.REGISTERS[kind.primitive_bitwidth], bitcast=True)


def _element_of(bits: tensor, kind: Any) -> tensor:
    if kind.is_ptr():
        return cast(cast(bits, int64), kind)
    if kind.primitive_bitwidth < 8:
        return cast(bits, kind)
    return cast(bits, kind, bitcast=True)
