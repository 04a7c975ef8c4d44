"""Lexer of MLIR's text, which Pygments does not have."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MLIRLexer(RegexLexer):
    """Colors values, symbols, types and op names, of any dialect."""

    name = "MLIR"
    aliases: ClassVar = ["mlir"]
    tokens: ClassVar = {
        "root": [
            (r"//.*", Comment.Single),
            (r'"(\\.|[^"\\])*"', String),
            (r"%[\w.$-]+(:\d+)?(#\d+)?", Name.Variable),
            (r"@[\w.$-]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"[!#][\w.]+", Keyword.Type),
            (r"\b(?:tensor|vector|memref)(?=<)|\b(?:[isu]+\d+|f\d+\w*|bf16|tf32|index)\b", Keyword.Type),
            (r"-?\b0x[0-9A-Fa-f]+|-?\b\d+(\.\d+([eE][+-]?\d+)?)?", Number),
            (r"\b[a-z_]\w*(?:\.\w+)+", Keyword),
            (r"\b(?:to|step|iter_args|attributes|loc|true|false|dense|else|do)\b", Keyword.Reserved),
            (r"->|[=:*+-]", Operator),
            (r"[(){}\[\]<>,?]", Punctuation),
            (r"\s+", Text.Whitespace),
            (r"[A-Za-z_]\w*", Name),
            (r".", Text),
        ]
    }
