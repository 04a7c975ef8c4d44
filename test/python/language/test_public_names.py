"""Tests of public names and their parameters against stock Triton's; the differences are listed here."""

from __future__ import annotations

import ast
import copy
import enum
import inspect
import operator
import pickle
from pathlib import Path
from typing import Any

import pytest
import triton
import triton.language
from packaging import version

import blockdsl
import blockdsl.language as tl
from blockdsl.language.op import METHODS
from pages import api_diff, unsupported

pytestmark = pytest.mark.cpu_only  # The comparison is with the Triton of the tests, not with the one for a GPU.


def test_missing_names_are_listed() -> None:
    """A new name of Triton's fails, and so does a listed one that now exists."""
    assert api_diff.gaps() == unsupported.names()


def parameters(function: Any) -> list[tuple[str, str]] | None:
    """Returns names and defaults, without parameters that Triton passes itself."""
    while hasattr(function, "fn"):
        function = function.fn
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    own = [each for each in found if each.name not in ("_semantic", "_generator", "_builder")]
    return [(each.name, _plain(each.default)) for each in own]


def _plain(default: Any) -> str:
    default = getattr(default, "value", default)
    return str(bool(default)) if default in (0, 1) and not isinstance(default, str) else str(default)


FUNCTIONS = [
    name for name in triton.language.__all__
    if callable(getattr(triton.language, name)) and not isinstance(getattr(triton.language, name), type)
]  # fmt: skip


OF_BLOCK_POINTERS = {"load": ("boundary_check", "padding_option"), "store": ("boundary_check",)}
"""Names that Triton 3.9 removed together with block pointers, which are kept here."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_of_a_function(name: str) -> None:
    stock, ours = parameters(getattr(triton.language, name)), parameters(getattr(tl, name))
    assert [each for each in ours or () if each[0] not in OF_BLOCK_POINTERS.get(name, ())] == stock


@pytest.mark.parametrize("name", ["cdiv", "next_power_of_2", "reinterpret", "must_use_result", "set_allocator"])
def test_parameters_of_a_host_function(name: str) -> None:
    stock, ours = parameters(getattr(triton, name)), parameters(getattr(blockdsl, name))
    assert [each for each, _ in ours or ()] == [each for each, _ in stock or ()]


OF_A_TUNED_KERNEL = {"check_disk_cache", "restore_copies"}
"""Attributes of Triton's tuner for choices, and for copies of arguments during a search."""

OF_A_KERNEL = {"create_binder", "device_caches", "kernel"}
"""Attributes of Triton's kernels about their compilation."""


def test_attributes_of_a_kernel() -> None:
    def nothing() -> None: ...

    stock, ours = triton.jit(nothing), blockdsl.jit(nothing)
    assert {name for name in members(stock) if not hasattr(ours, name)} == OF_A_KERNEL
    assert not ours.is_gluon()
    assert ast.dump(ours.parse()) == ast.dump(stock.parse())
    assert ours.type.value is ours


def test_attributes_of_an_autotuned_kernel() -> None:
    def nothing(n): ...

    stock, ours = (each.autotune([each.Config({})], key=["n"])(each.jit(nothing)) for each in (triton, blockdsl))
    assert {name for name in members(stock) if not hasattr(ours, name)} == OF_A_TUNED_KERNEL
    assert ours.do_bench is blockdsl.testing.do_bench


SETTINGS = ("build", "redis", "cache", "compilation", "autotuning", "runtime", "language", "nvidia", "amd", "proton")

OF_SETTINGS = {
    "build": {"backend_dirs", "cc", "cudacrt_path", "cudart_path", "impl"},
    "cache": {"get_triton_dir"},
}
"""No C compiler is called here; caches are in one directory, which ``knobs.cache.dir`` names."""


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name: str) -> None:
    stock, ours = getattr(triton.knobs, name), getattr(blockdsl.knobs, name)
    missing = {each for each in members(stock) if not hasattr(ours, each)} - {"copy", "knob_descriptors"}
    if name in ("amd", "proton"):
        # AMD's GPUs and the profiler are not supported.
        assert not missing & members(ours)
    else:
        assert missing == OF_SETTINGS.get(name, set())


def test_conditions_of_constants() -> None:
    three, zero = tl.constexpr(3), tl.constexpr(0)
    for ours, stock in ((three, triton.language.constexpr(3)), (zero, triton.language.constexpr(0))):
        assert ours.logical_and(5).value == stock.logical_and(5).value
        assert ours.logical_or(tl.constexpr(5)).value == stock.logical_or(5).value


def members(kind: Any) -> set[str]:
    return {name for name in dir(kind) if name[0] != "_"}


NUMBERS = [name for name, value in vars(triton.language).items() if isinstance(value, triton.language.dtype)
           and name not in ("pi32_t", "void")]  # fmt: skip


def answer(kind: Any, member: str) -> Any:
    """Returns the value of a type's property, or its error."""
    try:
        value = getattr(kind, member)
        value = value() if callable(value) else value
    except Exception:
        return "nothing"
    value = getattr(value, "value", value) if not isinstance(value, bool) else value
    return value.name if isinstance(value, enum.Enum) else str(value).strip("[](),").replace("'", "")


@pytest.mark.parametrize("name", NUMBERS)
def test_attributes_of_a_type(name: str) -> None:
    # Triton's own is_void raises an error.
    skipped = {"is_void", "is_dtype", "to_ir", "scalar"}
    stock, ours = getattr(triton.language, name), getattr(tl, name)
    assert {each for each in members(stock) if not hasattr(ours, each)} <= {"to_ir"}
    of_numbers = {each for number in NUMBERS for each in members(getattr(triton.language, number))}
    assert {each for each in of_numbers if hasattr(ours, each) and not hasattr(stock, each)} == set()
    for member in sorted(members(stock) - skipped):
        assert answer(ours, member).casefold() == answer(stock, member).casefold(), member


def test_lists_of_names_of_types() -> None:
    for each in ("SINT_TYPES", "UINT_TYPES", "FP_TYPES", "STANDARD_FP_TYPES", "OTHER_TYPES"):
        assert getattr(tl.dtype, each) == getattr(triton.language.dtype, each)
    for each in (tl.dtype, tl.pointer_type, tl.block_type):
        stock = parameters(getattr(triton.language, each.__name__).__init__) or []
        assert [name for name, _ in stock if name != "self"] == [
            {"extents": "shape"}.get(name, name) for name, _ in parameters(each) or []
        ]
    for each in ("fp32", "int1", "void", "float32", "i32", "", "*fp32"):
        assert tl.dtype.is_dtype(each) == triton.language.dtype.is_dtype(each)


@pytest.mark.parametrize("name", [*NUMBERS, "void"])
def test_a_type_by_its_name(name: str) -> None:
    stock, ours = getattr(triton.language, name), getattr(tl, name)
    assert tl.dtype(stock.name) == tl.dtype(tl.constexpr(stock.name)) == tl.dtype(name=stock.name) == ours
    assert tl.dtype(stock.name) is ours
    assert hash(tl.dtype(stock.name)) == hash(ours) == hash(stock)
    assert {tl.dtype(other) == ours for other in tl.dtype.FP_TYPES if other != stock.name} <= {False}
    assert ours != stock.name
    assert ours == tl.constexpr(ours)
    assert tl.constexpr(ours) == ours
    assert (str(ours), repr(ours)) == (str(stock), repr(stock).replace("triton", "blockdsl"))
    assert eval(repr(ours)) is ours
    for copied in (pickle.loads(pickle.dumps(ours)), copy.copy(ours), copy.deepcopy([ours])[0]):
        assert copied is ours
    assert (tl.pointer_type(ours).name, tl.pointer_type(ours, const=True).name) == (
        triton.language.pointer_type(stock).name, triton.language.pointer_type(stock, const=True).name
    )  # fmt: skip
    assert tl.pointer_type(ours) == tl.pointer_type(tl.constexpr(ours)) != tl.pointer_type(ours, "global", True)
    assert pickle.loads(pickle.dumps(tl.pointer_type(ours))) == tl.pointer_type(ours)
    assert pickle.loads(pickle.dumps(tl.block_type(ours, [2, 4]))) == tl.block_type(ours, (2, 4))


@pytest.mark.parametrize("name", ["float32", "", "int2", 3, None, ["fp32"]])
def test_unknown_type_name(name: Any) -> None:
    assert not isinstance(name, str) or not tl.dtype.is_dtype(name)
    with pytest.raises(blockdsl.errors.TypeMismatchError, match=r"a type's name is expected, got .+"):
        tl.dtype(name)
    with pytest.raises(blockdsl.errors.TypeMismatchError, match=r"a pointer's element type is expected, got .+"):
        tl.pointer_type(name)


WHOLE = [*range(-70, 70), 1000, 1023, 1024, 1025, 2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1, 2**63, -(2**31), -(2**63)]


def test_integer_functions_of_the_host() -> None:
    assert [blockdsl.next_power_of_2(n) for n in WHOLE] == [triton.next_power_of_2(n) for n in WHOLE]
    for divisor in (-7, -2, -1, 1, 2, 3, 64, 100, 2**33):
        assert [blockdsl.cdiv(n, divisor) for n in WHOLE] == [triton.cdiv(n, divisor) for n in WHOLE]
    for cdiv in (blockdsl.cdiv, triton.cdiv):
        with pytest.raises(ZeroDivisionError):
            cdiv(7, 0)
    assert blockdsl.cdiv(7.5, 2) == triton.cdiv(7.5, 2)
    three, stock = tl.constexpr(3), triton.language.constexpr(3)
    assert blockdsl.next_power_of_2(three) == triton.next_power_of_2(stock) == 4
    assert blockdsl.cdiv(three, 2) == 2


OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv, operator.and_,
    operator.or_, operator.xor, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip


@pytest.mark.parametrize("computed", OPERATORS)
def test_constants_compute_on_the_host(computed: Any) -> None:
    for left_side in (-7, -1, 0, 1, 6, 64):
        for right_side in (-3, -1, 1, 2, 64):
            ours = computed(tl.constexpr(left_side), right_side)
            stock = computed(triton.language.constexpr(left_side), right_side).value
            # Ours are plain numbers.
            assert (ours, type(ours)) == (stock, type(stock)), (left_side, right_side)
            assert computed(tl.constexpr(left_side), tl.constexpr(right_side)) == stock


@pytest.mark.parametrize("bits", [1, 8, 16, 32, 64])
@pytest.mark.parametrize("signed", [True, False])
def test_an_integer_type_by_its_width(bits: int, signed: bool) -> None:
    assert str(tl.core.get_int_dtype(bits, signed)) == str(triton.language.core.get_int_dtype(bits, signed))


@pytest.mark.parametrize("name", NUMBERS)
def test_predicates_of_pointers_and_blocks(name: str) -> None:
    element, own = getattr(triton.language, name), getattr(tl, name)
    questions = [each for each in members(triton.language.dtype) if each.startswith("is_")]
    # Triton treats any name with "fp8" in it as one.
    questions = sorted(set(questions) - {"is_void", "is_dtype", "is_fp8"})
    for stock, ours in (
        (triton.language.pointer_type(element), tl.pointer_type(own)),
        (triton.language.block_type(element, [2, 4]), tl.block_type(own, [2, 4])),
    ):
        for member in (*questions, "mangle", "primitive_bitwidth", "shape", "numel", "nbytes"):
            if hasattr(stock, member) and not (member == "is_const" and stock.is_block()):
                assert answer(ours, member) == answer(stock, member), member


def test_methods_of_a_class_are_functions_of_the_language() -> None:
    for name, function in METHODS.items():
        if name[0] != "_":
            assert getattr(tl.tensor, name) is function
    assert tl.tensor_descriptor.load is tl.load_tensor_descriptor


def test_star_import_matches_triton() -> None:
    ours: dict[str, Any] = {}
    exec("from blockdsl.language import *", ours)
    assert {*triton.language.__all__} <= {*ours}
    assert {*ours} - {*triton.language.__all__} == {
        "__builtins__", "advance", "aggregate_replace", "constexpr_function", "extern_elementwise",
        "next_power_of_2", "str_to_ty", "tensor_descriptor_type", "tuple_type",
    }  # fmt: skip


def test_version_is_language_version_and_local_version() -> None:
    found = version.parse(blockdsl.__version__)
    assert found.base_version == version.parse(triton.__version__).base_version
    assert found >= version.parse("3.9.0")
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert f'\nversion = "{str(found.local).removeprefix("blockdsl.")}"\n' in project


def test_target_predicates() -> None:
    found = tl.target_info.current_target()
    assert (found.backend, found.warp_size) == ("cpu", 1)
    assert not tl.target_info.is_cuda()
    assert not tl.target_info.is_hip()
    assert not tl.target_info.cuda_capability_geq(8)
