"""Functions with C types around a compiled kernel, which then needs neither our launcher nor our runtime.

The functions do the work of a launch in LLVM IR: they pack arguments into slots, and define the runtime functions that
the kernel may call. `--verify-standalone` has rejected calls of other runtime functions.

    const char *add(..., grid_x, grid_y, grid_z)                                  runs all programs in sequence
    const char *add_programs(..., grid_x, grid_y, grid_z, first, last, scratch)   runs those with first <= id < last
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ALIGNMENT = 64
"""The alignment of scratch memory: a cache line, which is also a vector of AVX-512."""


@dataclass(frozen=True)
class Argument:
    """One slot of a kernel's arguments.

    Attributes:
        name: Its name in messages.
        bits: The width of a number, 0 for a pointer.
        real: Whether it is a ``float`` or ``double``.
        multiple: A number that the code assumes to divide its value.
        only: The only allowed value, or None.
    """

    name: str
    bits: int
    real: bool = False
    multiple: int = 1
    only: int | None = None


@dataclass(frozen=True)
class Export:
    """The C interface of a kernel.

    Attributes:
        name: The kernel's name; ``<name>_programs`` is exported, too.
        arguments: One argument for each slot, in order.
        scratch_bytes: Scratch memory that each thread needs.
    """

    name: str
    arguments: tuple[Argument, ...]
    scratch_bytes: int


def add_to(module: Any, context: Any, export: Export) -> None:
    """Adds the exported functions to a kernel's parsed module, and makes all other functions internal."""
    from llvmlite import binding

    inner = f"{export.name}.slots"
    module.get_function(export.name).name = inner
    module.link_in(binding.parse_assembly(str(_Wrapper(export, inner).module), context))
    public = (export.name, f"{export.name}_programs")
    for function in module.functions:
        if not function.is_declaration and function.name not in public:
            function.linkage = "internal"


class _Wrapper:
    """Builder of the module with the functions around a kernel."""

    def __init__(self, export: Export, inner: str) -> None:
        from llvmlite import ir

        self.ir = ir
        self.export = export
        self.module = ir.Module(export.name)
        self.pointer = ir.PointerType()
        self.i32, self.i64 = ir.IntType(32), ir.IntType(64)
        # The first field of LaunchContext, the only one that a kernel reads, then the message of a failed assertion.
        self.context = ir.LiteralStructType([self.pointer, self.pointer])
        self.texts = 0
        slots = [self.pointer, self.i64, self.i64, self.pointer]
        self.inner = ir.Function(self.module, ir.FunctionType(ir.VoidType(), slots), inner)
        self._define_runtime()
        programs = self._define_programs()
        self._define_whole_grid(programs)

    def _define_runtime(self) -> None:
        """Defines runtime functions: programs never stop, and the first failed assertion of all threads is kept."""
        ir = self.ir
        should_stop = ir.Function(self.module, ir.FunctionType(self.i32, [self.pointer]), "blockdsl_should_stop")
        ir.IRBuilder(should_stop.append_basic_block()).ret(self.i32(0))
        types = [self.pointer, self.pointer, self.i32, self.i32, self.i32]
        assert_failed = ir.Function(self.module, ir.FunctionType(ir.VoidType(), types), "blockdsl_assert_failed")
        b = ir.IRBuilder(assert_failed.append_basic_block())
        message_slot = b.gep(assert_failed.args[0], [self.i32(0), self.i32(1)], source_etype=self.context)
        b.cmpxchg(message_slot, ir.Constant(self.pointer, None), assert_failed.args[1], "release", "monotonic")
        b.ret_void()

    def _types(self) -> list[Any]:
        ir = self.ir
        found: list[Any] = []
        for argument in self.export.arguments:
            if argument.bits == 0:
                found.append(self.pointer)
            elif argument.real:
                found.append(ir.FloatType() if argument.bits == 32 else ir.DoubleType())
            else:
                found.append(ir.IntType(argument.bits))
        return [*found, self.i32, self.i32, self.i32]

    def _text(self, text: str) -> Any:
        data = bytearray(text.encode() + b"\0")
        array = self.ir.ArrayType(self.ir.IntType(8), len(data))
        value = self.ir.GlobalVariable(self.module, array, f"blockdsl.refusal.{self.texts}")
        self.texts += 1
        value.linkage, value.global_constant, value.initializer = "internal", True, self.ir.Constant(array, data)
        value.type = self.pointer
        return value

    def _refuse_if(self, b: Any, wrong: Any, text: str) -> None:
        with b.if_then(wrong, likely=False):
            b.ret(self._text(f"{self.export.name}: {text}"))

    def _memory(self, b: Any, element: Any, count: int = 1) -> Any:
        memory = b.alloca(element, size=count)
        # LLVM's pointers are opaque, but llvmlite's type here is a typed pointer.
        memory.type = self.pointer
        return memory

    def _total(self, b: Any, grid: Sequence[Any]) -> Any:
        wide = [b.zext(size, self.i64) for size in grid]
        return b.mul(b.mul(wide[0], wide[1]), wide[2])

    def _define_programs(self) -> Any:
        ir, export = self.ir, self.export
        types = [*self._types(), self.i64, self.i64, self.pointer]
        function = ir.Function(self.module, ir.FunctionType(self.pointer, types), f"{export.name}_programs")
        b = ir.IRBuilder(function.append_basic_block())
        count = len(export.arguments)
        arguments, grid = function.args[:count], function.args[count : count + 3]
        first, last, scratch = function.args[count + 3 :]
        # In the entry block, so that they are static allocas.
        context, slots = self._memory(b, self.context), self._memory(b, self.i64, count + 4)
        for size in grid:
            self._refuse_if(b, b.icmp_signed("<", size, self.i32(0)), "a size of the grid is negative")
        for value, declared in zip(arguments, export.arguments, strict=True):
            self._check_value(b, value, declared)
        outside = b.or_(b.icmp_signed("<", first, self.i64(0)), b.icmp_signed(">", last, self._total(b, grid)))
        self._refuse_if(b, outside, "programs from first to last are expected to be in the grid")
        if export.scratch_bytes:
            address = b.ptrtoint(scratch, self.i64)
            unusable = b.icmp_unsigned("!=", b.and_(address, self.i64(ALIGNMENT - 1)), self.i64(0))
            unusable = b.or_(unusable, b.icmp_unsigned("==", address, self.i64(0)))
            wanted_memory = f"scratch is expected to be {export.scratch_bytes} bytes at a multiple of {ALIGNMENT}"
            self._refuse_if(b, unusable, wanted_memory)
        never_stop = ir.GlobalVariable(self.module, self.i32, "blockdsl.never")
        never_stop.linkage, never_stop.initializer, never_stop.type = "internal", self.i32(0), self.pointer
        b.store(ir.Constant(self.context, [never_stop, ir.Constant(self.pointer, None)]), context)
        for index, value in enumerate([*arguments, *grid, context]):
            b.store(value, b.gep(slots, [self.i32(index)], source_etype=self.i64))
        b.call(self.inner, [slots, first, last, scratch])
        b.ret(b.load(b.gep(context, [self.i32(0), self.i32(1)], source_etype=self.context), typ=self.pointer))
        return function

    def _check_value(self, b: Any, value: Any, declared: Argument) -> None:
        if declared.only is not None:
            wrong = b.icmp_signed("!=", value, self.ir.Constant(value.type, declared.only))
            self._refuse_if(b, wrong, f"{declared.name} is expected to be {declared.only}")
        if declared.multiple == 1 or declared.real:
            return
        number = value if declared.bits else b.ptrtoint(value, self.i64)
        rest = b.urem(number, self.ir.Constant(number.type, declared.multiple))
        kind = "" if declared.bits else "the address of "
        wrong = b.icmp_unsigned("!=", rest, self.ir.Constant(number.type, 0))
        self._refuse_if(b, wrong, f"{kind}{declared.name} is expected to be a multiple of {declared.multiple}")

    def _define_whole_grid(self, programs: Any) -> None:
        ir, export = self.ir, self.export
        function = ir.Function(self.module, ir.FunctionType(self.pointer, self._types()), export.name)
        b = ir.IRBuilder(function.append_basic_block())
        total = self._total(b, function.args[-3:])
        if not export.scratch_bytes:
            no_scratch = ir.Constant(self.pointer, None)
            b.ret(b.call(programs, [*function.args, self.i64(0), total, no_scratch]))
            return
        allocate = ir.Function(self.module, ir.FunctionType(self.pointer, [self.i64, self.i64]), "aligned_alloc")
        free = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [self.pointer]), "free")
        size = -(-export.scratch_bytes // ALIGNMENT) * ALIGNMENT
        scratch = b.call(allocate, [self.i64(ALIGNMENT), self.i64(size)])
        missing = b.icmp_unsigned("==", b.ptrtoint(scratch, self.i64), self.i64(0))
        self._refuse_if(b, missing, f"there are no {size} bytes of memory beside the stack")
        message = b.call(programs, [*function.args, self.i64(0), total, scratch])
        b.call(free, [scratch])
        b.ret(message)
