"""Tensor descriptors: strided arrays that are accessed in blocks. Loads and stores are in descriptor_access.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..errors import MissingNameError, expects
from . import attributes
from .cast import cast
from .constexpr import unwrap
from .op import OPS, Emitter, Member, Mode, op
from .shape import as_tensor
from .tensor import tensor
from .types import Scalar, Type, block, dtype, int32, int64, parse, pointer_type

_PADDINGS = {"zero": 1, "nan": 2}
_PREFIX = "tensordesc<"

DESCRIPTOR_METHODS = {
    "load": "load_tensor_descriptor",
    "store": "store_tensor_descriptor",
    "gather": "descriptor_gather",
    "scatter": "descriptor_scatter",
    **{f"atomic_{kind}": f"descriptor_atomic_{kind}" for kind in ("add", "min", "max", "and", "or", "xor")},
}
"""The ops that are also methods: ``desc.load(offsets)``."""


@dataclass(frozen=True, repr=False)
class tensor_descriptor_type(Type):  # noqa: N801 - Triton's spelling
    """The type of a descriptor, with the type of its blocks.

    Attributes:
        block_type: Type of a whole block.
        const: Whether stores through it are refused.
        padding: For a kernel's parameter the value of loads outside of the array, ``zero`` or ``nan``.
    """

    block_type: Type
    const: bool = False
    padding: str = "zero"

    @property
    def scalar(self) -> Scalar:
        return self.block_type.scalar

    @property
    def ir(self) -> str:
        element = self.scalar
        # Only in descriptor types the IR's integers have a sign.
        sign = "" if not element.is_int() else "s" if element.is_int_signed() else "u"
        return f"!tt.tensordesc<{'x'.join(map(str, self.block_type.shape))}x{sign}{element.ir}>"

    def mangle(self) -> str:
        return f"TD{self.block_type.mangle()}"

    def __str__(self) -> str:
        return f"{_PREFIX}{self.scalar}[{','.join(map(str, self.block_type.shape))}]>"

    __repr__ = __str__

    @staticmethod
    def parse(name: str) -> tensor_descriptor_type | None:
        """Parses a descriptor's type in a signature, such as ``tensordesc<fp16[16,64]>``. Returns None for other types.

        NaN padding of a parameter is written after the shape: ``tensordesc<fp16[16,64],nan>``.
        """
        if not name.startswith(_PREFIX):
            return None
        element, _, rest = name.removeprefix(_PREFIX).removesuffix(">").partition("[")
        sizes, _, padding = rest.partition("]")
        whole = block(parse(element), [int(size) for size in sizes.split(",")])
        return tensor_descriptor_type(whole, padding=padding.strip(", ") or "zero")


class tensor_descriptor(NamedTuple):  # noqa: N801 - Triton's spelling
    """A descriptor inside a kernel: made by ``tl.make_tensor_descriptor``, or an argument.

    Attributes:
        handle: The operand of loads and stores.
        shape: The array's extents, int32 scalars.
        strides: The array's strides in elements, int64 scalars.

    Example:
        x = desc.load([row, column])        # a block of shape desc.block_shape
        desc.store([row, column], x * 2)
    """

    # A named tuple, so that loops, ifs and calls treat it like any tuple.
    handle: tensor
    shape: tuple[tensor, ...]
    strides: tuple[tensor, ...]

    @property
    def type(self) -> tensor_descriptor_type:
        kind = self.handle.type
        assert isinstance(kind, tensor_descriptor_type)
        return kind

    @property
    def block_type(self) -> Type:
        return self.type.block_type

    @property
    def block_shape(self) -> tuple[int, ...]:
        return self.block_type.shape

    @property
    def dtype(self) -> Scalar:
        return self.type.scalar

    def __getattr__(self, name: str) -> Any:
        raise MissingNameError(
            f"a tensor descriptor has no attribute '{name}'",
            hint=f"it has {', '.join(DESCRIPTOR_METHODS)}, block_shape, dtype, shape, strides and type",
        )

    def __repr__(self) -> str:
        return str(self.handle.type)


for _name, _op in DESCRIPTOR_METHODS.items():
    setattr(tensor_descriptor, _name, Member(OPS, _op))


def described_parameter(kind: tensor_descriptor_type) -> tuple[tensor_descriptor, list[dict[str, str]]]:
    """Returns a kernel's parameter, and the attributes of the descriptor, shape and strides, as in Triton's text."""
    rank = len(kind.block_type.shape)
    made = tensor_descriptor(
        tensor(None, replace(kind, padding="zero")),
        tuple(tensor(None, int32) for _ in range(rank)),
        tuple(tensor(None, int64) for _ in range(rank)),
    )
    padding = {} if kind.padding == "zero" else {"tt.padding": attributes.i32(_PADDINGS[kind.padding])}
    return made, [padding, *({} for _ in range(2 * rank))]


def _known(mode: Mode, value: Any) -> Any:
    """Returns a compile-time number; in the interpreter, which does not specialize on 1, the value of any number."""
    value = unwrap(value)
    if not isinstance(value, tensor):
        return value
    return int(value) if hasattr(mode, "program") else None


def _scalars(mode: Mode, subject: str, values: Sequence[Any], kind: dtype) -> tuple[tensor, ...]:
    result = []
    for value in values:
        one = as_tensor(mode, value)
        expects(
            not one.shape and isinstance(one.dtype, dtype) and one.dtype.is_int(),
            f"'make_tensor_descriptor' expects {subject} of integer scalars, got {one.type}",
            hint="pass sizes and strides in elements, one for each dimension",
        )
        result.append(mode.run(cast, (one, kind), {}))
    return tuple(result)


def _listed(subject: str, values: Any) -> list[Any]:
    values = unwrap(values)
    expects(
        isinstance(values, (tuple, list)),
        f"'make_tensor_descriptor' expects {subject} to be a list, got {getattr(values, 'type', values)}",
        hint="one entry for each dimension, such as [M, N]",
    )
    return list(values)


def _check_ranks(shape: list[Any], strides: list[Any], sizes: list[Any]) -> None:
    expects(1 <= len(shape) <= 5, f"'make_tensor_descriptor' expects 1 to 5 dimensions, got {len(shape)}")
    for parameter, values in (("strides", strides), ("block_shape", sizes)):
        expects(
            len(values) == len(shape),
            f"'make_tensor_descriptor' expects {parameter} to have {len(shape)} entries like shape, got {len(values)}",
        )


def _check_strides(mode: Mode, strides: list[Any], element: dtype) -> None:
    last = _known(mode, strides[-1])
    expects(
        last == 1,
        f"'make_tensor_descriptor' expects a last stride of 1, got {'a runtime value' if last is None else last}",
        hint="the last dimension is contiguous: write a literal 1; for other layouts use pointers",
    )
    for stride in strides[:-1]:
        known = unwrap(stride)
        expects(
            not isinstance(known, int) or known * element.itemsize % 16 == 0,
            f"'make_tensor_descriptor' expects strides that are multiples of 16 bytes, got {known} elements "
            f"of {element.itemsize} bytes",
            hint="pad the rows, or use pointers and masks",
        )


def _make_operands(
    mode: Mode, base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any
) -> tuple[Any, ...]:
    expects(
        isinstance(base, tensor) and base.dtype.is_ptr() and not base.shape,
        f"'make_tensor_descriptor' expects base to be a pointer, got {getattr(base, 'type', base)!s}",
        hint="pass the array's first element: a pointer argument",
    )
    assert isinstance(base.dtype, pointer_type)
    element = base.dtype.element_ty
    expects(
        isinstance(element, dtype) and not element.is_bool(),
        f"'make_tensor_descriptor' expects elements that are numbers of at least 8 bits, got {element}",
    )
    assert isinstance(element, dtype)
    shape, strides = _listed("shape", shape), _listed("strides", strides)
    sizes = [unwrap(size) for size in _listed("block_shape", block_shape)]
    _check_ranks(shape, strides, sizes)
    whole = block(element, sizes)
    inner = sizes[-1] * element.itemsize
    expects(
        inner >= 16,
        f"'make_tensor_descriptor' expects blocks of at least 16 bytes in the last dimension, got {sizes[-1]} elements "
        f"of {element.itemsize} bytes",
        hint=f"use {16 // element.itemsize} elements or more",
    )
    _check_strides(mode, strides, element)
    padding = unwrap(padding_option)
    attributes.one_of("make_tensor_descriptor", "padding_option", padding, tuple(_PADDINGS))
    expects(
        padding == "zero" or element.is_floating(),
        f"'make_tensor_descriptor' expects floats where padding_option is 'nan', got {element}",
    )
    kind = tensor_descriptor_type(whole, base.dtype.const)
    extents = _scalars(mode, "shape", shape, int32)
    return base, extents, _scalars(mode, "strides", strides, int64), kind, padding


@op(operands=_make_operands)
def make_tensor_descriptor(
    base: tensor,
    shape: Sequence[Any],
    strides: Sequence[Any],
    block_shape: Sequence[int],
    padding_option: str = "zero",
) -> tensor_descriptor:
    """Describes an array in memory that is read and written in blocks.

    Args:
        base: Pointer to the array's first element, divisible by 16 bytes.
        shape: The array's extents, 1 to 5 of them.
        strides: Stride of each dimension in elements; the last is 1, the others are multiples of 16 bytes.
        block_shape: Compile-time extents of a block, powers of two; the last spans at least 16 bytes.
        padding_option: The value of loads outside of the array: ``zero`` or ``nan``.

    Raises:
        TypeMismatchError: No pointer, or invalid shapes, strides or padding.

    Example:
        desc = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
        x = desc.load([tl.program_id(0) * BLOCK_M, 0])
    """


@make_tensor_descriptor.emit
def _emit_make(e: Emitter, base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: str) -> Any:
    given = {} if padding_option == "zero" else {"padding": attributes.i32(_PADDINGS[padding_option])}
    handle = e.create("tt.make_tensor_descriptor", base, *shape, *strides, attributes=given, result=block_shape)
    return tensor_descriptor(handle, shape, strides)


@make_tensor_descriptor.reference
def _reference_make(e: Any, base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: str) -> Any:
    return tensor_descriptor(tensor((base.handle, padding_option), block_shape), shape, strides)
