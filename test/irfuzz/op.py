"""Op of a random module: its text and its semantics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .module import Machine, Meaning, Node


@dataclass(frozen=True)
class Op:
    """An op: its text, and its function."""

    text: Callable[[Node], str | list[str]]
    meaning: Meaning


OPS: dict[str, Op] = {}
"""Ops by name; ``ops.py`` fills this."""


def joined(names: Sequence[str]) -> str:
    return ", ".join(names)


def plain(node: Node) -> str:
    """``op %a, %b : type``."""
    return f"{node.kind} {joined(node.operands)} : {node.results[0][1]}"


def cast(word: str) -> Callable[[Node], str]:
    return lambda node: f"{node.kind} {joined(node.operands)} : {node.types[0]} {word} {node.results[0][1]}"


def shaped(suffix: Callable[[Node], str] = lambda node: "") -> Callable[[Node], str]:
    return lambda node: (
        f"{node.kind} {joined(node.operands)}{suffix(node)} : {node.types[0]} -> {node.results[0][1]}"
    )  # fmt: skip


def pure(kind: str, text: Callable[[Node], str | list[str]], function: Callable[..., Any]) -> None:
    """Registers an op that is a function of its operands, followed by the node."""

    def meaning(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
        return [function(*values, node)]

    OPS[kind] = Op(text, meaning)
