"""Graph pass that rewrites convolutions with few pixels to matmuls, with one row of inputs (im2col) for each pixel.

Inductor copies the weights to channels last, and oneDNN repacks them in each call. With few pixels, as at the end of a
network, both take longer than the multiplications. A matmul reads the weights in place.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from blockdsl.torch_compile.passes import as_pass

PIXELS = 128
"""The most pixels for which the matmul was never slower: with 49 pixels it is 1.4 to 2.8 times as fast, with 98 1.3 to
2.5, in float32 and bfloat16, on two cores of an AMD Zen 4; with 196 it is 0.9 to 1.7."""


_PARAMETERS = ("x", "weight", "bias", "stride", "padding", "dilation", "transposed", "output_padding", "groups")
"""The parameters of a convolution in a graph."""


def as_matmul(x: Any, weight: Any, bias: Any, stride: Sequence[int], padding: Sequence[int]) -> Any:
    """Computes the convolution of a batch of images as a matmul.

    Args:
        x: The images: batch, channels, height, width.
        weight: Channels of the result, channels, height, width.
        bias: The bias of each channel of the result, or None.
        stride: The strides along height and width.
        padding: Zeros around an image, at the top and at the left.
    """
    import torch

    channels, _, *window = weight.shape
    if any(padding):
        x = torch.nn.functional.pad(x, [padding[1], padding[1], padding[0], padding[0]])
    # Batch, channels, height and width of the result, height and width of the window.
    windows = x.unfold(2, window[0], stride[0]).unfold(3, window[1], stride[1])
    batch, _, height, width, *_ = windows.shape
    order, kernel_order = ((4, 5, 1), (2, 3, 1)) if is_channels_last(weight) else ((1, 4, 5), (1, 2, 3))
    rows = windows.permute(0, 2, 3, *order).reshape(batch * height * width, -1)
    columns = weight.permute(0, *kernel_order).reshape(channels, -1).t()
    product = torch.mm(rows, columns) if bias is None else torch.addmm(bias, rows, columns)
    return product.view(batch, height, width, channels).permute(0, 3, 1, 2)


def is_channels_last(weight: Any) -> bool:
    """Returns whether the weight is in channels-last format only."""
    import torch

    return not weight.is_contiguous() and weight.is_contiguous(memory_format=torch.channels_last)


def _is_better(match: Any) -> bool:
    """Returns whether a convolution is on a CPU, has known sizes and few pixels, and is otherwise supported."""
    arguments = match.kwargs
    x, weight, result = (node.meta["val"] for node in (arguments["x"], arguments["weight"], match.output_node()))
    pixels = (result.shape[0], *result.shape[2:])
    return (
        x.device.type == "cpu"
        and x.dim() == weight.dim() == 4
        and (arguments["dilation"], arguments["transposed"], arguments["groups"]) == ([1, 1], False, 1)
        and all(isinstance(size, int) for size in (*x.shape, *weight.shape))
        and 0 < functools.reduce(int.__mul__, pixels) <= PIXELS
        and (weight.is_contiguous() or is_channels_last(weight))
    )


@functools.cache
def as_matmuls() -> Any:
    """Returns the graph pass for Inductor."""
    from torch import ops
    from torch._inductor.pattern_matcher import CallFunction, KeywordArg, PatternMatcherPass, register_graph_pattern

    passed = PatternMatcherPass("convolutions_of_few_pixels")
    pattern = CallFunction(ops.aten.convolution.default, *map(KeywordArg, _PARAMETERS))

    @register_graph_pattern(pattern, extra_check=_is_better, pass_dict=passed)
    def replace(match: Any, x: Any, weight: Any, bias: Any, stride: list[int], padding: list[int], **_: Any) -> None:
        replacement = functools.partial(as_matmul, stride=stride, padding=padding)
        match.replace_by_example(replacement, [x, weight, bias])

    return as_pass(passed)
