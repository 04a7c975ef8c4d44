"""Tensor descriptors on the host: a tensor, or a part of it, that a kernel accesses in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from blockdsl.tracebacks import border

from ..errors import LaunchError

_PADDINGS = ("zero", "nan")


def _expects(condition: object, message: str, *met: object, hint: str | None = None) -> None:
    # Values are formatted only for an error: formatting a symbolic size of a graph would make it a constant.
    if not condition:
        _refuse(message.format(*met), hint)


def _refuse(message: str, hint: str | None) -> NoReturn:
    raise LaunchError(message, hint=hint)


# torch's Dynamo calls it while tracing, instead of tracing the construction of the error.
_refuse._dynamo_marked_constant = True  # type: ignore[attr-defined]


@dataclass
class TensorDescriptor:
    """A kernel argument that becomes a descriptor as from ``tl.make_tensor_descriptor`` inside the kernel.

    Attributes:
        base: The tensor that holds the array's first element.
        shape: The array's extents.
        strides: Stride of each dimension in elements: the last is 1, the others are multiples of 16 bytes.
        block_shape: Extents of the blocks that the kernel loads and stores, powers of two. May be set later, as an
            autotuner's ``pre_hook`` does.
        padding: The value of loads outside of the array: ``zero`` or ``nan``.
        round_f32_to_tf32: Whether a GPU rounds loaded float32 values to TF32; a CPU does not.

    Raises:
        LaunchError: Rank, extents, strides, block or memory are invalid.

    Example:
        kernel[grid](TensorDescriptor.from_tensor(x, [64, 64]), TensorDescriptor(y, [M, N], [N, 1], [64, 64]))
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    @border
    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_memory()

    def _check_sizes(self) -> None:
        rank = len(self.shape)
        _expects(1 <= rank <= 5, "a tensor descriptor has 1 to 5 dimensions, got {0}", rank)
        for attribute, sizes in (("strides", self.strides), ("block_shape", self.block_shape)):
            _expects(
                len(sizes) == rank,
                "a tensor descriptor expects {0} to have {1} entries like shape, got {2}",
                attribute,
                rank,
                len(sizes),
            )
        for size in self.shape:
            _expects(0 < size < 2**31, "a tensor descriptor's extents are positive and fit 32 bits, got {0}", size)
        for size in self.block_shape:
            _expects(size > 0 and size & (size - 1) == 0, "a block's extents must be powers of two, got {0}", size)
        _expects(
            self.strides[-1] == 1,
            "a tensor descriptor's last stride is 1, got {0}",
            self.strides[-1],
            hint="pass x.contiguous(), or transpose in the kernel",
        )

    def _check_memory(self) -> None:
        address = _address(self.base)
        _expects(
            address is None or address % 16 == 0,
            "a tensor descriptor's base is divisible by 16, got address {0}",
            f"{address or 0:#x}",
            hint="begin at a multiple of 16 bytes, or pass a copy",
        )
        size = _item_size(self.base)
        for stride in self.strides[:-1]:
            _expects(
                stride * size % 16 == 0,
                "a tensor descriptor's strides are multiples of 16 bytes, got {0} elements of {1} bytes",
                stride,
                size,
                hint="pad the rows, or use pointers and masks in the kernel",
            )
        _expects(
            self.padding in _PADDINGS, "a tensor descriptor's padding is 'zero' or 'nan', got {0}", repr(self.padding)
        )
        if self.round_f32_to_tf32:
            dtype = str(self.base.dtype)
            _expects("float32" in dtype, "a tensor descriptor rounds float32 to TF32, got {0}", dtype)
        if self.padding == "nan":
            dtype = str(self.base.dtype)
            _expects(
                "float" in dtype, "a tensor descriptor is padded with NaN where elements are floats, got {0}", dtype
            )

    @staticmethod
    @border
    def from_tensor(
        tensor: Any, block_shape: Sequence[int], padding: str = "zero", round_f32_to_tf32: bool = False
    ) -> TensorDescriptor:
        """Returns the descriptor of a whole tensor."""
        if hasattr(tensor, "stride"):
            strides = list(tensor.stride())
        else:
            strides = [stride // _item_size(tensor) for stride in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), strides, block_shape, padding, round_f32_to_tf32)


def _address(base: Any) -> int | None:
    """Returns the address of the first element; None for objects without an address or memory."""
    if type(base).__name__ in ("FakeTensor", "FunctionalTensor"):
        return None
    if callable(getattr(base, "data_ptr", None)):
        return int(base.data_ptr())
    interface = getattr(base, "__array_interface__", None) or getattr(base, "__cuda_array_interface__", None)
    return int(interface["data"][0]) if interface else None


def _no_address(_: Any) -> None:
    """Returns None: a traced tensor has no address before the graph runs."""


# torch's Dynamo traces this function instead.
_address._torchdynamo_inline = _no_address  # type: ignore[attr-defined]


def _item_size(base: Any) -> int:
    # A traced NumPy array has no dtype.
    return int(base.itemsize if hasattr(base, "itemsize") else base.dtype.itemsize)
