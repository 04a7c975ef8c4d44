"""The program ``blockdsl-opt`` of an installed package; ``tools/`` builds the same as a program of its own."""

import sys

from .._native import opt


def main() -> int:
    """Run passes and named pipelines on a file, as the command line says."""
    return opt(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
