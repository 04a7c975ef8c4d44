"""Scope of a random op: the visible values, with those of the first program."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .accesses import IN_ANY_ORDER
from .module import Alias, Buffer, InvalidError, Machine, Memory, Module, Node, Number, Region, arguments_of
from .ops import OPS
from .types import FLOATS8, INTEGERS, Type, bytes_of, float8, round_to

SHAPES = [(16,), (64,), (128,), (1,), (8, 8), (4, 16), (16, 4), (1, 32), (32, 1), (2, 4, 8), (8, 1, 4), (2, 2, 2, 4)]
ELEMENTS = [*INTEGERS, *INTEGERS, "f16", "bf16", "f32", "f32", "f64", "i1"] * 2 + [*FLOATS8]


def data_of(rng: random.Random, element: str, count: int) -> Any:
    """The contents of memory: mostly small numbers, sometimes any."""
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    type = Type(element)
    if element == "i1":
        return numbers.integers(0, 2, count).astype(np.bool_)
    if rng.random() < 0.5:
        small = numbers.integers(-8, 9, count)
        return round_to(element, small)
    if type.is_float8:
        return float8(element)[numbers.integers(0, 256, count)]
    if type.is_float:
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 0.5, 3.0, 100.0, 2.0**-14])
        return special[numbers.integers(0, len(special), count)].astype(type.array)
    info = np.iinfo(type.array)
    return numbers.integers(info.min, info.max, count, dtype=type.array, endpoint=True)


class Scope:
    """The module so far, the visible values, and their contents in the first program."""

    def __init__(self, rng: random.Random, seed: int) -> None:
        self.rng = rng
        self.shapes = rng.sample(SHAPES, 3)
        kernel = Region([])
        self.module = Module(seed, rng.choice([1, 1, 2, 3]), [], [], kernel)
        for index in range(rng.randint(1, 3)):
            element = rng.choice(ELEMENTS)
            self._buffer(f"%in{index}", element, rng.choice([64, 256, 100]), written=rng.random() < 0.3)
        for index in range(rng.randint(1, 3)):
            type = Type(rng.choice(INTEGERS))
            value = rng.choice([0, 1, 2, 3, 5, 7, 16, 100, -1])
            self.module.numbers.append(Number(f"%n{index}", type, value))
        # Outputs are the last buffers, and exist from the beginning: a parameter cannot be added in a loop.
        self.outputs: list[str] = []
        for index in range(rng.randint(2, 4)):
            type = Type(rng.choice(ELEMENTS), rng.choice(self.shapes))
            self._buffer(f"%out{index}", type.element, type.count, written=True)
            self.outputs.append(f"%out{index}")
        element, count = rng.choice(["i32", "i64"]), rng.choice([1, 2, 16, 64])
        self.module.buffers.append(
            Buffer("%shared", element, data_of(rng, element, count), True, False, rng.random() < 0.7,
                   rng.choice(IN_ANY_ORDER))
        )  # fmt: skip
        for index in range(rng.choice([0, 0, 1, 2])):
            buffer = rng.choice(self.module.buffers)
            offset = rng.choice([0, 1, 4, len(buffer.data) // 2])
            self.module.aliases.append(Alias(f"%alias{index}", buffer.name, min(offset, len(buffer.data) - 1)))
        self.descriptors: list[str] = []
        self.types: dict[str, Type] = {}
        self.values: dict[str, Any] = {}
        self.names: list[str] = []
        self.body = kernel.body
        self.fresh = 0
        self.depth = 0
        self.machine = Machine(self.module, Memory(self.module))
        arguments = [(buffer.name, Type(f"*{buffer.element}")) for buffer in self.module.buffers]
        elements = {buffer.name: buffer.element for buffer in self.module.buffers}
        arguments += [(alias.name, Type(f"*{elements[alias.of]}")) for alias in self.module.aliases]
        arguments += [(number.name, number.type) for number in self.module.numbers]
        kernel.arguments = arguments
        for (name, type), value in zip(arguments, arguments_of(self.module), strict=True):
            self._see(name, type, value)

    def _buffer(self, name: str, element: str, count: int, *, written: bool) -> None:
        rng, programs = self.rng, self.module.programs
        data = data_of(rng, element, count * (programs if written else 1))
        size_bytes = data.size * bytes_of(element)
        divisible = size_bytes % 16 == 0 and rng.random() < 0.5
        self.module.buffers.append(Buffer(name, element, data, written, divisible, rng.random() < 0.7))

    def _see(self, name: str, type: Type, value: Any) -> None:
        self.types[name], self.values[name] = type, value
        self.names.append(name)

    def step(self) -> None:
        """Draws an op or a few."""
        raise NotImplementedError

    # Building blocks of draws

    def name(self) -> str:
        self.fresh += 1
        return f"%{self.fresh}"

    def emit(
        self, kind: str, operands: Sequence[str], types: Sequence[Type], regions: Sequence[Region] = (), **attrs: Any
    ) -> list[str]:
        """Adds an op, unless its result is undefined; returns the names of its results."""
        results = [(self.name(), type) for type in types]
        operand_types = [self.types[operand] for operand in operands]
        node = Node(kind, list(operands), operand_types, results, attrs, list(regions))
        operand_values = [self.values[operand] for operand in operands]
        with np.errstate(all="ignore"):
            computed = OPS[kind].meaning(self.machine, node, operand_values, self.values)
        self.body.append(node)
        for (name, type), value in zip(results, computed, strict=True):
            self._see(name, type, np.asarray(value))
        return [name for name, _ in results]

    def op(self, kind: str, operands: Sequence[str], type: Type, **attrs: Any) -> str:
        return self.emit(kind, operands, [type], **attrs)[0]

    def pick(self, fits: Callable[[Type], bool]) -> str:
        """Returns something visible, later values with a higher probability."""
        fitting = [name for name in self.names if fits(self.types[name])]
        if not fitting:
            raise InvalidError("nothing fits")
        return self.rng.choice(fitting[-6:] if self.rng.random() < 0.7 else fitting)

    def constant(self, type: Type) -> str:
        rng = self.rng
        is_dense = type.shape is not None and rng.random() < 0.3
        data = data_of(rng, type.element, type.count if is_dense else 1)
        if is_dense and (np.asarray(data) == np.asarray(data).flat[0]).all():
            is_dense = False
        value = data.reshape(type.shape).tolist() if is_dense else data[0].item()
        return self.op("arith.constant", [], type, value=value)

    def like(self, type: Type) -> str:
        """Returns something of this type: an existing value, or a new one."""
        rng = self.rng
        same_type = [name for name in self.names if self.types[name] == type]
        if same_type and rng.random() < 0.75:
            return rng.choice(same_type)
        if type.is_pointer:
            if not same_type:
                raise InvalidError("no such pointer")
            return rng.choice(same_type)
        scalars = [name for name in self.names if self.types[name] == type.scalar()]
        if type.shape is not None and scalars and rng.random() < 0.5:
            return self.op("tt.splat", [rng.choice(scalars)], type)
        if type.element == "i32" and type.shape is not None and rng.random() < 0.5:
            return self.range_along(type.shape)
        return self.constant(type)

    def range_along(self, shape: tuple[int, ...]) -> str:
        """Returns a range along one dimension of a block, or along all."""
        rng = self.rng
        if len(shape) == 1 or rng.random() < 0.3:
            line = Type("i32", (int(np.prod(shape)),))
            name = self.op("tt.make_range", [], line, start=rng.choice([0, 0, 0, 1, 5]))
            return name if line.shape == shape else self.op("tt.reshape", [name], line.at(*shape))
        axis = rng.randrange(len(shape))
        type = Type("i32", (shape[axis],))
        name = self.op("tt.make_range", [], type, start=rng.choice([0, 0, 3]))
        for dim in range(len(shape)):
            if dim != axis:
                now = self.types[name].shape or ()
                dim_index = dim if dim < axis else len(now)
                type = Type("i32", (*now[:dim_index], 1, *now[dim_index:]))
                name = self.op("tt.expand_dims", [name], type, axis=dim_index)
        return name if self.types[name].shape == shape else self.op("tt.broadcast", [name], type.at(*shape))
