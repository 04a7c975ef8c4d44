"""Tests of kernels as object files: linked by a C compiler with only libm, called by prototype, against NumPy."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import exported
import numpy as np
import pytest
import torch

import blockdsl
from blockdsl.backends import stack_frames
from blockdsl.compiler import standalone
from blockdsl.compiler.standalone import ObjectFile
from blockdsl.compiler.target import Target
from blockdsl.errors import BlockdslError, CompilationError

ROOT = Path(__file__).resolve().parents[3]
BASELINES = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
# The baselines that this machine runs, by the features that the kernel of the system lists.
_LISTED = Path("/proc/cpuinfo").read_text().split("flags", 2)[1]
RUNNABLE = [name for name, flag in zip(BASELINES, ("sse2", "sse4_2", "avx2", "avx512vl"), strict=True)
            if f" {flag} " in _LISTED]  # fmt: skip


def run(*command: str | Path, **more: Any) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Linked:
    """An object file as a shared library that links with libc and libm alone."""

    def __init__(self, made: ObjectFile) -> None:
        library = made.path.with_suffix(".so")
        run("clang-22", "-shared", "-Wl,--no-undefined", made.path, "-o", library, "-lm")
        loaded = ctypes.CDLL(str(library))
        self.whole, self.programs = loaded[made.name], loaded[f"{made.name}_programs"]
        self.whole.restype = self.programs.restype = ctypes.c_char_p

    def __call__(self, *arguments: Any, grid: tuple[int, int, int] = (1, 1, 1)) -> str | None:
        message = self.whole(*map(_passed, arguments), *grid)
        return None if message is None else message.decode()

    def part(self, *arguments: Any, grid: tuple[int, int, int], first: int, last: int, scratch: int = 0) -> str | None:
        rest = ctypes.c_int64(first), ctypes.c_int64(last), ctypes.c_void_p(scratch)
        message = self.programs(*map(_passed, arguments), *grid, *rest)
        return None if message is None else message.decode()


def _passed(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    return ctypes.c_void_p(value.ctypes.data) if isinstance(value, np.ndarray) else value


@pytest.fixture
def link(tmp_path: Path) -> Callable[..., Linked]:
    def make(
        kernel: Any, signature: Mapping[str, Any], constants: Mapping[str, object] | None = None, **more: Any
    ) -> Linked:
        made = blockdsl.compile(kernel, signature, constants, output=tmp_path / f"{kernel.__name__}.o", **more)
        for language in ("c", "c++"):
            run("clang-22", "-x", language, "-std=c99" if language == "c" else "-std=c++98", "-fsyntax-only", "-Wall",
                "-Wextra", "-Werror", "-pedantic", "-Wno-c++11-long-long", "-Wno-pragma-once-outside-header",
                made.header)  # fmt: skip
        return Linked(made)

    return make


SCALE = {"out": "*fp32", "x": "*fp32", "n": "i32", "factor": "fp32"}


@pytest.mark.parametrize("n", [0, 1, 127, 128, 1000])
def test_a_kernel_on_ragged_lengths(link: Callable[..., Linked], n: int) -> None:
    call = link(exported.scale, SCALE, {"BLOCK": 128})
    x, out = np.random.default_rng(n).standard_normal(n).astype(np.float32), np.full(n + 1, 7, np.float32)
    assert call(out, x, n, ctypes.c_float(2.5), grid=(blockdsl.cdiv(n, 128), 1, 1)) is None
    np.testing.assert_array_equal(out, np.append(x * np.float32(2.5), np.float32(7)))


@pytest.mark.parametrize("target", RUNNABLE)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int32])
def test_baselines_and_element_types(link: Callable[..., Linked], target: str, dtype: torch.dtype) -> None:
    name = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "int32": "i32"}
    type_name = "*" + name[str(dtype).removeprefix("torch.")]
    signature = {"out": type_name, "x": type_name, "n": "i32", "factor": "fp64"}
    call = link(exported.scale, signature, {"BLOCK": 64}, target=f"cpu:{target}")
    x = (torch.randn(300) * 10).to(dtype)
    out = torch.zeros_like(x)
    assert call(out, x, 300, ctypes.c_double(3.0), grid=(5, 1, 1)) is None
    assert torch.equal(out, (x.double() * 3).to(dtype))


def test_baseline_uses_only_its_instructions(tmp_path: Path) -> None:
    registers = {}
    for target in BASELINES:
        made = blockdsl.compile(exported.scale, SCALE, {"BLOCK": 128}, target=f"cpu:{target}", output=tmp_path / "k.o")
        registers[target] = set(re.findall(r"%([xyz]mm)", run("llvm-objdump-22", "-d", made.path)))
        assert target in made.header.read_text()
    assert registers["x86-64"] == registers["x86-64-v2"] == {"xmm"}
    assert "ymm" in registers["x86-64-v3"] and "zmm" not in registers["x86-64-v3"]
    assert "zmm" in registers["x86-64-v4"]


def test_another_architecture(tmp_path: Path) -> None:
    made = blockdsl.compile(exported.scale, SCALE, {"BLOCK": 128}, target="cpu:aarch64", output=tmp_path / "k.o")
    assert made.path.read_bytes()[0x12:0x14] == bytes([183, 0])
    assert stack_frames.undefined(made.path.read_bytes()) == frozenset()


def test_native_object_uses_no_tile_registers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = ("avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512bf16", "amx-tile", "amx-bf16")
    features = tuple(f"+{name}" for name in named)
    here = Target("x86_64-unknown-linux-gnu", "sapphirerapids", features)
    monkeypatch.setattr(Target, "host", staticmethod(lambda: here))
    made = blockdsl.compile(exported.product, {"out": "*fp32", "x": "*bf16", "y": "*bf16"}, {"N": 64},
                            output=tmp_path / "k.o")  # fmt: skip
    code = run("llvm-objdump-22", "-d", made.path)
    assert "zmm" in code and "tmm" not in code


def test_numbers_of_every_width(link: Callable[..., Linked]) -> None:
    types = {"out": "*fp64", **{name: name for name in ("i8", "u8", "i16", "i64", "u64")}, "f64": "fp64", "yes": "i1"}
    out = np.zeros(7)
    call = link(exported.numbers, types)
    given = (ctypes.c_int8(-3), ctypes.c_uint8(200), ctypes.c_int16(-300), ctypes.c_int64(-(1 << 40)),
             ctypes.c_uint64(1 << 63), ctypes.c_double(0.1), ctypes.c_bool(True))  # fmt: skip
    assert call(out, *given) is None
    assert out.tolist() == [-3, 200, -300, -(1 << 40), 1 << 63, 0.1, 1]


def test_the_grid_has_three_dimensions(link: Callable[..., Linked]) -> None:
    out = np.zeros((4, 3, 2), np.int32)
    assert link(exported.places, {"out": "*i32"})(out, grid=(2, 3, 4)) is None
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z)


def test_empty_grid_runs_nothing(link: Callable[..., Linked]) -> None:
    assert link(exported.places, {"out": "*i32"})(np.zeros(0, np.int32), grid=(2, 0, 4)) is None


def test_threads_share_a_grid(link: Callable[..., Linked]) -> None:
    call = link(exported.counts, {"bins": "*i32", "x": "*i32", "n": "i32"}, {"BLOCK": 64})
    x = np.random.default_rng(0).integers(0, 10, 100_000).astype(np.int32)
    bins, programs = np.zeros(10, np.int32), blockdsl.cdiv(x.size, 64)
    ends = [programs * part // 4 for part in range(5)]
    message: list[str | None] = []

    def share(first: int, last: int) -> None:
        message.append(call.part(bins, x, x.size, grid=(programs, 1, 1), first=first, last=last))

    threads = [threading.Thread(target=share, args=pair) for pair in itertools.pairwise(ends)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert message == [None] * 4
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=10))


def test_memory_beside_the_stack(link: Callable[..., Linked]) -> None:
    n = 256
    call = link(exported.product, {"out": "*fp32", "x": "*fp32", "y": "*fp32"}, {"N": n})
    x, y = np.random.default_rng(1).integers(-8, 8, (2, n, n)).astype(np.float32)
    expected = np.sort(x @ y)
    out = np.zeros_like(x)
    assert call(out, x, y) is None
    np.testing.assert_array_equal(out, expected)
    memory = np.zeros((1 << 20) + 64, np.uint8)
    aligned = -(-memory.ctypes.data // 64) * 64
    out[:] = 0
    assert call.part(out, x, y, grid=(1, 1, 1), first=0, last=1, scratch=aligned) is None
    np.testing.assert_array_equal(out, expected)
    for wrong in (0, aligned + 4):
        message = call.part(out, x, y, grid=(1, 1, 1), first=0, last=1, scratch=wrong)
        assert message == "product: scratch is expected to be 786432 bytes at a multiple of 64"


@pytest.mark.parametrize("shape", [(40, 24), (37, 23), (1, 1)])
def test_descriptors(link: Callable[..., Linked], shape: tuple[int, int]) -> None:
    types = {"out": "tensordesc<fp32[8,16]>", "x": "tensordesc<fp32[16,8]>"}
    call = link(exported.transposed, types, {"M": 16, "N": 8})
    rows, columns = shape
    x = np.arange(rows * columns, dtype=np.float32).reshape(shape)
    out = np.zeros((columns, rows), np.float32)
    described = [(array, *array.shape, ctypes.c_int64(array.shape[1])) for array in (out, x)]
    one = ctypes.c_int64(1)
    grid = (blockdsl.cdiv(rows, 16), blockdsl.cdiv(columns, 8), 1)
    assert call(*described[0], one, *described[1], one, grid=grid) is None
    np.testing.assert_array_equal(out, x.T)
    message = call(*described[0], one, *described[1], ctypes.c_int64(2), grid=grid)
    assert message == "transposed: x_stride_1 is expected to be 1"


def test_tuples(link: Callable[..., Linked]) -> None:
    call = link(exported.of_tuple, {"out": "*fp32", "pair": ("*fp32", "i32:4")}, {"n": 16})
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    assert call(out, x, 8) is None
    np.testing.assert_array_equal(out, x + 8)
    assert call(out, x, 9) == "of_tuple: pair[1] is expected to be a multiple of 4"


def test_pointers_that_may_alias(link: Callable[..., Linked]) -> None:
    call = link(exported.follows, {"out": "*fp32", "x": "*fp32"}, {"BLOCK": 32}, restrict=False)
    x = np.arange(1, 66, dtype=np.float32)
    expected = x.copy()
    expected[1:33] = x[:32]
    expected[33:65] = x[:32] + expected[:32]
    assert call(x, x) is None
    np.testing.assert_array_equal(x, expected)


def test_functions_of_libm(link: Callable[..., Linked]) -> None:
    x = np.linspace(0.1, 9, 16).astype(np.float32)
    out = np.zeros_like(x)
    assert link(exported.gammas, {"out": "*fp32", "x": "*fp32"}, {"n": 16})(out, x) is None
    expected = torch.lgamma(torch.from_numpy(x.astype(np.float64))).numpy()
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


def test_assertion_is_returned(link: Callable[..., Linked]) -> None:
    call = link(exported.below, {"out": "*fp32", "x": "*fp32", "limit": "fp32"})
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert call(out, x, ctypes.c_float(8), grid=(8, 1, 1)) is None
    message = call(out, x, ctypes.c_float(5), grid=(8, 1, 1))
    line = next(
        at for at, text in enumerate(Path(exported.__file__).read_text().splitlines(), 1) if "too large" in text
    )
    assert message == f"too large\n  {exported.__file__}:{line}:5"
    np.testing.assert_array_equal(out, x)


def test_refuses_invalid_arguments(link: Callable[..., Linked]) -> None:
    types = {"out": "*fp32:16", "x": "*fp32", "n": "i32:8", "factor": "fp32"}
    call = link(exported.scale, types, {"BLOCK": 128})
    memory = torch.zeros(129)
    assert memory.data_ptr() % 16 == 0
    one = ctypes.c_float(1)
    assert call(memory[1:], memory, 8, one) == "scale: the address of out is expected to be a multiple of 16"
    assert call(memory, memory, 9, one) == "scale: n is expected to be a multiple of 8"
    assert call(memory, memory, 8, one, grid=(1, -1, 1)) == "scale: a size of the grid is negative"
    for first, last in ((-1, 1), (0, 3)):
        message = call.part(memory, memory, 8, one, grid=(2, 1, 1), first=first, last=last)
        assert message == "scale: programs from first to last are expected to be in the grid"


HERE = Path(__file__)
RUNTIME = "needs the runtime, which an object file does without"
OUT = {"out": "*i64"}
REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    (exported.prints, {}, f"""TargetError: 'device_print' {RUNTIME}
  exported.py: tl.device_print("x", tl.load(x))
  hint: leave it out, or launch the kernel from Python"""),
    (exported.waits, {}, f"""TargetError: a loop that waits for another program {RUNTIME}
  exported.py: while tl.atomic_cas(x, 0, 1) == 1:
  hint: leave it out, or launch the kernel from Python"""),
    (exported.reads_the_clock, {}, f"""TargetError: reading the clock {RUNTIME}
  exported.py: tl.store(x, cuda.globaltimer())
  hint: leave it out, or launch the kernel from Python"""),
    (exported.asks_for_the_processor, {}, f"""TargetError: asking for the processor's number {RUNTIME}
  exported.py: tl.store(x, cuda.smid())
  hint: leave it out, or launch the kernel from Python"""),
    *[(kernel, {}, f"""LaunchError: kernel '{kernel.__name__}' is expected to have a name that a function of a C program may have
  test_object_files.py: blockdsl.compile(kernel, {{"x": "*i64"}}, **{{"output": tmp_path / "k.o", **options}})
  hint: no keyword, no letters but those of ASCII, and no function of the C library or of libm""")
      for kernel in (exported.register, exported.exp, exported.größe)],
    (exported.waits, {"output": "kernel"}, """LaunchError: output is expected to be the name of an object file, got 'kernel'
  test_object_files.py: blockdsl.compile(kernel, {"x": "*i64"}, **{"output": tmp_path / "k.o", **options})
  hint: such as 'kernel.o'; 'kernel.h' is written beside it"""),
    (exported.waits, {"target": "cpu:skylake"}, """TargetError: an object file is for 'cpu', the one we run on, or for a baseline, got 'cpu:skylake'
  hint: the baselines are 'cpu:x86-64', 'cpu:x86-64-v2', 'cpu:x86-64-v3', 'cpu:x86-64-v4', 'cpu:aarch64'"""),
    (exported.waits, {"target": "cuda:90"}, """TargetError: an object file is for 'cpu', the one we run on, or for a baseline, got 'cuda:90'
  hint: the baselines are 'cpu:x86-64', 'cpu:x86-64-v2', 'cpu:x86-64-v3', 'cpu:x86-64-v4', 'cpu:aarch64'"""),
    (exported.waits, {"target": "cpu:x86-64-v3", "output": None}, """TargetError: a target is 'cpu' or 'cuda:<capability>' such as 'cuda:90', got 'cpu:x86-64-v3'
  hint: code for another CPU than this one is written to an object file: compile(..., output='kernel.o')"""),
    (exported.waits, {"restrict": False, "output": None}, """LaunchError: restrict is for an object file, and there is no output
  hint: pass output='kernel.o'"""),
]  # fmt: skip


def shown(error: BlockdslError) -> str:
    """Returns the message with each location as its file and the line's text.

    Errors in functions of the language are reported at the caller's line.
    """
    location = error.calls[-1] if error.calls else error.location
    lines = [f"{type(error).__name__}: {error.message}"]
    if location is not None:
        lines.append(
            f"  {Path(location.file).name}: {Path(location.file).read_text().splitlines()[location.line - 1].strip()}"
        )
    return "\n".join([*lines, f"  hint: {error.hint}"])


@pytest.mark.parametrize(("kernel", "options", "message"), REFUSALS)
def test_refusals(tmp_path: Path, kernel: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BlockdslError) as caught:
        blockdsl.compile(kernel, {"x": "*i64"}, **{"output": tmp_path / "k.o", **options})
    assert shown(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def command(*arguments: str | Path, directory: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-m", "blockdsl", "compile", *map(str, arguments)],
        cwd=directory, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


KERNELS = Path(exported.__file__)


def test_the_command(tmp_path: Path) -> None:
    done = command(KERNELS, "--kernel", "scale", "--signature", "*fp32:16, *fp32, i32:1, fp32, 128", "-o", "k.o",
                   "--target", "x86-64-v3", "--may-alias", directory=tmp_path)  # fmt: skip
    assert done.stdout == "k.o and k.h: 'scale' and 'scale_programs'\n", done.stderr
    header = (tmp_path / "k.h").read_text()
    assert "const char *scale(float *out, const float *x, float factor, int32_t grid_x" in header
    assert "out: its address is a multiple of 16" in header


def test_the_command_with_a_module(tmp_path: Path) -> None:
    kernel = blockdsl.compile(exported.scale, SCALE, {"BLOCK": 128})
    (tmp_path / "scale.ttir").write_text(kernel.asm["ttir"])
    done = command("scale.ttir", "-o", "scale.o", directory=tmp_path)
    assert done.stdout == "scale.o and scale.h: 'scale' and 'scale_programs'\n", done.stderr


@pytest.mark.parametrize(("arguments", "message"), [
    (["-o", "k.o"], "LaunchError: '{file}' has scale, numbers, places, counts, below, product, transposed, of_tuple, "
     "follows, gammas, prints, waits, reads_the_clock, asks_for_the_processor, register, exp, größe; one is expected to be "
     "named\n  hint: such as --kernel NAME\n"),
    (["-o", "k.o", "--kernel", "other"], "LaunchError: there is no kernel 'other': '{file}' has scale, numbers, places, "
     "counts, below, product, transposed, of_tuple, follows, gammas, prints, waits, reads_the_clock, asks_for_the_processor, "
     "register, exp, größe\n"),
    (["-o", "k.o", "--kernel", "exp", "--signature", "*i64, 1"], "LaunchError: kernel 'exp' has 1 parameters, the "
     "signature 2\n  hint: they are x\n"),
    (["-o", "k.o", "--kernel", "exp", "--signature", "float*"], "LaunchError: for parameter 'x' a type or a value is "
     "expected, got 'float*'\n  hint: types are such as *fp32:16, fp32, i32, tensordesc<fp16[16,64]>; values such as "
     "1024, True, None\n"),
    (["-o", "none/k.o", "--kernel", "places", "--signature", "*i32"], "[Errno 2] No such file or directory: "
     "'none/k.o'\n"),
    (["-o", "k", "--kernel", "places", "--signature", "*i32"], "LaunchError: output is expected to be the name of an object "
     "file, got 'k'\n  hint: such as 'kernel.o'; 'kernel.h' is written beside it\n"),
])  # fmt: skip
def test_refusals_of_the_command(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = command(KERNELS, *arguments, directory=tmp_path)
    assert (done.returncode, done.stderr) == (1, message.replace("{file}", str(KERNELS)))


@pytest.mark.parametrize(
    ("file", "arguments", "message"),
    [
        ("k.ttir", ["--kernel", "scale"], "LaunchError: the module in 'k.ttir' has one kernel and its types\n"
         "  hint: leave --kernel and --signature out\n"),
        ("k.c", [], "LaunchError: 'k.c' is no Python file, and no .ttir file\n"),
    ],
)  # fmt: skip
def test_refused_files(tmp_path: Path, file: str, arguments: list[str], message: str) -> None:
    (tmp_path / file).write_text("")
    done = command(file, "-o", "k.o", *arguments, directory=tmp_path)
    assert (done.returncode, done.stderr) == (1, message)
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_missing_library_function_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standalone, "_math", frozenset)
    with pytest.raises(CompilationError, match="the object of kernel 'gammas' needs lgammaf, which is not in libm"):
        blockdsl.compile(exported.gammas, {"out": "*fp32", "x": "*fp32"}, {"n": 16}, output=tmp_path / "k.o")
    assert list(tmp_path.iterdir()) == []


def test_the_example(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = run("make", "-s", "-C", ROOT / "examples" / "ahead_of_time", f"PYTHON={sys.executable}",
                  f"BUILD={tmp_path}", env=environment)  # fmt: skip
    assert re.search(r"one thread:  largest error \d\.\de-\d+\ntwo threads: largest error \d\.\de-\d+\n$", printed)
