"""Other compilers on the same tensors, where they are installed: Inductor (torch.compile) and numba."""

from __future__ import annotations

from collections.abc import Callable

import torch

INDUCTOR, NUMBA = "torch.compile", "numba"
Contenders = dict[str, Callable[[], object]]


def inductor(
    contenders: Contenders,
    results: dict[str, torch.Tensor],
    function: Callable[..., object],
    arguments: tuple[torch.Tensor, ...],
) -> None:
    """Adds ``torch.compile`` of ``function(*arguments, out=...)``, if there is a C++ compiler."""
    out = torch.empty_like(next(iter(results.values())))
    compiled = torch.compile(function)
    try:
        compiled(*arguments, out=out)
    except Exception as error:  # Any error of its compiler.
        print(f"torch.compile is left out: {str(error).splitlines()[0][:100]}")
        return
    contenders[INDUCTOR] = lambda: compiled(*arguments, out=out)
    results[INDUCTOR] = out


def numba_add(contenders: Contenders, results: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> None:
    try:
        import numba
    except ImportError:
        return

    @numba.njit(parallel=True, fastmath={"contract"})
    def add(x, y, out):  # type: ignore[no-untyped-def]
        for i in numba.prange(x.shape[0]):
            out[i] = x[i] + y[i]

    out = torch.empty_like(x)
    arrays = (x.numpy(), y.numpy(), out.numpy())
    contenders[NUMBA], results[NUMBA] = with_torch_threads(lambda: add(*arrays)), out


def numba_softmax(contenders: Contenders, results: dict[str, torch.Tensor], x: torch.Tensor) -> None:
    try:
        import numba
    except ImportError:
        return
    import math

    @numba.njit(parallel=True, fastmath={"contract", "reassoc"})
    def softmax(x, out):  # type: ignore[no-untyped-def]
        for row in numba.prange(x.shape[0]):
            largest = x[row, 0]
            for column in range(x.shape[1]):
                largest = max(largest, x[row, column])
            total = type(largest)(0)
            for column in range(x.shape[1]):
                out[row, column] = math.exp(x[row, column] - largest)
                total += out[row, column]
            for column in range(x.shape[1]):
                out[row, column] /= total

    out = torch.empty_like(x)
    arrays = (x.numpy(), out.numpy())
    contenders[NUMBA], results[NUMBA] = with_torch_threads(lambda: softmax(*arrays)), out


def with_torch_threads(call: Callable[[], object]) -> Callable[[], object]:
    """Wraps a call of numba so that it uses as many threads as torch."""
    import numba

    def run() -> object:
        numba.set_num_threads(min(torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS))
        return call()

    return run
