"""Hooks around compilations, called as Triton calls them; they are set in ``knobs.runtime``."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any

from blockdsl import knobs
from blockdsl.compiler.options import CUDAOptions
from blockdsl.compiler.program import SourceProgram
from blockdsl.language import types
from blockdsl.language.constexpr import constexpr

_warming: ContextVar[bool] = ContextVar("warming", default=False)


@contextlib.contextmanager
def warming() -> Iterator[None]:
    """Marks compilations within the block as not followed by a launch."""
    token = _warming.set(True)
    try:
        yield
    finally:
        _warming.reset(token)


@dataclass
class JitFunctionInfo:
    """The kernel that a hook is called for, as in Triton.

    Attributes:
        module: The name of its module.
        name: Its qualified name.
        jit_function: The kernel.
    """

    module: str
    name: str
    jit_function: Any


@dataclass(frozen=True)
class Compilation:
    """A kernel that is about to be compiled or loaded from the disk cache."""

    function: Any
    program: SourceProgram
    target: str
    device: int
    options: CUDAOptions

    def is_refused(self) -> bool:
        """Calls the hooks before the compilation. Returns whether one of them refuses the kernel."""
        answers = [hook(**self._hook_arguments()) for hook in self._hooks("jit_cache_hook", "cache_hook")]
        return any(answers)

    def is_done(self) -> None:
        """Calls the hooks after the compilation."""
        for hook in self._hooks("jit_post_compile_hook", "compiled_hook"):
            hook(**self._hook_arguments())

    def _hooks(self, name: str, older: str) -> list[Callable[..., Any]]:
        """Returns the hooks that are set in ``knobs``, or on the class as in Triton up to 3.3."""
        return [hook for hook in (getattr(knobs.runtime, name), type(self.function).__dict__.get(older)) if hook]

    def _hook_arguments(self) -> dict[str, Any]:
        specialization = self.program.specialization
        names = [parameter.name for parameter in self.program.source.parameters]
        options = {
            "num_warps": self.options.num_warps, "num_ctas": self.options.num_ctas,
            "num_stages": self.options.num_stages, "enable_fp_fusion": self.options.enable_fp_fusion,
            "launch_cooperative_grid": self.options.launch_cooperative_grid,
        }  # fmt: skip
        signature = self.program.types
        indices = {name: (index,) for index, name in enumerate(names)}
        module, name = self.function.fn.__module__, self.function.fn.__qualname__
        options_text = ", ".join(f"{each}={value}" for each, value in options.items())
        is_warmup = _warming.get()
        compile_info = {
            "key": self.program.identity,
            "signature": signature,
            "device": self.device,
            "constants": {indices.get(each, each): value for each, value in specialization.constants.items()},
            **options,
            "extern_libs": (),
            "configs": [
                {indices[each]: [["tt.divisibility", divisor]]
                 for each, divisor in specialization.divisibility.items() if each in indices}
            ],
            "specialization_data": self._data(f"{module}.{name}"),
            "is_warmup": is_warmup,
        }  # fmt: skip
        return {
            "key": compile_info["key"],
            "repr": f"{name}[{options_text}]({', '.join(f'{each}: {type_}' for each, type_ in signature.items())})",
            "fn": JitFunctionInfo(module, name, self.function),
            "compile": compile_info,
            "is_manual_warmup": is_warmup,
            "already_compiled": False,
        }

    def _data(self, name: str) -> str:
        """Returns the JSON text that ``preload`` reads."""
        given = self.program.specialization
        return json.dumps(
            {
                "name": name, "target": self.target, "signature": dict(given.types),
                "constants": {each: _written(value) for each, value in given.constants.items()},
                "divisibility": dict(given.divisibility), "options": asdict(self.options),
            }
        )  # fmt: skip


def _written(value: Any) -> Any:
    """Returns a constant as JSON. Other objects become their names, which ``preload`` cannot read back."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_written(item) for item in value]
    if isinstance(value, types.dtype):
        return {"dtype": value.name}
    if isinstance(value, constexpr):
        return {"constexpr": _written(value.value)}
    return {"object": f"{getattr(value, '__module__', '')}:{getattr(value, '__qualname__', type(value).__qualname__)}"}
