"""Stages of the CPU's back end for Triton, from Triton's module to the binary that it stores."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from blockdsl.compiler.cache import digest
from blockdsl.compiler.compiled_kernel import build_id
from blockdsl.compiler.cpu_kernel import texts_of
from blockdsl.compiler.options import Options as CPUOptions
from blockdsl.compiler.overrides import files_that_override
from blockdsl.compiler.program import Override, TextProgram
from blockdsl.compiler.stages import STAGES
from blockdsl.compiler.target import host_identity
from blockdsl.errors import BlockdslError, TargetError
from blockdsl.tracebacks import border
from blockdsl.triton import kernel_binary, libdevice, source_locations
from blockdsl.triton.errors import as_tritons
from blockdsl.triton.options import Options

Stage = Callable[[Any, dict[str, Any]], Any]

T = TypeVar("T")

_LAUNCH_LOCAL = re.compile(r'tt\.call @"?blockdsl\.torch_compile\.atomics\.add__')
"""A call in a kernel of Inductor, whose atomic additions need to be atomic within the launch only."""


def identity() -> str:
    """Returns a key of this build of blockdsl, the CPU, and the files that override stages."""
    return digest("triton", build_id("triton"), host_identity(), *files_that_override())


@border
def add_stages(backend: Any, stages: dict[str, Stage], options: Options, language: Any) -> None:
    """Adds the stages: Triton's text, the binary, and between them those that Triton dumps or reads from files."""
    from triton import knobs

    if getattr(knobs.compilation, "store_binary_only", False):
        raise TargetError(
            "TRITON_STORE_BINARY_ONLY has Triton keep no kernels for a CPU, whose binary it does not know",
            hint="unset it, or set triton.knobs.compilation.store_binary_only = False",
        )
    compilation = _Compilation(options)
    stages["ttir"] = compilation.ttir
    stages.update({stage: functools.partial(compilation.shown, stage) for stage in _between(knobs, options)})
    stages["blockdsl"] = compilation.binary
    hook = getattr(knobs.runtime, "add_stages_inspection_hook", None)
    if hook is not None:
        hook(backend, stages, options, language, None)
    # A kernel begins with the stage `ttir`, after the refusing ones. A file begins after the stage of its name, and so
    # with a refusing one if that is a GPU's.
    ours = dict(stages)
    stages.clear()
    stages.update({**dict.fromkeys((*_GPU_STAGES, "cpu"), _refuse_file), **ours})


_GPU_STAGES = ("ttgir", "ptx", "cubin")


def _refuse_file(_module: Any, _metadata: Any) -> NoReturn:
    """Refuses the file of a stage that kernels for a CPU do not have."""
    raise TargetError(
        f"a kernel for a CPU has no stage of the file's name ({', '.join(_GPU_STAGES)})",
        hint="compile the kernel's .ttir, which is in the same directory of Triton's cache, or its Python function",
    )


def _between(knobs: Any, options: Options) -> tuple[str, ...]:
    """Returns the stages between text and binary for Triton. Of these, only LLVM's module may come from a file."""
    compilation = getattr(knobs, "compilation", None)
    if getattr(compilation, "override", False) or str(options.__dict__.get("ir_override")).endswith(".llir"):
        return ("llir",)
    return STAGES[1:] if getattr(compilation, "dump_ir", False) else ()


class _Compilation:
    """The compilation of one kernel from Triton's text to the binary."""

    def __init__(self, options: Options) -> None:
        self._options = CPUOptions(fp_fusion=options.enable_fp_fusion)
        self._built: Any = None
        self._source: Any = None
        self._texts: Mapping[str, Any] = {}
        self._last = ""

    def ttir(self, module: Any, metadata: dict[str, Any]) -> Any:
        """Returns the module of Triton's front end. Triton's passes are not run, because ours do the same."""
        _name(module, metadata)
        self._built = module
        return module

    @border
    def shown(self, stage: str, source: Any, metadata: dict[str, Any]) -> str:
        """Returns the text of a stage, which Triton stores, dumps, or replaces by a file."""
        if not self._texts:
            self._source = source
            self._texts = self._with_locations(
                source, metadata, lambda program: texts_of(program, self._options_of(program), "asm")
            )
        self._last = str(self._texts[stage])
        return self._last

    @border
    def binary(self, given: Any, metadata: dict[str, Any]) -> bytes:
        source = self._source if self._texts else given
        llir = None
        if self._texts and given != self._last:
            llir = Override(f"{metadata['name']}.llir", str(given))
        return self._with_locations(
            source,
            metadata,
            lambda program: kernel_binary.pack(program, self._options_of(program), metadata["hash"], llir),
        )

    def _options_of(self, program: TextProgram) -> CPUOptions:
        return replace(self._options, sequential=_LAUNCH_LOCAL.search(program.text) is not None)

    def _with_locations(self, source: Any, metadata: dict[str, Any], handle: Callable[[TextProgram], T]) -> T:
        """Applies ``handle`` to a module. Errors get the kernel's lines."""
        # A module, printed with locations of its ops; or text, if a hook has inserted a stage.
        if "name" not in metadata:
            # The kernel comes from a file of Triton's text, which Triton passes to the stage after it.
            _name(source, metadata)
        kernel = metadata["name"]
        text = libdevice.with_definitions(str(source))
        program = TextProgram(text, f"{kernel}.ttir", is_shown=True, is_from_frontend=source is self._built)
        try:
            return handle(program)
        except BlockdslError as error:
            translated = as_tritons(source_locations.at_the_kernel(error, program.text, program.origin, kernel))
            if translated is error:
                raise
            raise translated from None


def _name(module: Any, metadata: dict[str, Any]) -> None:
    metadata["name"] = module.get_entry_func_name()
    # Positive, because programs divide by it.
    metadata["shared"] = 1
