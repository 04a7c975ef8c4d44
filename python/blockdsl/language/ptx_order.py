"""Barriers, fences and hints of PTX, which have no effect in the interpreter, whose programs run in sequence.

The CPU's compiler has the same table (`tt-read-assembly`), and emits fences.
"""

from __future__ import annotations

import re

_WORDS = r"[A-Za-z0-9_:.]+"
_PATTERNS = [
    (r"(bar|barrier)(\.cta)?\.(sync|arrive)(\.aligned)?", 1, 2),
    (r"bar\.warp\.sync", 1, 1),
    (r"barrier\.cluster\.(arrive(\.(release|relaxed))?|wait(\.acquire)?)(\.aligned)?", 0, 0),
    (r"membar\.(cta|gl|sys)", 0, 0),
    (r"fence(\.(sc|acq_rel|acquire|release))?(\.sync_restrict::[a-z:]+)?\.(cta|cluster|gpu|sys)", 0, 0),
    (rf"(membar|fence)\.proxy\.{_WORDS}", 0, 2),
    (r"fence\.mbarrier_init\.release\.cluster", 0, 0),
    (r"griddepcontrol\.(wait|launch_dependents)", 0, 0),
    (r"nanosleep\.u32", 1, 1),
    (rf"prefetchu?\.{_WORDS}", 1, 1),
    (rf"(applypriority|discard)\.{_WORDS}", 2, 2),
    (r"setmaxnreg\.(inc|dec)\.sync\.aligned\.u32", 1, 1),
    (r"cp\.async\.(commit_group|wait_all|bulk\.commit_group)", 0, 0),
    (r"cp\.async\.(bulk\.)?wait_group(\.read)?", 1, 1),
]
"""Opcodes, with their least and largest number of operands."""


def only_orders(opcode: str, operands: int) -> bool:
    """Returns whether an instruction with this number of operands is a barrier, a fence or a hint."""
    return any(
        min_operands <= operands <= max_operands and re.fullmatch(text, opcode)
        for text, min_operands, max_operands in _PATTERNS
    )


def named(operand: str) -> str:
    """Returns the register or number in an operand such as ``[$1+16]``."""
    return operand.strip("[]").partition("+")[0].strip() if operand.startswith("[") else operand
