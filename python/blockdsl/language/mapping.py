"""Elementwise application of a scalar function, which may branch: `map_elementwise`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import expects
from .attributes import i32
from .constexpr import unwrap
from .op import Emitter, Mode, op
from .shape import as_tensor, broadcast
from .tensor import tensor
from .types import Scalar, block


def _map_operands(mode: Mode, scalar_fn: Any, args: Sequence[Any], pack: Any) -> tuple[Any, ...]:
    blocks = [as_tensor(mode, value) for value in args]
    expects(
        any(value.shape for value in blocks),
        f"'map_elementwise' expects a block, got {', '.join(str(value.type) for value in blocks) or 'none'}",
        hint="as in tl.map_elementwise(function, x)",
    )
    widest = blocks[0]
    for value in blocks[1:]:
        widest, _ = mode.run(broadcast, (widest, value), {})
    blocks = [mode.run(broadcast, (value, widest), {})[0] for value in blocks]
    pack, last = unwrap(pack), blocks[0].shape[-1]
    expects(
        isinstance(pack, int) and pack >= 1 and pack & (pack - 1) == 0 and last % pack == 0,
        f"'map_elementwise' expects pack to be a power of two that divides the last dimension ({last}), got {pack!r}",
    )
    return scalar_fn, tuple(blocks), pack


@op(operands=_map_operands)
def map_elementwise(scalar_fn: Callable[..., Any], *args: Any, pack: int = 1) -> Any:
    """Applies a function of scalars to every element; it may branch and loop on their values.

    Args:
        scalar_fn: A jit function. It takes ``pack`` neighboring elements of the first block, then of the second, and so
            on. It returns ``pack`` elements of each result, in the same order.
        args: Blocks, broadcast to one shape.
        pack: The neighbors along the last dimension that a call takes: a power of two that divides its extent.

    Returns:
        A block of the same shape if ``scalar_fn`` returns one scalar, else a tuple of blocks, also of one block.

    Raises:
        TypeMismatchError: ``pack`` does not divide the blocks, or ``scalar_fn`` does not return ``pack`` scalars of one
            type for each result.

    Example:
        @blockdsl.jit
        def quotient_and_rest(a0, a1, b0, b1):
            return a0 // b0, a1 // b1, a0 % b0, a1 % b1

        quotient, rest = tl.map_elementwise(quotient_and_rest, a, b, pack=2)
    """


def _checked(mode: Mode, returned: Any, pack: int) -> list[tensor]:
    """Returns a function's results as tensors. Raises TypeMismatchError unless each is ``pack`` scalars of one type."""
    given = returned if isinstance(returned, (tuple, list)) else (returned,)
    expects(
        all(isinstance(value, (tensor, bool, int, float)) for value in given)
        and bool(given)
        and len(given) % pack == 0,
        f"'map_elementwise' expects its function to return {pack} scalar{'s' * (pack > 1)} for each result, got "
        f"{len(given)}: {', '.join(str(getattr(value, 'type', value)) for value in given)}",
    )
    values = [as_tensor(mode, value) for value in given]
    for at in range(0, len(values), pack):
        kinds = [str(value.type) for value in values[at : at + pack]]
        expects(
            len(set(kinds)) == 1 and not values[at].shape,
            f"'map_elementwise' expects scalars of one type for result {at // pack}, got {', '.join(kinds)}",
            hint="convert them with .to(...)",
        )
    return values


@map_elementwise.emit
def _emit_map_elementwise(e: Emitter, scalar_fn: Any, args: tuple[tensor, ...], pack: int) -> Any:
    kinds: list[Scalar] = []
    is_single = False

    def body(*elements: tensor) -> None:
        nonlocal is_single
        returned = e.call(scalar_fn, elements, {})
        is_single = not isinstance(returned, (tuple, list))
        values = _checked(e, returned, pack)
        kinds.extend(value.dtype for value in values[::pack])
        e.create("tt.map_elementwise.return", *values, result=())

    region = e.region([value.dtype for value in args for _ in range(pack)], body)
    types = [block(kind, args[0].shape) for kind in kinds]
    made = e.create("tt.map_elementwise", *args, attributes={"pack": i32(pack)}, result=types, regions=[region])
    return made if is_single or isinstance(made, tuple) else (made,)


@map_elementwise.reference
def _reference_map_elementwise(e: Any, scalar_fn: Any, args: tuple[tensor, ...], pack: int) -> Any:
    shape = args[0].shape
    results: list[Any] = []
    kinds: list[Scalar] = []
    is_single = False
    for *outer, group in np.ndindex((*shape[:-1], shape[-1] // pack)):
        neighbors = [(*outer, group * pack + at) for at in range(pack)]
        elements = [tensor(np.asarray(value.handle[at]), value.dtype) for value in args for at in neighbors]
        returned = e.call(scalar_fn, elements, {})
        is_single = not isinstance(returned, (tuple, list))
        values = _checked(e, returned, pack)
        if not results:
            kinds = [value.dtype for value in values[::pack]]
            results = [np.empty(shape, value.handle.dtype) for value in values[::pack]]
        for index, value in enumerate(values):
            results[index // pack][neighbors[index % pack]] = value.handle
    blocks = tuple(tensor(result, block(kind, shape)) for result, kind in zip(results, kinds, strict=True))
    return blocks[0] if is_single else blocks
