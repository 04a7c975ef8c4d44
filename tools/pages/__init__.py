"""Pages of docs/ that are written by ``make docs`` and never by hand, and the Sphinx extension ``pages.site``.

The pages made here are tracked: the table of compatibility, from what the tests have used, and that of environment
variables. Those of the reference, the dialect and the passes are made for the HTML only.
"""

from __future__ import annotations

from pathlib import Path

from pages import compatibility, environment

ROOT = Path(__file__).resolve().parents[2]
_NOTE = "<!-- Written by `make docs`: change what it is made from. -->\n\n"


def made() -> dict[Path, str]:
    """Returns the pages' paths, and their texts as they should be."""
    pages = {"environment.md": environment.page(), "compatibility.md": compatibility.page()}
    return {ROOT / "docs" / name: _NOTE + text for name, text in pages.items()}
