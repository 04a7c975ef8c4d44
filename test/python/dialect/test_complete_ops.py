"""Tests of the tt dialect's completeness: a summary, a description with an example, and tests for every op."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TABLES = ROOT / "include/blockdsl/Dialect/TT/IR"
OPT = ROOT / "build/bin/blockdsl-opt"
TESTS = ROOT / "test/Dialect/TT"


@dataclass(frozen=True)
class Record:
    """An op's TableGen record."""

    name: str
    family: str
    text: str


def read_records() -> list[Record]:
    """Returns every ``def TT_...Op`` of the family files, with its text up to the next one."""
    records = []
    for table in sorted(TABLES.glob("*Ops.td")):
        family = table.name.removesuffix("Ops.td").lower()
        for text in re.split(r"^(?=def )", table.read_text(), flags=re.MULTILINE)[1:]:
            found = re.match(r'def TTG?_\w+Op\s*:\s*\w+<(?:TTG_Dialect, )?"([\w.]+)"', text)
            if found:
                records.append(Record(found[1], family, text))
    return records


RECORDS = read_records()


def test_all_families_are_read() -> None:
    assert {record.family for record in RECORDS} >= {
        "program",
        "memory",
        "elementwise",
        "shape",
        "reduce",
        "dot",
        "debug",
    }
    assert len(RECORDS) > 40


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_op_is_documented(record: Record) -> None:
    assert re.search(r'let summary = "[^"]{10,}"', record.text)
    description = re.search(r"let description = \[\{(.*?)\}\];", record.text, re.DOTALL)
    assert description is not None
    example = re.search(r"Example:\s+```mlir(.*?)```", description[1], re.DOTALL)
    assert example is not None
    assert re.search(rf"\b(tt|ttg)\.{re.escape(record.name)}\b", example[1])


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_example_is_read(record: Record) -> None:
    """An example uses values that it does not define; it has no other error."""
    example = re.search(r"```mlir(.*?)```", record.text, re.DOTALL)
    assert example is not None
    text = example[1] if record.name == "func" else f"tt.func @example() {{ {example[1]} tt.return }}"
    result = subprocess.run([OPT], input=text, capture_output=True, text=True, check=False)
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    assert [line for line in errors if "use of undeclared SSA value name" not in line] == []
    assert errors or result.returncode == 0


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_op_is_round_tripped(record: Record) -> None:
    # The barrier has no family of tests of its own.
    family = {"barrier": "program"}.get(record.family, record.family)
    checked = (TESTS / f"{family}-ops.mlir").read_text()
    assert re.search(rf"// CHECK.*\b(tt|ttg)\.{re.escape(record.name)}\b", checked)


@pytest.mark.parametrize("family", sorted({record.family for record in RECORDS} - {"barrier"}))
def test_every_message_of_a_verifier_is_expected_somewhere(family: str) -> None:
    """Each `emitOpError("expects ...` begins with words that an -invalid.mlir test expects."""
    source = (ROOT / f"lib/Dialect/TT/IR/{family.capitalize()}Ops.cpp").read_text()
    expected = (TESTS / f"{family}-ops-invalid.mlir").read_text()
    messages = re.findall(r'emit(?:Op)?Error\([^)"]*"(expects [^"\\]*)', source)
    missing = [words for words in messages if words.rstrip(" (") not in expected]
    assert not missing
