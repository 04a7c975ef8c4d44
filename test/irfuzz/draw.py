"""Draws a random module. Each op is computed as it is drawn, and thrown away where it means nothing.

So no rule says which addresses are in bounds: any block of integers may be an offset, and stays where it happens to be
one. What Triton's front end would not write in this order is as likely as what it would.
"""

from __future__ import annotations

import random

import numpy as np

from .flow import Flow, function_on
from .module import Buffer, InvalidError, Module, evaluate
from .ops import BITS, CMPF, CMPI, RING
from .scope import ELEMENTS, SHAPES
from .types import Type


def drawn(seed: int) -> Module:
    """The module with this number."""
    for turn in range(1000):
        rng = random.Random(seed * 1000 + turn)
        drawer = Drawer(rng, seed)
        module = drawer.run()
        try:
            evaluate(module)
        except InvalidError:
            continue
        return module
    raise AssertionError("no module is drawn")


class Drawer(Flow):
    """The ops without bodies, and how often each kind is drawn."""

    def arithmetic(self) -> None:
        a = self.pick(lambda type: type.is_integer or type.is_float)
        self.one(function_on(self.rng, self.types[a]), [a, self.like(self.types[a])], self.types[a])

    def logic(self) -> None:
        a = self.pick(lambda type: type.element == "i1")
        self.one(self.rng.choice([*BITS, *RING]), [a, self.like(self.types[a])], self.types[a])

    def unary(self) -> None:
        a = self.pick(lambda type: type.is_float or type.is_integer)
        type = self.types[a]
        kinds = ["arith.negf", "math.absf"] if type.is_float else ["math.absi"]
        if type.element in ("f32", "f64"):
            kinds += ["math.floor", "math.ceil", "tt.precise_sqrt"]
        self.one(self.rng.choice(kinds), [a], type)

    def comparison(self) -> None:
        a = self.pick(lambda type: type.is_integer or type.is_float)
        type = self.types[a]
        kind, predicates = ("arith.cmpf", CMPF) if type.is_float else ("arith.cmpi", CMPI)
        self.one(kind, [a, self.like(type)], type.of("i1"), predicate=self.rng.choice(list(predicates)))

    def selection(self) -> None:
        a = self.pick(lambda type: True)
        type = self.types[a]
        shape = type.shape if self.rng.random() < 0.8 else None
        self.one("arith.select", [self.like(Type("i1", shape)), a, self.like(type)], type)

    def conversion(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: not type.is_pointer)
        type = self.types[a]
        to = rng.choice([element for element in ELEMENTS if element != type.element])
        result = type.of(to)
        if rng.random() < 0.15 and result.bits == type.bits and "i1" not in (to, type.element):
            self.one(rng.choice(["tt.bitcast", "arith.bitcast"]), [a], result)
        elif type.is_float and result.is_float:
            if {to, type.element} == {"f16", "bf16"} or (type.element, to) == ("f64", "bf16"):
                raise InvalidError("rounded twice here")
            self.one("arith.extf" if result.bits > type.bits else "arith.truncf", [a], result)
        elif type.is_float:
            if to == "i1":
                raise InvalidError("a comparison in fact")
            self.one(rng.choice(["arith.fptosi", "arith.fptoui"]), [a], result)
        elif result.is_float:
            if type.bits >= 32 and result.bits == 16:
                raise InvalidError("rounded twice here")
            self.one(rng.choice(["arith.sitofp", "arith.uitofp"]), [a], result)
        else:
            kinds = ["arith.trunci"] if result.bits < type.bits else ["arith.extsi", "arith.extui"]
            self.one(rng.choice(kinds), [a], result)

    def pointer(self) -> None:
        """Moves a pointer or a block of them by any integers, or makes an address a number and back."""
        rng = self.rng
        p = self.pick(lambda type: type.is_pointer)
        type = self.types[p]
        if type.shape is None and rng.random() < 0.5:
            type = type.at(*rng.choice(self.shapes))
            p = self.one("tt.splat", [p], type)
        if rng.random() < 0.1:
            number = self.one("tt.ptr_to_int", [p], type.of("i64"))
            self.names.pop()
            self.one("tt.int_to_ptr", [number], type)
            return
        element = rng.choice(["i32", "i32", "i32", "i64", "i8", "i16"])
        offset = self.like(type.of(element))
        if rng.random() < 0.4:
            # Brought in bounds, and not always in the same way.
            limit = rng.choice([4, 16, 64])
            by = self.one("arith.constant", [], type.of(element), value=limit - 1)
            offset = self.one("arith.andi", [offset, by], type.of(element))
        self.one("tt.addptr", [p, offset], type)

    def program(self) -> None:
        """The part of a buffer that is this program's."""
        buffer = self.written()
        index = self.one("tt.get_program_id", [], Type("i32"))
        self.one("tt.get_num_programs", [], Type("i32"))
        size = self.one("arith.constant", [], Type("i32"), value=len(buffer.data) // self.module.programs)
        offset = self.one("arith.muli", [index, size], Type("i32"))
        self.one("tt.addptr", [buffer.name, offset], Type(f"*{buffer.element}"))

    def written(self) -> Buffer:
        """Memory that may be written; a function sees none but through its parameters."""
        visible = [one for one in self.module.buffers if one.written and one.name in self.names]
        if not visible:
            raise InvalidError("no memory")
        return self.rng.choice(visible)

    def load(self) -> None:
        rng = self.rng
        p = self.pick(
            lambda type: (type.is_pointer and type.shape is not None) or (rng.random() < 0.1 and type.is_pointer)
        )
        type = self.types[p]
        loaded = type.of(type.element[1:])
        operands = [p]
        if rng.random() < 0.6:
            operands.append(self.like(type.of("i1")))
            if rng.random() < 0.6:
                operands.append(self.like(loaded))
        hints = (
            {"cacheModifier": "cg"}
            if rng.random() < 0.1
            else {"evictionPolicy": "evict_first"}
            if rng.random() < 0.1
            else {}
        )
        self.one("tt.load", operands, loaded, hints=hints, volatile=rng.random() < 0.1)

    def store(self) -> None:
        """Into this program's part of a buffer, each element once."""
        rng = self.rng
        buffer = self.written()
        part = len(buffer.data) // self.module.programs
        shapes = [shape for shape in self.shapes if int(np.prod(shape)) <= part]
        if not shapes:
            raise InvalidError("too small")
        type = Type(buffer.element, rng.choice(shapes))
        self.store_at(buffer, self.like(type))

    def store_at(self, buffer: Buffer, value: str) -> None:
        rng = self.rng
        type = self.types[value]
        assert type.shape is not None
        line = Type("i32", (type.count,))
        place = self.one("tt.make_range", [], line, start=0)
        if rng.random() < 0.3:
            by = self.one("arith.constant", [], line, value=type.count - 1)
            place = self.one("arith.xori", [place, by], line)
        place = self.one("tt.reshape", [place], line.at(*type.shape))
        if len(type.shape) == 2 and type.shape[0] == type.shape[1] and rng.random() < 0.3:
            place = self.one("tt.trans", [place], self.types[place], order=[1, 0])
        index = self.one("tt.get_program_id", [], Type("i32"))
        size = self.one("arith.constant", [], Type("i32"), value=len(buffer.data) // self.module.programs)
        start = self.one("arith.muli", [index, size], Type("i32"))
        pointer = Type(f"*{buffer.element}")
        if rng.random() < 0.5:
            base = self.one("tt.addptr", [buffer.name, start], pointer)
            block = self.one("tt.splat", [base], pointer.at(*type.shape))
        else:
            block = self.one("tt.splat", [buffer.name], pointer.at(*type.shape))
            place = self.one("arith.addi", [place, self.one("tt.splat", [start], self.types[place])], self.types[place])
        block = self.one("tt.addptr", [block, place], self.types[block])
        mask = [self.like(type.of("i1"))] if rng.random() < 0.4 else []
        self.emit("tt.store", [block, value, *mask], [])

    def shape(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: type.shape is not None)
        type = self.types[a]
        shape = type.shape
        assert shape is not None
        match rng.randrange(8):
            case 0:
                axis = rng.randint(0, len(shape))
                if len(shape) == 4:
                    raise InvalidError("enough dimensions")
                self.one("tt.expand_dims", [a], type.at(*shape[:axis], 1, *shape[axis:]), axis=axis)
            case 1:
                if 1 not in shape:
                    raise InvalidError("nothing to repeat")
                self.one(
                    "tt.broadcast", [a], type.at(*[rng.choice([2, 4, 16]) if size == 1 else size for size in shape])
                )
            case 2 | 3:
                others = [other for other in SHAPES if np.prod(other) == np.prod(shape) and other != shape]
                self.one("tt.reshape", [a], type.at(*rng.choice(others or [shape])))
            case 4 | 5:
                order = list(range(len(shape)))
                rng.shuffle(order)
                self.one("tt.trans", [a], type.at(*[shape[dim] for dim in order]), order=order)
            case 6:
                if type.count == 1:
                    self.one("tt.unsplat", [a], type.scalar())
                elif len(shape) == 4 or type.count > 512:
                    raise InvalidError("large enough")
                else:
                    self.one("tt.join", [a, self.like(type)], type.at(*shape, 2))
            case _:
                if shape[-1] == 2 and len(shape) > 1:
                    self.emit("tt.split", [a], [type.at(*shape[:-1])] * 2)
                elif type.count <= 512:
                    self.one("tt.cat", [a, self.like(type)], type.at(2 * shape[0], *shape[1:]))

    def gather(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: type.shape is not None and not type.is_pointer)
        type = self.types[a]
        assert type.shape is not None
        axis = rng.randrange(len(type.shape))
        element = rng.choice(["i32", "i32", "i64", "i8", "i16"])
        places = self.like(type.of(element))
        limit = self.one("arith.constant", [], type.of(element), value=min(type.shape[axis] - 1, 127))
        places = self.one("arith.andi", [places, limit], type.of(element))
        self.one("tt.gather", [a, places], type, axis=axis)

    def histogram(self) -> None:
        a = self.pick(lambda type: type.is_integer and type.shape is not None and len(type.shape) == 1)
        mask = [self.like(self.types[a].of("i1"))] if self.rng.random() < 0.4 else []
        self.one("tt.histogram", [a, *mask], Type("i32", (self.rng.choice([4, 16, 32]),)))

    def product(self) -> None:
        rng = self.rng
        a = self.pick(lambda type: type.element in ("i8", "f16", "bf16", "f32") and len(type.shape or ()) == 2)
        type = self.types[a]
        assert type.shape is not None
        rows, inner = type.shape
        columns = rng.choice([1, 4, 16])
        result = Type("i32" if type.element == "i8" else "f32", (rows, columns))
        self.one("tt.dot", [a, self.like(type.at(inner, columns)), self.like(result)], result)

    def check(self) -> None:
        a = self.pick(lambda type: type.is_integer)
        self.emit("tt.assert", [self.one("arith.cmpi", [a, a], self.types[a].of("i1"), predicate="eq")], [])

    KINDS: tuple[tuple[str, float], ...] = (
        ("arithmetic", 8), ("logic", 2), ("unary", 1), ("comparison", 3), ("selection", 3), ("conversion", 5),
        ("pointer", 8), ("program", 1), ("load", 8), ("store", 2), ("shape", 8), ("gather", 2), ("histogram", 0.5),
        ("product", 1), ("combination", 4), ("loop", 2), ("branch", 1.5), ("turns", 0.7), ("call", 0.7), ("map", 0.7),
        ("check", 0.3),
    )  # fmt: skip

    def step(self) -> None:
        """One op or a few; what means nothing leaves nothing behind."""
        length, names = len(self.body), len(self.names)
        memory = [one.copy() for one in self.machine.memory.bytes]
        [kind] = self.rng.choices([kind for kind, _ in self.KINDS], [weight for _, weight in self.KINDS])
        try:
            getattr(self, kind)()
        except InvalidError:
            del self.body[length:], self.names[names:]
            self.machine.memory.bytes = memory

    def run(self) -> Module:
        for _ in range(self.rng.randint(8, 40)):
            self.step()
        for name in self.outputs:
            [buffer] = [one for one in self.module.buffers if one.name == name]
            part = len(buffer.data) // self.module.programs
            fitting = [one for one in self.names if self.types[one].shape is not None
                       and self.types[one].element == buffer.element and self.types[one].count <= part]  # fmt: skip
            if not fitting:
                continue
            length, names = len(self.body), len(self.names)
            try:
                self.store_at(buffer, self.rng.choice(fitting[-3:]))
            except InvalidError:
                del self.body[length:], self.names[names:]
        return self.module
