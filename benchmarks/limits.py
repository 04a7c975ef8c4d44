"""Limits of the machine, measured now: streaming bandwidth and the peak of fused multiply-adds.

The loops are LLVM IR, compiled for this CPU by llvmlite, independent of the compiler under test. A figure is the best
of several runs, to exclude the influence of other programs.
"""

from __future__ import annotations

import ctypes
import functools
import threading
import time
from collections.abc import Callable, Sequence

import llvmlite.binding as llvm
import numpy as np

from benchmarks.timing import calls_per_second

REPEATS = 7

SECONDS = 0.03
"""Seconds of one measurement, unless one call takes longer."""


@functools.cache
def lanes() -> int:
    """Returns the f32 lanes of this CPU's vectors."""
    features = llvm.get_host_cpu_features()
    return 16 if features.get("avx512f") else 8 if features.get("avx2") else 4


@functools.cache
def _engine() -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def compile_text(name: str, text: str) -> int:
    """Compiles LLVM IR, and returns the address of its function."""
    module = llvm.parse_assembly(text)
    module.verify()
    _engine().add_module(module)
    _engine().finalize_object()
    address: int = _engine().get_function_address(name)
    return address


def _stream_text(name: str, reads: int, temporal: bool) -> str:
    """Returns IR of ``out[i] = in0[i] (+ in1[i])`` over whole vectors, four per iteration, ``repeat`` times."""
    vector = f"<{lanes()} x float>"
    hint = "" if temporal else ", !nontemporal !0"
    body = []
    for step in range(4):
        body.append(f"  %i{step} = add i64 %i, {step * lanes()}")
        for source in range(reads):
            body.append(f"  %p{source}{step} = getelementptr float, ptr %in{source}, i64 %i{step}")
            body.append(f"  %v{source}{step} = load {vector}, ptr %p{source}{step}, align 64")
        value = f"%v0{step}"
        if reads == 2:
            body.append(f"  %s{step} = fadd {vector} %v0{step}, %v1{step}")
            value = f"%s{step}"
        body.append(f"  %q{step} = getelementptr float, ptr %out, i64 %i{step}")
        body.append(f"  store {vector} {value}, ptr %q{step}, align 64{hint}")
    lines = "\n".join(body)
    return f"""
define void @{name}(ptr noalias %out, ptr noalias %in0, ptr noalias %in1, i64 %n, i64 %repeat) {{
entry:
  br label %pass
pass:
  %p = phi i64 [ 0, %entry ], [ %passes, %passed ]
  br label %loop
loop:
  %i = phi i64 [ 0, %pass ], [ %next, %loop ]
{lines}
  %next = add i64 %i, {4 * lanes()}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %passed
passed:
  ; Or LLVM would see that every pass writes the same.
  call void asm sideeffect "", "~{{memory}}"()
  %passes = add i64 %p, 1
  %again = icmp slt i64 %passes, %repeat
  br i1 %again, label %pass, label %done
done:
  ret void
}}
!0 = !{{i32 1}}
"""


def _multiply_add_text(accumulators: int) -> str:
    """Returns IR of independent chains of multiply-adds, enough to hide the latency."""
    vector = f"<{lanes()} x float>"
    constants = [f"splat (float {1.0 + number / 8})" for number in range(accumulators)]
    phis = "\n".join(
        f"  %a{n} = phi {vector} [ {value}, %entry ], [ %b{n}, %loop ]" for n, value in enumerate(constants)
    )
    steps = "\n".join(
        f"  %b{n} = call {vector} @llvm.fma({vector} %a{n}, {vector} %x, {vector} %y)" for n in range(accumulators)
    )
    sums = "\n".join(
        f"  %t{n} = fadd {vector} {'%b0' if n == 1 else f'%t{n - 1}'}, %b{n}" for n in range(1, accumulators)
    )
    text = f"""
declare {vector} @llvm.fma({vector}, {vector}, {vector})
define internal void @multiply_add(ptr %out, {vector} %x, {vector} %y, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{phis}
{steps}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
{sums}
  store {vector} %t{accumulators - 1}, ptr %out
  ret void
}}
define void @multiply_add_{accumulators}(ptr %out, i64 %n) {{
  %x = load volatile float, ptr %out
  %v = insertelement {vector} zeroinitializer, float %x, i32 0
  %s = shufflevector {vector} %v, {vector} %v, <{lanes()} x i32> zeroinitializer
  call void @multiply_add(ptr %out, {vector} %s, {vector} %s, i64 %n)
  ret void
}}
"""
    return text.replace("@llvm.fma(", f"@llvm.fma.v{lanes()}f32(")


@functools.cache
def _stream(reads: int, temporal: bool) -> Callable[..., None]:
    name = f"stream_{reads}_{'plain' if temporal else 'past_the_cache'}"
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64, ctypes.c_int64)
    return kind(compile_text(name, _stream_text(name, reads, temporal)))


@functools.cache
def _multiply_add(accumulators: int) -> Callable[..., None]:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    return kind(compile_text(f"multiply_add_{accumulators}", _multiply_add_text(accumulators)))


_LOCKED = """
define void @locked_additions(ptr %bins, ptr %at, ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %at, i64 %i
  %bin = load i64, ptr %p
  %q = getelementptr float, ptr %x, i64 %i
  %value = load float, ptr %q
  %place = getelementptr float, ptr %bins, i64 %bin
  %old = atomicrmw fadd ptr %place, float %value monotonic
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


def locked_seconds(bins: int, at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    """Returns the least time in which one thread atomically adds an f32 to each of these bins."""
    types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    loop = ctypes.CFUNCTYPE(None, *types)(_locked_additions())
    counts, x = aligned(bins), aligned(at.size)
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        loop(counts.ctypes.data, at.ctypes.data, x.ctypes.data, at.size)
        best = min(best, time.perf_counter() - start)
    return best


@functools.cache
def _locked_additions() -> int:
    return compile_text("locked_additions", _LOCKED)


def calls_together(work: Sequence[Callable[[], None]]) -> float:
    """Returns the total calls per second of threads that each repeat one of the functions, from a common start.

    With equal shares of work the slowest thread would determine the result, and on a shared machine one core may be
    half as fast as another.
    """
    barrier = threading.Barrier(len(work))
    rates: list[float] = []

    def run(job: Callable[[], None]) -> None:
        barrier.wait()
        rates.append(calls_per_second(job, SECONDS))

    threads = [threading.Thread(target=run, args=(job,)) for job in work[1:]]
    for thread in threads:
        thread.start()
    run(work[0])
    for thread in threads:
        thread.join()
    return sum(rates)


def aligned(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    buffer = np.ones(count + 16, np.float32)
    skip = (-buffer.ctypes.data % 64) // 4
    return buffer[skip : skip + count]


@functools.cache
def streaming_seconds(elements: int, reads: int, threads: int) -> float:
    """Returns the least time in which ``threads`` threads read ``reads`` f32 arrays and write one of ``elements``."""
    return measure_streaming(elements, reads, threads, REPEATS)


def measure_streaming(elements: int, reads: int, threads: int, repeats: int) -> float:
    step = 4 * lanes() * threads
    count = -(-elements // step) * step
    out, *sources = (aligned(count) for _ in range(3))
    share = count // threads
    # Repeats until the overhead of calls is negligible.
    passes = max(1, int(5e6 * threads // count))
    best = 0.0
    for temporal in (True, False):
        loop = _stream(reads, temporal)

        def job(begin: int, loop: Callable[..., None] = loop) -> None:
            addresses = [array.ctypes.data + 4 * begin for array in (out, *sources)]
            loop(*addresses, share, passes)

        for _ in range(repeats):
            jobs = [functools.partial(job, number * share) for number in range(threads)]
            best = max(best, calls_together(jobs) * passes * share)
    return elements / best


@functools.cache
def peak_flops(threads: int) -> float:
    """Returns the peak f32 operations per second, two for each multiply-add."""
    return measure_flops(threads, REPEATS)


def measure_flops(threads: int, repeats: int) -> float:
    iterations, best = 1 << 20, 0.0
    # The number of chains that hide the latency without spilling depends on the CPU's registers.
    for accumulators in (8, 12, 24):
        if lanes() < 16 and accumulators > 12:
            continue
        loop = _multiply_add(accumulators)

        def job(loop: Callable[..., None] = loop) -> None:
            buffer = aligned(64)
            loop(buffer.ctypes.data, iterations)

        for _ in range(repeats):
            best = max(best, calls_together([job] * threads) * 2 * lanes() * accumulators * iterations)
    return best
