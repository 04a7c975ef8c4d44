"""From Triton's module to what Triton keeps as the binary: its text goes the way of our own front end's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blockdsl.compiler.cache import digest
from blockdsl.compiler.compiled import build_id
from blockdsl.compiler.options import Options as CPUOptions
from blockdsl.compiler.program import TextProgram
from blockdsl.compiler.target import host_identity
from blockdsl.errors import BlockdslError
from blockdsl.triton import externs, parcel, places
from blockdsl.triton.options import Options

Stage = Callable[[Any, dict[str, Any]], Any]


def identity() -> str:
    """Tells what is compiled here from what is compiled by another build of us, or for another CPU."""
    return digest("triton", build_id(), host_identity())


def add_stages(backend: Any, stages: dict[str, Stage], options: Options, language: Any) -> None:
    """Names the stages: Triton's text, and the binary."""
    from triton import knobs

    stages["ttir"] = _ttir
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


def _binary(source: Any, metadata: dict[str, Any], options: Options) -> bytes:
    # A module, whose text has the places of its ops; or text, where somebody has put a stage in between.
    if "name" not in metadata:
        # Of a file of Triton's text, which enters here.
        _name(source, metadata)
    kernel = metadata["name"]
    program = TextProgram(externs.with_definitions(str(source)), f"{kernel}.ttir")
    try:
        return parcel.pack(program, CPUOptions(fp_fusion=options.enable_fp_fusion))
    except BlockdslError as error:
        told = places.at_the_kernel(error, program.text, program.origin, kernel)
        if told is error:
            raise
        raise told from None
