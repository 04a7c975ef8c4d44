"""Command line interface: the program ``blockdsl``, or ``python -m blockdsl``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from blockdsl.commands import environment, object_file, report
from blockdsl.errors import BlockdslError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the process's exit status; errors are printed to standard error."""
    is_script = os.path.basename(sys.argv[0]) == "blockdsl"
    parser = argparse.ArgumentParser(
        prog="blockdsl" if is_script else "python -m blockdsl", description="Block kernels in Python."
    )
    parser.add_argument("--version", action="version", version=report.version())
    commands = parser.add_subparsers(required=True, metavar="command")
    for command in (object_file, environment):
        command.add_to(commands)
    given = parser.parse_args(arguments)
    try:
        text: str = given.run(given)
    except BlockdslError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        print(text, flush=True)
    except OSError as error:
        # Otherwise the interpreter would flush buffered output at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # The reader, such as `head`, has exited.
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
