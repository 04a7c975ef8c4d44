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
            types = [self.types[operand] for operand in operands]
            self.emit("tt.scan", operands, types, [region], axis=axis, reverse=rng.random() < 0.5)
            return
        shape = type.shape[:axis] + type.shape[axis + 1 :]
        types = [Type(self.types[operand].element, shape or None) for operand in operands]
        self.emit("tt.reduce", operands, types, [region], axis=axis)

    def combiner(self, a: str, *, ordered: bool) -> tuple[list[str], Region]:
        """Returns operands and a combine function that is associative, and commutative unless ordered."""
        rng, type = self.rng, self.types[a]
        element = type.scalar()
        names = [self.name() for _ in range(6)]
        simple = list(FLOAT_ORDER) if type.is_float else [*BITS] if element.element == "i1" else [
            *BITS, *ORDER, "arith.addi", "arith.addi", "arith.muli"]  # fmt: skip

        def node(
            kind: str, operands: list[str], types: list[Type], result: str, result_type: Type, **attrs: Any
        ) -> Node:
            return Node(kind, operands, types, [(result, result_type)], attrs)

        pair = [element, element]
        form = rng.randrange(4)
        x, y, u, v, r, s = names
        if form == 0 and type.is_integer and ordered:
            # Composition of functions `a * x + b`.
            body = [node("arith.muli", [x, u], pair, r, element), node("arith.muli", [y, u], pair, s, element)]
            last = self.name()
            body.append(node("arith.addi", [s, v], pair, last, element))
            return [a, self.like(type)], Region(
                [(x, element), (y, element), (u, element), (v, element)], body, [r, last]
            )
        if form == 1 and not type.is_float and type.element != "i1":
            # The largest element, and the smallest index of equal ones.
            index_type = Type("i32", type.shape)
            index = self.range_along(type.shape or ())
            tie, index_less, greater, at, first, tie_and_less = (self.name() for _ in range(6))
            i32, i1 = Type("i32"), Type("i1")
            body = [
                node("arith.cmpi", [x, u], pair, greater, i1, predicate="sgt"),
                node("arith.cmpi", [x, u], pair, tie, i1, predicate="eq"),
                node("arith.cmpi", [y, v], [i32, i32], index_less, i1, predicate="slt"),
                node("arith.andi", [tie, index_less], [i1, i1], tie_and_less, i1),
                node("arith.ori", [greater, tie_and_less], [i1, i1], first, i1),
                node("arith.select", [first, x, u], [i1, element, element], r, element),
                node("arith.select", [first, y, v], [i1, i32, i32], at, i32),
            ]
            assert index_type.shape == type.shape
            return [a, index], Region([(x, element), (y, i32), (u, element), (v, i32)], body, [r, at])
        if form == 2:
            b = self.like(type)
            body = [
                node(rng.choice(simple), [x, u], pair, r, element),
                node(rng.choice(simple), [y, v], pair, s, element),
            ]
            return [a, b], Region([(x, element), (y, element), (u, element), (v, element)], body, [r, s])
        body = [node(rng.choice(simple), [x, u], pair, r, element)]
        return [a], Region([(x, element), (u, element)], body, [r])

    def filled_region(
        self, arguments: list[tuple[str, Type]], values: Sequence[Any], fill: Callable[[], list[str]]
    ) -> Region:
        """Returns a region whose ops are drawn by ``fill``, which returns the names of its results."""
        outer, names, known_values = self.body, list(self.names), dict(self.values)
        described = list(self.descriptors)
        memory = [buffer.copy() for buffer in self.machine.memory.bytes]
        region = Region(arguments)
        self.body = region.body
        self.depth += 1
        try:
            for (name, type), value in zip(arguments, values, strict=True):
                self._see(name, type, value)
            region.results = fill()
        finally:
            self.body, self.names, self.values, self.descriptors = outer, names, known_values, described
            self.machine.memory.bytes = memory
            self.depth -= 1
        return region

    def several(self, maximum: int) -> None:
        for _ in range(self.rng.randint(1, maximum)):
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
        bounds = [self.op("arith.constant", [], kind, value=rng.choice(options)) for options in choices]
        scalars = [name for name in self.names if self.types[name] == kind]
        for position, chance in enumerate((0.1, 0.5, 0.1)):
            if scalars and rng.random() < chance:
                bounds[position] = rng.choice(scalars)
        unsigned = rng.random() < 0.1
        inits = self.carried()
        types = [self.types[init] for init in inits]
        arguments = [(self.name(), type) for type in [kind, *types]]
        values = [self.values[bounds[0]], *[self.values[init] for init in inits]]

        def fill() -> list[str]:
            self.several(5)
            return [self.like(type) for type in types]

        region = self.filled_region(arguments, values, fill)
        self.emit("scf.for", [*bounds, *inits], types, [region], unsigned=unsigned)

    def branch(self) -> None:
        if self.depth >= 2:
            raise InvalidError("deep enough")
        condition = self.like(Type("i1"))
        types = [self.types[value_name] for value_name in self.carried()]

        def fill() -> list[str]:
            self.several(3)
            return [self.like(type) for type in types]

        self.emit("scf.if", [condition], types, [self.filled_region([], [], fill), self.filled_region([], [], fill)])

    def while_loop(self) -> None:
        """A while loop that counts down."""
        if self.depth >= 2:
            raise InvalidError("deep enough")
        i32 = Type("i32")
        counter = self.op("arith.constant", [], i32, value=self.rng.choice([0, 1, 3]))
        inits = [counter, *self.carried()]
        types = [self.types[init] for init in inits]
        values = [self.values[init] for init in inits]
        before, after = ([(self.name(), type) for type in types] for _ in range(2))

        def test() -> list[str]:
            if self.rng.random() < 0.5:
                self.several(2)
            zero = self.op("arith.constant", [], i32, value=0)
            continues = self.op("arith.cmpi", [before[0][0], zero], Type("i1"), predicate="sgt")
            return [continues, before[0][0], *[self.like(type) for type in types[1:]]]

        def fill() -> list[str]:
            self.several(4)
            one = self.op("arith.constant", [], i32, value=1)
            return [self.op("arith.subi", [after[0][0], one], i32), *[self.like(type) for type in types[1:]]]

        regions = [self.filled_region(before, values, test), self.filled_region(after, values, fill)]
        self.emit("scf.while", inits, types, regions)

    def call(self) -> None:
        """A function with blocks among its parameters, which accesses no other values."""
        if self.depth:
            raise InvalidError("functions are drawn outside of loops")
        passed = [self.pick(lambda type: True) for _ in range(self.rng.randint(1, 3))]
        types = [self.types[value] for value in passed]
        arguments = [(self.name(), type) for type in types]
        visible, self.names = self.names, []
        described, self.descriptors = self.descriptors, []
        try:
            region = self.filled_region(arguments, [self.values[value] for value in passed], self._function)
        finally:
            self.names, self.descriptors = visible, described
        name = f"f{len(self.module.functions)}"
        self.module.functions[name] = region
        results = dict(region.arguments) | {result: type for node in region.body for result, type in node.results}
        for _ in range(self.rng.choice([1, 1, 2])):
            self.emit("tt.call", passed, [results[result] for result in region.results], function=name)

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
        pair = [element, element]
        compare = Node(kind, [x, y], pair, [(c, i1)], {"predicate": self.rng.choice(list(predicates))})
        arms = [
            Region([], [Node(function_on(self.rng, element), [x, y], pair, [(name, element)])], [name])
            for name in (r, s)
        ]
        branch = Node("scf.if", [c], [i1], [(t, element)], {}, arms)
        body, result = [compare, branch], t
        if type.is_integer and self.rng.random() < 0.4:
            loop = self.element_loop(element, t)
            body, result = [*body, *loop], loop[-1].results[0][0]
        region = Region([(x, element), (y, element)], body, [result])
        self.emit("tt.map_elementwise", [a, b], [type], [region])

    def element_loop(self, element: Type, init: str) -> list[Node]:
        """A loop over integers, sometimes near the end of their type, with a given initial value."""
        rng, largest = self.rng, 2 ** (element.bits - 1) - 1
        low, high, step = rng.choice([(0, 3, 1), (largest - 9, largest, 4), (-largest - 1, largest, largest // 2 + 3)])
        names = [self.name() for _ in range(7)]
        *bounds, iteration, carried, next_, result = names
        constants = [
            Node("arith.constant", [], [], [(name, element)], {"value": value})
            for name, value in zip(bounds, (low, high, step), strict=True)
        ]
        simple = rng.choice([*BITS, *RING, *ORDER])
        inner = Region(
            [(iteration, element), (carried, element)],
            [Node(simple, [carried, iteration], [element, element], [(next_, element)])],
            [next_],
        )
        return [*constants, Node("scf.for", [*bounds, init], [element] * 4, [(result, element)], {}, [inner])]
