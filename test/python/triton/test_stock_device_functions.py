"""Tests of all functions of libdevice, by each name: symbols in stock Triton's text compute the same as in ours."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import device_functions as stock
import pytest
import torch
from triton.language import core
from triton.language.extra.cuda import libdevice

from blockdsl.language.extra.libdevice import FUNCTIONS
from blockdsl.language.extra.written import BY_SYMBOL, WRITTEN


@pytest.fixture
def ours(tmp_path: Path) -> Any:
    """Returns the same kernels in our language."""
    text = Path(stock.__file__).read_text(encoding="utf-8")
    for old, new in (
        ("import triton\n", "import blockdsl\n"), ("triton.language", "blockdsl.language"), ("@triton", "@blockdsl"),
    ):  # fmt: skip
        text = text.replace(old, new)
    path = tmp_path / "ours.py"
    path.write_text(text, encoding="utf-8")
    module = ModuleType("ours")
    module.__file__ = str(path)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def both(ours: Any, name: str, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    outs = torch.zeros(2, 8 * len(x), dtype=x.dtype)
    for kernels, out in zip((stock, ours), outs, strict=True):
        getattr(kernels, name)[(2,)](x, y, out, len(x), BLOCK=64)
    return outs[0], outs[1]


def test_integers(ours: Any) -> None:
    x, y = torch.randint(-(2**31), 2**31 - 1, (2, 100), dtype=torch.int32)
    x[0] = 0
    stock, same = both(ours, "integers", x, y)
    assert torch.equal(stock, same)
    assert stock[0] == 32
    assert stock[200] == 0


def test_floats(ours: Any) -> None:
    stock, same = both(ours, "floats", *(10 * torch.randn(2, 100)))
    assert torch.equal(stock, same)
    assert stock.isfinite().all()


def test_a_single_number() -> None:
    out = torch.zeros(1, dtype=torch.int32)
    stock.of_a_number[(1,)](torch.tensor([1], dtype=torch.int32), out)
    assert out.item() == 31


def test_code_is_emitted_once_per_type() -> None:
    x = torch.zeros(100, dtype=torch.int32)
    kernel = stock.integers[(2,)](x, x, torch.zeros(800, dtype=torch.int32), 100, BLOCK=64)
    text = kernel.function.kernel.program.text
    assert text.count("tt.func private @__nv_clz.") == 1
    assert "tt.func private @__nv_popc" not in text  # The compiler lowers it by symbol.


class Asked(Exception):
    """Raised with the table of symbols in a definition of Triton's."""


def symbols_of(definition: Any) -> dict[str, tuple[str, ...]]:
    """Returns the symbols of one of Triton's functions, and the types of their arguments, from its definition."""

    class Core:
        def __getattr__(self, name: str) -> Any:
            return getattr(core, name)

        @staticmethod
        def extern_elementwise(library: str, path: str, args: Any, symbols: Any, **_: Any) -> Any:
            raise Asked(symbols)

    code, names = definition.__code__, {**definition.__globals__, "core": Core()}
    function = FunctionType(code, names, code.co_name, definition.__defaults__)
    with pytest.raises(Asked) as caught:
        function(*[None] * (code.co_argcount - len(definition.__defaults__)))
    return {symbol: tuple(map(str, kinds)) for kinds, (symbol, _) in caught.value.args[0].items()}


def test_every_function_that_is_written_has_tritons_symbols() -> None:
    stock = {}
    for name in WRITTEN.keys() & vars(libdevice).keys():
        for symbol, kinds in symbols_of(getattr(libdevice, name).__wrapped__).items():
            stock[symbol] = name, kinds
    assert len(stock) > 150
    assert {symbol: (name, tuple(map(str, kinds))) for symbol, (name, kinds) in BY_SYMBOL.items()} == stock


def test_every_libdevice_function_exists() -> None:
    stock = {name for name, each in vars(libdevice).items() if hasattr(each, "__wrapped__")}
    assert stock <= set(FUNCTIONS)


def test_functions_of_an_order(ours: Any) -> None:
    x = torch.linspace(0.1, 9, 100)
    stock, same = both(ours, "special", x, x)
    assert torch.equal(stock, same)
    torch.testing.assert_close(stock[:100], torch.special.erfcx(x), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(stock[100:200], torch.special.bessel_j1(x), rtol=1e-4, atol=1e-5)


def test_other_functions_of_gpus(ours: Any) -> None:
    for kernels in (stock, ours):
        out = torch.zeros(1, dtype=torch.int32)
        kernels.of_the_device[(1,)](out)
        assert out.item() == 111
