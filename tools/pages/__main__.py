"""``python -m pages``: rewrites outdated pages, and prints their names.

    python -m pages --check build/names     fails if tests have not used all types of docs/compatibility_types.md
    python -m pages --seen build/names      updates the page with the types that tests have used

``pytest --record-names build/names`` records the names and types that tests use.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import recording
from pages import ROOT, compatibility, made

parser = argparse.ArgumentParser(prog="python -m pages")
parser.add_argument("--check", type=Path, metavar="DIR")
parser.add_argument("--seen", type=Path, metavar="DIR")
given = parser.parse_args()

if given.check is not None:
    unseen = compatibility.unseen(recording.seen(given.check))
    for line in unseen:
        print(f"docs/compatibility_types.md says more than the tests have used: {line}", file=sys.stderr)
    sys.exit(bool(unseen))
if given.seen is not None:
    compatibility.take_over(recording.seen(given.seen))
for path, text in made().items():
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
