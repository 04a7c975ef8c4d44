"""Tests of variants of a kernel: by the bytes its arguments span, and by how many they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from handwritten import HandwrittenKernel, make_add


def variants(kernel: HandwrittenKernel) -> list[tuple[str, bool]]:
    return [(compiled.options.alias, compiled.options.streaming) for compiled in kernel.record.compiled]


def test_disjoint_arguments() -> None:
    add = make_add()
    base = torch.zeros(3, 64)
    add[(1,)](base[0], base[1], base[2], 64)
    add[(1,)](base[2], base[0], base[1], 64)
    assert variants(add) == [("disjoint", False)]


def test_inputs_may_overlap() -> None:
    add = make_add()
    x, out = torch.ones(64), torch.zeros(64)
    add[(1,)](x, x, out, 64)
    assert variants(add) == [("disjoint", False)]
    assert bool((out == 2).all())


def shifted(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[:-4], x[4:]


def interleaved(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[::2], x[1::2]


@pytest.mark.parametrize("views", [shifted, interleaved])
def test_overlapping_output(views: object) -> None:
    add = make_add()
    x, out = views(torch.zeros(256))
    add[(1,)](x, torch.zeros(64), out, 1)
    assert variants(add) == [("unknown", False)]


def test_neighbors_do_not_overlap() -> None:
    add = make_add()
    x = torch.zeros(256)
    add[(1,)](x[:64], x[64:128], x[128:192], 64)
    assert variants(add) == [("disjoint", False)]


def test_negative_strides_reach_down() -> None:
    add = make_add()
    x = np.zeros(256, dtype=np.float32)
    add[(1,)](np.zeros(1, dtype=np.float32), x[63::-1], x[:64], 1)
    assert variants(add) == [("unknown", False)]
    add[(1,)](np.zeros(1, dtype=np.float32), x[127:63:-1], x[:64], 1)
    assert variants(add)[-1] == ("disjoint", False)


class View:
    """A third-party view with the attributes of a tensor that it is given, and no others."""

    def __init__(self, base: torch.Tensor, dtype: torch.dtype | None = None, **attributes: Any) -> None:
        self.base, self.dtype = base, dtype or base.dtype
        for name, value in attributes.items():
            setattr(self, name, value if name == "shape" else lambda value=value: value)

    def data_ptr(self) -> int:
        return self.base.data_ptr()


def view(base: torch.Tensor, dtype: torch.dtype | None = None) -> View:
    return View(base, dtype, shape=base.shape, stride=base.stride(), element_size=base.element_size())


def test_span_of_a_foreign_view() -> None:
    add = make_add()
    x = torch.rand(512)
    add[(1,)](view(x[:64]), view(x[64:128]), view(x[128:192]), 64)
    assert torch.equal(x[128:192], x[:64] + x[64:128])
    upwards = View(x[192:], shape=(64,), stride=(1,), element_size=4)
    downwards = View(x[191:], shape=(2, 64), stride=(0, -1), element_size=4)
    add[(1,)](view(x[:64]), downwards, upwards, 1)
    add[(1,)](view(x[:64]), View(x, shape=[0], stride=[1], element_size=4), view(x[64:]), 1)
    assert variants(add) == [("disjoint", False)] * len(variants(add))


@pytest.mark.parametrize("views", [shifted, interleaved])
def test_foreign_views_overlap(views: Any) -> None:
    add = make_add()
    x, out = views(torch.zeros(256))
    add[(1,)](view(x), torch.zeros(64), view(out), 1)
    add[(1,)](view(x), torch.zeros(64), out, 1)
    add[(1,)](x, torch.zeros(64), view(out), 1)
    assert {alias for alias, _ in variants(add)} == {"unknown"}


def test_foreign_view_with_negative_strides() -> None:
    add = make_add()
    x = torch.zeros(256)
    add[(1,)](View(x[127:], shape=(64,), stride=(-1,), element_size=4), torch.zeros(64), x[:65], 1)
    assert variants(add) == [("unknown", False)]


def test_a_view_with_other_elements_spans_all_of_its_bytes() -> None:
    add = make_add()
    x = torch.zeros(64)
    # Counted in elements of two bytes, the first would end where the second begins; the same with elements of one byte
    # that are stored as four.
    add[(1,)](view(x, torch.float16), torch.zeros(64), x[32:], 1)
    add[(1,)](View(x, shape=(64,), stride=(1,), element_size=1), torch.zeros(64), x[32:], 1)
    assert {alias for alias, _ in variants(add)} == {"unknown"}


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"shape": (64,)},
        {"shape": (64,), "stride": (1,)},
        {"shape": (64,), "element_size": 4},
        {"stride": (1,), "element_size": 4},
        {"shape": (64,), "stride": (1, 1), "element_size": 4},
        {"shape": (64.0,), "stride": (1,), "element_size": 4},
        {"shape": (64,), "stride": None, "element_size": 4},
        {"shape": (64,), "stride": (1,), "element_size": "four"},
        {"shape": (-64,), "stride": (1,), "element_size": 4},
        {"shape": (1 << 62, 1 << 62), "stride": (0, 0), "element_size": 4},
        {"shape": (2,), "stride": (1 << 61,), "element_size": 4},
        {"shape": (3,), "stride": (-(1 << 53),), "element_size": 4},
        {"shape": (1 << 50,), "stride": (-1,), "element_size": 4},
        {"shape": (1,) * 65, "stride": (1,) * 65, "element_size": 4},
        {"shape": (1 << 64,), "stride": (1,), "element_size": 4},
    ],
)
def test_object_without_nbytes_may_overlap_any(told: dict[str, Any]) -> None:
    add = make_add()
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    add[(1,)](View(x, **told), y, out, 64)
    assert variants(add) == [("unknown", False)]
    assert torch.equal(out, x + y)


def test_empty_tensors_overlap_nothing() -> None:
    add = make_add()
    x = torch.zeros(64)
    add[(0,)](x[:0], x[3:3], x, 0)
    assert variants(add) == [("disjoint", False)]


def test_large_arguments_stream() -> None:
    add = make_add()
    x = torch.empty(2 << 30, dtype=torch.uint8).view(torch.float32)  # more than any cache; never accessed
    third = x.numel() // 3 // 16 * 16
    add[(1,)](x[:third], x[third : 2 * third], x[2 * third :], 64)
    add[(1,)](x[:64], x[64:128], x[128:192], 64)
    add[(1,)](x[:third], x[third : 2 * third], x[2 * third :], 64)
    assert variants(add) == [("disjoint", True), ("disjoint", False)]


def cache_bytes() -> int:
    """All caches of the CPUs that this process may use, each counted once, as Linux lists them."""
    caches = {}
    for cpu in os.sched_getaffinity(0):
        for cache in Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index[0-9]"):
            name = tuple((cache / part).read_text() for part in ("level", "type", "shared_cpu_list"))
            caches[name] = int((cache / "size").read_text().strip().removesuffix("K")) << 10
    return sum(caches.values())


def test_arguments_larger_than_the_cache_stream() -> None:
    """On some CPUs the C library returns the size of a whole socket's caches, ten times what a core can use."""
    add = make_add()
    x = torch.empty(max(cache_bytes() or 2 << 30, 4 << 20) // 4 + 256)  # little of it is accessed
    y, out = x[:64], x[64:128]
    add[(1,)](x[128 : 1 << 19], y, out, 64)
    add[(1,)](x[128:], y, out, 64)
    assert variants(add) == [("disjoint", False), ("disjoint", True)]


def test_each_variant_is_compiled_once_and_found_on_disk() -> None:
    for _ in range(2):
        add = make_add()
        x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
        for _ in range(2):
            add[(1,)](x, y, out, 64)
            add[(1,)](x, x, out, 64)
            add[(1,)](x, out, out, 64)
            add[(1,)](x, y[1:], y, 1)
        assert variants(add) == [("disjoint", False), ("merged", False), ("unknown", False)]


def test_an_in_place_launch_after_a_disjoint_one_is_right() -> None:
    add = make_add()
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    add[(1,)](x, y, out, 64)
    expected = x + y
    add[(1,)](x, y, x, 64)
    torch.testing.assert_close(x, expected)
    assert variants(add) == [("disjoint", False), ("merged", False)]


def test_each_way_of_working_in_place_is_a_variant() -> None:
    add = make_add()
    x, y = torch.rand(64), torch.rand(64)
    for _ in range(2):
        for arguments in ((x, y, x), (y, x, x), (x, x, x)):
            expected = arguments[0] + arguments[1]
            add[(1,)](*arguments, 64)
            torch.testing.assert_close(arguments[2], expected)
    assert [compiled.options.merged for compiled in add.record.compiled] == [(0, 1, 0, 3), (0, 1, 1, 3), (0, 0, 0, 3)]


def test_one_address_with_two_element_types_is_not_one_pointer() -> None:
    add = make_add()
    x = torch.zeros(64)
    add[(1,)](x.view(torch.int32), torch.zeros(64), x, 1)
    assert variants(add) == [("unknown", False)]


def test_same_pointer_and_a_part_of_it() -> None:
    add = make_add()
    x = torch.zeros(64)
    add[(1,)](x, x[4:], x, 1)
    assert variants(add) == [("unknown", False)]


def test_views_of_one_address_may_be_of_several_lengths() -> None:
    add = make_add()
    x = torch.ones(256)
    add[(1,)](x, torch.ones(64), x[:64], 64)
    add[(1,)](x[:1].expand(64), torch.zeros(64), x, 64)
    assert variants(add) == [("merged", False)]
    assert x.tolist() == [2.0] * 64 + [1.0] * 192


def test_a_large_update_in_place_streams() -> None:
    add = make_add()
    x = torch.empty(2 << 30, dtype=torch.uint8).view(torch.float32)  # more than any cache; little of it is accessed
    for _ in range(2):
        add[(1,)](x, torch.ones(64), x, 64)
        add[(1,)](x[:64], torch.ones(64), x[:64], 64)
    assert variants(add) == [("merged", True), ("merged", False)]
