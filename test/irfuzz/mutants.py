"""Damaged modules: tokens of the tests' modules dropped, doubled, exchanged, and replaced by others.

A mutant is parsed, printed, parsed again, and run through every named pipeline. Each step succeeds, or reports an error
in the module; it never ends the process. A number names a mutant.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from blockdsl.errors import BlockdslError
from blockdsl.mlir import ir
from blockdsl.mlir.passmanager import PassManager
from blockdsl.mlir.translate import to_llvm_ir

ROOT = Path(__file__).parents[2]
TOKEN = re.compile(r'"[^"\n]*"|[%@!#^]?[\w.$-]+(?::\d+)?|\s+|->|::|.', re.DOTALL)

# The named pipelines, alone and one after the other, as far as they succeed.
PIPELINE_SEQUENCES = [
    ["blockdsl-to-handoff"],
    ["blockdsl-to-handoff{gathers-rows=false version=3.6}"],
    ["blockdsl-to-linalg", "blockdsl-linalg-to-loops", "blockdsl-to-llvm"],
    ["blockdsl-to-linalg", "blockdsl-linalg-to-loops{alias=unknown vector-bits=256 features=+avx2,+avxvnni}"],
    ["blockdsl-linalg-to-loops", "blockdsl-to-llvm"],
    ["blockdsl-to-loops", "blockdsl-to-llvm"],
    ["blockdsl-to-llvm"],
    ["blockdsl-cpu"],
]

# The directories of tests whose plans are mutated, too.
PLANNED = {"LinalgToNests", "NestsToLoops"}

# Cases that grammars and verifiers tend to forget.
SPITEFUL = [
    "0", "-1", "3", "4294967295", "9223372036854775807", "18446744073709551616",
    "tensor<f32>", "tensor<*xf32>", "tensor<?xf32>", "tensor<0xf32>", "tensor<3xf32>", "tensor<4xindex>",
    "tensor<4611686018427387904x4xf32>", "tensor<4x!tt.ptr<f32>>", "tensor<64x!tt.ptr<f32>>", "tensor<64xf32>",
    "!tt.ptr<f32>", "!tt.ptr<tensor<4xf32>>", "!tt.ptr<!tt.ptr<f32>>", "!tt.tensordesc<64xf32>", "vector<4xf32>",
    "memref<4xf32>", "none", "index", "complex<f32>", "tuple<i32>", "i7", "i4", "i128", "si32", "f128", "tf32",
    "f8E4M3FN", "true", "unit", "dense<1>", "array<i32>", "array<index: 1>", "{}", "()", "<{}>", "private",
    "tt.return", "module { }",
]  # fmt: skip


def planned(text: str) -> Iterator[str]:
    """Yields the plan of a module, as text, if it is valid and has one."""
    context = ir.Context()
    try:
        module = ir.Module.parse(text, context)
        PassManager.parse("builtin.module(blockdsl-to-linalg,blockdsl-to-nests)", context).run(module.operation)
    except BlockdslError:
        return
    if "cpu.nest" in str(module):
        yield re.sub(
            r"^#loc.*\n|blockdsl\.access\w* = (\[[^]]*\]|array<[^>]*>),? ?", "", str(module), flags=re.MULTILINE
        )


@functools.cache
def corpus() -> list[list[str]]:
    """Returns the tokens of every module of the tests, without comments, and of plans of kernels; each text once."""
    files = sorted(path for kind in ("mlir", "ttir") for path in (ROOT / "test").rglob(f"*.{kind}"))
    texts = [module for file in files for module in re.split(r"^// -+$", file.read_text(), flags=re.MULTILINE)]
    plain = dict.fromkeys(re.sub(r"^\s*//.*\n|(?<=\s)// .*", "", text, flags=re.MULTILINE).strip() for text in texts)
    kernels = (module for file in files if file.parent.name in PLANNED for module in file.read_text().split("// -----"))
    plain |= dict.fromkeys(plan for kernel in kernels for plan in planned(kernel))
    return [TOKEN.findall(text) for text in plain if text]


@functools.cache
def _weights() -> list[float]:
    # Long modules take long, and are repetitive.
    return [min(1.0, 2000 / len(tokens)) for tokens in corpus()]


def mutant(seed: int) -> str:
    """Returns the text of the mutant with this number."""
    rng = random.Random(seed)
    modules = corpus()
    [tokens] = rng.choices(modules, _weights())
    tokens = list(tokens)
    words = [index for index, token in enumerate(tokens) if not token.isspace()]
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        i, j = rng.choice(words), rng.choice(words)
        match rng.randrange(9):
            case 0:
                tokens[i] = ""
            case 1:
                tokens[i] = rng.choice(SPITEFUL)
            case 2:
                tokens[i] = rng.choice(rng.choice(modules))
            case 3:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 4:
                tokens[i] += " " + tokens[i]
            case 5:
                tokens[i] = re.sub(r"\d+", lambda _: rng.choice(["0", "1", "3", "32", "99999999999"]), tokens[i])
            case 6:
                # Drops or repeats a line.
                breaks = [index for index, token in enumerate(tokens) if token == "\n"]
                if len(breaks) > 1:
                    at = rng.randrange(len(breaks) - 1)
                    line = slice(breaks[at], breaks[at + 1])
                    tokens[line] = [] if rng.random() < 0.6 else tokens[line] * 2
                    words = [index for index, token in enumerate(tokens) if not token.isspace()]
            case 7:
                # Replaces a word by one of the same kind, which a parser may well accept.
                replacements = [tokens[index] for index in words if tokens[index][:1] == tokens[i][:1]]
                tokens[i] = rng.choice(replacements)
            case _:
                # Replaces a word in the whole text: a type or an op that stays consistent.
                replacements = SPITEFUL if rng.random() < 0.5 else rng.choice(modules)
                word, replacement = tokens[i], rng.choice(replacements)
                tokens = [replacement if token == word else token for token in tokens]
    return "".join(tokens)


Report = Callable[[str], None]


def check(seed: int, report: Report) -> str:
    """The task of a worker: a mutant's number."""
    return survives(mutant(seed), report)


def stopped(step: Callable[[], Any]) -> bool:
    """Returns true if a step fails with a message, and false if it succeeds."""
    try:
        step()
    except BlockdslError as error:
        if "gave no reason" in str(error):
            raise
        return True
    return False


def survives(text: str, report: Report) -> str:
    """Runs a text through all steps. Returns the last successful one; raises the first failure without a message."""

    report("parsing")
    context = ir.Context()
    parsed: list[Any] = []
    if stopped(lambda: parsed.append(ir.Module.parse(text, context))):
        return "refused"
    [module] = parsed
    report("printing")
    printed = str(module)
    report("parsing what was printed")
    ir.Module.parse(printed, context)
    reached = "parsed"
    for pipelines in PIPELINE_SEQUENCES:
        copy = module.clone()
        for pipeline in pipelines:
            report(" ".join(pipelines[: pipelines.index(pipeline) + 1]))
            manager = PassManager.parse(f"builtin.module({pipeline})", context)
            if stopped(lambda: manager.run(copy.operation)):  # noqa: B023
                break
        else:
            if pipelines[-1] in ("blockdsl-to-llvm", "blockdsl-cpu"):
                report(f"translation after {pipelines}")
                if not stopped(lambda: to_llvm_ir(copy)):  # noqa: B023
                    reached = "compiled"
    return reached
