"""Parses and verifies a TTIR module from standard input with the installed Triton; exit 1 if it is refused."""

import sys
import tempfile
from pathlib import Path


def main() -> int:
    from triton._C.libtriton import ir

    context = ir.context()
    ir.load_dialects(context)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "module.ttir"
        path.write_text(sys.stdin.read())
        try:
            module = ir.parse_mlir_module(str(path), context)
        except RuntimeError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        return 0 if module.verify() else 1


if __name__ == "__main__":
    sys.exit(main())
