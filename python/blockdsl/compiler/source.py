"""Inputs of Triton's ``compile``: a kernel with types and constants, or a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from blockdsl.compiler import cache
from blockdsl.compiler.program import SourceProgram, TextProgram
from blockdsl.errors import LaunchError


class ASTSource:
    """A kernel, the types of its run-time parameters, and the values of the others.

    Attributes:
        fn: The kernel.
        name: Its name.
        ext: ``ttir``, the first stage.
        signature: The type of each parameter, by name.
        constants: The values of parameters, by index: ``(2,)``.
        attrs: The attributes of other parameters, by index: ``[["tt.divisibility", 16]]``.

    Raises:
        LaunchError: A constant is given for an unknown parameter.

    Example:
        blockdsl.compile(ASTSource(double, {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024}))
    """

    ext = "ttir"

    def __init__(
        self,
        fn: Any,
        signature: Mapping[str, Any],
        constexprs: Mapping[Any, Any] | None = None,
        attrs: Mapping[Any, Sequence[Sequence[Any]]] | None = None,
    ) -> None:
        self.fn = fn
        self.name = fn.__name__
        self.signature = dict(signature)
        self.constants = {self._parameter_path(each): value for each, value in (constexprs or {}).items()}
        self.attrs = {self._parameter_path(each): value for each, value in (attrs or {}).items()}

    def declared(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the types of the run-time parameters and the values of the others, as ``compile`` takes them."""
        values = {self.fn.arg_names[path[0]]: value for path, value in self.constants.items()}
        known = {self.fn.arg_names[path[0]]: dict(map(tuple, each)) for path, each in self.attrs.items()}
        divisors = {name: each.get("tt.divisibility") for name, each in known.items()}
        types = {
            name: f"{kind}:{divisors[name]}" if divisors.get(name) else kind
            for name, kind in self.signature.items()
            if kind != "constexpr" and name not in values
        }
        return types, values

    def hash(self) -> str:
        """Tells the source from others."""
        known = [(path, list(map(tuple, each))) for path, each in self.attrs.items()]
        parts = (sorted(self.signature.items()), sorted(self.constants.items(), key=str), sorted(known))
        return cache.digest("source", self.fn.cache_key, *map(repr, parts))

    def parse_options(self) -> dict[str, Any]:
        """Options that the source itself has: none."""
        return {}

    def _parameter_path(self, given: Any) -> tuple[int, ...]:
        """Returns the index of a parameter, which may be given by name."""
        if not isinstance(given, str):
            return given if isinstance(given, tuple) else (given,)
        if given not in self.fn.arg_names:
            raise LaunchError(
                f"kernel '{self.name}' has no parameter '{given}'", hint=f"it has {', '.join(self.fn.arg_names)}"
            )
        return (self.fn.arg_names.index(given),)


class IRSource:
    """A file with a tt module (``.ttir``).

    Attributes:
        path: The file.
        ext: ``ttir``.
        src: The text.
        name: The kernel's name, after an ``@``.
        signature: The types of the parameters, by index.

    Raises:
        LaunchError: The file is of a later stage.
        OSError: It cannot be read.

    Example:
        blockdsl.compile(IRSource("add.ttir"), GPUTarget("cuda", 90, 32), {"num_warps": 8})
    """

    ext = "ttir"

    def __init__(self, path: str | Path, context: object = None, backend: object = None) -> None:
        del context, backend
        if Path(path).suffix != ".ttir":
            raise LaunchError(
                f"an IRSource is a .ttir file, got '{path}'",
                hint="BLOCKDSL_OVERRIDE_DIR takes the place of later stages",
            )
        self._set_program(TextProgram.of(path))

    def _set_program(self, program: TextProgram) -> None:
        self.path = program.origin
        self.program = program
        self.src = self.program.text
        self.name = f"@{self.program.name}"
        self.signature = dict(enumerate(self.program.signature.types.values()))

    def hash(self) -> str:
        """Tells the source from others."""
        return self.program.identity

    def parse_options(self) -> dict[str, Any]:
        """Options that the source itself has: none."""
        return {}


def function_of(program: Any) -> Any:
    """Returns the kernel of a program, or None if it has none or the kernel is deleted."""
    program = getattr(program, "program", program)
    return program.function() if isinstance(program, SourceProgram) else None


def source_of_program(program: Any) -> ASTSource | IRSource | None:
    """Returns the input for Triton's ``compile`` that corresponds to a program."""
    program = getattr(program, "program", program)
    if isinstance(program, TextProgram):
        source = IRSource.__new__(IRSource)
        source._set_program(program)
        return source
    function = function_of(program)
    if function is None:
        return None
    known = program.specialization
    attrs = {name: [["tt.divisibility", divisor]] for name, divisor in known.divisibility.items()}
    own = set(function.arg_names)
    return ASTSource(
        function, program.types, {name: value for name, value in known.constants.items() if name in own},
        {name: value for name, value in attrs.items() if name in own},
    )  # fmt: skip
