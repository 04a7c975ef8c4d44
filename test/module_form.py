"""Canonical form of MLIR's generic text, independent of names of values and of the order of pure ops.

Two functions of one form have the same blocks, in each of which the same ops without effects are computed and the
others follow each other in the same order.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_EFFECTS = {"atomic_cas", "atomic_load", "atomic_poll", "atomic_rmw", "atomic_store", "assert", "call",
            "descriptor_load", "descriptor_gather", "descriptor_reduce", "descriptor_scatter", "descriptor_store",
            "func", "load", "print", "return", "store"}  # fmt: skip
_RESULTS = re.compile(r"((?:%\w+(?::\d+)?(?:, )?)+) = (.*)")
_OP = re.compile(r'"([\w.]+)"')
_VALUE = re.compile(r"%\w+(?:#\d+)?")


@dataclass
class Op:
    """One op: its first line, then blocks, each a line of arguments and its ops, region after region."""

    text: str
    blocks: list[tuple[str, list[Op]]] = field(default_factory=list)

    @property
    def name(self) -> str:
        match = _OP.search(self.text)
        assert match, self.text
        return match.group(1)

    @property
    def is_pure(self) -> bool:
        dialect, _, name = self.name.partition(".")
        return dialect in ("arith", "math", "ub") or (dialect == "tt" and name not in _EFFECTS)


def ops_of(text: str) -> list[Op]:
    """Returns the ops at the top of a module's generic text, inside of ``builtin.module`` ops."""
    top: list[Op] = []
    open_ops: list[Op] = []
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("^"):
            open_ops[-1].blocks.append((line, []))
        elif line.startswith("}, {"):
            open_ops[-1].blocks.append(("", []))
        elif line.startswith("})"):
            open_ops.pop().text += line
        else:
            op = Op(line)
            (open_ops[-1].blocks[-1][1] if open_ops else top).append(op)
            if line.endswith("({"):
                op.blocks.append(("", []))
                open_ops.append(op)
    return [inner for op in top for _, ops in op.blocks for inner in ops]


Form = dict[str, tuple[Counter[str], list[str]]]


def form_of(op: Op) -> Form:
    """Returns for each block of ``op``, by index, how often each expression is computed, and its effects, in order."""
    form: Form = {}
    _describe([op], "", {}, form)
    return form


def _named(text: str, values: dict[str, str]) -> str:
    return _VALUE.sub(lambda value: values.get(value.group(), value.group()), text)


def _describe(ops: list[Op], path: str, values: dict[str, str], form: Form) -> None:
    pure: Counter[str] = Counter()
    effects: list[str] = []
    form[path] = pure, effects
    for op in ops:
        match = _RESULTS.match(op.text)
        results, text = match.groups() if match else ("", op.text)
        expression = _named(text, values)
        inner = f"{path}/{op.name}{'' if op.is_pure else len(effects)}"
        blocks = [block for block in op.blocks if block[0] or block[1]]
        for number, (head, _) in enumerate(blocks):
            for at, argument in enumerate(re.findall(r"%\w+(?=: )", head)):
                values[argument] = f"<{inner}.{number}:{at}>"
        for number, (_, nested) in enumerate(blocks):
            _describe(nested, f"{inner}.{number}", values, form)
            if op.is_pure:  # Its body is part of the computed expression.
                expression += repr(form.pop(f"{inner}.{number}"))
        name = f"<{path}:{expression}>" if op.is_pure else f"<{inner}>"
        for result in filter(None, results.split(", ")):
            base, _, count = result.partition(":")
            values |= {f"{base}#{at}": f"{name}#{at}" for at in range(int(count or 0))} | {base: name}
        if op.is_pure:
            pure[expression] += 1
        else:
            effects.append(expression)
