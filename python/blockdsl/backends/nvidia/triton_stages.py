"""Runs Triton's stages from text to a cubin. The one file that touches what is private in Triton.

It is a program, started by worker.py with Triton on its path, and imports nothing of blockdsl: an assertion in Triton's
C++ ends this process, and not the user's. Requests and replies are a JSON object and bytes, each after its length;
whatever Triton prints goes to standard output and error, which the other side keeps.
"""

from __future__ import annotations

import json
import os
import select
import struct
import sys
import tempfile
from typing import Any, BinaryIO

IDLE_SECONDS = 120
_LENGTHS = struct.Struct("<QQ")


def send(stream: BinaryIO, header: dict[str, Any], payload: bytes = b"") -> None:
    """Writes a message."""
    text = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(text), len(payload)) + text + payload)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Reads a message; None where the other side has gone."""
    lengths = _exactly(stream, _LENGTHS.size)
    if lengths is None:
        return None
    size, payload = _LENGTHS.unpack(lengths)
    data = _exactly(stream, size + payload)
    return None if data is None else (json.loads(data[:size]), data[size:])


def _exactly(stream: BinaryIO, size: int) -> bytes | None:
    parts = []
    while size:
        part = stream.read(size)
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _parse(text: bytes, context: Any, ir: Any) -> Any:
    """The module. Triton parses files only."""
    with tempfile.NamedTemporaryFile(suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    return module


def compile_text(text: bytes, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """Every stage up to the last wanted: texts, what Triton says of the kernel, and the last stage's product."""
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
            # The assembler's messages count the lines of this.
            reply["texts"]["ptx"] = product
        reply["error"] = f"{type(error).__name__}: {error}"
        return reply, b""
    reply["metadata"] = {
        "name": metadata.get("name"),
        "shared": metadata.get("shared") or 0,
        # Warp specialisation adds warps.
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
    """What a kernel takes besides base, extents and strides where a descriptor is taken apart."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    # Whether it is padded with NaN, and since Triton 3.9 whether it is rounded.
    return "pt" if "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__ else "p"


def main() -> None:
    """Answers requests until there are none for a while."""
    # Unbuffered reads, so that `select` sees all that is left to read.
    requests, replies = os.fdopen(int(sys.argv[1]), "rb", 0), os.fdopen(int(sys.argv[2]), "wb")
    hello = receive(requests)
    if hello is None:
        return
    sys.path[:] = hello[0]["path"]
    import triton  # at once: whoever started us is busy with the kernel's source meanwhile

    del triton
    while select.select([requests], [], [], IDLE_SECONDS)[0]:
        message = receive(requests)
        if message is None:
            return
        header, text = message
        tempfile.tempdir = header["directory"]
        reply, product = compile_text(text, header)
        sys.stdout.flush()
        sys.stderr.flush()
        send(replies, reply, product)


if __name__ == "__main__":
    main()
