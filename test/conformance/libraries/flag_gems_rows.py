"""FlagGems: operators of aten, each called as FlagGems registers it, against aten's own in 64 bits.

A table's key is the operator's name and overload; its value draws the arguments, with a final dictionary of keyword
arguments. Several names share a drawing function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from conformance.libraries.flag_gems_setup import prepare
from conformance.libraries.rows import FLOATS, SINGLE, Row, booleans, integers, normal, uniform

Draw = Callable[[], tuple[Any, ...]]


def matrix() -> torch.Tensor:
    return normal(7, 129)


def below_one() -> torch.Tensor:
    """Numbers in the domain of inverse sines."""
    return uniform(7, 129, low=-0.9, high=0.9)


def choices() -> torch.Tensor:
    """Numbers from a small set, so that comparisons are also true."""
    return integers(-2, 3, 7, 129).double()


def images() -> torch.Tensor:
    return normal(2, 4, 9, 11)


SHARED: dict[str, Draw] = {
    """abs absolute angle arcsinh atan ceil conj_physical cos cosh elu erf exp exp2 expm1 celu gelu hardsigmoid i0
    isfinite isinf isnan isneginf log_sigmoid logical_not nan_to_num neg relu relu6 round selu sigmoid signbit
    silu sin softplus softshrink special_i1 special_i0e square tanh abs_ arcsinh_ asinh_ atan_ ceil_ cos_ celu_
    elu_ erf_ exp_ exp2_ expm1_ floor_ gelu_ hardswish_ i0_ neg_ relu_ round_ selu_ sgn_ sigmoid_ silu_ sin_
    sinh_ square_ tanh_ zero_ alias_copy t_copy zeros_like ones_like lift_fresh_copy resolve_conj resolve_neg
    aminmax count_nonzero max mean min prod sum trace argmax argmin nonzero tril triu diag linalg_vector_norm
    """: lambda: (matrix(),),
    "acos arctanh_ tan tan_": lambda: (below_one(),),
    "digamma_ log log10 log10_ log1p_ reciprocal reciprocal_ rsqrt rsqrt_ sqrt sqrt_": lambda: (uniform(7, 129),),
    "logit logit_": lambda: (uniform(7, 129, low=0.05, high=0.95),),
    """add.Tensor sub.Tensor mul.Tensor maximum minimum fmin copysign hypot logaddexp add_.Tensor sub_.Tensor
    mul_.Tensor atan2""": lambda: (matrix(), matrix()),
    """div.Tensor div_.Tensor divide.Tensor divide_.Tensor true_divide.Tensor true_divide_.Tensor pow.Tensor_Tensor
    pow_.Tensor""": lambda: (uniform(7, 129), uniform(7, 129)),
    """eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor greater.Tensor logical_and logical_or logical_xor
    logical_and_ logical_or_ isclose allclose equal""": lambda: (choices(), choices()),
    "eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar greater.Scalar": lambda: (choices(), 1.0),
    "add.Tensor:scalar sub.Tensor:scalar mul.Tensor:scalar": lambda: (matrix(), 1.5),
    "add.Tensor:alpha sub.Tensor:alpha": lambda: (matrix(), matrix(), {"alpha": 0.5}),
    "add.Tensor:broadcast mul.Tensor:broadcast": lambda: (normal(7, 1), normal(129)),
    "div.Scalar divide.Scalar true_divide.Scalar div_.Scalar true_divide_.Scalar": lambda: (matrix(), 3.0),
    "pow.Tensor_Scalar pow_.Scalar": lambda: (uniform(7, 129), 2.5),
    "pow.Scalar": lambda: (1.7, matrix()),
    """remainder.Tensor floor_divide remainder_.Tensor floor_divide_.Tensor""": lambda: (
        integers(-40, 40, 7, 129, dtype=torch.int32), integers(1, 9, 7, 129, dtype=torch.int32)),
    "remainder.Scalar remainder_.Scalar floor_divide.Scalar floor_divide_.Scalar": lambda: (
        integers(-40, 40, 7, 129, dtype=torch.int32), 7),
    "div.Tensor_mode div_.Tensor_mode divide.Tensor_mode": lambda: (
        integers(-40, 40, 7, 129, dtype=torch.int32), integers(1, 9, 7, 129, dtype=torch.int32),
        {"rounding_mode": "trunc"}),
    "bitwise_and.Tensor bitwise_or.Tensor bitwise_and_.Tensor bitwise_or_.Tensor __or__.Tensor": lambda: (
        integers(-99, 99, 7, 129, dtype=torch.int32), integers(-99, 99, 7, 129, dtype=torch.int32)),
    "bitwise_and.Scalar bitwise_or.Scalar bitwise_and_.Scalar bitwise_or_.Scalar": lambda: (
        integers(-99, 99, 7, 129, dtype=torch.int16), 6),
    "bitwise_and.Scalar_Tensor bitwise_or.Scalar_Tensor": lambda: (6, integers(-99, 99, 7, 129, dtype=torch.int32)),
    "bitwise_left_shift bitwise_right_shift": lambda: (
        integers(-99, 99, 7, 129, dtype=torch.int32), integers(0, 8, 7, 129, dtype=torch.int32)),
    "bitwise_not bitwise_not_": lambda: (integers(-99, 99, 7, 129, dtype=torch.int32),),
    "all any": lambda: (booleans(7, 129),),
    "all.dim any.dim": lambda: (booleans(7, 129), 1),
    "all.dims any.dims": lambda: (booleans(7, 3, 129), [0, 2]),
    "lerp.Scalar lerp_.Scalar": lambda: (matrix(), matrix(), 0.3),
    "lerp.Tensor lerp_.Tensor": lambda: (matrix(), matrix(), below_one()),
    "addcdiv": lambda: (matrix(), matrix(), uniform(7, 129), {"value": 0.5}),
    "addcmul": lambda: (matrix(), matrix(), matrix(), {"value": 0.5}),
    "clamp clamp_": lambda: (matrix(), -0.5, 0.7),
    "clamp_min clamp_min_": lambda: (matrix(), 0.1),
    "clamp.Tensor clamp_.Tensor": lambda: (matrix(), below_one() - 1, below_one() + 1),
    "threshold": lambda: (matrix(), 0.2, -3.0),
    "glu": lambda: (normal(7, 130), -1),
    "where.self": lambda: (booleans(7, 129), matrix(), matrix()),
    "masked_fill.Scalar masked_fill_.Scalar": lambda: (matrix(), booleans(7, 129), 2.0),
    "masked_select": lambda: (matrix(), booleans(7, 129)),
    "masked_scatter": lambda: (matrix(), booleans(7, 129), matrix()),
    "fill.Scalar fill_.Scalar": lambda: (matrix(), 2.5),
    "prelu": lambda: (normal(3, 5, 7), uniform(5)),
}  # fmt: skip

ALONG: dict[str, Draw] = {
    "sum.dim_IntList mean.dim": lambda: (matrix(), [1]),
    "sum.dim_IntList:0 mean.dim:0 amax:0": lambda: (matrix(), [0]),
    "sum.dim_IntList:both": lambda: (normal(3, 5, 9), [0, 2], True),
    "max.dim min.dim prod.dim_int argmax:dim cumsum cummin cummax": lambda: (matrix(), 1),
    # Its kernel reads and writes whole blocks, so other numbers of rows exceed the tensor's memory.
    "argmin:dim": lambda: (normal(8, 128), 1),
    "max.dim:0 min.dim:0 argmax:0 argmin:0 cumsum:0": lambda: (matrix(), 0),
    "amax": lambda: (matrix(), [1]),
    "count_nonzero:dim": lambda: (choices(), 1),
    "std.correction var.correction var_mean.correction": lambda: (matrix(), [1], {"correction": 1, "keepdim": True}),
    "quantile": lambda: (matrix(), 0.3, 1),
    "_softmax _log_softmax": lambda: (matrix(), 1, False),
    "_safe_softmax": lambda: (matrix(), 1),
    "_softmax:0 _log_softmax:0": lambda: (matrix(), 0, False),
    "sort.stable": lambda: (matrix(), {"stable": True, "dim": -1, "descending": False}),
    "topk": lambda: (matrix(), 5),
    "flip": lambda: (matrix(), [0, 1]),
    "roll": lambda: (matrix(), [3], [1]),
    "cat": lambda: ([normal(7, 5), normal(7, 129)], 1),
    "stack": lambda: ([matrix(), matrix()], 1),
    "hstack vstack": lambda: ([matrix(), matrix()],),
    "repeat tile": lambda: (matrix(), [2, 3]),
    "repeat_interleave.self_int": lambda: (matrix(), 3, 1),
    "diag_embed": lambda: (matrix(),),
    "one_hot": lambda: (integers(0, 9, 33), 9),
    "slice_scatter": lambda: (matrix(), normal(7, 20), 1, 3, 43, 2),
    "select_scatter": lambda: (matrix(), normal(7), 1, 5),
    "gather": lambda: (matrix(), 1, integers(0, 129, 7, 40)),
    "scatter.src": lambda: (matrix(), 0, torch.stack([torch.randperm(7) for _ in range(129)], 1), matrix()),
    "scatter_add_": lambda: (matrix(), 1, integers(0, 129, 7, 40), normal(7, 40)),
    "index_select": lambda: (matrix(), 1, integers(0, 129, 33)),
    "index_add": lambda: (matrix(), 1, torch.randperm(129)[:33], normal(7, 33)),
    "index.Tensor": lambda: (matrix(), [integers(0, 7, 33), integers(0, 129, 33)]),
    "index_put index_put_": lambda: (matrix(), [torch.arange(7), torch.randperm(129)[:7]], normal(7)),
    "isin.Tensor_Tensor": lambda: (integers(0, 50, 300), integers(0, 50, 20)),
    "bincount": lambda: (integers(0, 50, 300),),
    "embedding": lambda: (normal(33, 40), integers(0, 33, 5, 9)),
    "constant_pad_nd": lambda: (matrix(), [1, 2, 3, 4], 0.5),
    "reflection_pad1d replication_pad1d": lambda: (normal(2, 3, 20), [2, 3]),
    "reflection_pad2d": lambda: (images(), [1, 2, 2, 1]),
    "pixel_unshuffle": lambda: (normal(2, 3, 8, 12), 2),
    "unique_consecutive": lambda: (integers(0, 3, 200), True, True),
}  # fmt: skip

PRODUCTS: dict[str, Draw] = {
    "dot vdot": lambda: (normal(300), normal(300)),
    "mv": lambda: (normal(33, 65), normal(65)),
    "mm": lambda: (normal(33, 65), normal(65, 47)),
    "bmm": lambda: (normal(3, 33, 65), normal(3, 65, 47)),
    "addmm": lambda: (normal(33, 47), normal(33, 65), normal(65, 47)),
    "addmv": lambda: (normal(33), normal(33, 65), normal(65)),
    "baddbmm": lambda: (normal(3, 33, 47), normal(3, 33, 65), normal(3, 65, 47)),
    "addr": lambda: (normal(33, 47), normal(33), normal(47)),
    "kron": lambda: (normal(3, 5), normal(7, 9)),
    "conv1d": lambda: (normal(2, 4, 30), normal(6, 4, 3), normal(6)),
    "conv2d": lambda: (images(), normal(6, 4, 3, 3), normal(6), [1, 1], [1, 1]),
    "conv3d": lambda: (normal(1, 2, 5, 6, 7), normal(3, 2, 3, 3, 3), normal(3)),
    "_conv_depthwise2d": lambda: (images(), normal(4, 1, 3, 3), [3, 3], normal(4), [1, 1], [1, 1], [1, 1]),
    "avg_pool2d": lambda: (images(), [3, 3], [2, 2], [1, 1]),
    "max_pool2d_with_indices": lambda: (images(), [3, 3], [2, 2], [1, 1]),
    "upsample_nearest1d": lambda: (normal(2, 3, 9), [17]),
    "upsample_nearest2d": lambda: (images(), [18, 20]),
    "upsample_linear1d": lambda: (normal(2, 3, 9), [17], False),
    "upsample_bicubic2d": lambda: (images(), [18, 20], False),
    "native_group_norm": lambda: (images(), normal(4), normal(4), 2, 4, 99, 2, 1e-5),
    "native_batch_norm": lambda: (images(), normal(4), normal(4), normal(4), uniform(4), True, 0.1, 1e-5),
    "_weight_norm_interface": lambda: (normal(33, 65), uniform(33, 1), 0),
    "mse_loss": lambda: (matrix(), matrix(), 1),
    "soft_margin_loss": lambda: (matrix(), integers(0, 2, 7, 129).double() * 2 - 1, 1),
    "margin_ranking_loss": lambda: (normal(50), normal(50), integers(0, 2, 50).double() * 2 - 1, 0.1),
    "nll_loss_forward": lambda: (normal(33, 9), integers(0, 9, 33), None, 1, -100),
    "gelu_backward sigmoid_backward silu_backward tanh_backward": lambda: (matrix(), below_one()),
    "_softmax_backward_data _log_softmax_backward_data": lambda: (
        matrix(), torch.softmax(matrix(), 1), 1, torch.float64),
    "threshold_backward": lambda: (matrix(), matrix(), 0.2),
    "elu_backward": lambda: (matrix(), 1.0, 1.0, 1.0, False, matrix()),
    "glu_backward": lambda: (normal(7, 65), normal(7, 130), -1),
}  # fmt: skip

MADE: dict[str, Draw] = {
    "arange": lambda: (77,),
    "arange.start": lambda: (3, 77),
    "arange.start_step": lambda: (3, 77, 5),
    "eye": lambda: (33,),
    "eye.m": lambda: (33, 20),
    "full": lambda: ([7, 129], 2.5),
    "linspace": lambda: (0.0, 3.0, 77),
    "logspace": lambda: (0.0, 2.0, 77),
    "ones zeros": lambda: ([7, 129],),
}
"""No argument is a tensor."""


def rows() -> Iterator[Row]:
    prepare()
    import flag_gems

    registered = {name: function for name, function, *_ in flag_gems._FULL_CONFIG}
    for table in (SHARED, ALONG, PRODUCTS, MADE):
        for names, draw in table.items():
            types = FLOATS if any(is_drawn(value) for value in draw()) else SINGLE
            for name in names.split():
                operator = name.partition(":")[0]
                yield Row(name, calling(registered[operator]), calling(of_aten(operator)), draw, types=types)
    yield from other_rows()


def other_rows() -> Iterator[Row]:
    """References for operators that aten lacks or defines differently.

    Random results have the mean and deviation of their distribution.
    """
    import flag_gems as gems

    yield Row(
        "polar",
        lambda r, t: torch.view_as_real(gems.polar(r, t)),
        lambda r, t: torch.view_as_real(torch.polar(r, t)),
        lambda: (uniform(7, 129), matrix()),
        types=SINGLE,
    )
    yield Row(
        "native_layer_norm",
        lambda x, w, b: gems.layer_norm(x, [129], w, b, 1e-5)[0],
        lambda x, w, b: F.layer_norm(x, [129], w, b, 1e-5),
        lambda: (matrix(), normal(129), normal(129)),
    )
    yield Row(
        "rms_norm",
        lambda x, w: gems.rms_norm(x, [129], w, 1e-5),
        lambda x, w: F.rms_norm(x, [129], w, 1e-5),
        lambda: (matrix(), normal(129)),
        gradients=True,
    )
    yield Row(
        "instance_norm",
        lambda x, w, b: gems.instance_norm(x, w, b),
        lambda x, w, b: F.instance_norm(x, None, None, w, b),
        lambda: (images(), normal(4), normal(4)),
        gradients=True,
    )
    yield Row(
        "weight_norm",
        lambda v, g: gems.weight_norm(v, g, 0),
        lambda v, g: torch._weight_norm(v, g, 0),
        lambda: (normal(33, 65), uniform(33, 1)),
    )
    yield Row(
        "silu_and_mul", gems.silu_and_mul, lambda a, b: F.silu(a) * b, lambda: (matrix(), matrix()), gradients=True
    )
    yield Row(
        "gelu_and_mul", gems.gelu_and_mul, lambda a, b: F.gelu(a) * b, lambda: (matrix(), matrix()), gradients=True
    )
    yield Row("outer", gems.outer, torch.outer, lambda: (normal(33), normal(47)), gradients=True)
    yield Row(
        "cross_entropy_loss",
        lambda x, t: gems.cross_entropy_loss(x, t),
        F.cross_entropy,
        lambda: (normal(33, 130), integers(0, 130, 33)),
        gradients=True,
    )
    for name, draw, mean, deviation in (
        ("rand", lambda: gems.rand([100000]), 0.5, 12**-0.5),
        ("randn", lambda: gems.randn([100000]), 0.0, 1.0),
        ("uniform_", lambda: gems.uniform_(torch.empty(100000), 1.0, 3.0), 2.0, 3**-0.5),
        ("exponential_", lambda: gems.exponential_(torch.empty(100000), 2.0), 0.5, 0.5),
        ("multinomial", lambda: gems.multinomial(torch.tensor([0.2, 0.0, 0.8]), 100000, True).float(), 1.6, 0.8),
    ):
        yield Row(
            name,
            lambda f=draw: (f().mean(), f().std()),
            lambda m=mean, d=deviation: (torch.tensor(m), torch.tensor(d)),
            tuple,
            types=SINGLE,
            scale=500.0,
        )


def is_drawn(value: Any) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(item, torch.Tensor) and item.dtype == torch.float64 for item in values)


def of_aten(name: str) -> Any:
    operator, _, overload = name.partition(".")
    overloads = getattr(torch.ops.aten, operator)
    return getattr(overloads, overload) if overload else overloads


def calling(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function with a final dictionary as its keyword arguments."""

    def call(*arguments: Any) -> Any:
        if isinstance(arguments[-1], dict):
            return function(*arguments[:-1], **arguments[-1])
        return function(*arguments)

    return call
