"""``python -m pages``: writes the pages that differ from what they should be, and names them."""

from __future__ import annotations

from pages import ROOT, made

for path, text in made().items():
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
