"""Kernels as users of NumPy, torch, CUDA and Numba write their first ones."""

# ruff: noqa: F821 - names of CUDA's and Numba's are not defined here
import math

import numpy as np
import torch
from refusals import refused

import blockdsl
import blockdsl.language as tl

OFFSETS = [1, 2]


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'tanh'
      kernel+1:21, in tanh_of_tl
          tl.store(x_ptr, tl.tanh(tl.load(x_ptr)))
                          ^^^^^^^
      hint: write libdevice.tanh(...), after `from blockdsl.language.extra import libdevice` at the top of the file
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def tanh_of_tl(x_ptr):
    tl.store(x_ptr, tl.tanh(tl.load(x_ptr)))


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'pow'
      kernel+1:21, in pow_of_tl
          tl.store(x_ptr, tl.pow(tl.load(x_ptr), 2.0))
                          ^^^^^^
      hint: write libdevice.pow(...), after `from blockdsl.language.extra import libdevice` at the top of the file
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def pow_of_tl(x_ptr):
    tl.store(x_ptr, tl.pow(tl.load(x_ptr), 2.0))


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'mean'
      kernel+1:5, in mean_of_tl
          tl.mean(tl.load(x_ptr + tl.arange(0, 64)), 0)
          ^^^^^^^
      hint: write tl.sum(x, axis=0) / n, with the number of elements for n
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def mean_of_tl(x_ptr):
    tl.mean(tl.load(x_ptr + tl.arange(0, 64)), 0)


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'double'
      kernel+1:23, in type_of_c
          tl.load(x_ptr).to(tl.double)
                            ^^^^^^^^^
      hint: write tl.float64
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def type_of_c(x_ptr):
    tl.load(x_ptr).to(tl.double)


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'ones'
      kernel+1:5, in ones_of_tl
          tl.ones((4,), tl.float32)
          ^^^^^^^
      hint: write tl.full(shape, 1, dtype)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def ones_of_tl(x_ptr):
    tl.ones((4,), tl.float32)


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'any'
      kernel+1:5, in any_of_tl
          tl.any(tl.load(x_ptr + tl.arange(0, 64)) > 0)
          ^^^^^^
      hint: write tl.max((x > 0).to(tl.int32), axis=0) != 0, with the condition for x > 0
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def any_of_tl(x_ptr):
    tl.any(tl.load(x_ptr + tl.arange(0, 64)) > 0)


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'syncthreads'
      kernel+1:5, in barrier_of_cuda
          tl.syncthreads()
          ^^^^^^^^^^^^^^
      hint: leave it out: blocks are computed whole, and need no barrier
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def barrier_of_cuda(x_ptr):
    tl.syncthreads()


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'relu'
      kernel+1:5, in relu_of_tl
          tl.relu(tl.load(x_ptr))
          ^^^^^^^
      hint: write tl.maximum(x, 0)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def relu_of_tl(x_ptr):
    tl.relu(tl.load(x_ptr))


@refused(
    """
    MissingNameError: a block has no attribute 'astype'
      kernel+1:5, in astype
          tl.load(x_ptr).astype(tl.int32)
          ^^^^^^^^^^^^^^^^^^^^^
      hint: write x.to(tl.float32), with the type that is wanted
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def astype(x_ptr):
    tl.load(x_ptr).astype(tl.int32)


@refused(
    """
    MissingNameError: a block has no attribute 'float'
      kernel+1:5, in float_method
          tl.load(x_ptr).float()
          ^^^^^^^^^^^^^^^^^^^^
      hint: write x.to(tl.float32)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def float_method(x_ptr):
    tl.load(x_ptr).float()


@refused(
    """
    MissingNameError: a block has no attribute 'mean'
      kernel+1:5, in mean_method
          tl.load(x_ptr + tl.arange(0, 64)).mean()
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.sum(x, axis=0) / n, with the number of elements for n
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def mean_method(x_ptr):
    tl.load(x_ptr + tl.arange(0, 64)).mean()


@refused(
    """
    MissingNameError: a block has no attribute 'size'
      kernel+1:5, in size_method
          x_ptr.size(0)
          ^^^^^^^^^^
      hint: extents of a block are x.shape[0] and so on; those of an argument are arguments of their own
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def size_method(x_ptr):
    x_ptr.size(0)


@refused(
    """
    MissingNameError: a block has no attribute 'clone'
      kernel+1:5, in clone_method
          tl.load(x_ptr).clone()
          ^^^^^^^^^^^^^^^^^^^^
      hint: leave it out: a block does not change, and stays in the kernel
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def clone_method(x_ptr):
    tl.load(x_ptr).clone()


@refused(
    """
    KernelSyntaxError: 'exp' is a Python function, which a kernel cannot call
      kernel+1:5, in exp_of_numpy
          np.exp(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.exp(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def exp_of_numpy(x_ptr):
    np.exp(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'zeros' is a Python function, which a kernel cannot call
      kernel+1:5, in zeros_of_numpy
          np.zeros(4)
          ^^^^^^^^^^^
      hint: write tl.zeros(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def zeros_of_numpy(x_ptr):
    np.zeros(4)


@refused(
    """
    KernelSyntaxError: 'relu' is a Python function, which a kernel cannot call
      kernel+1:5, in relu_of_torch
          torch.relu(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.maximum(x, 0)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def relu_of_torch(x_ptr):
    torch.relu(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'tanh' is a Python function, which a kernel cannot call
      kernel+1:5, in tanh_of_torch
          torch.tanh(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write libdevice.tanh(...), after `from blockdsl.language.extra import libdevice` at the top of the file
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def tanh_of_torch(x_ptr):
    torch.tanh(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'manual_seed' is a Python function, which a kernel cannot call
      kernel+1:5, in function_of_torch_without_another
          torch.manual_seed(3)
          ^^^^^^^^^^^^^^^^^^^^
      hint: a kernel calls functions of blockdsl.language, and others with @blockdsl.jit
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def function_of_torch_without_another(x_ptr):
    torch.manual_seed(3)


@refused(
    """
    KernelSyntaxError: 'exp' runs while the kernel is compiled and expects compile-time values, got one of type fp32
      kernel+1:5, in exp_of_math
          math.exp(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.exp(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def exp_of_math(x_ptr):
    math.exp(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'abs' is a Python function, which a kernel cannot call
      kernel+1:5, in builtin_abs
          abs(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^
      hint: write tl.abs(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def builtin_abs(x_ptr):
    abs(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'sum' is a Python function, which a kernel cannot call
      kernel+1:5, in builtin_sum
          sum(tl.load(x_ptr + tl.arange(0, 64)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.sum(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def builtin_sum(x_ptr):
    sum(tl.load(x_ptr + tl.arange(0, 64)))


@refused(
    """
    KernelSyntaxError: 'any' is a Python function, which a kernel cannot call
      kernel+1:5, in builtin_any
          any(tl.load(x_ptr + tl.arange(0, 64)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.max((x > 0).to(tl.int32), axis=0) != 0, with the condition for x > 0
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def builtin_any(x_ptr):
    any(tl.load(x_ptr + tl.arange(0, 64)))


@refused(
    """
    KernelSyntaxError: 'round' is a Python function, which a kernel cannot call
      kernel+1:5, in builtin_round
          round(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^
      hint: write libdevice.rint(...), after `from blockdsl.language.extra import libdevice` at the top of the file
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def builtin_round(x_ptr):
    round(tl.load(x_ptr))


@refused(
    """
    KernelSyntaxError: 'breakpoint' is a Python function, which a kernel cannot call
      kernel+1:5, in breakpoint_in_compiled_code
          breakpoint()
          ^^^^^^^^^^^^
      hint: run with BLOCKDSL_INTERPRET=1, where kernels run as Python and breakpoints work
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def breakpoint_in_compiled_code(x_ptr):
    breakpoint()


@refused(
    """
    TypeMismatchError: 'len' expects a tuple or a list, got a value of type pointer<fp32>
      kernel+1:5, in length_of_a_pointer
          len(x_ptr)
          ^^^^^^^^^^
      hint: pass the number of elements as an argument
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def length_of_a_pointer(x_ptr):
    len(x_ptr)


@refused(
    """
    TypeMismatchError: 'len' expects a tuple or a list, got a value of type <[64], fp32>
      kernel+1:5, in length_of_a_block
          len(tl.load(x_ptr + tl.arange(0, 64)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write x.shape[0]
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def length_of_a_block(x_ptr):
    len(tl.load(x_ptr + tl.arange(0, 64)))


@refused(
    """
    TypeMismatchError: () cannot be indexed with 0: tuple index out of range
      kernel+1:5, in shape_of_a_pointer
          x_ptr.shape[0]
          ^^^^^^^^^^^^^^
      hint: a pointer has no extents: pass them as arguments, as in kernel[grid](x, x.shape[0])
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def shape_of_a_pointer(x_ptr):
    x_ptr.shape[0]


@refused(
    """
    TypeMismatchError: a pointer has no elements to index, got x_ptr[n]
      kernel+1:21, in index_of_a_pointer
          tl.store(x_ptr, x_ptr[n])
                          ^^^^^^^^
      hint: write tl.load(x_ptr + n)
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def index_of_a_pointer(x_ptr, n):
    tl.store(x_ptr, x_ptr[n])


@refused(
    """
    TypeMismatchError: a pointer has no elements to index, got x_ptr[0]
      kernel+1:21, in first_element
          tl.store(x_ptr, x_ptr[0])
                          ^^^^^^^^
      hint: write tl.load(x_ptr)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def first_element(x_ptr):
    tl.store(x_ptr, x_ptr[0])


@refused(
    """
    TypeMismatchError: a pointer has no elements to index, got x_ptr[0:16]
      kernel+1:5, in slice_of_a_pointer
          x_ptr[0:16]
          ^^^^^^^^^^^
      hint: write tl.load(x_ptr + tl.arange(0, 16))
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def slice_of_a_pointer(x_ptr):
    x_ptr[0:16]


@refused(
    """
    TypeMismatchError: a pointer has no elements to index, got (x_ptr + n)[n + 1]
      kernel+1:5, in index_of_an_expression
          (x_ptr + n)[n + 1]
          ^^^^^^^^^^^^^^^^^^
      hint: write tl.load((x_ptr + n) + (n + 1))
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def index_of_an_expression(x_ptr, n):
    (x_ptr + n)[n + 1]


@refused(
    """
    KernelSyntaxError: assignment to an element is not part of the kernel language
      kernel+1:5, in assignment_through_a_pointer
          x_ptr[n] = 2.0 * n
          ^^^^^^^^^^^^^^^^^^
      hint: write tl.store(x_ptr + n, 2.0 * n)
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def assignment_through_a_pointer(x_ptr, n):
    x_ptr[n] = 2.0 * n


@refused(
    """
    KernelSyntaxError: assignment to an element is not part of the kernel language
      kernel+1:5, in addition_through_a_pointer
          x_ptr[n] += 1.0
          ^^^^^^^^^^^^^^^
      hint: write tl.store(x_ptr + n, tl.load(x_ptr + n) + 1.0)
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def addition_through_a_pointer(x_ptr, n):
    x_ptr[n] += 1.0


@refused(
    """
    TypeMismatchError: a block is indexed with ':', None and '...' only, got <[64], int1>
      kernel+2:5, in index_by_a_mask
          x[x > 0]
          ^^^^^^^^
      hint: write tl.where(x > 0, x, 0), which has the same extent
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def index_by_a_mask(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    x[x > 0]


@refused(
    """
    TypeMismatchError: a block is indexed with ':', None and '...' only, got <[64], int32>
      kernel+2:5, in index_by_a_block
          x[x]
          ^^^^
      hint: write tl.gather(x, x, axis=0)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def index_by_a_block(x_ptr):
    x = tl.arange(0, 64)
    x[x]


@refused(
    """
    KernelSyntaxError: tl.float16 is a type, which a kernel does not call
      kernel+1:5, in call_of_a_type
          tl.float16(tl.load(x_ptr))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write x.to(tl.float16)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def call_of_a_type(x_ptr):
    tl.float16(tl.load(x_ptr))


@refused(
    """
    TypeMismatchError: 'cast' expects a dtype, got torch.bfloat16
      kernel+1:5, in dtype_of_torch
          tl.load(x_ptr).to(torch.bfloat16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.bfloat16
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def dtype_of_torch(x_ptr):
    tl.load(x_ptr).to(torch.bfloat16)


@refused(
    """
    TypeMismatchError: 'cast' expects a dtype, got <class 'numpy.int64'>
      kernel+1:5, in dtype_of_numpy
          tl.load(x_ptr).to(np.int64)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.int64
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def dtype_of_numpy(x_ptr):
    tl.load(x_ptr).to(np.int64)


@refused(
    """
    TypeMismatchError: 'zeros' expects a dtype, got <class 'float'>
      kernel+1:5, in dtype_of_python
          tl.zeros((4,), float)
          ^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.float32
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def dtype_of_python(x_ptr):
    tl.zeros((4,), float)


@refused(
    """
    TypeMismatchError: types of the language are compared with each other, got torch.float16
      kernel+1:22, in dtype_compared
          tl.static_assert(tl.load(x_ptr).dtype == torch.float16)
                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.float16
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def dtype_compared(x_ptr):
    tl.static_assert(tl.load(x_ptr).dtype == torch.float16)


@refused(
    """
    TypeMismatchError: a number or a block is expected, got tensor(64) of type Tensor
      kernel+1:22, in constant_from_a_tensor
          tl.store(x_ptr + tl.program_id(0) * BLOCK, 1.0)
                           ^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the launch passes a tensor for 'BLOCK', which is known at compile time: pass BLOCK=BLOCK.item()
    """,
    x_ptr="*fp32",
    BLOCK=torch.tensor(64),
)
@blockdsl.jit
def constant_from_a_tensor(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.program_id(0) * BLOCK, 1.0)


@refused(
    """
    TypeMismatchError: 'arange' expects compile-time integers, got 64.0
      kernel+1:22, in extent_of_a_float
          tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)
                           ^^^^^^^^^^^^^^^^^^^
      hint: the launch passes 64.0 for 'BLOCK': pass BLOCK=64
    """,
    x_ptr="*fp32",
    BLOCK=64.0,
)
@blockdsl.jit
def extent_of_a_float(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 1.0)


@refused(
    """
    TypeMismatchError: '+' expects an integer offset to a pointer, got fp32
      kernel+2:14, in offset_of_a_float
          tl.store(x_ptr + offsets, 1.0)
                   ^^^^^^^^^^^^^^^
      hint: the launch passes 64.0 for 'BLOCK': pass BLOCK=64
    """,
    x_ptr="*fp32",
    BLOCK=64.0,
)
@blockdsl.jit
def offset_of_a_float(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, 64)
    tl.store(x_ptr + offsets, 1.0)


@refused(
    """
    TypeMismatchError: a shape expects compile-time integers, got 62.5 in (62.5, 16)
      kernel+1:5, in shape_of_a_float
          tl.zeros((BLOCK, 16), tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the launch passes 62.5 for 'BLOCK': pass an integer
    """,
    x_ptr="*fp32",
    BLOCK=62.5,
)
@blockdsl.jit
def shape_of_a_float(x_ptr, BLOCK: tl.constexpr):
    tl.zeros((BLOCK, 16), tl.float32)


@refused(
    """
    TypeMismatchError: 'range' expects integer scalars, got fp32
      kernel+1:14, in range_of_a_float
          for i in range(n):
                   ^^^^^^^^
      hint: the launch passes a float for 'n': pass an integer
    """,
    x_ptr="*fp32",
    n="fp32",
)
@blockdsl.jit
def range_of_a_float(x_ptr, n):
    for i in range(n):
        tl.store(x_ptr + i, 1.0)


@refused(
    """
    TypeMismatchError: 'range' expects integer scalars, got fp32
      kernel+1:14, in range_of_a_quotient
          for i in range(n / 16):
                   ^^^^^^^^^^^^^
      hint: write n // 16
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def range_of_a_quotient(x_ptr, n):
    for i in range(n / 16):
        tl.store(x_ptr + i, 1.0)


@refused(
    """
    TypeMismatchError: 'arange' expects compile-time integers, got int32
      kernel+1:22, in length_known_at_run_time
          tl.store(x_ptr + tl.arange(0, n), 1.0)
                           ^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`; for any number of elements use a constant extent, and mask=offsets < n
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def length_known_at_run_time(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, n), 1.0)


@refused(
    """
    TypeMismatchError: 'static_range' expects compile-time integers, got int32
      kernel+1:14, in steps_known_at_run_time
          for i in tl.static_range(n):
                   ^^^^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`, or use tl.range
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def steps_known_at_run_time(x_ptr, n):
    for i in tl.static_range(n):
        tl.store(x_ptr + i, 1.0)


@refused(
    """
    TypeMismatchError: '<' expects numbers, got int32 and pointer<fp32>
      kernel+2:41, in pointer_in_a_mask
          tl.store(x_ptr + offsets, 1.0, mask=offsets < n)
                                              ^^^^^^^^^^^
      hint: the launch passes a tensor for 'n', which is a pointer here: pass a number, or load elements first, as in tl.load(n)
    """,
    x_ptr="*fp32",
    n="*fp32",
)
@blockdsl.jit
def pointer_in_a_mask(x_ptr, n):
    offsets = tl.arange(0, 64)
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)


@refused(
    """
    TypeMismatchError: 'load' expects a pointer or a block of pointers, got int32
      kernel+1:17, in number_for_a_pointer
          tl.store(n, tl.load(x_ptr))
                      ^^^^^^^^^^^^^^
      hint: the launch passes a number for 'x_ptr': pass a tensor
    """,
    x_ptr="i32",
    n="*fp32",
)
@blockdsl.jit
def number_for_a_pointer(x_ptr, n):
    tl.store(n, tl.load(x_ptr))


@refused(
    """
    TypeMismatchError: 'load' expects a pointer or a block of pointers, got None
      kernel+1:21, in none_for_a_pointer
          tl.store(x_ptr, tl.load(bias_ptr))
                          ^^^^^^^^^^^^^^^^^
      hint: the launch passes None for 'bias_ptr': pass a tensor, or test `if bias_ptr is not None:`
    """,
    x_ptr="*fp32",
    bias_ptr=None,
)
@blockdsl.jit
def none_for_a_pointer(x_ptr, bias_ptr):
    tl.store(x_ptr, tl.load(bias_ptr))


@refused(
    """
    TypeMismatchError: a number or a block is expected, got None of type NoneType
      kernel+1:13, in none_with_an_offset
          tl.load(bias_ptr + tl.arange(0, 4))
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the launch passes None for 'bias_ptr': pass a tensor, or test `if bias_ptr is not None:`
    """,
    x_ptr="*fp32",
    bias_ptr=None,
)
@blockdsl.jit
def none_with_an_offset(x_ptr, bias_ptr):
    tl.load(bias_ptr + tl.arange(0, 4))


@refused(
    """
    TypeMismatchError: '*' expects numbers, got pointer<fp32> and fp32
      kernel+1:21, in product_with_a_pointer
          tl.store(x_ptr, x_ptr * 2.0)
                          ^^^^^^^^^^^
      hint: the launch passes a tensor for 'x_ptr', which is a pointer here: pass a number, or load elements first, as in tl.load(x_ptr)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def product_with_a_pointer(x_ptr):
    tl.store(x_ptr, x_ptr * 2.0)


@refused(
    """
    TypeMismatchError: 'sum' has no parameter 'dim'
      kernel+1:5, in sum_over_dim
          tl.sum(tl.load(x_ptr + tl.arange(0, 64)), dim=0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write axis=
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def sum_over_dim(x_ptr):
    tl.sum(tl.load(x_ptr + tl.arange(0, 64)), dim=0)


@refused(
    """
    KernelSyntaxError: 'blockIdx' is not defined
      kernel+1:9, in index_of_cuda
          i = blockIdx.x * blockDim.x + threadIdx.x
              ^^^^^^^^
      hint: write tl.program_id(0)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def index_of_cuda(x_ptr):
    i = blockIdx.x * blockDim.x + threadIdx.x
    tl.store(x_ptr + i, 1.0)


@refused(
    """
    KernelSyntaxError: 'cuda' is not defined
      kernel+1:9, in index_of_numba
          i = cuda.grid(1)
              ^^^^
      hint: a program computes a block of elements: offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), with a mask
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def index_of_numba(x_ptr):
    i = cuda.grid(1)
    tl.store(x_ptr + i, 1.0)


@refused(
    """
    KernelSyntaxError: 'append' runs while the kernel is compiled and expects compile-time values, got one of type int32
      kernel+2:5, in list_that_grows
          values.append(n)
          ^^^^^^^^^^^^^^^^
      hint: write values = values + (x,), in a loop over tl.static_range
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def list_that_grows(x_ptr, n):
    values = []
    values.append(n)


@refused(
    """
    KernelSyntaxError: the global 'OFFSETS' is not a compile-time constant, got [1, 2]
      kernel+1:21, in global_list
          tl.store(x_ptr, OFFSETS[0])
                          ^^^^^^^
      hint: write OFFSETS = tl.constexpr([1, 2]), or pass it as an argument
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def global_list(x_ptr):
    tl.store(x_ptr, OFFSETS[0])


@refused(
    """
    TypeMismatchError: 'i' has type int32 after 'if' and int64 after 'else'
      kernel+1:5, in branches_of_two_widths
          if n > 3:
          ^^^^^^^^
      hint: after line kernel+2 write i = i.to(tl.int64); line kernel+4 gives int64
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def branches_of_two_widths(x_ptr, n):
    if n > 3:
        i = n
    else:
        i = n.to(tl.int64)
    tl.store(x_ptr + i, 1.0)


@refused(
    """
    TypeMismatchError: 'y' has type <[4], fp32> after 'if' and fp32 after 'else'
      kernel+1:5, in branches_of_two_shapes
          if n > 3:
          ^^^^^^^^
      hint: in line kernel+4 write y = tl.full((4,), 0.0, tl.float32); line kernel+2 gives <[4], fp32>
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def branches_of_two_shapes(x_ptr, n):
    if n > 3:
        y = tl.zeros((4,), tl.float32)
    else:
        y = 0.0
    tl.store(x_ptr + tl.arange(0, 4), y)


@refused(
    """
    TypeMismatchError: 'total' has type int32 before the loop and fp32 after an iteration
      kernel+2:5, in counter_that_becomes_a_float
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: in line kernel+1 write total = 0.0; line kernel+3 gives fp32
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def counter_that_becomes_a_float(x_ptr, n):
    total = 0
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(x_ptr, total)


@refused(
    """
    TypeMismatchError: 'total' has type fp32 before the loop and <[4], fp32> after an iteration
      kernel+2:5, in scalar_that_becomes_a_block
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: after line kernel+1 write total = tl.full((4,), total, tl.float32); line kernel+3 gives <[4], fp32>
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def scalar_that_becomes_a_block(x_ptr, n):
    total = tl.load(x_ptr)
    for i in range(n):
        total += tl.load(x_ptr + tl.arange(0, 4))
    tl.store(x_ptr + tl.arange(0, 4), total)


@refused(
    """
    TypeMismatchError: 'total' has type int32 before the loop and <[4], int32> after an iteration
      kernel+2:5, in number_before_a_block
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: in line kernel+1 write total = tl.full((4,), 0, tl.int32); line kernel+3 gives <[4], int32>
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def number_before_a_block(x_ptr, n):
    total = 0
    for i in range(n):
        total += tl.arange(0, 4)
    tl.store(x_ptr + tl.arange(0, 4), total)


@refused(
    """
    TypeMismatchError: 'dot' expects lhs to be a block of two or more dimensions, got <[16], fp32>
      kernel+2:21, in dot_of_vectors
          tl.store(x_ptr, tl.dot(x, x))
                          ^^^^^^^^^^^^
      hint: of blocks of one dimension write tl.sum(x * y)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def dot_of_vectors(x_ptr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    tl.store(x_ptr, tl.dot(x, x))


@refused(
    """
    TypeMismatchError: a grid has the axes 0, 1 and 2, got int32
      kernel+1:22, in axis_known_at_run_time
          tl.store(x_ptr + tl.program_id(n), 1.0)
                           ^^^^^^^^^^^^^^^^
      hint: write tl.program_id(axis=0)
    """,
    x_ptr="*fp32",
    n="i32",
)
@blockdsl.jit
def axis_known_at_run_time(x_ptr, n):
    tl.store(x_ptr + tl.program_id(n), 1.0)


@refused(
    """
    TypeMismatchError: a number or a block is expected, got <op program_id(axis: 'int') -> 'tensor'> of type Op
      kernel+1:14, in function_that_is_not_called
          tl.store(x_ptr + tl.program_id, 1.0)
                   ^^^^^^^^^^^^^^^^^^^^^
      hint: call the function: program_id(...)
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def function_that_is_not_called(x_ptr):
    tl.store(x_ptr + tl.program_id, 1.0)


@refused(
    """
    TypeMismatchError: a number or a block is expected, got (64,) of type Shape
      kernel+1:5, in shape_for_a_number
          tl.store(x_ptr, tl.arange(0, 64).shape)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: take an element, as in x.shape[0]
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def shape_for_a_number(x_ptr):
    tl.store(x_ptr, tl.arange(0, 64).shape)


@refused(
    """
    MissingNameError: a block has no attribute 'stride'
      kernel+1:21, in stride_of_a_pointer
          tl.store(x_ptr, x_ptr.stride(0))
                          ^^^^^^^^^^^^
      hint: a kernel sees no strides: pass them as arguments, as in kernel[grid](x, x.stride(0))
    """,
    x_ptr="*fp32",
)
@blockdsl.jit
def stride_of_a_pointer(x_ptr):
    tl.store(x_ptr, x_ptr.stride(0))


def enclosing(alpha, weights):
    """Kernels that read variables of the function that they are defined in."""

    @refused(
        """
        KernelSyntaxError: the variable 'alpha' of the enclosing function is not a compile-time constant, got 2.5
          kernel+1:42, in variable_of_the_enclosing_function
              tl.store(x_ptr, tl.load(x_ptr) * alpha)
                                               ^^^^^
          hint: pass it as an argument: declare a parameter `alpha: tl.constexpr`, and launch with alpha=alpha
        """,
        x_ptr="*fp32",
    )
    @blockdsl.jit
    def variable_of_the_enclosing_function(x_ptr):
        tl.store(x_ptr, tl.load(x_ptr) * alpha)

    @refused(
        """
        KernelSyntaxError: the variable 'weights' of the enclosing function is not a compile-time constant, got tensor([1., 1., 1.])
          kernel+1:33, in tensor_of_the_enclosing_function
              tl.store(x_ptr, tl.load(weights))
                                      ^^^^^^^
          hint: pass it as an argument: the kernel gets a pointer to its first element
        """,
        x_ptr="*fp32",
    )
    @blockdsl.jit
    def tensor_of_the_enclosing_function(x_ptr):
        tl.store(x_ptr, tl.load(weights))


enclosing(2.5, torch.ones(3))
