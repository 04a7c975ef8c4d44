"""Draws ops with regions: reductions and scans, loops, branches, and functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from .arithmetic import BITS, CMPF, CMPI, DIVISIONS, FLOAT_ORDER, FLOAT_RING, ORDER, RING, SHIFTS
from .module import InvalidError, Node, Region
from .scope import Scope
from .types import Type


def function_on(rng: random.Random, type: Type) -> str:
    """A function of two elements."""
    if type.is_float:
        precise = ["tt.precise_divf"] if type.element in ("f32", "f64") else []
        return rng.choice([*FLOAT_RING, *FLOAT_ORDER, "arith.divf", *precise])
    high = ["tt.mulhiui"] if type.bits >= 32 else []
    return rng.choice([*BITS, *RING, *RING, *RING, *ORDER, *DIVISIONS, *SHIFTS, *high])


class Flow(Scope):
    """Draws ops with bodies."""

    def combination(self) -> None:
        """A reduction or a scan."""
        rng = self.rng
        a = self.pick(lambda type: type.shape is not None and not type.is_pointer and not type.is_float8)
        type = self.types[a]
        assert type.shape is not None
        axis = rng.randrange(len(type.shape))
        scans = rng.random() < 0.4
        operands, region = self.combiner(a, ordered=scans)
        if scans:
            types = [self.types[one] for one in operands]
            self.emit("tt.scan", operands, types, [region], axis=axis, reverse=rng.random() < 0.5)
            return
        shape = type.shape[:axis] + type.shape[axis + 1 :]
        types = [Type(self.types[one].element, shape or None) for one in operands]
        self.emit("tt.reduce", operands, types, [region], axis=axis)

    def combiner(self, a: str, *, ordered: bool) -> tuple[list[str], Region]:
        """Returns operands and a combine function that is associative, and commutative unless ordered."""
        rng, type = self.rng, self.types[a]
        element = type.scalar()
        names = [self.name() for _ in range(6)]
        simple = list(FLOAT_ORDER) if type.is_float else [*BITS] if element.element == "i1" else [
            *BITS, *ORDER, "arith.addi", "arith.addi", "arith.muli"]  # fmt: skip

        def node(kind: str, operands: list[str], types: list[Type], result: str, given: Type, **more: Any) -> Node:
            return Node(kind, operands, types, [(result, given)], more)

        both = [element, element]
        form = rng.randrange(4)
        x, y, u, v, r, s = names
        if form == 0 and type.is_integer and ordered:
            # Composition of functions `a * x + b`.
            body = [node("arith.muli", [x, u], both, r, element), node("arith.muli", [y, u], both, s, element)]
            last = self.name()
            body.append(node("arith.addi", [s, v], both, last, element))
            return [a, self.like(type)], Region(
                [(x, element), (y, element), (u, element), (v, element)], body, [r, last]
            )
        if form == 1 and not type.is_float and type.element != "i1":
            # The largest element, and the smallest index of equal ones.
            place = Type("i32", type.shape)
            index = self.spread(type.shape or ())
            tie, less, more, at, first, both_ = (self.name() for _ in range(6))
            i32, i1 = Type("i32"), Type("i1")
            body = [
                node("arith.cmpi", [x, u], both, more, i1, predicate="sgt"),
                node("arith.cmpi", [x, u], both, tie, i1, predicate="eq"),
                node("arith.cmpi", [y, v], [i32, i32], less, i1, predicate="slt"),
                node("arith.andi", [tie, less], [i1, i1], both_, i1),
                node("arith.ori", [more, both_], [i1, i1], first, i1),
                node("arith.select", [first, x, u], [i1, element, element], r, element),
                node("arith.select", [first, y, v], [i1, i32, i32], at, i32),
            ]
            assert place.shape == type.shape
            return [a, index], Region([(x, element), (y, i32), (u, element), (v, i32)], body, [r, at])
        if form == 2:
            b = self.like(type)
            body = [
                node(rng.choice(simple), [x, u], both, r, element),
                node(rng.choice(simple), [y, v], both, s, element),
            ]
            return [a, b], Region([(x, element), (y, element), (u, element), (v, element)], body, [r, s])
        body = [node(rng.choice(simple), [x, u], both, r, element)]
        return [a], Region([(x, element), (u, element)], body, [r])

    def inside(self, arguments: list[tuple[str, Type]], values: Sequence[Any], fill: Callable[[], list[str]]) -> Region:
        """Returns a region whose ops are drawn by ``fill``, which returns the names of its results."""
        outer, names, known = self.body, list(self.names), dict(self.values)
        described = list(self.descriptors)
        memory = [one.copy() for one in self.machine.memory.bytes]
        region = Region(arguments)
        self.body = region.body
        self.depth += 1
        try:
            for (name, type), value in zip(arguments, values, strict=True):
                self._see(name, type, value)
            region.results = fill()
        finally:
            self.body, self.names, self.values, self.descriptors = outer, names, known, described
            self.machine.memory.bytes = memory
            self.depth -= 1
        return region

    def several(self, most: int) -> None:
        for _ in range(self.rng.randint(1, most)):
            self.step()

    def carried(self) -> list[str]:
        return [self.pick(lambda type: True) for _ in range(self.rng.randint(0, 3))]

    def loop(self) -> None:
        rng = self.rng
        if self.depth >= 2:
            raise InvalidError("deep enough")
        kind = Type(rng.choice(["i32", "i32", "i32", "i64", "i16", "i8"]))
        largest = 2 ** (kind.bits - 1) - 1
        choices = [[0, 0, 1, -2], [3, 4, 1, 0], [1, 1, 2]]
        if rng.random() < 0.3:  # The value after the last iteration wraps, or the distance of the bounds does.
            choices = [[largest - 9, -largest - 1, -5, 0], [largest, largest - 1, -largest + 3],
                       [4, 7, largest // 2, largest // 3, largest]]  # fmt: skip
        bounds = [self.one("arith.constant", [], kind, value=rng.choice(some)) for some in choices]
        given = [name for name in self.names if self.types[name] == kind]
        for place, chance in enumerate((0.1, 0.5, 0.1)):
            if given and rng.random() < chance:
                bounds[place] = rng.choice(given)
        unsigned = rng.random() < 0.1
        inits = self.carried()
        types = [self.types[one] for one in inits]
        arguments = [(self.name(), type) for type in [kind, *types]]
        values = [self.values[bounds[0]], *[self.values[one] for one in inits]]

        def fill() -> list[str]:
            self.several(5)
            return [self.like(type) for type in types]

        region = self.inside(arguments, values, fill)
        self.emit("scf.for", [*bounds, *inits], types, [region], unsigned=unsigned)

    def branch(self) -> None:
        if self.depth >= 2:
            raise InvalidError("deep enough")
        condition = self.like(Type("i1"))
        types = [self.types[one] for one in self.carried()]

        def fill() -> list[str]:
            self.several(3)
            return [self.like(type) for type in types]

        self.emit("scf.if", [condition], types, [self.inside([], [], fill), self.inside([], [], fill)])

    def turns(self) -> None:
        """A while loop that counts down."""
        if self.depth >= 2:
            raise InvalidError("deep enough")
        i32 = Type("i32")
        counter = self.one("arith.constant", [], i32, value=self.rng.choice([0, 1, 3]))
        inits = [counter, *self.carried()]
        types = [self.types[one] for one in inits]
        values = [self.values[one] for one in inits]
        before, after = ([(self.name(), type) for type in types] for _ in range(2))

        def test() -> list[str]:
            if self.rng.random() < 0.5:
                self.several(2)
            zero = self.one("arith.constant", [], i32, value=0)
            more = self.one("arith.cmpi", [before[0][0], zero], Type("i1"), predicate="sgt")
            return [more, before[0][0], *[self.like(type) for type in types[1:]]]

        def fill() -> list[str]:
            self.several(4)
            one = self.one("arith.constant", [], i32, value=1)
            return [self.one("arith.subi", [after[0][0], one], i32), *[self.like(type) for type in types[1:]]]

        regions = [self.inside(before, values, test), self.inside(after, values, fill)]
        self.emit("scf.while", inits, types, regions)

    def call(self) -> None:
        """A function with blocks among its parameters, which accesses no other values."""
        if self.depth:
            raise InvalidError("functions are drawn outside of loops")
        given = [self.pick(lambda type: True) for _ in range(self.rng.randint(1, 3))]
        types = [self.types[one] for one in given]
        arguments = [(self.name(), type) for type in types]
        visible, self.names = self.names, []
        described, self.descriptors = self.descriptors, []
        try:
            region = self.inside(arguments, [self.values[one] for one in given], self._function)
        finally:
            self.names, self.descriptors = visible, described
        name = f"f{len(self.module.functions)}"
        self.module.functions[name] = region
        results = dict(region.arguments) | {one: type for node in region.body for one, type in node.results}
        for _ in range(self.rng.choice([1, 1, 2])):
            self.emit("tt.call", given, [results[one] for one in region.results], function=name)

    def _function(self) -> list[str]:
        self.several(4)
        return [self.pick(lambda type: True) for _ in range(self.rng.randint(1, 2))]

    def map(self) -> None:
        """A function on elements, with a branch."""
        a = self.pick(
            lambda type: (type.shape is not None and type.is_integer) or (type.is_float and type.shape is not None)
        )
        type = self.types[a]
        b = self.like(type)
        element, i1 = type.scalar(), Type("i1")
        x, y, c, r, s, t = (self.name() for _ in range(6))
        kind, predicates = ("arith.cmpf", CMPF) if type.is_float else ("arith.cmpi", CMPI)
        both = [element, element]
        compare = Node(kind, [x, y], both, [(c, i1)], {"predicate": self.rng.choice(list(predicates))})
        arms = [
            Region([], [Node(function_on(self.rng, element), [x, y], both, [(name, element)])], [name])
            for name in (r, s)
        ]
        branch = Node("scf.if", [c], [i1], [(t, element)], {}, arms)
        body, given = [compare, branch], t
        if type.is_integer and self.rng.random() < 0.4:
            loop = self.element_loop(element, t)
            body, given = [*body, *loop], loop[-1].results[0][0]
        region = Region([(x, element), (y, element)], body, [given])
        self.emit("tt.map_elementwise", [a, b], [type], [region])

    def element_loop(self, element: Type, init: str) -> list[Node]:
        """A loop over integers, sometimes near the end of their type, with a given initial value."""
        rng, largest = self.rng, 2 ** (element.bits - 1) - 1
        low, high, step = rng.choice([(0, 3, 1), (largest - 9, largest, 4), (-largest - 1, largest, largest // 2 + 3)])
        names = [self.name() for _ in range(7)]
        *bounds, turn, carried, next_, result = names
        made = [
            Node("arith.constant", [], [], [(name, element)], {"value": value})
            for name, value in zip(bounds, (low, high, step), strict=True)
        ]
        simple = rng.choice([*BITS, *RING, *ORDER])
        inner = Region(
            [(turn, element), (carried, element)],
            [Node(simple, [carried, turn], [element, element], [(next_, element)])],
            [next_],
        )
        return [*made, Node("scf.for", [*bounds, init], [element] * 4, [(result, element)], {}, [inner])]
