"""Inputs of a compilation: a kernel's source with types for its parameters, or the text of a module."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from blockdsl.compiler import cache
from blockdsl.compiler.compile_thread import on_deep_stack
from blockdsl.compiler.signature import Signature
from blockdsl.errors import KernelSyntaxError, LaunchError, Loc, Location, printable
from blockdsl.forks import cached_property
from blockdsl.frontend.source import KernelSource, Specialization, source_of
from blockdsl.language import types
from blockdsl.language.descriptor import tensor_descriptor_type
from blockdsl.language.op import Op

if TYPE_CHECKING:
    from blockdsl.mlir import ir


Extent = tuple[str, int, int]
"""A function's file, first line and number of lines."""


class Program(Protocol):
    """The input of a compilation."""

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str:
        """Equal for equal programs, in any process."""

    @property
    def location(self) -> str:
        """Its file, with the line of a Python kernel."""

    @property
    def signature(self) -> Signature: ...
    @property
    def sources(self) -> list[Extent]:
        """The locations of its functions, in one order for equal identities; empty if the identity implies them."""

    def module(self, context: Any) -> ir.Module:
        """Builds the tt module in a context."""


@dataclass(frozen=True)
class NamedBy:
    """The argument of ``jit(repr=...)``.

    Attributes:
        constants: The values of the parameters that are constants in the code, by name.
        signature: The types of all parameters, by name; constants have the type ``constexpr``.
    """

    constants: Mapping[str, object]
    signature: Mapping[str, Any]


@dataclass(frozen=True)
class SourceProgram:
    """A Python kernel and the types and constants of one launch. ``repr`` makes a name from them; ``function`` returns
    the kernel, or None once it is deleted."""

    source: KernelSource
    specialization: Specialization
    repr: Callable[[Any], str] | None = field(default=None, kw_only=True)
    function: Callable[[], Any] = field(default=lambda: None, kw_only=True, repr=False, compare=False)

    @cached_property
    def name(self) -> str:
        if self.repr is None:
            return self.source.name
        named = self.repr(NamedBy(dict(self.specialization.constants), self.types))
        if not isinstance(named, str) or not named or not named.isprintable():
            raise LaunchError(f"jit(repr=...) of kernel '{self.source.name}' is expected to give a name, got {named!r}")
        return named

    @property
    def types(self) -> dict[str, Any]:
        """The type of each parameter in Triton's notation; for a tuple the tuple of its elements' types."""
        spec = self.specialization

        def of(name: Any) -> Any:
            return tuple(map(of, name)) if isinstance(name, tuple) else spec.types.get(name, "constexpr")

        return {each.name: of(spec.tuples.get(each.name, each.name)) for each in self.source.parameters}

    @property
    def location(self) -> str:
        return f"{self.source.file}:{self.source.line}"

    @property
    def sources(self) -> list[Extent]:
        passed = _sources_in(tuple(self.specialization.constants.values()))
        found = [each for source in (self.source, *passed) for each in source.reached]
        return [(each.file, each.line, len(each.text.splitlines())) for each in found]

    @cached_property
    def identity(self) -> str:
        spec = self.specialization
        parts = [f"{kind}:{name}={stable(value)}" for kind, mapping in
                 (("type", spec.types), ("constant", spec.constants), ("divisible", spec.divisibility))
                 for name, value in mapping.items()]  # fmt: skip
        parts += [f"tuple:{name}={_structure(names)}" for name, names in spec.tuples.items()]
        parts += [f"name:{self.name}"] * (self.repr is not None)
        return cache.digest("source", self.source.cache_key, *parts)

    @cached_property
    def signature(self) -> Signature:
        spec = self.specialization
        names = tuple(parameter.name for parameter in self.source.parameters)
        return Signature(names, spec.types, spec.divisibility, spec.constants, tuples=spec.tuples)

    def module(self, context: Any) -> ir.Module:
        from blockdsl import frontend

        return frontend.build_module(self.source, self.specialization, context, self.name)


def text_of(path: str | Path) -> str:
    """Reads a file that holds a stage."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise KernelSyntaxError(f"'{printable(str(path))}' is expected to be text in UTF-8, got {error}") from None


@dataclass(frozen=True)
class Override:
    """A stage from a file."""

    path: str
    text: str


def override_parts(overrides: Mapping[str, Override]) -> list[str]:
    """Returns the parts of a program's identity for stages from files."""
    return [part for stage, file in overrides.items() for part in (stage, file.text)]


_FUNCTION = re.compile(r'^#loc = loc\("([^"\\]+)":(\d+):\d+\)$', re.MULTILINE)


@dataclass(frozen=True)
class TextProgram:
    """A tt module as text, as Triton prints it.

    Attributes:
        text: The module.
        origin: The name of its file or other origin.
        read: The kernel's name and signature, if they are known without parsing the text.
        parameter_indices: The index of each module parameter in that signature, if it has further parameters.
        is_shown: The caller dumps the stages itself if Triton's variables request it.
        overrides: Files that replace later stages, by stage.
        is_from_frontend: A frontend has built and verified the module, so it is not verified after each pass.
    """

    text: str
    origin: str
    read: tuple[str, Signature] | None = None
    parameter_indices: tuple[int, ...] | None = None
    is_shown: bool = False
    overrides: Mapping[str, Override] = field(default_factory=dict)
    is_from_frontend: bool = False

    @property
    def name(self) -> str:
        return self._read[0]

    @property
    def location(self) -> str:
        # Triton's text begins with the location of the kernel's function.
        found = _FUNCTION.search(self.text)
        return f"{found[1]}:{found[2]}" if found else self.origin

    @property
    def sources(self) -> list[Extent]:
        # The text contains the locations.
        return []

    @cached_property
    def identity(self) -> str:
        text = hashlib.sha256(self.text.encode()).hexdigest()
        return cache.digest("text", text, *override_parts(self.overrides))

    @property
    def signature(self) -> Signature:
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[str, Signature]:
        if self.read is not None:
            return self.read
        from blockdsl.mlir import ir
        from blockdsl.mlir.signature import kernel_signature

        module = on_deep_stack(self.module, ir.Context())
        with Loc(Location(self.origin, 1, 1)):
            name, arguments = kernel_signature(module)
        types: dict[str, str] = {}
        divisibility: dict[str, int] = {}
        index = 0
        while index < len(arguments):
            spelling, attributes, called = arguments[index]
            # A tuple's elements all have the tuple's name.
            at = f"{called}.{index}" if called in types else called or f"arg{index}"
            padding = attributes.get("tt.padding")
            types[at] = _type_name(spelling, padding is not None and int(padding.value) == _NAN)
            if "tt.divisibility" in attributes:
                divisibility[at] = _first_number(str(attributes["tt.divisibility"].value))
            # A descriptor's shape and strides are the next parameters; a launch passes them with the descriptor.
            index += 1 + 2 * _rank(types[at])
        return name, Signature(tuple(types), types, divisibility, is_signless=True)

    def module(self, context: Any) -> ir.Module:
        from blockdsl.mlir import ir

        return ir.Module.parse(self.text, context, self.origin, self.is_from_frontend)

    @staticmethod
    def of(path: str | Path) -> TextProgram:
        """Reads a file."""
        return TextProgram(text_of(path), printable(str(path)))


# Types whose repr identifies a value in any process.
_PLAIN = (type(None), bool, int, float, complex, str, bytes, types.dtype)

_THIS_PROCESS = uuid.uuid4().hex


def stable(value: object) -> str:
    """Returns a constant's text for the cache, which differs for different values, in any process."""
    source = source_of(value)
    if source is not None:
        return f"jit:{source.cache_key}"
    if isinstance(value, Op):
        return f"op:{value.name}"
    if isinstance(value, (tuple, list)):
        return f"({','.join(stable(item) for item in value)})"
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__}:{value!r}"
    # Its repr may contain an address, which may be another object's in the next process.
    return f"{type(value).__name__}:{id(value)}:{_THIS_PROCESS}"


def _sources_in(value: object) -> list[KernelSource]:
    """Returns the functions in a constant, in the order of ``stable``."""
    if isinstance(value, (tuple, list)):
        return [source for each in value for source in _sources_in(each)]
    source = source_of(value)
    return [] if source is None else [source]


def _structure(names: Any) -> str:
    """Returns a tuple's structure as text, with the fields of named tuples, which kernels access by name."""
    if not isinstance(names, tuple):
        return "_"
    kind = type(names)
    fields = f"{kind.__module__}.{kind.__qualname__}:{','.join(getattr(kind, '_fields', ()))}"
    return f"{fields}({','.join(map(_structure, names))})"


# Without fp8e4b15, whose bytes a module spells as integers.
_FLOATS = {each.ir: each.name for each in types.SCALARS if each.is_floating() and not each.is_fp8e4b15()}


_NAN = 2
"""The value of `tt.padding` for a parameter that is padded with NaN."""


def _rank(name: str) -> int:
    described = tensor_descriptor_type.parse(name)
    return 0 if described is None else len(described.block_type.shape)


def _first_number(text: str) -> int:
    """Returns the number of an attribute: ``16``, or ``dense<16> : tensor<1xi32>`` if it is a hint of the kernel."""
    found = re.search(r"\d+", text)
    return int(found[0]) if found else 1


def _type_name(spelling: str, is_padded_with_nan: bool = False) -> str:
    """Returns Triton's name of an argument's type from MLIR's spelling."""
    if spelling.startswith("!tt.tensordesc<"):
        *sizes, element = spelling.removeprefix("!tt.tensordesc<").rstrip(">").split("x")
        # Only in descriptors a module's integers may have a sign: si32.
        element = element.replace("si", "i").replace("ui", "u")
        return f"tensordesc<{_FLOATS.get(element, element)}[{','.join(sizes)}]{',nan' * is_padded_with_nan}>"
    if spelling.startswith("!tt.ptr<"):
        return "*" + _type_name(spelling.removeprefix("!tt.ptr<").rstrip(">").partition(",")[0])
    return _FLOATS.get(spelling, spelling)
