"""Compilation of LLVM IR to an object file for a CPU, with llvmlite's LLVM. On x86-64 lib/Runtime loads the object.

llvmlite takes a tenth of a second to import, so it is imported when something is compiled: kernels from the disk cache
do not need it.
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
    """A CPU under LLVM's names.

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
    # Every call of LLVM holds this lock. A fork acquires it, so that LLVM's state is consistent in the child.
    forks.take_before_forks(binding.ffi.lib._lock._lock)
    return binding


@functools.cache
def _all_targets() -> None:
    _llvm().initialize_all_targets()
    _llvm().initialize_all_asmprinters()


@functools.cache
def host() -> CPU:
    """Returns the current CPU."""
    llvm = _llvm()
    features = llvm.get_host_cpu_features()
    return CPU(
        triple=llvm.get_process_triple(),
        cpu=llvm.get_host_cpu_name(),
        features=tuple(("+" if present else "-") + name for name, present in sorted(features.items())),
    )


def target_machine(target: CPU) -> Any:
    """Returns LLVM's code generator for a CPU."""
    llvm = _llvm()
    if target.triple != llvm.get_process_triple():
        _all_targets()
    features = list(target.features)
    if "+avx512f" in features:
        # LLVM prefers 256-bit vectors for some of Intel's CPUs. Our passes have chosen the width already, and masked
        # operations cost more when split.
        features.append("-prefer-256-bit")
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=",".join(features), opt=3, reloc="pic", codemodel="small"
    )


def _optimized(llvm_ir: str, target: CPU, export: Export | None = None) -> tuple[Any, Any]:
    """Returns the optimized module and the target machine."""
    llvm = _llvm()
    machine = target_machine(target)
    # A new context, because the types and constants of kernels in the global context are never freed.
    context = llvm.create_context()
    try:
        module = llvm.parse_assembly(llvm_ir, context)
        if export is not None:
            exports.add_to(module, context, export)
    except RuntimeError as error:
        raise CompilationError(f"LLVM refuses the code that was made for the kernel: {error}") from error
    # Before any pass: without a triple LLVM silently vectorizes nothing.
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    # C programs call functions around the kernel, into which the full pipeline inlines it.
    if export is None and _is_vectorized(module):
        _run_short_pipeline(module, machine)
    else:
        _run_full_pipeline(module, machine)
    return _with_workarounds(module, context, target), machine


def _is_vectorized(module: Any) -> bool:
    """Returns whether our passes have vectorized all loops (lib/Conversion/ToLLVM/AnnotateFunctions.cpp)."""
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
    """Runs the few passes that vectorized code needs, in half the time of -O1, which moreover calls ``memcpy`` where a
    loop copies a block. Functions are not inlined: our passes have split them on purpose."""
    llvm = _llvm()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    # Unrolls short loops over vectors; a histogram takes twice the time without it.
    passes.add_loop_unroll_pass()
    # Promotes the blocks that loops carry to registers, now that their offsets are constant.
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    try:
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)
    finally:
        _free(passes)


def _with_workarounds(module: Any, context: Any, target: CPU) -> Any:
    """Returns the optimized module with workarounds for patterns that LLVM's X86 backend miscompiles or fails on."""
    if "x86_64" not in target.triple:
        return module
    has_masks, has_sums = "+avx512f" in target.features, vector_sums.made(module)
    if not has_masks and not has_sums:
        return module
    original = text = str(module)
    if has_sums:
        text = vector_sums.hidden(text, _register_bits(target))
    if has_masks:
        text = sign_masks.tested(text)
    return module if text == original else _llvm().parse_assembly(text, context)


def _register_bits(target: CPU) -> int:
    """Returns the width of an x86 CPU's vector registers in bits."""
    widths = {"+avx512bw": 512, "+avx2": 256, "+avx": 256}
    return next((bits for name, bits in widths.items() if name in target.features), 128)


def fault_of(llvm_ir: str) -> str | None:
    """Returns LLVM's error for a text that is no valid module; None for a valid one."""
    llvm = _llvm()
    # LLVM ends the process for an invalid module with this flag, when it reads it (and in its passes).
    unmarked = llvm_ir.replace('!"Debug Info Version"', '!"None"')
    try:
        llvm.parse_assembly(unmarked, llvm.create_context()).verify()
    except RuntimeError as error:
        return str(error)
    return None


def type_of(llvm_ir: str, name: str) -> str | None:
    """Returns the type of a function that a module defines; None if it does not define it."""
    llvm = _llvm()
    module = llvm.parse_assembly(llvm_ir, llvm.create_context())
    return next((str(each.global_value_type) for each in module.functions
                 if each.name == name and not each.is_declaration), None)  # fmt: skip


def _free(passes: Any) -> None:
    """Frees a pass manager of 85 kB. llvmlite 0.50 never does: its class inherits two ``_dispose`` methods, of which
    the first does nothing. (The 1.5 kB that a pass builder leaks cannot be freed.)"""
    from llvmlite.binding.newpassmanagers import NewPassManager

    if not passes.closed:
        NewPassManager._dispose(passes)
        # Prevents a later llvmlite from freeing it a second time.
        passes.detach()


def emit_object(llvm_ir: str, target: CPU, export: Export | None = None) -> bytes:
    """Compiles LLVM IR to an object file for our launcher, or with ``export`` for C programs."""
    module, machine = _optimized(llvm_ir, target, export)
    code: bytes = machine.emit_object(module)
    return code


_libraries = itertools.count()


@functools.cache
def _jit() -> Any:
    # JITLink allocates an object in one block. RuntimeDyld, the default, allocates each section separately, and ends
    # the process if they are too far apart (https://github.com/llvm/llvm-project/issues/71963).
    return _llvm().create_lljit_compiler(target_machine(host()), use_jit_link=True)


def links_itself() -> bool:
    """Returns whether lib/Runtime/ObjectCode.cpp can load objects on this machine; else ``link`` does."""
    return platform.machine() in ("x86_64", "AMD64")


def link(code: bytes, name: str) -> tuple[int, object]:
    """Loads an object file with LLVM's linker. Returns the function's address, and an owner that must outlive it."""
    library = _llvm().JITLibraryBuilder().add_object_img(code).export_symbol(name)
    for symbol, address in _runtime.symbols().items():
        library.import_symbol(symbol, address)
    tracker = library.link(_jit(), f"{name}-{next(_libraries)}")
    return int(tracker[name]), tracker


def emit_optimized(llvm_ir: str, target: CPU) -> str:
    """Returns optimized LLVM IR, for dumps."""
    module, _ = _optimized(llvm_ir, target)
    return str(module)


def emit_assembly(llvm_ir: str, target: CPU) -> str:
    """Returns the assembly, for dumps."""
    module, machine = _optimized(llvm_ir, target)
    return str(machine.emit_assembly(module))
