"""From LLVM IR to an object file for a CPU, with llvmlite's LLVM. Loading the object is lib/Runtime's work on x86-64.

llvmlite takes a tenth of a second to import and is imported when something has to be compiled, not before: a kernel
from the disk cache never needs it.
"""

from __future__ import annotations

import functools
import itertools
import platform
from dataclasses import dataclass
from typing import Any

from blockdsl import _runtime, forks
from blockdsl.backends import exports, sign_masks, vector_sums
from blockdsl.backends.exports import Export
from blockdsl.errors import CompilationError


@dataclass(frozen=True)
class CPU:
    """A CPU, in LLVM's words.

    Example:
        CPU(triple="aarch64-unknown-linux-gnu", cpu="neoverse-n1", features=("+neon", "+dotprod"))
    """

    triple: str
    cpu: str
    features: tuple[str, ...]


@functools.cache
def _llvm() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    # Every call of LLVM holds it: after a fork that has taken it, LLVM's own state is whole in the child.
    forks.take_before_forks(binding.ffi.lib._lock._lock)
    return binding


@functools.cache
def _all_targets() -> None:
    _llvm().initialize_all_targets()
    _llvm().initialize_all_asmprinters()


@functools.cache
def host() -> CPU:
    """The CPU we run on."""
    llvm = _llvm()
    features = llvm.get_host_cpu_features()
    return CPU(
        triple=llvm.get_process_triple(),
        cpu=llvm.get_host_cpu_name(),
        features=tuple(("+" if present else "-") + name for name, present in sorted(features.items())),
    )


def target_machine(target: CPU) -> Any:
    """LLVM's code generator for a CPU."""
    llvm = _llvm()
    if target.triple != llvm.get_process_triple():
        _all_targets()
    features = list(target.features)
    if "+avx512f" in features:
        # Some of Intel's CPUs are tuned for half vectors; our passes have decided, and masks cost more in halves.
        features.append("-prefer-256-bit")
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=",".join(features), opt=3, reloc="pic", codemodel="small"
    )


def _optimized(llvm_ir: str, target: CPU, export: Export | None = None) -> tuple[Any, Any]:
    """The parsed and optimized module, and the target machine."""
    llvm = _llvm()
    machine = target_machine(target)
    # A context of its own: what kernels leave in the shared one is never freed.
    context = llvm.create_context()
    try:
        module = llvm.parse_assembly(llvm_ir, context)
        if export is not None:
            exports.add_to(module, context, export)
    except RuntimeError as error:
        raise CompilationError(f"LLVM refuses the code that was made for the kernel: {error}") from error
    # Before any pass: without a triple LLVM vectorizes nothing, and says nothing.
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    # For C programs there are functions around the kernel, which are inlined.
    if export is None and _is_vectorized(module):
        _run_short_pipeline(module, machine)
    else:
        _run_full_pipeline(module, machine)
    return _mended(module, context, target), machine


def _is_vectorized(module: Any) -> bool:
    """Whether our passes have vectorized all loops of a module (lib/Conversion/ToLLVM/AnnotateFunctions.cpp)."""
    defined = [function for function in module.functions if not function.is_declaration]
    return all(any(b"blockdsl-vectorized" in attribute for attribute in function.attributes) for function in defined)


def _run_full_pipeline(module: Any, machine: Any) -> None:
    """Runs LLVM's passes of -O3."""
    llvm = _llvm()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    try:
        passes.run(module, builder)
    finally:
        _free(passes)


def _run_short_pipeline(module: Any, machine: Any) -> None:
    """Runs the passes that code with vectors of its own profits by, in half the time: LLVM's for functions at -O1, and
    unrolling. Functions are not inlined, as our passes keep them apart."""
    llvm = _llvm()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes = builder.getFunctionPassManager()
    # Of short loops over vectors. A histogram takes twice the time without.
    passes.add_loop_unroll_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    try:
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)
    finally:
        _free(passes)


def _mended(module: Any, context: Any, target: CPU) -> Any:
    """An optimized module without what LLVM makes itself, and then makes wrong machine code of."""
    if "x86_64" not in target.triple:
        return module
    has_masks, has_sums = "+avx512f" in target.features, vector_sums.made(module)
    if not has_masks and not has_sums:
        return module
    made = mended = str(module)
    if has_sums:
        mended = vector_sums.hidden(mended, _register_bits(target))
    if has_masks:
        mended = sign_masks.tested(mended)
    return module if mended == made else _llvm().parse_assembly(mended, context)


def _register_bits(target: CPU) -> int:
    """The width of the widest vectors of an x86 that there are registers for."""
    widths = {"+avx512bw": 512, "+avx2": 256, "+avx": 256}
    return next((bits for name, bits in widths.items() if name in target.features), 128)


def fault_of(llvm_ir: str) -> str | None:
    """What LLVM says of a text that is no module; None if it is one."""
    llvm = _llvm()
    # LLVM ends the process for what breaks its rules, where it reads a module with this flag (and in its passes).
    unmarked = llvm_ir.replace('!"Debug Info Version"', '!"None"')
    try:
        llvm.parse_assembly(unmarked, llvm.create_context()).verify()
    except RuntimeError as error:
        return str(error)
    return None


def type_of(llvm_ir: str, name: str) -> str | None:
    """The type of a function that a module defines; None if it defines none of the name."""
    llvm = _llvm()
    module = llvm.parse_assembly(llvm_ir, llvm.create_context())
    return next((str(each.global_value_type) for each in module.functions
                 if each.name == name and not each.is_declaration), None)  # fmt: skip


def _free(passes: Any) -> None:
    """Frees a pass manager, 85 kB. llvmlite 0.50 never does: its class inherits two methods for that, and the one that
    does nothing comes first. (The 1.5 kB that a pass builder leaves are out of reach.)"""
    from llvmlite.binding.newpassmanagers import NewPassManager

    if not passes.closed:
        NewPassManager._dispose(passes)
        # Whatever a later llvmlite does with it, not a second time.
        passes.detach()


def emit_object(llvm_ir: str, target: CPU, export: Export | None = None) -> bytes:
    """Optimizes LLVM IR and makes an object file of it: one for our launcher, or with ``export`` one for C programs."""
    module, machine = _optimized(llvm_ir, target, export)
    code: bytes = machine.emit_object(module)
    return code


_libraries = itertools.count()


@functools.cache
def _jit() -> Any:
    # JITLink takes memory for an object in one piece. RuntimeDyld, the default, takes it for each section, and ends the
    # process where they lie too far apart (https://github.com/llvm/llvm-project/issues/71963).
    return _llvm().create_lljit_compiler(target_machine(host()), use_jit_link=True)


def links_itself() -> bool:
    """Whether lib/Runtime/ObjectCode.cpp can load objects for this machine; ``link`` does it for others."""
    return platform.machine() in ("x86_64", "AMD64")


def link(code: bytes, name: str) -> tuple[int, object]:
    """Loads an object file with LLVM's linker. Returns the function's address, and what has to live as long."""
    library = _llvm().JITLibraryBuilder().add_object_img(code).export_symbol(name)
    for symbol, address in _runtime.symbols().items():
        library.import_symbol(symbol, address)
    tracker = library.link(_jit(), f"{name}-{next(_libraries)}")
    return int(tracker[name]), tracker


def emit_optimized(llvm_ir: str, target: CPU) -> str:
    """LLVM IR after LLVM's passes, for people."""
    module, _ = _optimized(llvm_ir, target)
    return str(module)


def emit_assembly(llvm_ir: str, target: CPU) -> str:
    """The same code as text, for people."""
    module, machine = _optimized(llvm_ir, target)
    return str(machine.emit_assembly(module))
