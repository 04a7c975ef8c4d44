"""Pages of docs/ that are written by ``make docs`` and never by hand: each module here makes some of them.

What they say comes from the sources (docstrings, the table of environment variables) and from what the tests have seen.
"""

from __future__ import annotations

from pathlib import Path

from pages import compatibility, environment, reference

ROOT = Path(__file__).resolve().parents[2]
_NOTE = "<!-- Written by `make docs`: change what it is made from. -->\n\n"


def made() -> dict[Path, str]:
    """The pages' paths, and their texts as they should be."""
    pages = {"environment.md": environment.page(), "compatibility.md": compatibility.page()}
    pages |= {f"reference/{name}": text for name, text in reference.pages().items()}
    return {ROOT / "docs" / name: _NOTE + text for name, text in pages.items()}
