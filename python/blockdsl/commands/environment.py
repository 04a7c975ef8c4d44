"""``python -m blockdsl env``: every environment variable there is, what it says now, and what holds without it."""

from __future__ import annotations

import argparse
from typing import Any

import blockdsl
from blockdsl import knobs


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to a parser's."""
    parser = commands.add_parser("env", help="every environment variable: its value now, its default, its meaning")
    parser.set_defaults(run=lambda _given: table())


def table() -> str:
    """The overview: the versions, then one variable a paragraph."""
    language, _, own = blockdsl.__version__.partition("+blockdsl.")
    lines = [f"  blockdsl {own}, the language of Triton {language}"]
    for knob in knobs.ALL:
        now, default = _spelled(knob.get()), _spelled(knob.default())
        lines.append(f"{knob.name:26} {now}" + (f"  (default: {default})" if now != default else "  (default)"))
        lines.append(f"    {knob.meaning}")
    for family in knobs.FAMILIES:
        found = family.found()
        lines.append(f"{', '.join(f'{prefix}*' for prefix in family.prefixes)}")
        lines.append(f"    {family.meaning}")
        lines += [f"    {each}" for each in found] or ["    (none is set)"]
    return "\n".join(lines)


def _spelled(value: Any) -> str:
    """A value as the variable would be written."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return "none" if value is None else str(value)
