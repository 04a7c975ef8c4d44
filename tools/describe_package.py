"""``python tools/describe_package.py DIRECTORY``: writes the package's metadata for use from the source tree.

Other programs find a package's entry points in the metadata of its installation. A source tree has none, so this writes
the same from pyproject.toml.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]


def entry_points(project: dict[str, Any]) -> str:
    """Returns the groups and their entries, in the format of the packaging specification."""
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    lines: list[str] = []
    for group, entries in groups.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items()), ""]
    return "\n".join(lines)


def main() -> None:
    """Writes the metadata, replacing existing metadata."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    directory = Path(sys.argv[1])
    for old in directory.glob(f"{project['name']}-*.dist-info"):
        for file in old.iterdir():
            file.unlink()
        old.rmdir()
    metadata = directory / f"{project['name']}-{project['version']}.dist-info"
    metadata.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(head, encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points(project), encoding="utf-8")


main()
