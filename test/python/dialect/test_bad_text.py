"""Text that is nearly Triton's: the tool says what is wrong, or finds nothing wrong, but never dies.

Tokens of printed modules are dropped, doubled, exchanged and replaced at random; the same seeds every time.
"""

import random
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OPT = ROOT / "build/bin/blockdsl-opt"
TOKEN = re.compile(r'"[^"\n]*"|[%@!#^]?[\w.$-]+(?::\d+)?|\s+|->|::|.', re.DOTALL)

# What grammars and verifiers tend to forget.
SPITEFUL = [
    "0",
    "-1",
    "3",
    "4294967295",
    "9223372036854775807",
    "18446744073709551616",
    "tensor<f32>",
    "tensor<*xf32>",
    "tensor<?xf32>",
    "tensor<0xf32>",
    "tensor<3xf32>",
    "tensor<4611686018427387904x4xf32>",
    "tensor<4x!tt.ptr<f32>>",
    "!tt.ptr<f32>",
    "!tt.ptr<tensor<4xf32>>",
    "!tt.ptr<!tt.ptr<f32>>",
    "vector<4xf32>",
    "memref<4xf32>",
    "none",
    "index",
    "complex<f32>",
    "i7",
    "si32",
    "true",
    "unit",
    "dense<1>",
    "array<i32>",
    "{}",
    "()",
    "<{}>",
]


def read_modules() -> list[list[str]]:
    files = sorted((ROOT / "test/Dialect/TT").glob("triton-3.*/*.ttir"))
    return [TOKEN.findall(text) for text in (file.read_text() for file in files) if len(text) < 9000]


MODULES = read_modules()


def mutate(tokens: list[str], rng: random.Random) -> str:
    tokens = list(tokens)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(6):
            case 0:
                tokens[i] = ""
            case 1:
                tokens[i] = rng.choice(SPITEFUL)
            case 2:
                tokens[i] = rng.choice(rng.choice(MODULES))
            case 3:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 4:
                tokens.insert(i, tokens[i])
            case _:
                tokens[i] = re.sub(r"\d+", lambda _: rng.choice(["0", "1", "3", "32", "99999999999"]), tokens[i])
    return "".join(tokens)


@pytest.mark.parametrize("seed", range(8))
def test_tool_survives(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        text = mutate(rng.choice(MODULES), rng)
        command = [OPT, "--tt-make-inlinable", "--inline", "--canonicalize", "--cse"]
        result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
        assert result.returncode in (0, 1), text
        assert ("error:" in result.stderr) == (result.returncode == 1), text


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("tt.func private @f(" + "!tt.ptr<" * 5000 + "f32", ">" * 5000 + ")"),
        ("{" * 5000, ""),
        ("#a = " + "[" * 5000, ""),
    ],
)
def test_deep_nesting_is_refused(opening: str, closing: str) -> None:
    result = subprocess.run([OPT], input=opening + closing, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == "blockdsl-opt: - nests brackets deeper than 1000\n"


def test_brackets_in_strings_and_comments_do_not_nest() -> None:
    text = f'tt.func private @"{"(" * 5000}"(i1) -> i1 // {"(" * 5000}\n'
    result = subprocess.run([OPT], input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
