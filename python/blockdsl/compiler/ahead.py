"""``blockdsl.compile``: ahead-of-time compilation of a kernel, from its function or from a text."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, overload

from blockdsl import _runtime, knobs
from blockdsl.backends.driver import Driver
from blockdsl.compiler import cuda
from blockdsl.compiler import target as targets
from blockdsl.compiler.compiled_kernel import CompiledKernel
from blockdsl.compiler.cpu_kernel import compile_kernel
from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.compiler.options import CUDA_DEFAULTS, OPTIONS, CUDAOptions, Options
from blockdsl.compiler.program import Program, SourceProgram, TextProgram
from blockdsl.compiler.signature import parse_signature
from blockdsl.compiler.source import ASTSource, IRSource
from blockdsl.compiler.standalone import ObjectFile, write_object
from blockdsl.errors import LaunchError, TargetError
from blockdsl.errors.source_locations import located
from blockdsl.language.target_info import GPUTarget
from blockdsl.tracebacks import border

Source = KernelInfo | ASTSource | IRSource | str | Path


@overload
def compile(  # noqa: A001 - Triton's spelling
    src: Source,
    signature: Mapping[str, Any] | GPUTarget | None = ...,
    constexprs: Mapping[str, object] | None = ...,
    *,
    target: str | GPUTarget | None = ...,
    output: None = ...,
    restrict: bool = ...,
    enable_fp_fusion: bool | None = ...,
    **options: object,
) -> CompiledKernel: ...


@overload
def compile(  # noqa: A001
    src: Source,
    signature: Mapping[str, Any] | GPUTarget | None = ...,
    constexprs: Mapping[str, object] | None = ...,
    *,
    target: str | GPUTarget | None = ...,
    output: str | Path,
    restrict: bool = ...,
    enable_fp_fusion: bool | None = ...,
    **options: object,
) -> ObjectFile: ...


@border
def compile(  # noqa: A001
    src: Source,
    signature: Mapping[str, Any] | GPUTarget | None = None,
    constexprs: Mapping[str, object] | None = None,
    *,
    target: str | GPUTarget | None = None,
    output: str | Path | None = None,
    restrict: bool = True,
    enable_fp_fusion: bool | None = None,
    **options: object,
) -> CompiledKernel | ObjectFile:
    """Compiles a kernel ahead of its first launch, or takes it from the disk cache.

    Args:
        src: A kernel, the path of a file that holds a tt module (``.ttir``), or an ``ASTSource`` or ``IRSource``. The
            latter two contain their signature: target and options may follow directly, as in Triton's ``compile``.
        signature: Type of each run-time parameter by its name: ``"i32"``, ``"fp32"``, ``"*fp32"`` for a pointer,
            ``"*fp32:16"`` for one whose address is a multiple of 16 bytes, ``"tensordesc<fp32[16,64]>"`` for a
            descriptor of such blocks, or for a tuple a tuple of these. Not for files.
        constexprs: Values of the other parameters, unless they have defaults. Not for files.
        target: ``"cpu"``, the current CPU, or a generation of GPUs such as ``"cuda:90"``; the machine needs no GPU.
            The default is the machine's GPU for an ``ASTSource`` or ``IRSource``, if it has one, and else the CPU. With
            ``output`` also a baseline of CPUs: ``"cpu:x86-64-v3"``, or ``x86-64``, ``x86-64-v2``, ``x86-64-v4``,
            ``aarch64``.
        output: An object file to write instead, for C programs: ``"add.o"``, with the header ``add.h`` beside it. It
            links with libm and nothing of blockdsl.
        restrict: With ``output``: memory that the kernel stores to through one pointer is accessed through no other,
            as with C's ``restrict``. Launches from Python detect aliases themselves.
        enable_fp_fusion: Whether a multiplication and an addition may become one operation; the default is
            ``knobs.language.default_fp_fusion``, which is true unless set.
        **options: For GPUs ``num_warps num_stages num_ctas maxnreg debug launch_pdl launch_cooperative_grid``, as at a
            launch, or a dict of them as Triton's ``options``; for the CPU they are checked and ignored.

    Returns:
        The kernel. It accepts only arguments of the compiled types; ``asm`` holds its stages. With ``output`` the names
        of the files, and the memory that a call takes.

    Raises:
        LaunchError: The signature or the constexprs are invalid, ``src`` is nothing to compile, or the kernel or the
            output has an invalid name.
        OSError: The file cannot be read, or the output cannot be written.
        TypeMismatchError: The kernel does not fit these types, at its line.
        KernelSyntaxError: The kernel is not written in the language.
        TargetError: The target, an option or its value does not exist, or the compiler of the target is not installed;
            or a kernel with ``output`` needs blockdsl's runtime: it prints, waits for another program, or reads the
            clock.
        OutOfResourcesError: A GPU of the target has too little memory for the kernel.

    Example:
        double = blockdsl.compile(kernel, {"x_ptr": "*fp32:16", "n": "i32"}, {"BLOCK": 1024})
        add = blockdsl.compile("add.ttir")
        add[(4,)](x, y, out, n)
        ptx = blockdsl.compile("add.ttir", target="cuda:90", num_warps=8).asm["ptx"]
        blockdsl.compile("add.ttir", target="cpu:x86-64-v3", output="add.o")
    """
    options.update(cast(Mapping[str, object], options.pop("options", None) or {}))
    if isinstance(src, (ASTSource, IRSource)):
        # Triton's order: compile(src, target, options).
        target = signature or target or Driver().get_current_target()  # type: ignore[assignment]
        options.update(constexprs or {})
        signature, constexprs = src.declared() if isinstance(src, ASTSource) else (None, None)
        src = src.fn if isinstance(src, ASTSource) else src.path
    types = cast("Mapping[str, Any] | None", signature)
    target = "cpu" if target is None else target
    gpu = None if output is not None else targets.parse(target)
    cpu = None if output is None else targets.parse_cpu(target)
    for name in options:
        if name not in OPTIONS:
            raise TargetError(f"there is no option '{name}'", hint=f"there are {', '.join(CUDA_DEFAULTS)}")
    kernel: Any = src if isinstance(src, KernelInfo) else None
    if kernel is not None:
        options.setdefault("debug", bool(kernel.debug) or knobs.runtime.debug)
    checked = CUDAOptions.of({"enable_fp_fusion": enable_fp_fusion, **options})
    program: Program
    if kernel is not None and not isinstance(src, _runtime.Launcher):
        raise LaunchError(
            f"kernel '{kernel.__name__}' is interpreted, and so not compiled", hint="unset BLOCKDSL_INTERPRET"
        )
    if kernel is not None:
        specialization = located(parse_signature, kernel.__name__, kernel.arg_names, types or {}, constexprs or {})
        program = SourceProgram(kernel.source, specialization, repr=kernel._repr, function=weakref.ref(kernel))
    else:
        program = located(_text_program, src, {**(types or {}), **(constexprs or {})})
    made = Options(disjoint=restrict, fp_fusion=checked.enable_fp_fusion)
    if output is not None and cpu is not None:
        return write_object(program, made, cpu, Path(output))
    if not restrict:
        raise LaunchError("restrict is for an object file, and there is no output", hint="pass output='kernel.o'")
    if gpu is None:
        return compile_kernel(program, made)
    return cuda.compile_kernel(program, gpu, checked)


def _text_program(src: object, given: Mapping[str, object]) -> TextProgram:
    if not isinstance(src, (str, Path)):
        raise LaunchError(
            f"compile expects a kernel or the path of a .ttir file, got {type(src).__name__} {src!r}",
            hint="a kernel is a function with @blockdsl.jit above it; of a tuned one pass kernel.fn",
        )
    if given:
        raise LaunchError(
            f"the module in '{src}' has the types of its parameters, got others for {', '.join(given)}",
            hint="leave signature and constexprs out",
        )
    return TextProgram.of(src)
