"""Draws a random module.

Each op is computed when it is drawn, and dropped if its result is undefined. So there is no rule for addresses in
bounds: any block of integers may be an offset, and is kept if it is in bounds. Orders of ops that Triton's front end
would never write are as likely as those that it would.
"""

from __future__ import annotations

import random

import numpy as np

from . import assembly
from .arithmetic import BITS, CMPF, CMPI, RING
from .draw_accesses import Accesses
from .flow import function_on
from .module import InvalidError, Module, evaluate
from .scope import ELEMENTS, SHAPES
from .types import Type


def drawn(seed: int) -> Module:
    """Returns the module with this number."""
    for attempt in range(1000):
        rng = random.Random(seed * 1000 + attempt)
        drawer = Drawer(rng, seed)
        module = drawer.run()
        try:
            evaluate(module)
        except InvalidError:
            continue
        return module
    raise AssertionError("no module is drawn")


class Drawer(Accesses):
    """Draws ops without bodies, with a frequency for each kind."""

    def arithmetic(self) -> None:
        a = self.pick(lambda type: type.is_integer or type.is_float)
        self.op(function_on(self.rng, self.types[a]), [a, self.like(self.types[a])], self.types[a])

    def logic(self) -> None:
        a = self.pick(lambda type: type.element == "i1")
        self.op(self.rng.choice([*BITS, *RING]), [a, self.like(self.types[a])], self.types[a])

    def unary(self) -> None:
        a = self.pick(lambda type: type.is_float or type.is_integer)
        type = self.types[a]
        kinds = ["arith.negf", "math.absf"] if type.is_float else ["math.absi"]
        if type.element in ("f32", "f64"):
            kinds += ["math.floor", "math.ceil", "tt.precise_sqrt"]
        self.op(self.rng.choice(kinds), [a], type)

    def comparison(self) -> None:
        a = self.pick(lambda type: type.is_integer or type.is_float)
        type = self.types[a]
        kind, predicates = ("arith.cmpf", CMPF) if type.is_float else ("arith.cmpi", CMPI)
        self.op(kind, [a, self.like(type)], type.of("i1"), predicate=self.rng.choice(list(predicates)))

    def selection(self) -> None:
        a = self.pick(lambda type: True)
        type = self.types[a]
        shape = type.shape if self.rng.random() < 0.8 else None
        self.op("arith.select", [self.like(Type("i1", shape)), a, self.like(type)], type)

    def conversion(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: not type.is_pointer)
        type = self.types[a]
        to = rng.choice([element for element in ELEMENTS if element != type.element])
        result = type.of(to)
        if type.is_float8 or result.is_float8:
            self.small_float(a, result)
        elif rng.random() < 0.15 and result.bits == type.bits and "i1" not in (to, type.element):
            self.op(rng.choice(["tt.bitcast", "arith.bitcast"]), [a], result)
        elif type.is_float and result.is_float:
            if {to, type.element} == {"f16", "bf16"} or (type.element, to) == ("f64", "bf16"):
                raise InvalidError("rounded twice here")
            self.op("arith.extf" if result.bits > type.bits else "arith.truncf", [a], result)
        elif type.is_float:
            if to == "i1":
                raise InvalidError("a comparison in fact")
            self.op(rng.choice(["arith.fptosi", "arith.fptoui"]), [a], result)
        elif result.is_float:
            if type.bits >= 32 and result.bits == 16:
                raise InvalidError("rounded twice here")
            self.op(rng.choice(["arith.sitofp", "arith.uitofp"]), [a], result)
        else:
            kinds = ["arith.trunci"] if result.bits < type.bits else ["arith.extsi", "arith.extui"]
            self.op(rng.choice(kinds), [a], result)

    def small_float(self, a: str, result: Type) -> None:
        """To or from floats of 8 bits."""
        type, rng = self.types[a], self.rng
        if result.bits == type.bits and rng.random() < 0.5:
            self.op(rng.choice(["tt.bitcast", "arith.bitcast"]), [a], result)
        elif not (type.is_float or type.is_float8) or not (result.is_float or result.is_float8):
            raise InvalidError("no conversion")
        elif result.is_float8:
            self.op("tt.fp_to_fp", [a], result, rounding=rng.choice(["rtne", "rtne", "rtz"]))
        else:
            self.op("tt.fp_to_fp", [a], result)

    def shape(self) -> None:
        rng = self.rng
        pairs = [name for name in self.names if (self.types[name].shape or ())[1:][-1:] == (2,)]
        if pairs and rng.random() < 0.3:
            a = rng.choice(pairs)
            self.emit("tt.split", [a], [self.types[a].at(*(self.types[a].shape or ())[:-1])] * 2)
            return
        a = self.pick(lambda type: type.shape is not None)
        type = self.types[a]
        shape = type.shape
        assert shape is not None
        match rng.randrange(8):
            case 0:
                axis = rng.randint(0, len(shape))
                if len(shape) == 4:
                    raise InvalidError("enough dimensions")
                self.op("tt.expand_dims", [a], type.at(*shape[:axis], 1, *shape[axis:]), axis=axis)
            case 1:
                if 1 not in shape:
                    raise InvalidError("nothing to repeat")
                self.op(
                    "tt.broadcast", [a], type.at(*[rng.choice([2, 4, 16]) if size == 1 else size for size in shape])
                )
            case 2 | 3:
                same_size = [other for other in SHAPES if np.prod(other) == np.prod(shape) and other != shape]
                self.op("tt.reshape", [a], type.at(*rng.choice(same_size or [shape])))
            case 4 | 5:
                order = list(range(len(shape)))
                rng.shuffle(order)
                self.op("tt.trans", [a], type.at(*[shape[dim] for dim in order]), order=order)
            case 6:
                if type.count == 1:
                    self.op("tt.unsplat", [a], type.scalar())
                elif len(shape) == 4 or type.count > 512:
                    raise InvalidError("large enough")
                else:
                    self.op("tt.join", [a, self.like(type)], type.at(*shape, 2))
            case _:
                if type.count <= 512:
                    self.op("tt.cat", [a, self.like(type)], type.at(2 * shape[0], *shape[1:]))

    def gather(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: type.shape is not None and not type.is_pointer)
        type = self.types[a]
        assert type.shape is not None
        axis = rng.randrange(len(type.shape))
        element = rng.choice(["i32", "i32", "i64", "i8", "i16"])
        indices = self.like(type.of(element))
        limit = self.op("arith.constant", [], type.of(element), value=min(type.shape[axis] - 1, 127))
        indices = self.op("arith.andi", [indices, limit], type.of(element))
        self.op("tt.gather", [a, indices], type, axis=axis)

    def histogram(self) -> None:
        a = self.pick(lambda type: type.is_integer and type.shape is not None and len(type.shape) == 1)
        mask = [self.like(self.types[a].of("i1"))] if self.rng.random() < 0.4 else []
        self.op("tt.histogram", [a, *mask], Type("i32", (self.rng.choice([4, 16, 32]),)))

    def product(self) -> None:
        rng = self.rng
        elements = ("i8", "f16", "bf16", "f32", "f8E5M2", "f8E4M3FN")
        a = self.pick(lambda type: type.element in elements and len(type.shape or ()) == 2)
        type = self.types[a]
        assert type.shape is not None
        rows, inner = type.shape
        columns = rng.choice([1, 4, 16])
        result = Type("i32" if type.element == "i8" else "f32", (rows, columns))
        self.op("tt.dot", [a, self.like(type.at(inner, columns)), self.like(result)], result)

    def check(self) -> None:
        a = self.pick(lambda type: type.is_integer)
        self.emit("tt.assert", [self.op("arith.cmpi", [a, a], self.types[a].of("i1"), predicate="eq")], [])

    def assembly(self) -> None:
        """Instructions on registers that are full of elements, or not."""
        rng = self.rng
        a = self.pick(lambda type: type.element in ("i8", "i16", "i32"))
        type = self.types[a]
        pack = rng.choice([size for size in (1, 2, 4) if size * type.bits <= assembly.BITS])
        if (type.count if type.shape else 1) % pack:
            raise InvalidError("elements that fill no group")
        inputs = [a] if rng.random() < 0.4 else [a, self.like(type)]
        registers = ["t0", "t1", "$0", *(f"${at}" for at in range(1, len(inputs) + 1))]

        def source() -> str:
            return (
                str(rng.choice([0, 1, -1, 7, 31, 0x5410, -(2**31)])) if rng.random() < 0.25 else rng.choice(registers)
            )

        steps = []
        for _ in range(rng.randint(3, 9)):
            guard = rng.choice(["", "", "", "p0", "!p0", "p1"])
            if rng.random() < 0.25:
                operands = (rng.choice(["p0", "p1"]), source(), source())
                steps.append(assembly.Step(rng.choice(list(assembly.COMPARISONS)), operands, guard))
                continue
            name = rng.choice(list(assembly.FUNCTIONS))
            sources = [source() for _ in range(assembly.SOURCES[name])]
            sources = [*sources[:-1], rng.choice(["p0", "p1"])] if name == "selp.b32" else sources
            steps.append(assembly.Step(name, (rng.choice(registers[:3]), *sources), guard))
        self.op("tt.elementwise_inline_asm", inputs, type, steps=steps, pack=pack)

    KINDS: tuple[tuple[str, float], ...] = (
        ("arithmetic", 8), ("logic", 2), ("unary", 1.5), ("comparison", 3), ("selection", 3), ("conversion", 5),
        ("pointer", 8), ("program", 1), ("load", 8), ("store", 2), ("atomic", 1.5), ("exchange", 0.5),
        ("described", 1), ("described_access", 2.5), ("described_rows", 0.7), ("shape", 8), ("gather", 2),
        ("histogram", 0.5), ("product", 1), ("combination", 4), ("loop", 2), ("branch", 1.5), ("while_loop", 0.7),
        ("call", 0.7), ("map", 0.7), ("check", 0.3), ("assembly", 1), ("shared", 1),
    )  # fmt: skip

    def step(self) -> None:
        """Draws one op or a few; undefined ones are undone."""
        length, names, described = len(self.body), len(self.names), len(self.descriptors)
        memory = [buffer.copy() for buffer in self.machine.memory.bytes]
        [kind] = self.rng.choices([kind for kind, _ in self.KINDS], [weight for _, weight in self.KINDS])
        try:
            getattr(self, kind)()
        except InvalidError:
            del self.body[length:], self.names[names:], self.descriptors[described:]
            self.machine.memory.bytes = memory

    def run(self) -> Module:
        for _ in range(self.rng.randint(8, 40)):
            self.step()
        for name in self.outputs:
            [buffer] = [candidate for candidate in self.module.buffers if candidate.name == name]
            share = len(buffer.data) // self.module.programs
            fitting = [name for name in self.names if self.types[name].shape is not None
                       and self.types[name].element == buffer.element and self.types[name].count <= share]  # fmt: skip
            if not fitting:
                continue
            length, names = len(self.body), len(self.names)
            try:
                self.store_at(buffer, self.rng.choice(fitting[-3:]))
            except InvalidError:
                del self.body[length:], self.names[names:]
        return self.module
