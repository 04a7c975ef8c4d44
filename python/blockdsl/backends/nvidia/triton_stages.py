"""Triton's stages from text to a cubin. Only this file uses private names of Triton.

It runs in a subprocess (../worker_program.py) with Triton on its path, and imports nothing of blockdsl: an assertion in
Triton's C++ ends the subprocess instead of the user's process.
"""

from __future__ import annotations

import tempfile
from typing import Any


def _parse(text: bytes, context: Any, ir: Any) -> Any:
    """Parses a module, through a temporary file: Triton parses files only."""
    with tempfile.NamedTemporaryFile(suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    return module


def compile_text(text: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Runs the stages up to the last requested one. Returns texts and metadata, and the last stage's product."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget, Language
    from triton.compiler.compiler import make_backend

    backend = make_backend(GPUTarget("cuda", request["capability"], 32))
    options = backend.parse_options(dict(request["options"]))
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    reply: dict[str, Any] = {"stage": "parse", "texts": {}}
    metadata: dict[str, Any] = {}
    product: Any = None
    try:
        product = _parse(text, context, ir)
        for name, stage in stages.items():
            reply["stage"] = name
            product = stage(product, metadata)
            if name == request["last"]:
                break
            if name in request["shown"]:
                reply["texts"][name] = str(product)
    except Exception as error:
        if reply["stage"] == "cubin":
            # The assembler's messages contain line numbers of this text.
            reply["texts"]["ptx"] = product
        reply["error"] = f"{type(error).__name__}: {error}"
        return reply, b""
    reply["metadata"] = {
        "name": metadata.get("name"),
        "shared": metadata.get("shared") or 0,
        # Warp specialization adds warps.
        "num_warps": metadata.get("num_warps") or options.num_warps,
        "num_ctas": options.num_ctas,
        "global_scratch_size": metadata.get("global_scratch_size") or 0,
        "global_scratch_align": metadata.get("global_scratch_align") or 1,
        "profile_scratch_size": metadata.get("profile_scratch_size") or 0,
        "profile_scratch_align": metadata.get("profile_scratch_align") or 1,
        "tmem_size": metadata.get("tmem_size") or 0,
        "tensordesc_meta": metadata.get("tensordesc_meta") or [],
        "descriptor_flags": _descriptor_flags(),
    }
    return reply, product if isinstance(product, bytes) else str(product).encode()


def _descriptor_flags() -> str:
    """Returns the flags that a kernel takes besides base, extents and strides of a split descriptor."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    # `p`: padding with NaN; `t`, since Triton 3.9: rounding to TF32.
    return "pt" if "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__ else "p"


def prepare() -> None:
    """Imports Triton, while the parent process runs the front end."""
    import triton

    del triton


def answer(request: dict[str, Any], text: bytes) -> tuple[dict[str, Any], bytes]:
    """Answers a request that worker_program.py has received."""
    return compile_text(text, request)
