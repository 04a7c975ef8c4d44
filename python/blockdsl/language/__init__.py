"""Language of kernels: ``import blockdsl.language as tl``. Names and semantics are those of Triton 3.9."""

from builtins import slice as slice
from builtins import tuple as tuple
from typing import TYPE_CHECKING, Any

from . import core as core
from . import descriptor_atomics as _descriptor_atomics  # noqa: F401 - its ops are methods
from . import math as math
from . import random as random
from . import standard as standard
from . import target_info as target_info
from .aggregate import aggregate_replace as aggregate_replace
from .assemble import cat as cat
from .assemble import flip as flip
from .assemble import gather as gather
from .assemble import histogram as histogram
from .assemble import interleave as interleave
from .assemble import join as join
from .assemble import split as split
from .assemble import squeeze as squeeze
from .assemble import swizzle2d as swizzle2d
from .assemble import unsqueeze as unsqueeze
from .atomic_access import atomic_load as atomic_load
from .atomic_access import atomic_poll as atomic_poll
from .atomic_access import atomic_store as atomic_store
from .atomics import atomic_add as atomic_add
from .atomics import atomic_and as atomic_and
from .atomics import atomic_cas as atomic_cas
from .atomics import atomic_max as atomic_max
from .atomics import atomic_min as atomic_min
from .atomics import atomic_or as atomic_or
from .atomics import atomic_xchg as atomic_xchg
from .atomics import atomic_xor as atomic_xor
from .attributes import PropagateNan as PropagateNan
from .block_pointer import advance as advance
from .block_pointer import make_block_ptr as make_block_ptr
from .cast import cast as cast
from .constexpr import constexpr as constexpr
from .constexpr import constexpr_function as constexpr_function
from .constexpr import next_power_of_2 as next_power_of_2
from .creation import arange as arange
from .creation import full as full
from .creation import to_tensor as to_tensor
from .creation import zeros as zeros
from .creation import zeros_like as zeros_like
from .debug import assume as assume
from .debug import debug_barrier as debug_barrier
from .debug import device_assert as device_assert
from .debug import device_print as device_print
from .debug import expect_zero as expect_zero
from .debug import max_constancy as max_constancy
from .debug import max_contiguous as max_contiguous
from .debug import multiple_of as multiple_of
from .debug import static_assert as static_assert
from .debug import static_print as static_print
from .descriptor import make_tensor_descriptor as make_tensor_descriptor
from .descriptor import tensor_descriptor as tensor_descriptor
from .descriptor import tensor_descriptor_type as tensor_descriptor_type
from .descriptor_access import load_tensor_descriptor as load_tensor_descriptor
from .descriptor_access import store_tensor_descriptor as store_tensor_descriptor
from .dot import dot as dot
from .dot_scaled import dot_scaled as dot_scaled
from .elementwise import add as add
from .elementwise import mul as mul
from .elementwise import sub as sub
from .extern import extern_elementwise as extern_elementwise
from .inline_asm import inline_asm_elementwise as inline_asm_elementwise
from .mapping import map_elementwise as map_elementwise
from .math import abs as abs
from .math import cdiv as cdiv
from .math import ceil as ceil
from .math import cos as cos
from .math import div_rn as div_rn
from .math import erf as erf
from .math import exp as exp
from .math import exp2 as exp2
from .math import fdiv as fdiv
from .math import floor as floor
from .math import fma as fma
from .math import log as log
from .math import log2 as log2
from .math import rsqrt as rsqrt
from .math import sigmoid as sigmoid
from .math import sin as sin
from .math import sqrt as sqrt
from .math import sqrt_rn as sqrt_rn
from .math import umulhi as umulhi
from .memory import load as load
from .memory import store as store
from .program import condition as condition
from .program import num_programs as num_programs
from .program import program_id as program_id
from .program import range as range
from .program import static_range as static_range
from .random import pair_uniform_to_normal as pair_uniform_to_normal
from .random import philox as philox
from .random import philox_impl as philox_impl
from .random import rand as rand
from .random import rand4x as rand4x
from .random import randint as randint
from .random import randint4x as randint4x
from .random import randn as randn
from .random import randn4x as randn4x
from .random import uint_to_uniform_float as uint_to_uniform_float
from .reduce import reduce as reduce
from .reductions import argmax as argmax
from .reductions import argmin as argmin
from .reductions import max as max
from .reductions import min as min
from .reductions import reduce_or as reduce_or
from .reductions import softmax as softmax
from .reductions import sum as sum
from .reductions import xor_sum as xor_sum
from .scan import associative_scan as associative_scan
from .scan import cumprod as cumprod
from .scan import cumsum as cumsum
from .select import clamp as clamp
from .select import maximum as maximum
from .select import minimum as minimum
from .select import where as where
from .shape import broadcast as broadcast
from .shape import broadcast_to as broadcast_to
from .shape import expand_dims as expand_dims
from .shape import permute as permute
from .shape import ravel as ravel
from .shape import reshape as reshape
from .shape import trans as trans
from .shape import view as view
from .signature import TRITON_MAX_TENSOR_NUMEL as TRITON_MAX_TENSOR_NUMEL
from .signature import constexpr_type as constexpr_type
from .signature import str_to_ty as str_to_ty
from .signature import tuple_type as tuple_type
from .sort import bitonic_merge as bitonic_merge
from .sort import sort as sort
from .sort import topk as topk
from .tensor import tensor as tensor
from .types import bfloat16 as bfloat16
from .types import block_type as block_type
from .types import const as const
from .types import dtype as dtype
from .types import float8e4b8 as float8e4b8
from .types import float8e4b15 as float8e4b15
from .types import float8e4nv as float8e4nv
from .types import float8e5 as float8e5
from .types import float8e5b16 as float8e5b16
from .types import float16 as float16
from .types import float32 as float32
from .types import float64 as float64
from .types import int1 as int1
from .types import int8 as int8
from .types import int16 as int16
from .types import int32 as int32
from .types import int64 as int64
from .types import pi32_t as pi32_t
from .types import pointer_type as pointer_type
from .types import uint8 as uint8
from .types import uint16 as uint16
from .types import uint32 as uint32
from .types import uint64 as uint64
from .types import void as void

if TYPE_CHECKING:
    from . import extra as extra

_MODULES = ("extra", "math", "target_info")
"""The modules of this package that are names of the language."""


def _is_of_language(value: Any) -> bool:
    return not isinstance(value, type(core)) and value not in (Any, TYPE_CHECKING)


def __getattr__(name: str) -> Any:
    import importlib

    from ..errors import MissingNameError
    from .suggestions import name_instead

    if name == "extra":
        # Imported on use: few kernels call libdevice's hundreds of functions, which take a sixth of the import's time.
        return importlib.import_module(".extra", __name__)
    if name == "__all__":
        return [each for each in __dir__() if each in _MODULES or (each[0] != "_" and _is_of_language(globals()[each]))]
    if name[:2] == "__":
        raise AttributeError(name)
    raise MissingNameError.of(name, __dir__(), __name__, name_instead(name))


def __dir__() -> list[str]:
    return sorted({*globals(), "extra"})
