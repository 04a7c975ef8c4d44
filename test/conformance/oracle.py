"""Evaluates one TTIR module with ``ttir_eval.py`` on virtual buffers, to derive the arguments and the grid of a launch.

The text does not contain the sizes of buffers. So the evaluator runs on unbounded buffers: every pointer argument has a
window of the address space, its contents are drawn when they are accessed, and afterwards the accessed extent *is* the
size. The same run gives the expected contents and finds programs that access each other's results, which no parallel
launch could reproduce; the grid ends before the first of these programs.
"""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

WINDOW_BITS = 40
"""Each pointer argument owns 2**40 bytes; its first element is in the middle, which detects small negative offsets."""

LARGEST = 1 << 26
"""The most bytes of a buffer; accesses beyond have a wrong index."""

ITEM_SIZE = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
ITEM_SIZE |= {"f8E5M2": 1, "f8E4M3FN": 1}


class ImplausibleArguments(Exception):
    """The drawn values lead to accesses outside of every plausible buffer, or to a failing assertion."""


class ProgramsInterfere(Exception):
    """A program read or overwrote an element that another program of the grid wrote."""

    def __init__(self, program: int) -> None:
        super().__init__(f"program {program} touches the results of an earlier one")
        self.program = program


@dataclass
class Buffer:
    """One pointer argument: its current and initial contents, and the program that accessed each element."""

    element: str
    draw: Callable[[int], Array]
    now: Array = field(init=False)
    start: Array = field(init=False)
    writer: Array = field(init=False)
    reader: Array = field(init=False)
    extent: int = 0
    is_workspace: bool = False
    """True if programs signal progress in it: it begins with zeros, and its final contents depend on their order."""

    def __post_init__(self) -> None:
        self.now = np.empty(0, np.uint8)
        self.start = np.empty(0, np.uint8)
        self.writer = np.empty(0, np.int32)
        self.reader = np.empty(0, np.int32)

    @property
    def item_size(self) -> int:
        return ITEM_SIZE[self.element]

    def grow(self, count: int) -> None:
        """Draws elements up to ``count``."""
        have = len(self.writer)
        if count <= have:
            return
        if count * self.item_size > LARGEST:
            raise ImplausibleArguments(f"a buffer of {self.element} would need {count} elements")
        added = max(count, 2 * have, 4096) - have
        fresh = np.zeros(added * self.item_size, np.uint8) if self.is_workspace else self.draw(added).view(np.uint8)
        self.now = np.concatenate([self.now, fresh])
        self.start = np.concatenate([self.start, fresh])
        untouched = np.full(added, -1, np.int32)
        self.writer = np.concatenate([self.writer, untouched])
        self.reader = np.concatenate([self.reader, untouched])

    @property
    def written(self) -> bool:
        return bool((self.writer >= 0).any())


class VirtualMemory:
    """Replaces the evaluator's own loads and stores."""

    def __init__(self, evaluator: ModuleType, buffers: dict[int, Buffer]) -> None:
        self.evaluator = evaluator
        self.buffers = buffers
        self.program = 0
        self.is_atomic = False
        self.update = evaluator.plain_rmw

    @staticmethod
    def address(argument: int) -> int:
        return ((argument + 1) << WINDOW_BITS) + (1 << (WINDOW_BITS - 1))

    def _by_buffer(self, addresses: Array, item_size: int) -> list[tuple[Buffer, Array | slice, Array]]:
        """Splits a block of addresses by buffer: (buffer, lanes, element numbers)."""
        owners = (addresses >> np.uint64(WINDOW_BITS)).astype(np.int64) - 1
        accesses = []
        for owner in np.unique(owners):
            if owner not in self.buffers:
                raise ImplausibleArguments(f"an access outside every argument ({int(addresses[0]):#x})")
            lanes = np.nonzero(owners == owner)[0] if len(addresses) else slice(None)
            offsets = addresses[lanes].astype(np.int64) - self.address(int(owner))
            if offsets.min() < 0:
                raise ImplausibleArguments(f"an access {-offsets.min()} bytes before argument {owner}")
            buffer = self.buffers[int(owner)]
            buffer.is_workspace |= self.is_atomic and item_size > buffer.item_size
            indices = offsets // item_size
            last = int(indices.max()) + 1
            buffer.grow(-(-last * item_size // buffer.item_size))
            buffer.extent = max(buffer.extent, last * item_size)
            accesses.append((buffer, lanes, indices))
        return accesses

    def load(self, pointers: Array, kind: Any, mask: Array | None, other: Array | None) -> Any:
        shape = np.shape(pointers)
        addresses = np.atleast_1d(pointers)
        out = np.zeros(addresses.shape, self.evaluator._DT[kind.ptr])
        if other is not None:
            out[...] = np.broadcast_to(other, addresses.shape)
        active = np.ones(addresses.shape, bool) if mask is None else np.broadcast_to(mask, addresses.shape)
        values = out[active]
        if len(values):
            for buffer, lanes, indices in self._by_buffer(addresses[active], ITEM_SIZE[kind.ptr]):
                self._touch(buffer, _elements(indices, ITEM_SIZE[kind.ptr], buffer.item_size), writes=False)
                values[lanes] = self._decode(buffer.now, kind.ptr, indices)
            out[active] = values
        return out if shape else out[0]

    def store(self, pointers: Array, values: Array, kind: Any, mask: Array | None) -> None:
        addresses = np.atleast_1d(pointers)
        active = np.ones(addresses.shape, bool) if mask is None else np.broadcast_to(mask, addresses.shape)
        if not active.any():
            return
        chosen = np.broadcast_to(values, addresses.shape)[active]
        for buffer, lanes, indices in self._by_buffer(addresses[active], ITEM_SIZE[kind.ptr]):
            self._touch(buffer, _elements(indices, ITEM_SIZE[kind.ptr], buffer.item_size), writes=True)
            encoded = self._encode(chosen[lanes], kind.ptr)
            buffer.now.view(encoded.dtype)[indices] = encoded

    def rmw(self, *operands: Any) -> Any:
        """An atomic update, the only valid access to elements that other programs access, too."""
        self.is_atomic = True
        try:
            return self.update(*operands)
        finally:
            self.is_atomic = False

    def _touch(self, buffer: Buffer, elements: Array, writes: bool) -> None:
        """Records the accesses of a program.

        Raises if another program wrote the elements, or if it writes elements that another read.
        """
        for programs in (buffer.writer[elements], buffer.reader[elements])[: 2 if writes else 1]:
            if not self.is_atomic and ((programs >= 0) & (programs != self.program)).any():
                raise ProgramsInterfere(self.program)
        (buffer.writer if writes else buffer.reader)[elements] = self.program

    def _decode(self, memory: Array, element: str, indices: Array) -> Array:
        if element in ("f8E5M2", "f8E4M3FN"):
            return float8(element, memory[indices])
        raw: Array = memory.view(self.evaluator._np_mem_dt(element))[indices]
        if element == "bf16":
            return (raw.astype(np.uint32) << 16).view(np.float32)
        return raw != 0 if element == "i1" else raw

    def _encode(self, values: Array, element: str) -> Array:
        if element in ("f8E5M2", "f8E4M3FN"):
            return to_float8(element, values)
        encoded: Array = self.evaluator._enc(values, element)
        return encoded


def _elements(indices: Array, item_size: int, element_size: int) -> Array:
    """Returns the elements of a buffer that accesses of ``item_size`` bytes at ``indices`` overlap."""
    if item_size <= element_size:
        return indices * item_size // element_size
    span = item_size // element_size
    elements: Array = (indices[:, None] * span + np.arange(span)).ravel()
    return elements


def float8(element: str, raw: Array) -> Array:
    import torch

    dtype = torch.float8_e5m2 if element == "f8E5M2" else torch.float8_e4m3fn
    values: Array = torch.from_numpy(raw.copy()).view(dtype).float().numpy()
    return values


def to_float8(element: str, values: Array) -> Array:
    import torch

    dtype = torch.float8_e5m2 if element == "f8E5M2" else torch.float8_e4m3fn
    raw: Array = torch.from_numpy(values.astype(np.float32)).to(dtype).view(torch.uint8).numpy()
    return raw


def load_evaluator(directory: Path) -> ModuleType:
    """Imports the evaluator from the conformance directory; it is not the project's own code and not copied."""
    spec = importlib.util.spec_from_file_location("ttir_eval", directory / "ttir_eval.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.plain_rmw = module.rmw  # type: ignore[attr-defined]
    for name in ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui"):
        module.BIN[name] = zero_by_zero(module.BIN[name])
    return module


def zero_by_zero(divide: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """Makes division by zero give zero, as in blockdsl: Triton does not define it, and the evaluator gives the
    dividend."""

    def divide_or_zero(left: Array, right: Array) -> Array:
        quotient = np.asarray(divide(left, right))
        return np.where(right == 0, np.zeros_like(quotient), quotient)

    return divide_or_zero


@dataclass(frozen=True)
class Parameter:
    """One parameter of a TTIR function: ``pointee`` is the element type of a pointer, else None."""

    name: str
    type: str
    divisible: bool

    @property
    def pointee(self) -> str | None:
        match = re.match(r"!tt\.ptr<(\w+)", self.type)
        return match.group(1) if match else None


def parameters(text: str) -> list[Parameter]:
    header = re.search(r"tt\.func public @[\w$.]+\((.*)\)", text)
    assert header, "no public function"
    matches = re.findall(r"%(\w+): ((?:!tt\.ptr<[^>]*>)|\w+)((?: \{[^}]*\})?)", header.group(1))
    return [Parameter(name, kind, "tt.divisibility = 16" in attributes) for name, kind, attributes in matches]


@dataclass
class Case:
    """Arguments of one launch, and the expected contents of its buffers."""

    grid: tuple[int, int, int]
    arguments: list[Buffer | int | float]
    seconds: float


def draw_for(element: str, flavour: str, generator: np.random.Generator) -> Callable[[int], Array]:
    """Returns a function that draws contents: ``small`` indices and any floats, or ``wide`` integers, floats over 0."""

    def draw(count: int) -> Array:
        if element == "i1":
            return generator.integers(0, 2, count).astype(np.uint8)
        if element.startswith("i"):
            dtype = np.dtype(f"int{element[1:]}")
            limits = np.iinfo(dtype)
            if flavour == "small":
                return generator.integers(0, 4, count).astype(dtype)
            return generator.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        floats = generator.standard_normal(count)
        if flavour == "wide":
            floats = np.abs(floats) + 0.0625
        if element.startswith("f8"):
            return to_float8(element, floats)
        if element == "bf16":
            return (floats.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return floats.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[element])

    return draw


def draw_scalar(parameter: Parameter, flavour: str) -> int | float:
    """i64 scalars are extents and strides of inner dimensions, i32 ones are counts of elements or offsets of seeds."""
    if parameter.type == "i1":
        return 1
    if parameter.type.startswith("i"):
        extent = 37 if parameter.type == "i64" else 1073
        return -(-extent // 16) * 16 if parameter.divisible else extent
    return 1.5 if flavour == "small" else 0.75


def evaluate(evaluator: ModuleType, text: str, flavour: str, budget: float = 0.5, maximum_columns: int = 40) -> Case:
    """Runs programs until one writes nothing (the masked end of the grid), the time is up, or two interfere."""
    dimensions = {axis: 2 if re.search(rf"tt\.get_program_id {axis}\b", text) else 1 for axis in "xyz"}
    counted = "tt.get_num_programs x" in text
    width = dimensions["x"] if counted or dimensions["x"] == 1 else maximum_columns
    depth = dimensions["y"] * dimensions["z"]
    while True:
        try:
            return _evaluate(evaluator, text, flavour, budget, (width, dimensions["y"], dimensions["z"]), counted)
        except ProgramsInterfere as clash:
            if width == 1 and depth == 1:
                raise ImplausibleArguments("one program interferes with itself") from clash
            if clash.program == 0 or (width == 1 and depth > 1):
                dimensions["y"] = dimensions["z"] = depth = 1
            else:
                column = clash.program % width
                if column:
                    width = column
                else:
                    dimensions["y"] = dimensions["z"] = depth = 1


def _evaluate(
    evaluator: ModuleType, text: str, flavour: str, budget: float, grid: tuple[int, int, int], fixed: bool
) -> Case:
    generator = np.random.default_rng(7)
    start = time.perf_counter()
    interpreter = evaluator.Interp(text)
    arguments: list[Buffer | int | float] = []
    values: list[Any] = []
    for number, parameter in enumerate(parameters(text)):
        if parameter.pointee:
            draw = draw_for(parameter.pointee, flavour, np.random.default_rng(int(generator.integers(1 << 30))))
            arguments.append(Buffer(parameter.pointee, draw))
            values.append(np.uint64(VirtualMemory.address(number)))
        else:
            scalar = draw_scalar(parameter, flavour)
            arguments.append(scalar)
            values.append(np.array(scalar).astype(evaluator._DT[parameter.type])[()])
    buffers = {number: argument for number, argument in enumerate(arguments) if isinstance(argument, Buffer)}
    memory = VirtualMemory(evaluator, buffers)
    evaluator.load, evaluator.store, evaluator.rmw = memory.load, memory.store, memory.rmw  # type: ignore[attr-defined]
    evaluator._mem = None  # type: ignore[attr-defined]
    width, height, depth = grid
    program = 0
    # Columns are the outer loop, so that the grid may end after any column.
    for x in range(width):
        wrote = False
        for z in range(depth):
            for y in range(height):
                memory.program = program = x + width * (y + height * z)
                writes_before = [int((buffer.writer == program).sum()) for buffer in buffers.values()]
                try:
                    interpreter.run(values, (x, y, z), grid)
                except RuntimeError as failure:
                    raise ImplausibleArguments(str(failure)) from failure
                writes_after = [int((buffer.writer == program).sum()) for buffer in buffers.values()]
                wrote |= writes_before != writes_after
        late = time.perf_counter() - start > budget and x >= 1
        if not fixed and (late or not wrote):
            width = x + 1
            break
    return Case((width, height, depth), arguments, time.perf_counter() - start)
