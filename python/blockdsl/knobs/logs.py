"""Loggers ``blockdsl.*`` of the standard library, and the variable ``BLOCKDSL_LOGS`` that prints their messages."""

from __future__ import annotations

import logging
import sys

from blockdsl.knobs.variables import LOGS

_LEVELS = {"+": logging.DEBUG, "-": logging.ERROR}


def print_logs() -> None:
    """Prints the messages that ``BLOCKDSL_LOGS`` selects to standard error, and to no other handler. Without the
    variable the loggers are not changed."""
    chosen = LOGS.get()
    if not chosen:
        return
    root = logging.getLogger("blockdsl")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    root.addHandler(handler)
    root.propagate = False
    for word in chosen:
        name = word.lstrip("+-")
        logger = root if name == "all" else root.getChild(name)
        logger.setLevel(_LEVELS.get(word[0], logging.INFO))
