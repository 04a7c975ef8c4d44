"""docs/environment.md: the variables of ``blockdsl.knobs``."""

from __future__ import annotations

from blockdsl import knobs

_HEAD = """# Environment variables

`blockdsl env` prints the current value of each, after the versions and the machine. An unknown variable whose name
begins with `BLOCKDSL_` causes a warning.

| | |
|---|---|
"""


def page() -> str:
    """Returns the page's text."""
    rows = [f"| `{knob.name}{'=' * bool(knob.setting)}{knob.setting}` | {knob.meaning} |" for knob in knobs.ALL]
    for family in knobs.FAMILIES:
        rows.append(f"| {', '.join(f'`{prefix}*`' for prefix in family.prefixes)} | {family.meaning} |")
    return _HEAD + "\n".join(rows) + "\n"
