"""``python -m blockdsl env``: a report on the installation, and every environment variable with its default."""

from __future__ import annotations

import argparse
from typing import Any

from blockdsl import knobs
from blockdsl.commands import report


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to a parser's."""
    parser = commands.add_parser(
        "env", help="what a bug report needs: versions, CPU, threads, cache, and every environment variable"
    )
    parser.set_defaults(run=lambda _given: table())


def table() -> str:
    """Returns the overview: the report, then a paragraph for each variable."""
    lines = [f"  {line}" for line in (report.version(), *report.lines())]
    for knob in knobs.ALL:
        value, default = _spelled(knob.get()), _spelled(knob.default())
        lines.append(f"{knob.name:26} {value}" + (f"  (default: {default})" if value != default else "  (default)"))
        lines.append(f"    {knob.meaning}")
    for family in knobs.FAMILIES:
        found = family.found()
        lines.append(f"{', '.join(f'{prefix}*' for prefix in family.prefixes)}")
        lines.append(f"    {family.meaning}")
        lines += [f"    {each}" for each in found] or ["    (none is set)"]
    return "\n".join(lines)


def _spelled(value: Any) -> str:
    """Returns a value as the text of a variable."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return "none" if value is None else str(value)
