"""Tests of errors and crashes of Triton, reported at the kernel's line."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_kernels
import pytest
from gpu_kernels import ADD, HALVES, compiled

import blockdsl
from blockdsl.backends import nvidia
from blockdsl.errors import BlockdslError, CompilationError, OutOfResourcesError, TargetError


@pytest.mark.parametrize("target", ["cuda", "cuda:", "cuda:9.0", "gpu", "cuda:90:32", "sm_90", "", 90])
def test_a_wrong_target(target: Any) -> None:
    with pytest.raises(TargetError, match="a target is 'cpu' or 'cuda:<capability>' such as 'cuda:90', got"):
        blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 64}, target=target)


def test_an_unknown_capability() -> None:
    with pytest.raises(
        TargetError, match=r"'cuda:9' is no compute capability we know; known are 75, 80(.|\n)*9.0 is cuda:90"
    ):
        blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 64}, target="cuda:9")


@pytest.mark.parametrize(("options", "message"), [
    ({"num_warps": 3}, "num_warps is a power of two from 1 to 32, got 3"),
    ({"num_warps": True}, "num_warps is a power of two from 1 to 32, got True"),
    ({"num_ctas": 32}, "num_ctas is a power of two from 1 to 16, got 32"),
    ({"num_stages": -1}, "num_stages is an integer from 0 to 64, got -1"),
    ({"maxnreg": 256}, "maxnreg is an integer from 1 to 255, got 256"),
    ({"num_warps": "4"}, r"num_warps is a power of two from 1 to 32, got '4'(.|\n)*hint: write num_warps=4, without"),
    ({"num_stages": 2.0}, r"num_stages is an integer from 0 to 64, got 2\.0"),
    ({"launch_pdl": "no"}, "launch_pdl is True or False, got 'no'"),
    ({"debug": 2}, "debug is True or False, got 2"),
    ({"num_wraps": 4}, "there is no option 'num_wraps'"),
])  # fmt: skip
def test_a_wrong_option(options: dict[str, object], message: str) -> None:
    with pytest.raises(TargetError, match=message):
        compiled(gpu_kernels.add, ADD, {"BLOCK": 64}, **options)


def test_clusters_before_hopper() -> None:
    with pytest.raises(TargetError, match="num_ctas=2 needs a GPU of capability 90 or later, got cuda:80"):
        blockdsl.compile(gpu_kernels.add, ADD, {"BLOCK": 64}, target="cuda:80", num_ctas=2)


_NONE = r"compiling for CUDA needs Triton 3.6 or later, and none is installed(.|\n)*blockdsl\[triton\]"


def test_without_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(TargetError, match=_NONE):
        compiled(gpu_kernels.add, ADD, {"BLOCK": 64})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("__version__ = '3.5.1'\n", r"compiling for CUDA needs Triton 3.6 or later, got 3.5.1"),
        ("nothing of a version\n", r"the Triton in .*triton is not complete"),
    ],
)
def test_a_triton_that_is_too_old_or_damaged(
    content: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "triton" / "_C").mkdir(parents=True)
    (tmp_path / "triton" / "__init__.py").write_text(content)
    (tmp_path / "triton" / "_C" / "libtriton.so").touch()
    # Modules that another test has imported may differ from those on the path.
    monkeypatch.delitem(sys.modules, "triton", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TargetError, match=words):
        compiled(gpu_kernels.add, ADD, {"BLOCK": 64})


def test_more_threads_than_a_block_has() -> None:
    from blockdsl.compiler import cuda, target

    with pytest.raises(OutOfResourcesError, match="kernel 'wide' needs 2048 threads a block, a GPU has at most 1024"):
        cuda._check_resources({"name": "wide", "shared": 0, "num_warps": 64}, target.CUDA(90))


def test_program_without_sys_executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockdsl.backends import worker

    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(TargetError) as caught:
        worker.Worker(tmp_path)
    assert caught.value.message == (
        "compilers have a Python of their own, and this program does not say where its Python is"
    )
    assert caught.value.hint == "set sys.executable"


def test_too_much_shared_memory(triton_version: str) -> None:
    words = r"kernel 'product_of_rows' needs \d+ bytes of shared memory, 'cuda:86' has at most 101376"
    sizes = {"SIZE": 128, "DEPTH": 64}
    with pytest.raises(OutOfResourcesError, match=words) as caught:
        blockdsl.compile(gpu_kernels.product_of_rows, HALVES, sizes, target="cuda:86", num_stages=8)
    assert "smaller num_stages" in str(caught.value)


def module(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "kernel.ttir"
    path.write_text(text)
    return path


REFUSED = {
    "only_private": ("tt.func private @f() { tt.return }", "no public function"),
    "two_kernels": (
        "tt.func public @f() { tt.return }\ntt.func public @g() { tt.return }",
        "'func' expects one kernel in a module, got 'f' and 'g'",
    ),
    "a_result": (
        "tt.func public @f() -> i32 { %c = arith.constant 1 : i32\n tt.return %c : i32 }",
        "'func' expects a kernel to return nothing, got 'i32'",
    ),
    "a_block_as_argument": (
        "tt.func public @f(%x: tensor<32xf32>) { tt.return }",
        "'func' expects a kernel's arguments to be numbers, pointers and tensor descriptors, "
        "got 'tensor<32xf32>' for argument 0",
    ),
    "a_block_pointer_as_argument": (
        "tt.func public @f(%x: !tt.ptr<tensor<32xf32>>) { tt.return }",
        "numbers, pointers and tensor descriptors, got '!tt.ptr<tensor<32xf32>>' for argument 0",
    ),
    "recursion": (
        "tt.func public @f(%x: i32) { tt.call @g(%x) : (i32) -> ()\n tt.return }\n"
        "tt.func private @g(%x: i32) { tt.call @g(%x) : (i32) -> ()\n tt.return }",
        "'func' expects no function besides the kernel, got private 'g'",
    ),
    "another_dialect": (
        "tt.func public @f(%n: vector<4xf32>) { tt.return }",
        "numbers, pointers and tensor descriptors, got 'vector<4xf32>'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_modules_that_crash_triton(case: str, tmp_path: Path) -> None:
    text, message = REFUSED[case]
    with pytest.raises(BlockdslError) as caught:
        blockdsl.compile(module(tmp_path, text), target="cuda:90")
    assert message in str(caught.value)


def test_an_op_of_a_later_triton(triton_version: str, tmp_path: Path) -> None:
    path = module(tmp_path, "tt.func public @f() { tt.grid_dependency_wait\n tt.return }")
    if triton_version == "3.9":
        assert "griddepcontrol.wait" in blockdsl.compile(path, target="cuda:90").asm["ptx"]
        return
    with pytest.raises(CompilationError, match=r"'grid_dependency_wait' expects Triton 3.9, got 3.6"):
        blockdsl.compile(path, target="cuda:90")


def test_dialect_unknown_to_triton(triton_version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = """tt.func public @f(%p: !tt.ptr<f32>) {
      %x = tensor.empty() : tensor<32xf32>
      %y = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      tt.store %y, %x : tensor<32x!tt.ptr<f32>>
      tt.return
    }"""
    with pytest.raises(CompilationError, match=r"failed in stage 'parse': .*tensor") as caught:
        blockdsl.compile(module(tmp_path, text), target="cuda:90")
    assert capfd.readouterr() == ("", "")
    assert caught.value.dump is not None
    assert "tensor.empty" in Path(caught.value.dump).read_text()
    assert "blockdsl.compile" in (caught.value.command or "")


def test_the_assemblers_refusal(triton_version: str, capfd: pytest.CaptureFixture[str]) -> None:
    directory = Path(tempfile.gettempdir())
    before = set(directory.iterdir())
    with pytest.raises(CompilationError) as caught:
        compiled(gpu_kernels.twice_hinted, {"x_ptr": "*fp32", "out_ptr": "*fp32"})
    assert capfd.readouterr() == ("", "")
    error = caught.value
    assert error.location is not None
    assert error.location.function == "twice_hinted"
    message, location, line, caret = str(error).splitlines()[:4]
    words = "ptxas: Modifier '.evict_last' cannot be combined with modifier '.cg'"
    assert message == f"Triton {nvidia.toolchain().version} failed in stage 'cubin': {words}"
    assert location == f"  {error.location}, in twice_hinted"
    assert set(caret) == {" ", "^"}
    assert "tl.load(" in line
    assert error.hint is None  # Reported once, although the assembler reports it for every load.
    assert error.dump is not None
    # The assembler's input file is removed.
    assert set(directory.iterdir()) - before == {Path(error.dump).parent}


POINTERS = {"x_ptr": "*fp32", "out_ptr": "*fp32"}


def test_error_reports_call_stack(triton_version: str) -> None:
    with pytest.raises(CompilationError) as caught:
        compiled(gpu_kernels.hinted_in_a_callee, POINTERS)
    location = str(caught.value).splitlines()[1]
    assert re.fullmatch(
        r"  .*gpu_kernels.py:\d+:\d+, in _hinted_load  <- called from .*gpu_kernels.py:\d+:\d+", location
    )


@pytest.mark.parametrize("triton_version", ["3.6"], indirect=True)
def test_reports_diagnostic_of_a_triton_pass(triton_version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without our own pass, this version of Triton would find an op that it does not support.
    monkeypatch.setattr(nvidia, "_dialect", lambda version: "3.9")
    with pytest.raises(CompilationError) as caught:
        compiled(gpu_kernels.negated, POINTERS)
    message, location, line, caret = str(caught.value).splitlines()[:4]
    assert message == (
        "Triton 3.6.0 failed in stage 'ttgir': "
        "failed to legalize operation 'arith.negf' that was explicitly marked illegal"
    )
    assert re.fullmatch(r"  .*gpu_kernels.py:\d+:43, in negated", location)
    assert line == "      tl.store(out_ptr + tl.arange(0, 128), -x)"
    assert caret == " " * 44 + "^^"


def test_crashed_subprocess_is_an_error_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    run = nvidia.Compilation.run

    def killed(self: nvidia.Compilation, *args: Any) -> nvidia.Compiled:
        assert self._worker is not None
        os.kill(self._worker.process.pid, signal.SIGSEGV)
        return run(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(nvidia.Compilation, "run", killed)
        with pytest.raises(CompilationError, match=r"Triton 3\.9\S* failed and ended its process: SIGSEGV"):
            compiled(gpu_kernels.add, ADD, {"BLOCK": 64})
    assert compiled(gpu_kernels.add, ADD, {"BLOCK": 64}).asm["cubin"]


def test_threads_compile_at_the_same_time() -> None:
    found: dict[int, bytes] = {}

    def work(block: int) -> None:
        found[block] = compiled(gpu_kernels.add, ADD, {"BLOCK": block}).asm["cubin"]

    threads = [threading.Thread(target=work, args=(32 << at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found.values())) == 4


_ASSEMBLER = """#!/bin/sh
case "$*" in *--version*) echo "Cuda compilation tools, release 12.8, V12.8.93"; exit;; esac
echo $$ > {pid}.part && mv {pid}.part {pid}
exec sleep 300
"""


def test_ctrl_c_ends_the_assembler_too(tmp_path: Path) -> None:
    pid, assembler, written = tmp_path / "pid", tmp_path / "ptxas", tmp_path / "written"
    written.mkdir()
    assembler.write_text(_ASSEMBLER.format(pid=pid))
    assembler.chmod(0o755)
    command = [sys.executable, str(Path(__file__).with_name("interrupted_compile_program.py"))]
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TRITON_PTXAS_PATH": str(assembler),
        "TMPDIR": str(written),
    }  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        _wait_for(pid.exists, 60)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert process.stdout.readline() == "interrupted\n"
        assert time.monotonic() - start < 2
        _wait_for(lambda: not _runs(int(pid.read_text())), 2)
        assert process.stdout.read() == "right afterwards\n"
    assert process.returncode == 0
    assert not list(written.iterdir())


def _wait_for(condition: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def _runs(process: int) -> bool:
    """Returns true if the process exists and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def idle() -> Any:
    """Returns the subprocess that waits for the next kernel."""
    # Including those of ended threads.
    nvidia._pool.end()
    compiled(gpu_kernels.add, ADD, {"BLOCK": 32})
    ((_, worker),) = nvidia._pool._idle
    return worker


def test_idle_process_exits(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = idle()
    # As after two minutes, between the check of the process and the request.
    worker._requests.close()
    worker.process.wait(10)
    worker._requests = open(os.devnull, "wb")
    monkeypatch.setattr(type(worker), "is_alive", lambda self: True)
    assert compiled(gpu_kernels.add, ADD, {"BLOCK": 64}).asm["cubin"]


def test_a_killed_idle_process_is_replaced() -> None:
    worker = idle()
    worker.process.kill()
    worker.process.wait()
    assert compiled(gpu_kernels.add, ADD, {"BLOCK": 64}).asm["cubin"]


def test_forked_child_has_its_own_process() -> None:
    first = idle().process.pid
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_compile_in_a_fork) != first
    ((_, worker),) = nvidia._pool._idle
    assert worker.process.pid == first
    assert worker.is_alive()


def _compile_in_a_fork() -> int:
    compiled(gpu_kernels.add, ADD, {"BLOCK": 128})
    ((_, worker),) = nvidia._pool._idle
    pid: int = worker.process.pid
    return pid


def test_interpreter_without_executable_path(monkeypatch: pytest.MonkeyPatch) -> None:
    nvidia._pool.end()
    monkeypatch.setattr("sys.executable", None)
    with pytest.raises(TargetError, match="does not say where its Python is"):
        compiled(gpu_kernels.add, ADD, {"BLOCK": 64})
