"""Main program of a worker process (worker.py), which answers requests with a module given by its path.

It imports nothing of blockdsl. Requests and replies are sent through two pipes. A message is a JSON object and bytes,
each preceded by its length. The module's function ``prepare()`` is called first; ``answer(request, payload)`` returns a
reply and bytes. The parent redirects the standard output and error of the process.
"""

from __future__ import annotations

import importlib.util
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
    """Reads a message. Returns None if the other side has closed the pipe."""
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


def _load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("answers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Answers requests until none arrives for a while."""
    # Unbuffered, so that no data is hidden from `select`.
    requests, replies = os.fdopen(int(sys.argv[1]), "rb", 0), os.fdopen(int(sys.argv[2]), "wb")
    hello = receive(requests)
    if hello is None:
        return
    sys.path[:] = hello[0]["path"]
    answers = _load(sys.argv[3])
    answers.prepare()
    while select.select([requests], [], [], IDLE_SECONDS)[0]:
        message = receive(requests)
        if message is None:
            return
        header, payload = message
        tempfile.tempdir = header["directory"]
        reply, product = answers.answer(header, payload)
        sys.stdout.flush()
        sys.stderr.flush()
        send(replies, reply, product)


if __name__ == "__main__":
    main()
