"""Draws accesses to memory: by addresses, one after the other as atomics, and through descriptors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .accesses import FLOAT_UPDATES, UPDATES
from .flow import Flow
from .module import Buffer, InvalidError
from .types import INTEGERS, Descriptor, Type


class Accesses(Flow):
    """Draws loads and stores."""

    def pointer(self) -> None:
        """Advances a pointer or a block of pointers by any integers, or converts an address to a number and back."""
        rng = self.rng
        p = self.pick(lambda type: type.is_pointer)
        type = self.types[p]
        if type.shape is None and rng.random() < 0.5:
            type = type.at(*rng.choice(self.shapes))
            p = self.op("tt.splat", [p], type)
        if rng.random() < 0.1:
            number = self.op("tt.ptr_to_int", [p], type.of("i64"))
            self.names.pop()
            self.op("tt.int_to_ptr", [number], type)
            return
        element = rng.choice(["i32", "i32", "i32", "i64", "i8", "i16"])
        offset = self.like(type.of(element))
        if rng.random() < 0.4:
            # Offsets are brought in bounds, in one of several ways.
            limit = rng.choice([4, 16, 64])
            by = self.op("arith.constant", [], type.of(element), value=limit - 1)
            offset = self.op("arith.andi", [offset, by], type.of(element))
        self.op("tt.addptr", [p, offset], type)

    def program(self) -> None:
        """Draws a pointer to this program's part of a buffer."""
        buffer = self.written()
        index = self.op("tt.get_program_id", [], Type("i32"))
        self.op("tt.get_num_programs", [], Type("i32"))
        size = self.op("arith.constant", [], Type("i32"), value=len(buffer.data) // self.module.programs)
        offset = self.op("arith.muli", [index, size], Type("i32"))
        self.op("tt.addptr", [buffer.name, offset], Type(f"*{buffer.element}"))

    def written(self) -> Buffer:
        """Returns writable memory; a function can access only its parameters'."""
        written = [buffer for buffer in self.module.buffers if buffer.written and not buffer.update]
        visible = [buffer for buffer in written if buffer.name in self.names]
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
        self.op("tt.load", operands, loaded, hints=hints, volatile=rng.random() < 0.1)

    def store(self) -> None:
        """Stores to this program's part of a buffer, each element once."""
        rng = self.rng
        buffer = self.written()
        share = len(buffer.data) // self.module.programs
        shapes = [shape for shape in self.shapes if int(np.prod(shape)) <= share]
        if not shapes:
            raise InvalidError("too small")
        type = Type(buffer.element, rng.choice(shapes))
        self.store_at(buffer, self.like(type))

    def store_at(self, buffer: Buffer, value: str) -> None:
        rng = self.rng
        type = self.types[value]
        assert type.shape is not None
        line = Type("i32", (type.count,))
        offsets = self.op("tt.make_range", [], line, start=0)
        if rng.random() < 0.3:
            by = self.op("arith.constant", [], line, value=type.count - 1)
            offsets = self.op("arith.xori", [offsets, by], line)
        offsets = self.op("tt.reshape", [offsets], line.at(*type.shape))
        if len(type.shape) == 2 and type.shape[0] == type.shape[1] and rng.random() < 0.3:
            offsets = self.op("tt.trans", [offsets], self.types[offsets], order=[1, 0])
        index = self.op("tt.get_program_id", [], Type("i32"))
        size = self.op("arith.constant", [], Type("i32"), value=len(buffer.data) // self.module.programs)
        start = self.op("arith.muli", [index, size], Type("i32"))
        pointer = Type(f"*{buffer.element}")
        begin = buffer.name
        aliases = [alias for alias in self.module.aliases if alias.of == buffer.name and alias.name in self.names]
        if aliases and rng.random() < 0.3:
            alias = rng.choice(aliases)
            begin = alias.name
            by = self.op("arith.constant", [], Type("i32"), value=alias.offset)
            start = self.op("arith.subi", [start, by], Type("i32"))
        if rng.random() < 0.5:
            base = self.op("tt.addptr", [begin, start], pointer)
            block = self.op("tt.splat", [base], pointer.at(*type.shape))
        else:
            block = self.op("tt.splat", [begin], pointer.at(*type.shape))
            starts = self.op("tt.splat", [start], self.types[offsets])
            offsets = self.op("arith.addi", [offsets, starts], self.types[offsets])
        block = self.op("tt.addptr", [block, offsets], self.types[block])
        mask = [self.like(type.of("i1"))] if rng.random() < 0.4 else []
        self.emit("tt.store", [block, value, *mask], [])

    def atomic_block(self) -> tuple[str, Type]:
        """Returns addresses whose element type supports atomics, and that type."""
        p = self.pick(lambda type: type.is_pointer and type.element[1:] in ATOMIC)
        type = self.types[p]
        return p, type.of(type.element[1:])

    def memory_order(self, *names: str) -> dict[str, Any]:
        return {"how": f"{self.rng.choice(names)}, {self.rng.choice(['gpu', 'cta', 'sys'])}"}

    def masked(self, type: Type) -> list[str]:
        return [self.like(type.of("i1"))] if self.rng.random() < 0.5 else []

    def atomic(self) -> None:
        """Updates each element, one after the other; or loads or stores atomically."""
        rng = self.rng
        p, type = self.atomic_block()
        match rng.randrange(4):
            case 0:
                self.op("tt.atomic_load", [p, *self.masked(type)], type, **self.memory_order("relaxed", "acquire"))
            case 1:
                operands = [p, self.like(type), *self.masked(type)]
                self.emit("tt.atomic_store", operands, [], **self.memory_order("relaxed", "release"))
            case _:
                update = rng.choice(list(FLOAT_UPDATES if type.is_float else UPDATES))
                operands = [p, self.like(type), *self.masked(type)]
                self.op("tt.atomic_rmw", operands, type, update=update, **self.memory_order("relaxed", "acq_rel"))

    def shared(self) -> None:
        """Updates elements that all programs share. Previous values depend on the order, so they are not used."""
        [buffer] = [candidate for candidate in self.module.buffers if candidate.update]
        if buffer.name not in self.names:
            raise InvalidError("no memory")
        index = self.pick(lambda type: type.element == "i32")
        type = self.types[index]
        last = self.op("arith.constant", [], type, value=len(buffer.data) - 1)
        index_in_bounds = self.op("arith.andi", [index, last], type)
        pointer = type.of(f"*{buffer.element}")
        block = buffer.name if type.shape is None else self.op("tt.splat", [buffer.name], pointer)
        p = self.op("tt.addptr", [block, index_in_bounds], pointer)
        value = type.of(buffer.element)
        operands = [p, self.like(value), *self.masked(value)]
        attrs = {"update": buffer.update, "shared": True, **self.memory_order("relaxed", "acq_rel")}
        self.names.remove(self.op("tt.atomic_rmw", operands, value, **attrs))

    def exchange(self) -> None:
        p, type = self.atomic_block()
        self.op("tt.atomic_cas", [p, self.like(type), self.like(type)], type, **self.memory_order("relaxed", "acq_rel"))

    def described(self) -> None:
        """Draws a descriptor of a matrix or a line in a buffer, of this program's part if it is written."""
        rng = self.rng
        buffers = [buffer for buffer in self.module.buffers if buffer.name in self.names and buffer.element != "i1"]
        if not buffers:
            raise InvalidError("no memory")
        buffer = rng.choice(buffers)
        share = len(buffer.data) // (self.module.programs if buffer.written else 1)
        base = self.base_of(buffer, share)
        block = rng.choice([(16,), (64,), (8, 8), (4, 16), (1, 16), (1, 32), (2, 4, 8)])
        strides, remaining = [1], share
        sizes = [min(rng.choice([block[-1], block[-1] - 3, 2 * block[-1], 1]), remaining)]
        for size in reversed(block[:-1]):
            strides.insert(0, strides[0] * max(sizes[0], 1) + rng.choice([0, 0, 1, 5]))
            limit = (share - 1) // strides[0]
            sizes.insert(0, max(1, min(rng.choice([size, size - 1, 2 * size]), limit)))
        names = [self.op("arith.constant", [], Type("i32"), value=size) for size in sizes]
        names += [self.op("arith.constant", [], Type("i64"), value=stride) for stride in strides]
        padding = rng.choice(["zero", "nan"]) if Type(buffer.element).is_float else "zero"
        type = Descriptor(buffer.element, None, block)
        [name] = self.emit("tt.make_tensor_descriptor", [base, *names], [type], padding=padding)
        self.names.remove(name)
        self.descriptors.append(name)

    def base_of(self, buffer: Buffer, share: int) -> str:
        """Returns the beginning of this program's part of a buffer."""
        if not buffer.written:
            return buffer.name
        index = self.op("tt.get_program_id", [], Type("i32"))
        size = self.op("arith.constant", [], Type("i32"), value=share)
        start = self.op("arith.muli", [index, size], Type("i32"))
        return self.op("tt.addptr", [buffer.name, start], Type(f"*{buffer.element}"))

    def descriptor(self) -> tuple[str, Descriptor]:
        if not self.descriptors:
            raise InvalidError("no descriptor")
        name = self.rng.choice(self.descriptors)
        type = self.types[name]
        assert isinstance(type, Descriptor)
        return name, type

    def offset(self) -> str:
        i32 = Type("i32")
        offsets = [name for name in self.names if self.types[name] == i32]
        if offsets and self.rng.random() < 0.4:
            return self.rng.choice(offsets)
        return self.op("arith.constant", [], i32, value=self.rng.choice([0, 0, 0, 1, -1, 3, 8, -20, 2**31 - 1]))

    def described_access(self) -> None:
        rng = self.rng
        name, type = self.descriptor()
        block = Type(type.element, type.block)
        offsets = [self.offset() for _ in type.block]
        match rng.randrange(4):
            case 0 | 1:
                self.op("tt.descriptor_load", [name, *offsets], block)
            case 2:
                self.emit("tt.descriptor_store", [name, *offsets, self.like(block)], [])
            case _:
                if type.element not in ATOMIC:
                    raise InvalidError("no update")
                kind = "add" if type.is_float else rng.choice(["add", "and", "or", "xor", "min", "max"])
                self.emit("tt.descriptor_reduce", [name, *offsets, self.like(block)], [], update=kind)

    def described_rows(self) -> None:
        """Rows of a matrix, in any order."""
        name, type = self.descriptor()
        if len(type.block) != 2 or type.block[0] != 1:
            raise InvalidError("no rows")
        rows = self.like(Type("i32", (self.rng.choice([8, 16]),)))
        block = Type(type.element, (self.types[rows].count, type.block[1]))
        if self.rng.random() < 0.6:
            self.op("tt.descriptor_gather", [name, rows, self.offset()], block)
        else:
            self.emit("tt.descriptor_scatter", [name, rows, self.offset(), self.like(block)], [])


ATOMIC = (*INTEGERS, "f16", "bf16", "f32", "f64")
