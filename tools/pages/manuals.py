"""Manuals of the dialect and of the passes: the Markdown of mlir-tblgen as pages of the site."""

from __future__ import annotations

import re

_PASSES = {
    "docs/passes/TT": "Passes on the tt dialect",
    "docs/passes/CPU": "Passes on loop nests",
    "docs/passes/Conversion": "Passes that lower",
}
"""Pages of passes, which mlir-tblgen begins without a title."""


def is_manual(page: str) -> bool:
    """Returns whether mlir-tblgen writes a page of this name."""
    return page in _PASSES or page.startswith("docs/dialects/")


def page_of(page: str, text: str) -> str:
    """Returns the text with a title, without C++ names in headings, and with its ops and passes in the index."""
    text = re.sub(r"^\[TOC\]\n", "", text, flags=re.MULTILINE)
    if page in _PASSES:
        text = f"# {_PASSES[page]}\n\n" + re.sub(r"^#(#+ )", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^# '(\w+)' Dialect$", r"# The \1 dialect", text, flags=re.MULTILINE)
    return re.sub(r"^(#+) `([\w.-]+)`(?: \(.*\))?$", r"```{index} \2\n```\n\n\1 `\2`", text, flags=re.MULTILINE)
