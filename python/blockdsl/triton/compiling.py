"""From Triton's module to what Triton keeps as the binary: its text goes the way of our own front end's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from blockdsl.compiler.cache import digest
from blockdsl.compiler.compiled import build_id
from blockdsl.compiler.kernel import texts_of
from blockdsl.compiler.options import Options as CPUOptions
from blockdsl.compiler.program import TextProgram
from blockdsl.compiler.stages import STAGES
from blockdsl.compiler.target import host_identity
from blockdsl.errors import BlockdslError
from blockdsl.triton import externs, parcel, places
from blockdsl.triton.options import Options

Stage = Callable[[Any, dict[str, Any]], Any]

T = TypeVar("T")


def identity() -> str:
    """Tells what is compiled here from what is compiled by another build of us, or for another CPU."""
    return digest("triton", build_id("triton"), host_identity())


def add_stages(backend: Any, stages: dict[str, Stage], options: Options, language: Any) -> None:
    """Names the stages: Triton's text, and the binary."""
    from triton import knobs

    stages["ttir"] = _ttir
    compilation = getattr(knobs, "compilation", None)
    # What Triton dumps is its stages. It reads none of ours back, so there are none where it looks for files to read.
    if getattr(compilation, "dump_ir", False) and not getattr(compilation, "override", False):
        stages.update({stage: functools.partial(_shown, stage, options) for stage in STAGES[1:]})
    stages["blockdsl"] = lambda source, metadata: _binary(source, metadata, options)
    hook = getattr(knobs.runtime, "add_stages_inspection_hook", None)
    if hook is not None:
        hook(backend, stages, options, language, None)


def _ttir(module: Any, metadata: dict[str, Any]) -> Any:
    """The module as Triton's front end leaves it: none of Triton's passes run, because ours do the same."""
    _name(module, metadata)
    return module


def _name(module: Any, metadata: dict[str, Any]) -> None:
    metadata["name"] = module.get_entry_func_name()
    metadata["shared"] = 0


class _Shown(str):
    """A stage's text, and what it is of."""

    __slots__ = ("source", "texts")

    source: Any
    texts: Mapping[str, Any]


def _shown(stage: str, options: Options, source: Any, metadata: dict[str, Any]) -> _Shown:
    """The text of a stage between Triton's text and the binary, for Triton to keep and to dump."""
    if isinstance(source, _Shown):
        texts = source.texts
        source = source.source
    else:
        texts = _placed(source, metadata, lambda program: texts_of(program, _options(options), "asm"))
    shown = _Shown(texts[stage])
    shown.source, shown.texts = source, texts
    return shown


def _binary(source: Any, metadata: dict[str, Any], options: Options) -> bytes:
    source = source.source if isinstance(source, _Shown) else source
    return _placed(source, metadata, lambda program: parcel.pack(program, _options(options)))


def _options(options: Options) -> CPUOptions:
    return CPUOptions(fp_fusion=options.enable_fp_fusion)


def _placed(source: Any, metadata: dict[str, Any], make: Callable[[TextProgram], T]) -> T:
    """Makes something of a module; errors are at the kernel's lines."""
    # A module, whose text has the places of its ops; or text, where somebody has put a stage in between.
    if "name" not in metadata:
        # Of a file of Triton's text, which enters here.
        _name(source, metadata)
    kernel = metadata["name"]
    program = TextProgram(externs.with_definitions(str(source)), f"{kernel}.ttir", is_shown=True)
    try:
        return make(program)
    except BlockdslError as error:
        told = places.at_the_kernel(error, program.text, program.origin, kernel)
        if told is error:
            raise
        raise told from None
