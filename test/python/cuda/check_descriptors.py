"""Checks of tensor descriptors as the driver receives them: as tensor maps, and in parts."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import pytest
import stub
from stub import operands, stubbed, tensor

from blockdsl.compiler import descriptors
from blockdsl.errors import LaunchError


@dataclass
class Described:
    base: Any
    shape: list[int]
    strides: list[int]
    block_shape: list[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False


# Triton's description of a block of 64 x 64 halves, of which 64 x 32 are copied at once.
HALVES = {"swizzle": 2, "elem_size": 2, "elem_type": 6, "block_size": [64, 32], "fp4_padded": False}
FLOATS = {"swizzle": 3, "elem_size": 4, "elem_type": 7, "block_size": [16, 32], "fp4_padded": False}


def matrix(address: int = 0xA00000, dtype: str = "fp16", **given: Any) -> Described:
    return Described(tensor(address, dtype), [100, 72], [80, 1], [64, 64], **given)


def hexadecimal(layout: str, *values: object) -> list[str]:
    return [struct.pack("<" + code, value).hex() for code, value in zip(layout, values, strict=True)]


def mapped(address: int) -> str:
    """Returns the stub's map of a base."""
    return struct.pack("<16Q", *(address + word for word in range(16))).hex()


def kernel_of(*metas: Any) -> Any:
    @stubbed(heads=descriptors.heads(len(metas), metas, "pt"), tensor_maps=descriptors.requests(metas))
    def kernel(x, d, e, n): ...

    return kernel


@pytest.fixture(autouse=True)
def fresh() -> None:
    stub.take()
    stub.set_stream(0, 0)


def test_a_tensor_map_and_its_array() -> None:
    kernel = kernel_of(HALVES, FLOATS)
    kernel[(2,)](tensor(), matrix(0xB00000), matrix(0xC00000, "fp32"), 7)
    first, second, launch = [
        call for call in stub.take() if call["call"] in ("cuTensorMapEncodeTiled", "cuLaunchKernelEx")
    ]
    assert (first["base"], first["type"], first["swizzle"]) == (0xB00000, 6, 2)
    # For each dimension from the contiguous one on: extent, stride in bytes, box, step.
    assert first["dimensions"] == [[72, 0, 32, 1], [100, 160, 64, 1]]
    assert (first["interleave"], first["promotion"], first["fill"]) == (0, 2, 0)
    assert first["context"] == stub.FIRST_CONTEXT
    assert (second["base"], second["type"], second["swizzle"]) == (0xC00000, 7, 3)
    assert second["dimensions"] == [[72, 0, 32, 1], [100, 320, 16, 1]]
    sizes = hexadecimal("iiqq", 100, 72, 80, 1)
    assert launch["parameters"] == [
        *hexadecimal("Q", 0xA00000), mapped(0xB00000), *sizes, mapped(0xC00000), *sizes, *hexadecimal("iQQ", 7, 0, 0)
    ]  # fmt: skip


def test_tensor_maps_belong_to_the_launch() -> None:
    kernel = kernel_of(HALVES, FLOATS)
    compiled = {
        kernel[(1,)](tensor(), matrix(address), matrix(0xC00000, "fp32"), 7) for address in (0xB00000, 0xD00000)
    }
    assert len(compiled) == 1
    assert [call["base"] for call in stub.taken("cuTensorMapEncodeTiled")] == [0xB00000, 0xC00000, 0xD00000, 0xC00000]


@pytest.mark.parametrize(("type_", "expected"), [(7, 7), (8, 10), (9, 8), (10, 9)])
def test_element_type_codes_of_the_driver(type_: int, expected: int) -> None:
    kernel_of({**HALVES, "elem_type": type_}, FLOATS)[(1,)](tensor(), matrix(), matrix(0xC00000, "fp32"), 7)
    assert stub.taken("cuTensorMapEncodeTiled")[0]["type"] == expected


def test_padding_rounding_and_padded_fp4() -> None:
    kernel = kernel_of({**HALVES, "fp4_padded": True}, FLOATS)
    kernel[(1,)](tensor(), matrix(padding="nan"), matrix(0xC00000, "fp32", round_f32_to_tf32=True), 7)
    first, second = stub.taken("cuTensorMapEncodeTiled")
    assert (first["fill"], second["fill"]) == (1, 0)
    assert first["dimensions"] == [[144, 0, 32, 1], [100, 160, 64, 1]]
    assert second["type"] == 11


def test_passed_as_parts_without_tensor_map() -> None:
    kernel = kernel_of(None, FLOATS)
    kernel[(1,)](tensor(), matrix(0xB00000, padding="nan"), matrix(0xC00000, "fp32"), 7)
    (launch,) = stub.launches()
    sizes = hexadecimal("iiqq", 100, 72, 80, 1)
    assert launch["parameters"] == [
        *hexadecimal("QQ", 0xA00000, 0xB00000), *sizes, "01", "00", *sizes, mapped(0xC00000), *sizes,
        *hexadecimal("iQQ", 7, 0, 0),
    ]  # fmt: skip


def test_heads() -> None:
    assert descriptors.heads(2, None, "p") == descriptors.heads(2, [], "p") == ["np", "np"]
    assert descriptors.heads(2, [None, HALVES], "pt") == ["npt", "m"]
    assert descriptors.requests([None, HALVES]) == [(2, 2, 6, False, (64, 32))]


def test_tensor_map_refused_by_the_driver() -> None:
    kernel = kernel_of(HALVES, FLOATS)
    with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled says 'unknown error'"):
        kernel[(1,)](tensor(), matrix(0xB00008), matrix(0xC00000, "fp32"), 7)
    assert stub.launches() == []


def test_a_descriptor_of_another_rank_than_was_compiled() -> None:
    kernel = kernel_of({**HALVES, "block_size": [64]}, FLOATS)
    with pytest.raises(LaunchError, match="descriptor of 2 dimensions, and is compiled for one of 1"):
        kernel[(1,)](tensor(), matrix(), matrix(0xC00000, "fp32"), 7)


def test_bases_choose_the_device() -> None:
    @stubbed(heads=["m"], tensor_maps=descriptors.requests([HALVES]))
    def kernel(d): ...

    described = matrix()
    described.base = tensor(0xB00000, "fp16", device=1)
    kernel[(1,)](described)
    (call,) = stub.launches()
    assert call["context"] == stub.FIRST_CONTEXT + 1
    x, _, _ = operands()
    with pytest.raises(LaunchError, match="expected all tensors on one device"):
        kernel_of(HALVES, FLOATS)[(1,)](x, described, matrix(0xC00000, "fp32"), 7)


def test_bases_choose_the_stream() -> None:
    @stubbed(heads=["m"], tensor_maps=descriptors.requests([HALVES]))
    def kernel(d): ...

    stub.set_stream(0, 0x4321)
    kernel[(1,)](matrix())
    (call,) = stub.launches()
    assert call["stream"] == 0x4321


def test_every_map_has_its_request() -> None:
    with pytest.raises(ValueError, match="1 slots take a tensor map, and there are 0 requests"):
        stub.StubKernel("kernel", [(0, "m")], ["m"])
