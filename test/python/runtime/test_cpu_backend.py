"""Tests of machine code from LLVM IR: vectorized, and also for other machines than this one."""

from __future__ import annotations

import gc
import inspect
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from handwritten import HandwrittenKernel, check, make_add, show

from benchmarks.memory import Memory
from blockdsl.backends import cpu
from blockdsl.compiler.options import Options
from blockdsl.compiler.target import Target, host_identity
from blockdsl.errors import CompilationError, KernelAssertionError

ADD = (Path(__file__).parent / "kernels" / "add.ll").read_text()

SKYLAKE = Target(
    "x86_64-unknown-linux-gnu", "skylake-avx512", ("+avx512f", "+avx512bw", "+avx512dq", "+avx512vl", "+avx2", "+fma")
)
HASWELL = Target("x86_64-unknown-linux-gnu", "haswell", ("+avx2", "+fma", "+f16c"))
NEOVERSE_AS_DETECTED = cpu.CPU("aarch64-unknown-linux-gnu", "neoverse-n1", ("+neon",))
NEOVERSE = Target("aarch64-unknown-linux-gnu", "neoverse-n1", ("+neon", "+dotprod"))


@pytest.mark.parametrize(("target", "register", "bits"), [
    (SKYLAKE, r"vaddps\s+.*%zmm", 512),
    (HASWELL, r"vaddps\s+.*%ymm", 256),
    (NEOVERSE, r"fadd\s+v\d+\.4s", 128)])  # fmt: skip
def test_vectors_of_full_width(target: Target, register: str, bits: int) -> None:
    assert target.vector_bits == bits
    assert re.search(register, cpu.emit_assembly(ADD, target))


def test_loops_of_marked_functions_are_not_unrolled() -> None:
    marked = re.sub(r"^(define .*) \{$", r'\1 "blockdsl-vectorized" {', ADD, flags=re.MULTILINE)
    assert marked.count("blockdsl-vectorized") == ADD.count("define ") > 0
    assert not re.search("vaddps", cpu.emit_assembly(marked, SKYLAKE))
    other = "define void @other() {\n  ret void\n}\n"
    assert re.search(r"vaddps\s+.*%zmm", cpu.emit_assembly(marked + other, SKYLAKE))


def test_host_cpu_is_detected() -> None:
    host = cpu.host()
    assert host.cpu
    assert host.cpu != "generic"
    assert cpu.emit_object(ADD, host).startswith(b"\x7fELF")
    assert len(host_identity()) > 20


def test_dotprod_of_arm_cpus_is_read_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLOCKDSL_CPU", raising=False)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    monkeypatch.setattr(cpu, "host", lambda: NEOVERSE_AS_DETECTED)
    identity = "aarch64;Features=fp asimd asimddp;CPU part=0xd0c"
    monkeypatch.setattr("blockdsl.compiler.target.host_identity", lambda: identity)
    assert Target.host.__wrapped__().pass_features == '"+neon,+dotprod"'


def test_llvms_linker_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "links_itself", lambda: False)
    x, y, out = torch.rand(64), torch.rand(64), torch.zeros(64)
    make_add()[(1,)](x, y, out, 64)
    assert torch.equal(out, x + y)
    counts = torch.ones(4, dtype=torch.int32)
    kernel = HandwrittenKernel(check.fn, [])
    kernel[(4,)](counts, 2)
    with pytest.raises(KernelAssertionError, match="x < limit"):
        kernel[(4,)](counts, 0)
    printed = torch.zeros(1, dtype=torch.float64)
    HandwrittenKernel(show.fn, [0])[(1,)](printed, 0.5)
    assert printed.item() == math.expm1(0.5)


def test_llvms_linker_where_memory_is_scattered() -> None:
    program = Path(__file__).with_name("scattered_program.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "BLOCKDSL_CACHE": "0"}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_invalid_llvm_ir_is_an_internal_error() -> None:
    with pytest.raises(CompilationError, match="LLVM refuses the code that was made for the kernel: "):
        cpu.emit_object("define void @f( {", cpu.host())


def test_options_are_spelled_for_blockdsl_opt() -> None:
    options = Options(disjoint=False, streaming=True, fp_fusion=False)
    assert options.pipeline(HASWELL) == (
        '{vector-bits=256 features="+avx2,+fma,+f16c" alias=unknown streaming-stores=true fp-fusion=false'
        " sequential=false}"
    )


def _bytes_in_use() -> int:
    gc.collect()
    return Memory.now().heap


def test_compiling_frees_its_memory() -> None:
    emit_object = inspect.unwrap(cpu.emit_object)  # The tests read code that was compiled before.

    def compile_some(count: int) -> None:
        for _ in range(count):
            emit_object(ADD, cpu.host())

    compile_some(5)
    before = _bytes_in_use()
    compile_some(30)
    # It was 86 kB a compilation. The remaining 1.5 kB are a leak of llvmlite's pass builder.
    assert (_bytes_in_use() - before) / 30 < 4000
