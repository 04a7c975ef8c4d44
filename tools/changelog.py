"""Writes CHANGELOG.md's section about the next version from the files of changelog.d/.

python tools/changelog.py               # a draft, which replaces an earlier one; the files stay
python tools/changelog.py --release     # with today's date; the files are removed
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib  # type: ignore[no-redef]

ROOT = Path(__file__).resolve().parents[1]
DRAFT = "not released"


def without_draft(text: str, version: str) -> str:
    """Returns the changelog without the section that an earlier draft wrote."""
    return re.sub(rf"^## {re.escape(version)} \({DRAFT}\)\n.*?(?=^## |\Z)", "", text, flags=re.DOTALL | re.MULTILINE)


def untyped(names: list[str], types: list[str]) -> list[str]:
    """Returns the files whose names have no type of a section of the changelog."""
    parts = {name: name.split(".") for name in names if name != "README.md"}
    return [name for name, part in parts.items() if len(part) != 3 or part[1] not in types]


def main() -> None:
    """Builds the section with towncrier."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", action="store_true", help="with today's date, and remove the files")
    release = parser.parse_args().release
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version, types = project["project"]["version"], [each["directory"] for each in project["tool"]["towncrier"]["type"]]
    names = sorted(path.name for path in (ROOT / "changelog.d").glob("*.md"))
    if wrong := untyped(names, types):
        sys.exit(f"changelog: {', '.join(wrong)}: expected NAME.TYPE.md with a type of {', '.join(types)}")
    path = ROOT / "CHANGELOG.md"
    path.write_text(without_draft(path.read_text(encoding="utf-8"), version), encoding="utf-8")
    date = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat() if release else DRAFT
    command = [sys.executable, "-m", "towncrier", "build", "--version", version, "--date", date]
    subprocess.run([*command, "--yes" if release else "--keep"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
