"""The program ``blockdsl``, which is also ``python -m blockdsl``: commands outside of a program."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from blockdsl.commands import environment, object_file, report
from blockdsl.errors import BlockdslError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns the process's exit status; what is wrong goes to standard error."""
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
        # What is left would be written at the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # Who reads, as `head` does, has enough.
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
