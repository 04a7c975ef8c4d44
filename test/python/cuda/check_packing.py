"""Checks of arguments of the driver: parameters, grid, stream, attributes."""

from __future__ import annotations

import struct
import sys
import types

import numpy as np
import pytest
import stub
from stub import CapsuleTensor, make_add, operands, stubbed, tensor

import blockdsl.language as tl
from blockdsl.compiler.options import IGNORED
from blockdsl.launcher import arguments


def only_launch() -> stub.Call:
    (call,) = stub.launches()
    return call


def launch_in(calls: list[stub.Call]) -> stub.Call:
    (call,) = (call for call in calls if call["call"] == "cuLaunchKernelEx")
    return call


def packed(layout: str, *values: object) -> list[str]:
    """Returns parameters as the stub prints them: bytes in hexadecimal, then the two scratch pointers."""
    return [struct.pack("<" + code, value).hex() for code, value in zip(layout, values, strict=True)] + ["00" * 8] * 2


@pytest.fixture(autouse=True)
def fresh() -> None:
    stub.take()
    stub.set_stream(0, 0)
    stub.set_stream(1, 0)


def test_three_tensors_and_an_integer() -> None:
    add = make_add()
    kernel = add[(4, 3, 2)](*operands(), 200)
    assert isinstance(kernel, stub.StubKernel)
    call = only_launch()
    assert call["kernel"] == "add"
    assert call["parameters"] == packed("QQQii", 0xA00000, 0xB00000, 0xC00000, 200, 64)
    assert call["grid"] == [4, 3, 2]
    assert call["block"] == [128, 1, 1]
    assert (call["shared"], call["stream"], call["attributes"]) == (0, 0, [])
    assert call["context"] == stub.FIRST_CONTEXT
    assert add[(1,)](*operands(), 200) is kernel
    assert only_launch()["grid"] == [1, 1, 1]


@pytest.mark.parametrize("dtype", stub.DTYPES)
def test_pointers_of_every_type(dtype: str) -> None:
    @stubbed
    def kernel(x): ...

    kernel[(1,)](tensor(0x7F00_1234_5678_9AB0, dtype))
    assert only_launch()["parameters"] == packed("Q", 0x7F00_1234_5678_9AB0)
    assert kernel.compiled[0][0].types == {"x": "*" + dtype}
    assert kernel.compiled[0][0].divisibility == {"x": 16}


@stubbed
def annotated(p, a: tl.int8, b: tl.int16, c: tl.int64, d: tl.uint64, e: tl.float16, f: tl.bfloat16, g: tl.float32,
              h: tl.float64, i: tl.int1): ...  # fmt: skip


def test_declared_scalars() -> None:
    annotated[(1,)](tensor(), -3, 300, -(2**40), 2**63, 1.5, -2.5, 0.1, 0.1, True)
    brain = struct.pack("<f", -2.5)[2:]
    assert only_launch()["parameters"] == [
        struct.pack("<Q", 0xA00000).hex(),
        struct.pack("<b", -3).hex(),
        struct.pack("<h", 300).hex(),
        struct.pack("<q", -(2**40)).hex(),
        struct.pack("<Q", 2**63).hex(),
        struct.pack("<e", 1.5).hex(),
        brain.hex(),
        struct.pack("<f", 0.1).hex(),
        struct.pack("<d", 0.1).hex(),
        "01",
        "00" * 8,
        "00" * 8,
    ]


def test_integers_where_floats_are_declared() -> None:
    annotated[(1,)](tensor(), 1, 1, 1, 1, 3, 3, 3, 3, False)
    parameters = only_launch()["parameters"]
    assert parameters[5] == struct.pack("<e", 3).hex()
    assert parameters[7:9] == [struct.pack("<f", 3).hex(), struct.pack("<d", 3).hex()]


@pytest.mark.parametrize(("value", "code"), [(2, "i"), (-1, "i"), (2**31, "q"), (2**63, "Q"), (True, "b"), (False, "b"),
                                             (0.5, "f"), (float("inf"), "f")])  # fmt: skip
def test_scalars_without_declaration(value: object, code: str) -> None:
    @stubbed
    def kernel(x, value): ...

    kernel[(1,)](tensor(), value)
    assert only_launch()["parameters"] == packed("Q" + code, 0xA00000, value)


def test_constants_are_no_parameters() -> None:
    @stubbed
    def kernel(x, one, none, BLOCK: tl.constexpr, n): ...

    kernel[(1,)](tensor(), 1, None, 64, 5)
    assert only_launch()["parameters"] == packed("Qi", 0xA00000, 5)
    kernel[(1,)](tensor(), 2, None, 64, 5)
    assert only_launch()["parameters"] == packed("Qii", 0xA00000, 2, 5)
    kernel[(1,)](tensor(), 1, None, 32, 5)
    assert len(kernel.compiled) == 3


def test_a_kernel_without_parameters_of_its_own() -> None:
    kernel = stub.StubKernel("bare", [], [])

    @stubbed
    def function(x): ...

    function._compile_cuda = lambda *_: kernel
    function[(2,)](tensor())
    assert only_launch()["parameters"] == ["00" * 8] * 2


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (4, 4, 0), lambda meta: (0,)])
def test_empty_grid_launches_nothing(grid: object) -> None:
    add = make_add()
    assert isinstance(add[grid](*operands(), 200), stub.StubKernel)
    assert stub.take() == []


def test_a_callable_grid() -> None:
    add = make_add()
    add[lambda meta: (meta["n"] // meta["BLOCK"], 2)](*operands(), 640, num_warps=8)
    assert only_launch()["grid"] == [10, 2, 1]


@pytest.mark.parametrize("blocks", [2, 8, 16])
def test_programs_of_several_blocks_are_clusters(blocks: int) -> None:
    make_add(num_ctas=blocks)[(5, 6)](*operands(), 200)
    calls = stub.take()
    launch = launch_in(calls)
    assert launch["grid"] == [5 * blocks, 6, 1]
    assert launch["attributes"] == [[4, blocks, 1, 1], [5, 1, 0, 0]]
    beyond_eight = [call["value"] for call in calls if call["call"] == "cuFuncSetAttribute" and call["attribute"] == 14]
    assert beyond_eight == ([1] if blocks > 8 else [])


def test_early_start_and_cooperation() -> None:
    make_add(launch_pdl=True)[(1,)](*operands(), 200)
    assert only_launch()["attributes"] == [[6, 1, 0, 0]]
    make_add(cooperative=True)[(1,)](*operands(), 200)
    assert only_launch()["attributes"] == [[2, 1, 0, 0]]
    make_add(cooperative=True, launch_pdl=True, num_ctas=2)[(1,)](*operands(), 200)
    assert [which for which, *_ in only_launch()["attributes"]] == [6, 2, 4, 5]


def test_threads_follow_warps() -> None:
    make_add(num_warps=8)[(1,)](*operands(), 200)
    assert only_launch()["block"] == [256, 1, 1]


@pytest.mark.parametrize(("dynamic", "static", "attributes"), [
    (48 << 10, 0, []), ((48 << 10) + 16, 0, [(8, (48 << 10) + 16)]), (40 << 10, 16 << 10, [(8, 40 << 10)]),
    (232448, 0, [(8, 232448)])])  # fmt: skip
def test_shared_memory(dynamic: int, static: int, attributes: list[tuple[int, int]]) -> None:
    add = make_add(shared_bytes=dynamic, static_shared=static)
    add[(1,)](*operands(), 200)
    calls = stub.take()
    assert launch_in(calls)["shared"] == dynamic
    set_ = [(call["attribute"], call["value"]) for call in calls if call["call"] == "cuFuncSetAttribute"]
    assert set_ == attributes
    add[(1,)](*operands(), 200)
    assert [call["call"] for call in stub.take()].count("cuFuncSetAttribute") == 0


def test_each_launch_has_its_own_scratch_memory() -> None:
    add = make_add(global_scratch=(96, 128), profile_scratch=(16, 4096), num_ctas=2)
    stub.set_stream(0, 0x77)
    for _ in range(2):
        add[(5, 3, 2)](*operands(), 200)
        global_, profile, launch, *freed = [call for call in stub.take() if "stream" in call]
        assert global_["bytes"] == 96 * 5 * 3 * 2 * 2
        assert profile["bytes"] == 16 * 5 * 3 * 2 * 2 + 4096
        where = [int.from_bytes(bytes.fromhex(parameter), "little") for parameter in launch["parameters"][-2:]]
        assert where[0] == global_["address"]
        assert where[1] % 4096 == 0
        assert profile["address"] <= where[1] <= profile["address"] + 4096
        assert [call["call"] for call in freed] == ["cuMemFreeAsync"] * 2
        assert {call["address"] for call in freed} == {global_["address"], profile["address"]}
        assert {call["stream"] for call in (global_, profile, launch, *freed)} == {0x77}
    assert stub.allocations() == 0


def test_the_stream_is_the_current_one() -> None:
    add = make_add()
    for stream in (0, 0x1234, 0x7F00_0000_0010):
        stub.set_stream(0, stream)
        add[(1,)](*operands(), 200)
        assert only_launch()["stream"] == stream


def test_capsules() -> None:
    add = make_add()
    x, y, out = (CapsuleTensor(address) for address in (0xA00000, 0xB00000, 0xC00000))
    add[(1,)](x, y, out, 200)
    call = only_launch()
    assert call["parameters"] == packed("QQQii", 0xA00000, 0xB00000, 0xC00000, 200, 64)
    assert call["stream"] == 0
    # A library without streams uses the legacy one, which DLPack calls 1.
    assert x.asked == [{"max_version": (1, 0), "stream": 1}]
    old = CapsuleTensor(0xA00000, versions=False)
    add[(1,)](old, y, out, 200)
    assert old.asked == [{"stream": 1}]
    add[(1,)](CapsuleTensor(0xA00000, detach=True), y, out, 200)
    assert [call["parameters"][0] for call in stub.launches()] == packed("Q", 0xA00000)[:1] * 2
    assert len(add.compiled) == 1


def test_dlpack_capsules_with_stream_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    queried = []

    def current(device: int) -> int:
        queried.append(device)
        return 0x5678

    fake = types.ModuleType("torch._C")
    fake._cuda_getCurrentRawStream = current  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch._C", fake)
    add = make_add()
    x, y, out = (CapsuleTensor(address, device=1) for address in (0xA00000, 0xB00000, 0xC00000))
    add[(1,)](x, y, out, 200)
    assert only_launch()["stream"] == 0x5678
    assert x.asked == [{"max_version": (1, 0), "stream": 0x5678}]
    assert set(queried) == {1}
    # A library with a native function for its stream is queried first.
    stub.set_stream(1, 0x9999)
    add[(1,)](x, tensor(0xB00000, device=1), out, 200)
    assert only_launch()["stream"] == 0x9999


def test_unknown_stream() -> None:
    add = make_add()
    add[(1,)](*operands(), 200)
    stub.take()
    stub.fake_tensors.tells_no_stream(True)
    try:
        with pytest.raises(RuntimeError, match="no stream today"):
            add[(1,)](*operands(), 200)
    finally:
        stub.fake_tensors.tells_no_stream(False)
    assert stub.launches() == []


def test_options_of_gpus_are_part_of_the_key_on_gpus_only() -> None:
    add = make_add()
    first = add[(1,)](*operands(), 200)
    assert add[(1,)](*operands(), 200, warp_size=32) is first
    eight = add[(1,)](*operands(), 200, num_warps=8)
    assert eight is not first
    assert add[(1,)](*operands(), 200, num_warps=8) is eight
    options = add.compiled[1][2]
    assert options["num_warps"] == 8
    assert {name for name, value in options.items() if value is None} == {
        "num_stages", "num_ctas", "maxnreg", "debug", "launch_pdl", "launch_cooperative_grid",
        "enable_fp_fusion", *IGNORED}  # fmt: skip


def test_attributes_of_tensors_on_gpus() -> None:
    for value in (tensor(0xA00004), CapsuleTensor(0xA00004)):
        attribute = stub._runtime.read_attributes(value)
        assert arguments.type_of(attribute) == "*fp32"
        assert not attribute & arguments.DIVISIBLE_BY_16


def test_arrays_still_run_on_the_cpu() -> None:
    data = np.zeros(4, dtype=np.float32)
    queried = []

    class OnCPU(stub.StubFunction):
        def _compile(self, values, attributes, variant, overlaps, device):  # type: ignore[no-untyped-def]
            queried.append(device)
            raise KeyError("enough")

    def kernel(x, n): ...

    for values in ((data, 3), (5, 3), (tensor(0x7F00_00A0_0000, kind=stub.CUDA_HOST), 3)):
        with pytest.raises(KeyError, match="enough"):
            OnCPU(kernel)[(1,)](*values)
    assert queried == [-1, -1, -1]
    assert stub.take() == []
