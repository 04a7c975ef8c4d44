"""Ten graphs: the kernels that Inductor makes of each, and the compiler's remarks about them.

python -m examples.torch_compile.graphs
"""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch._inductor.utils import run_and_get_code
from torch.nn import functional as F


@dataclass(frozen=True)
class Graph:
    """A function with its arguments. Those that require gradients are differentiated."""

    name: str
    function: Callable[..., Tensor]
    arguments: tuple[Tensor, ...]


def graphs() -> Iterator[Graph]:
    """Yields the graphs, with random arguments."""
    torch.manual_seed(0)
    x = torch.randn

    def leaf(*sizes: int) -> Tensor:
        return x(*sizes, requires_grad=True)

    convolution = (
        nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU()).eval().requires_grad_(False)
    )
    perceptron = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256))
    rows = torch.randint(0, 20000, (4096,))
    labels = torch.randint(0, 8000, (512,))
    yield Graph("sine of a cosine", lambda x: x.cos().sin(), (x(1000, 1000),))
    yield Graph("softmax", lambda x: x.softmax(1), (x(1024, 1000),))
    yield Graph("layer norm", lambda x, w, b: F.layer_norm(x, (1024,), w, b), (leaf(512, 1024), leaf(1024), leaf(1024)))
    yield Graph("cross entropy", F.cross_entropy, (leaf(512, 8000), labels))
    yield Graph("attention", lambda q, k, v: (q @ k.mT / 8).softmax(-1) @ v, (x(2, 8, 128, 64),) * 3)
    yield Graph("convolution", convolution, (x(8, 16, 64, 64),))
    yield Graph("perceptron", perceptron, (leaf(128, 256),))
    yield Graph("rows of a table", lambda table, rows: table[rows].square(), (leaf(20000, 64), rows))
    yield Graph("running sum", lambda x: x.cumsum(1) * 2, (x(512, 2048),))
    yield Graph("blur", lambda x: F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="reflect"), 3, 1), (x(4, 8, 128, 128),))


class Remarks(logging.Handler):
    """Collects the remarks among the messages of the logger ``blockdsl.compiler``."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        found = re.search(r": (passed|missed): (.*)", record.getMessage())
        if found and found[2] not in self.texts:
            self.texts.append(found[2])


def report(graph: Graph, remarks: Remarks) -> None:
    """Compiles a graph, and prints the kernels of both directions, torch's operators, and the remarks."""
    torch._dynamo.reset()
    remarks.texts.clear()
    compiled = torch.compile(graph.function, backend="blockdsl")

    def run() -> Tensor:
        result: Tensor = compiled(*graph.arguments)
        if result.requires_grad:
            result.sum().backward()
        return result

    result, codes = run_and_get_code(run)
    torch.testing.assert_close(result, graph.function(*graph.arguments), rtol=1e-4, atol=1e-4)
    print(f"\n{graph.name}")
    for direction, code in zip(("forward", "backward"), codes, strict=False):
        print(f"  {direction}")
        for line in code.splitlines():
            if kernel := re.match(r"def (triton_\w+)", line):
                print(f"    kernel {kernel[1]}")
            elif call := re.match(r"\s+(?:\w+ = )?(?:extern_kernels|torch\.ops\.aten)\.(\w+)", line):
                print(f"    torch's {call[1]}")
    for text in remarks.texts:
        print(f"  {text}")


def main() -> None:
    remarks, log = Remarks(), logging.getLogger("blockdsl.compiler")
    log.addHandler(remarks)
    log.setLevel(logging.DEBUG)
    try:
        for graph in graphs():
            report(graph, remarks)
    finally:
        log.removeHandler(remarks)
        log.setLevel(logging.NOTSET)


if __name__ == "__main__":
    main()
