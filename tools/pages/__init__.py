"""Pages of docs/ that are written by ``make docs`` and never by hand, and the Sphinx extension ``pages.site``.

The generated pages are tracked: the table of compatibility, from names that tests have used, the table of environment
variables, and charts and figures, from recorded measurements. Pages of the reference, the dialect and the passes are
generated for the HTML only.
"""

from __future__ import annotations

from pathlib import Path

from pages import compatibility, environment, figures

ROOT = Path(__file__).resolve().parents[2]
_NOTE = "<!-- Written by `make docs`: change what it is made from. -->\n\n"


def made() -> dict[Path, str]:
    """Returns the paths of pages and charts, and their generated texts."""
    pages = {"environment.md": environment.page(), **compatibility.pages()}
    texts = {ROOT / "docs" / name: _NOTE + text for name, text in pages.items()}
    for name, chart in figures.CHARTS.items():
        texts[ROOT / "docs" / "charts" / f"{name}.svg"] = chart().svg()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if path not in texts and figures.BLOCK.search(text := path.read_text(encoding="utf-8")):
            texts[path] = figures.fill(text)
    return texts
