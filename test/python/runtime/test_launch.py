"""Tests of binding, reading and passing arguments, of grids, and of the result of a launch."""

from __future__ import annotations

import array

import numpy as np
import pytest
import torch
from handwritten import make_add, scratch, show, spin

import blockdsl
from blockdsl import _runtime
from blockdsl.launcher import arguments


def operands(n: int = 200, dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.rand(n, dtype=dtype), torch.rand(n, dtype=dtype), torch.zeros(n, dtype=dtype)


def test_positional_arguments() -> None:
    add = make_add()
    x, y, out = operands()
    add[(4,)](x, y, out, 200)
    torch.testing.assert_close(out, x + y)


def test_keyword_arguments_and_defaults() -> None:
    add = make_add()
    x, y, out = operands()
    add[(4,)](x, n=200, out=out, y=y, BLOCK=64)
    torch.testing.assert_close(out, x + y)


def test_keywords_that_are_not_interned() -> None:
    add = make_add()
    x, y, out = operands()
    add[(4,)](x, y, **{"".join(["o", "ut"]): out, "".join(["n"]): 200})
    torch.testing.assert_close(out, x + y)


def test_options_of_other_targets_are_accepted() -> None:
    add = make_add()
    x, y, out = operands()
    first = add[(4,)](x, y, out, 200, num_warps=4, num_stages=2, num_ctas=1)
    assert add[(4,)](x, y, out, 200, num_warps=8) is first


def test_option_that_changes_code_recompiles() -> None:
    add = make_add()
    x, y, out = operands()
    first = add[(4,)](x, y, out, 200)
    assert add[(4,)](x, y, out, 200, enable_fp_fusion=False) is not first
    assert [compiled.options.fp_fusion for compiled in add.record.compiled] == [True, False]


@pytest.mark.parametrize("grid", [(4,), 4, [4], (4, 1), (2, 2, 1), (1, 1, 4), (np.int64(4),), torch.tensor(4)])
def test_grid_forms(grid: object) -> None:
    add = make_add()
    x, y, out = operands()
    add[grid](x, y, out, 200)
    torch.testing.assert_close(out, x + y)


def test_callable_grid_gets_all_arguments() -> None:
    add = make_add()
    x, y, out = operands()
    received = {}

    def grid(meta: dict[str, object]) -> tuple[int]:
        received.update(meta)
        return (blockdsl.cdiv(meta["n"], meta["BLOCK"]),)

    add[grid](x, y, out, 200, num_warps=4)
    torch.testing.assert_close(out, x + y)
    assert received.keys() == {"x", "y", "out", "n", "BLOCK"}
    assert received["x"] is x


def test_a_failing_grid_function_raises_its_own_error() -> None:
    with pytest.raises(ZeroDivisionError):
        make_add()[lambda meta: (1 // 0,)](*operands(), 200)


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (4, 4, 0)])
def test_empty_grid_runs_nothing(grid: object) -> None:
    add = make_add()
    x, y, out = operands()
    kernel = add[grid](x, y, out, 200)
    assert isinstance(kernel, blockdsl.CompiledKernel)
    assert not out.any()


def test_the_grid_reaches_the_kernel(capfd: pytest.CaptureFixture[str]) -> None:
    show[(2, 3, 4)](torch.empty(24, dtype=torch.float64), 1.5)
    lines = "".join(f"pid (5, 0, 0) idx ({axis}) grid: {extent}\n" for axis, extent in enumerate([2, 3, 4]))
    assert lines in capfd.readouterr().out


def test_a_launch_returns_the_kernel() -> None:
    add = make_add()
    kernel = add[(4,)](*operands(), 200)
    assert isinstance(kernel, blockdsl.CompiledKernel)
    assert add[(4,)](*operands(208), 208) is not kernel  # 208 is a multiple of 16, 200 is not.
    assert add[(4,)](*operands(201), 201) is kernel


def test_numpy_arrays() -> None:
    add = make_add()
    x, y, out = (np.random.rand(200).astype(np.float32) for _ in range(3))
    x.flags.writeable = False  # It is only read.
    add[(4,)](x, y, out, 200)
    np.testing.assert_array_equal(out, x + y)


class CapsuleOnly:
    """An array of a library that implements DLPack and nothing else."""

    def __init__(self, data: np.ndarray, knows_versions: bool = True) -> None:
        self.data = data
        self.knows_versions = knows_versions

    def __dlpack__(self, **options: object) -> object:
        if options and not self.knows_versions:
            raise TypeError("unexpected keyword argument")
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.data.__dlpack_device__()


@pytest.mark.parametrize("knows_versions", [True, False])
def test_any_dlpack_object(knows_versions: bool) -> None:
    add = make_add()
    x, y, out = (np.random.rand(200).astype(np.float32) for _ in range(3))
    for _ in range(3):
        add[(4,)](*(CapsuleOnly(data, knows_versions) for data in (x, y, out)), 200)
    np.testing.assert_array_equal(out, x + y)


def test_other_memory() -> None:
    add = make_add()
    x, y = array.array("f", [1, 2, 3]), array.array("f", [10, 20, 30])
    out = memoryview(bytearray(12)).cast("f")
    add[(1,)](x, y, out, 3)
    assert out.tolist() == [11, 22, 33]


def test_parameters_that_require_grad() -> None:
    add = make_add()
    x, y, out = operands()
    weight = torch.nn.Parameter(x)
    add[(4,)](weight, y.requires_grad_(), out, 200)
    torch.testing.assert_close(out, (x + y).detach())


ATTRIBUTES = [
    (None, None, False, False),
    (True, "i1", False, False),
    (0, "i32", True, False),
    (1, "i32", False, True),
    (np.int32(1), "i32", False, True),
    (32, "i32", True, False),
    (-5, "i32", False, False),
    (2**31 - 1, "i32", False, False),
    (2**31, "i64", True, False),
    (-(2**31) - 1, "i64", False, False),
    (2**63, "u64", True, False),
    (2**64 - 1, "u64", False, False),
    (1.0, "fp32", False, False),
    (np.float64(2.5), "fp32", False, False),
    (np.float32(2.5), "fp32", False, False),
    *[(torch.empty(4, dtype=getattr(torch, torch_name)), "*" + name, True, False) for torch_name, name in [
        ("bool", "i1"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"), ("uint8", "u8"),
        ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"), ("float16", "fp16"), ("bfloat16", "bf16"),
        ("float32", "fp32"), ("float64", "fp64")]],
    (torch.empty(5)[1:], "*fp32", False, False),
    (np.empty(4, dtype=np.float16), "*fp16", True, False),
    (np.empty(4, dtype=np.uint64), "*u64", True, False),
    (np.empty(4, dtype=bool), "*i1", True, False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "name", "divisible", "one"), ATTRIBUTES)
def test_attributes(value: object, name: str | None, divisible: bool, one: bool) -> None:
    attributes = _runtime.read_attributes(value)
    assert arguments.type_of(attributes) == name
    assert bool(attributes & arguments.DIVISIBLE_BY_16) == divisible
    assert bool(attributes & arguments.EQUAL_TO_ONE) == one


@pytest.mark.parametrize("value", ["x", b"x", bytearray(4), 2**64, -(2**63) - 1, 1j, object(), torch.float32,
                                   np.complex64(1), np.empty(2, dtype=complex), np.array(["a"]),
                                   np.zeros(2, dtype=">f4"), torch.empty(2, device="meta"),
                                   torch.empty(2, dtype=torch.complex64), {}, [1, 2]])  # fmt: skip
def test_refused_argument(value: object) -> None:
    assert _runtime.read_attributes(value) is None


def test_specialization_matches_triton() -> None:
    add = make_add()
    x, y, out = operands()
    add[(4,)](x, y[1:], out, 1)
    specialization = add.record.compiled[0].specialization
    assert specialization.types == {"x": "*fp32", "y": "*fp32", "out": "*fp32"}
    assert specialization.divisibility == {"x": 16, "out": 16}
    assert specialization.constants == {"n": 1, "BLOCK": 64}


def test_do_not_specialize() -> None:
    add = make_add(do_not_specialize=["n", 0], do_not_specialize_on_alignment=["y"])
    x, y, out = operands()
    add[(1,)](x, y, out, 1)
    add[(1,)](x[1:], y[1:], out, 16)
    assert len(add.record.compiled) == 1
    specialization = add.record.compiled[0].specialization
    assert specialization.types["n"] == "i32"
    assert specialization.divisibility == {"out": 16}


@pytest.mark.parametrize(("annotation", "expected"), [
    ("i64", "i64"), ("tl.int64", "i64"), ("tl.uint8", "u8"), ("*fp32", "*fp32"), ("*kfp16", "*kfp16"),
    ("tl.float64", "fp64"), ("tl.bfloat16", "bf16"), ("tl.int1", "i1"), ("const", "const"), ("tl.const", "const"),
    ("torch.Tensor", None), (int, None), (None, None), ("i77", None), ("'i32'", "i32")])  # fmt: skip
def test_annotations(annotation: object, expected: str | None) -> None:
    assert arguments.wanted(annotation).type == expected


def test_constexprs_of_any_type() -> None:
    add = make_add()
    x, y, out = operands()
    for value in (64, 64.0, True, None, "text", (1, 2), 2**70, float("nan"), add):
        for _ in range(2):
            add[(4,)](x, y, out, 200, BLOCK=value)
    assert len(add.record.compiled) == 9


def test_scalars_keep_their_value(capfd: pytest.CaptureFixture[str]) -> None:
    out = torch.zeros(1, dtype=torch.float64)
    show[(1,)](out, 0.1)
    assert out.item() == pytest.approx(np.expm1(np.float32(0.1)), rel=1e-15)
    printed = capfd.readouterr().out
    assert "pid (0, 0, 0) idx () value: 0.100000\n" in printed
    assert "pid (0, 0, 0) idx () bits: 0x00000001\n" in printed


def test_every_program_runs_once() -> None:
    counts = torch.zeros(100_000, dtype=torch.int32)
    for _ in range(3):
        spin[(100, 1000)](counts, 0)
    assert bool((counts == 3).all())


def test_scratch_memory_is_each_threads_own() -> None:
    out = torch.zeros(300, dtype=torch.int64)
    scratch[(300,)](out)
    assert torch.equal(out, torch.arange(300) * 16384)


def test_warmup_compiles_and_runs_nothing() -> None:
    add = make_add()
    kernel = add.warmup(torch.float32, torch.float32, torch.float32, 200, BLOCK=64, grid=(4,))
    x, y, out = operands()
    assert add[(4,)](x, y, out, 200) is kernel
    assert add.run(x, y, out, 200, grid=(4,), warmup=True) is kernel
    assert add.run(x, y, out, 200, grid=(4,)) is kernel
    torch.testing.assert_close(out, x + y)


def test_a_compiled_kernel_launches() -> None:
    add = make_add()
    x, y, out = operands()
    kernel = add[(4,)](x, y, out, 200)
    out.zero_()
    assert kernel[(4,)](x, y, out, 200) is kernel
    torch.testing.assert_close(out, x + y)
    kernel[(4,)](x, y, out, n=200, BLOCK=64)


def test_many_constexpr_objects_do_not_leak() -> None:
    add = make_add()
    x, y, out = operands()
    add[(4,)](x, y, out, 200, BLOCK="b")
    # Equal strings that are different objects: found under another key, and dropped in the end.
    for _ in range(5000):
        add[(4,)](x, y, out, 200, BLOCK="".join(["a"]) + "b")
    torch.testing.assert_close(out, x + y)
