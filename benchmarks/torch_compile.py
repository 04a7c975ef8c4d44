"""``python -m benchmarks.torch_compile [--families] [NAME ...]``: Triton code of torch.compile against its C++ code.

Both compile the same functions in one process, write to existing tensors, and run alternately. Cold compile times and
the import of Triton are measured in new processes with empty caches.
"""

from __future__ import annotations

import argparse
import compileall
import copy
import importlib
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch._inductor import config

from benchmarks import families, record, timing
from benchmarks.report import aligned, cpu_name, seconds
from benchmarks.timing import Spread
from examples.torch_compile import torchvision_names

CPP = "C++"
AT_LEAST, MEAN_AT_LEAST = 1.0, 1.3
"""The target ratio of C++'s time to ours, for each row and for the geometric mean."""

Made = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Row:
    name: str
    error: float
    ours: Spread
    theirs: Spread
    ratio: Spread

    @property
    def held(self) -> bool:
        return self.ratio.median >= AT_LEAST

    def json(self) -> dict[str, object]:
        return asdict(self) | {"held": self.held}


def of_elements(function: Callable[[torch.Tensor], torch.Tensor], *shape: int) -> Callable[[], Made]:
    """Returns a case for a function of one tensor with an `out` parameter."""

    def make() -> Made:
        x = torch.randn(*shape)

        def stored(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            return out.copy_(function(x))

        return stored, (x, torch.empty_like(function(x)))

    return make


def nearest(dtype: torch.dtype) -> Callable[[], Made]:
    def make() -> Made:
        points, means = torch.randn(20_000_000, 2, dtype=dtype), torch.randn(5, 2, dtype=dtype)

        def stored(points: torch.Tensor, means: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            return out.copy_(torch.linalg.norm(points - means[:, None], dim=2).argmin(0))

        return stored, (points, means, torch.empty(len(points), dtype=torch.int64))

    return make


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.LayerNorm(2048), nn.Linear(2048, 512))


def forward() -> Made:
    model, x = network(), torch.randn(512, 512)

    def run(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            result: torch.Tensor = model(x)
            return result

    return run, (x,)


def training_step() -> Made:
    model, x, target = network(), torch.randn(512, 512), torch.randn(512, 512)

    def run(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.mse_loss(model(x), target)

    return run, (x,)


def without_gradients(model: nn.Module, x: torch.Tensor, field: str | None = None) -> Made:
    model.eval()

    def run(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            result = model(x)
            tensor: torch.Tensor = getattr(result, field) if field else result
            return tensor

    return run, (x,)


def resnet() -> Made:
    models = importlib.import_module("torchvision.models")
    return without_gradients(models.resnet50(weights=None), torch.randn(1, 3, 224, 224))


def bert() -> Made:
    transformers = importlib.import_module("transformers")
    model = transformers.BertModel(transformers.BertConfig())
    return without_gradients(model, torch.randint(0, 30_000, (1, 128)), "last_hidden_state")


def vision_transformer() -> Made:
    model = importlib.import_module("timm").create_model("vit_tiny_patch16_224", pretrained=False)
    return without_gradients(model, torch.randn(2, 3, 224, 224))


ROWS = 4096
CASES: Mapping[str, Callable[[], Made]] = {
    "sin(cos(x)), 10 M": of_elements(lambda x: x.cos().sin(), 10_000_000),
    "gelu, 16 Mi": of_elements(lambda x: nn.functional.gelu(x, approximate="tanh"), 1 << 24),
    "softmax, 4096 x 1024": of_elements(lambda x: x.softmax(1), ROWS, 1024),
    "softmax, 4096 x 4096": of_elements(lambda x: x.softmax(1), ROWS, ROWS),
    "layer norm, 4096 x 1024": of_elements(lambda x: nn.functional.layer_norm(x, (1024,)), ROWS, 1024),
    "sums of rows, 4096 x 4096": of_elements(lambda x: x.sum(1), ROWS, ROWS),
    "sums of rows, 4096 x 1025": of_elements(lambda x: x.sum(1), ROWS, 1025),
    "sums of columns, 4096 x 4096": of_elements(lambda x: x.sum(0), ROWS, ROWS),
    "sorted rows, 2000 x 100": of_elements(lambda x: x.sort(1).values, 2000, 100),
    "k-means, 20 M, f64": nearest(torch.float64),
    "k-means, 20 M, f32": nearest(torch.float32),
    "MLP 512-2048-512, forward": forward,
    "MLP 512-2048-512, forward and backward": training_step,
}
MODELS: Mapping[str, tuple[str, Callable[[], Made]]] = {
    "ResNet-50, 1 x 3 x 224 x 224, forward": ("torchvision", resnet),
    "BERT-base, 1 x 128 words, forward": ("transformers", bert),
    "vit_tiny of timm, 2 x 3 x 224 x 224, forward": ("timm", vision_transformer),
}
"""Models with random weights. ``make models`` installs their packages in ``build/models``, for PYTHONPATH."""


def cases() -> dict[str, Callable[[], Made]]:
    """Returns the cases, without models whose packages are not installed."""
    available = {name: make for name, (package, make) in MODELS.items() if importlib.util.find_spec(package)}
    return {**CASES, **available}


def stepping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function to run backward, too, if the result has a gradient."""

    def run(*arguments: Any) -> Any:
        result = function(*arguments)
        if result.requires_grad:
            result.backward()
            result = result.detach()
        return result

    return run


def difference(result: torch.Tensor, eager: torch.Tensor) -> float:
    """Returns the largest difference over the largest value; for indices the fraction that differs, as ties occur."""
    if not result.is_floating_point():
        return float((result != eager).double().mean())
    return float((result - eager).abs().max() / eager.abs().max())


def measure(name: str, rounds: int) -> Row:
    """Measures one row. Both results are compared with eager's."""
    torch._dynamo.reset()
    function, arguments = cases()[name]()
    compiled = {
        timing.OURS: stepping(torch.compile(function, backend="blockdsl", fullgraph=True)),
        CPP: stepping(torch.compile(copy.copy(function), fullgraph=True)),
    }
    # A copy, because the result may be the `out` tensor.
    eager = function(*arguments).detach().clone()
    errors = {contender: difference(run(*arguments), eager) for contender, run in compiled.items()}
    for contender, error in errors.items():
        assert error < 1e-4, f"{name} is wrong by {error}, by {contender}"
    timings = timing.compare({contender: partial(run, *arguments) for contender, run in compiled.items()}, rounds)
    return Row(name, errors[timing.OURS], timings.seconds[timing.OURS], timings.seconds[CPP], timings.ratios[CPP])


COLD = """
import sys, time, torch
def small(x):
    return torch.sin(x) + 1
begun = time.perf_counter()
torch.compile(small, backend=sys.argv[1])(torch.randn(1000))
print(time.perf_counter() - begun)
"""

IMPORT = """
import importlib.metadata as metadata, sys, time
find = metadata.entry_points

class Others:
    @staticmethod
    def select(group):
        return [each for each in find(group=group) if each.value != "blockdsl_triton"]

if sys.argv[1] == "without":
    metadata.entry_points = Others
begun = time.perf_counter()
import triton
taken = time.perf_counter() - begun
assert ("cpu" in triton.backends.backends) == (sys.argv[1] == "with")
print(taken)
"""
"""Times the import of Triton with or without blockdsl. Triton searches for plugins in both cases."""


def in_a_process(program: str, *arguments: str, **environment: str) -> float:
    """Runs a program with empty caches, and returns the number that it prints."""
    with tempfile.TemporaryDirectory() as directory:
        caches = {"TORCHINDUCTOR_CACHE_DIR": directory, "BLOCKDSL_CACHE_DIR": f"{directory}/blockdsl"}
        completed = subprocess.run(
            [sys.executable, "-c", program, *arguments], env={**os.environ, **caches, **environment},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return float(completed.stdout.split()[-1])


@dataclass(frozen=True)
class Processes:
    """Seconds of both sides in alternating new processes, and the target of the ratio."""

    what: str
    ours: list[float]
    other: list[float]
    at_most: float

    def __str__(self) -> str:
        ratio = self.ratio
        medians = ", ".join(seconds(statistics.median(values)) for values in (self.ours, self.other))
        spread = f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
        return f"{self.what}: {medians}: {spread}, held to {self.at_most}: {'yes' if self.held else 'NO'}"

    @property
    def ratio(self) -> Spread:
        return Spread.of([own_seconds / other for own_seconds, other in zip(self.ours, self.other, strict=True)])

    @property
    def held(self) -> bool:
        return self.ratio.median <= self.at_most


def processes(rounds: int) -> Iterator[Processes]:
    # Writes bytecode, as pip does for installed packages.
    for package in ("blockdsl", "blockdsl_triton"):
        (directory,) = importlib.import_module(package).__path__
        compileall.compile_dir(directory, quiet=2)
    cold = [(in_a_process(COLD, "blockdsl"), in_a_process(COLD, "inductor")) for _ in range(rounds)]
    own_seconds, other_seconds = map(list, zip(*cold, strict=True))
    yield Processes("compiled cold, first small function: blockdsl, C++", own_seconds, other_seconds, 0.3)
    # Processes differ by a tenth, so there are many of them, in alternating order.
    importing: dict[str, list[float]] = {"with": [], "without": []}
    for round_number in range(40 * rounds):
        for module in sorted(importing, reverse=round_number % 2 == 1):
            importing[module].append(in_a_process(IMPORT, module))
    yield Processes("import triton: with blockdsl, without", importing["with"], importing["without"], 1.02)


def thread_counts(option: str) -> list[int]:
    return [int(count) for count in option.split(",")] if option else sorted({1, len(os.sched_getaffinity(0))})


def table(rows: list[Row]) -> str:
    headings = ["function", "error", "blockdsl", CPP, f"{CPP} / blockdsl (quartiles)", "held"]
    lines = [
        [row.name, f"{row.error:.1e}", seconds(row.ours.median), seconds(row.theirs.median),
         f"{row.ratio.median:.2f} ({row.ratio.low:.2f} to {row.ratio.high:.2f})", "yes" if row.held else "NO"]
        for row in rows
    ]  # fmt: skip
    return aligned(headings, lines, {0, 5})


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.torch_compile", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of functions' names; all if none is given")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--processes", type=int, default=3, help="rounds of what is measured in processes; 0 for none")
    parser.add_argument("--families", action="store_true", help="the programs of benchmarks.families")
    parser.add_argument("--threads", default="", help="of --families, comma-separated counts; 1 and all if not given")
    parser.add_argument("--json", type=Path, help="write the rows of --families here")
    parser.add_argument("--record", metavar="MACHINE", help="keep the rows in recorded.json under this name")
    options = parser.parse_args()
    torch.manual_seed(0)
    if options.families:
        config.compile_threads = 1
        families.run(options.names, thread_counts(options.threads), options.rounds, options.json)
        return
    start = time.perf_counter()
    # Compiling subprocesses would still be importing torch while the first functions are measured.
    config.compile_threads = 1
    # Before a model's package is imported: torchvision uses names that it does not define on a CPU.
    library = torchvision_names.define()
    names = [name for name in cases() if not options.names or any(part in name for part in options.names)]
    rows = [measure(name, options.rounds) for name in names]
    print(table(rows))
    if rows:
        mean = math.exp(statistics.fmean(math.log(row.ratio.median) for row in rows))
        print(f"geometric mean {mean:.2f}, held to {MEAN_AT_LEAST}")
    if options.record:
        entries = [
            {"function": row.name, "seconds": row.ours.median, "cpp_seconds": row.theirs.median,
             "cpp_over_ours": row.ratio.median}
            for row in rows
        ]  # fmt: skip
        name = f"{torch.get_num_threads()} cores of {cpu_name()}"
        record.write(options.record, name, "torch_compile", entries, torch.__version__.partition("+")[0])
    for comparison in processes(options.processes) if options.processes else ():
        print(comparison)
    del library
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
