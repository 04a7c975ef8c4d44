"""The program ``blockdsl-opt`` of an installed package; ``tools/`` builds it as an executable."""

import sys

from .._native import opt


def main() -> int:
    """Runs the passes and pipelines of the command line on a file."""
    return opt(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
