"""Runs a kernel as plain Python, program by program: ``BLOCKDSL_INTERPRET=1``. Breakpoints and prints work.

Every op is its reference facet, in NumPy, on the memory of the arguments. An access outside of that memory is an error
here, where compiled code would read or write what lies there.
"""

from __future__ import annotations

import ctypes
import enum
import types as python_types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .errors import BlockdslError, KernelAssertionError, KernelSyntaxError, LaunchError, Loc, Location
from .language import numerics, types
from .language.constexpr import constexpr, not_constant, unwrap
from .language.descriptor import tensor_descriptor, tensor_descriptor_type
from .language.numerics import Array
from .language.op import LibraryFunction, Op, running
from .language.program import range as tl_range
from .language.select import builtin_max, builtin_min
from .language.tensor import tensor
from .language.types import Scalar, Type, dtype, pointer_type
from .meanings import MEANINGS, code_of

# What a kernel gets for names that it does not define itself.
_BUILTINS = {"range": tl_range, "min": builtin_min, "max": builtin_max, **MEANINGS}

_BY_NUMPY: dict[Any, dtype] = {}
for _kind in types.SCALARS:
    if not numerics.narrow(_kind):
        _BY_NUMPY.setdefault(numerics.carrier(_kind), _kind)

# Element types as torch and NumPy spell them.
_BY_LIBRARY = {
    "bool": types.int1, "float16": types.float16, "bfloat16": types.bfloat16, "float32": types.float32,
    "float64": types.float64, "float8_e5m2": types.float8e5, "float8_e4m3fn": types.float8e4nv,
    "float8_e4m3fnuz": types.float8e4b8, "float8_e5m2fnuz": types.float8e5b16,
    **{f"{sign}int{bits}": getattr(types, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}  # fmt: skip


# So often a program may find memory as it was before it is taken to wait for another one.
_MOST_TURNS = 100_000


class Segment:
    """The memory behind one argument."""

    def __init__(self, name: str, address: int, size: int, writable: bool, owner: Any) -> None:
        self.name, self.start, self.end, self.writable = name, address, address + size, writable
        self.owner = owner  # kept alive while the kernel runs
        buffer: Any = (ctypes.c_ubyte * size).from_address(address) if size else b""
        self.bytes: Array = np.frombuffer(buffer, np.uint8)

    def places(self, addresses: Array, kind: np.dtype[Any]) -> Array:
        """The bytes of each element, as indices: one row an element."""
        return (addresses - self.start)[:, None] + np.arange(kind.itemsize)


class Memory:
    """All memory a kernel may touch: that of its arguments."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._waits: tuple[int, int] = (0, 0)

    def load(self, addresses: Array, active: Array, kind: np.dtype[Any]) -> Array:
        """Reads elements where ``active``; zeros elsewhere."""
        result = np.zeros(addresses.shape, kind)
        for segment, chosen in self._split("load", addresses, active, kind):
            found = segment.bytes[segment.places(addresses[chosen], kind)]
            result[chosen] = np.ascontiguousarray(found).view(kind)[:, 0]
        return result

    def store(self, addresses: Array, active: Array, values: Array) -> None:
        """Writes elements where ``active``. Of two writes to one place, the later element stays."""
        for segment, chosen in self._split("store", addresses, active, values.dtype):
            if not segment.writable:
                raise LaunchError(f"'{segment.name}' is read-only, and the kernel stores to it",
                                  hint="pass a copy that may be written")  # fmt: skip
            rows = np.ascontiguousarray(values[chosen]).reshape(-1, 1).view(np.uint8)
            segment.bytes[segment.places(addresses[chosen], values.dtype)] = rows

    def note_wait(self, address: Any, changed: bool) -> None:
        """Called for each atomic access: one that changes nothing, time and again, waits for another program."""
        last, count = self._waits
        self._waits = (int(address), 0 if changed else count + 1 if last == int(address) else 1)
        if self._waits[1] > _MOST_TURNS:
            self.refuse_wait()

    def refuse_wait(self) -> None:
        """Raises LaunchError: the program would wait for ever."""
        raise LaunchError("the program waits for another one, and interpreted programs run one after the other",
                          hint="launch one program, or run the kernel compiled")  # fmt: skip

    def _split(self, verb: str, addresses: Array, active: Array, kind: np.dtype[Any]) -> list[tuple[Segment, Array]]:
        """The elements that lie in each segment."""
        missing, parts = np.asarray(active, bool).copy(), []
        if missing.shape != addresses.shape:
            missing = np.broadcast_to(missing, addresses.shape).copy()
        for segment in self.segments:
            if not missing.any():
                break
            inside = missing & (addresses >= segment.start) & (addresses <= segment.end - kind.itemsize)
            if inside.any():
                parts.append((segment, inside))
                missing &= ~inside
        if missing.any():
            raise KernelAssertionError(self._outside(verb, int(addresses[missing].reshape(-1)[0]), kind),
                                       hint="mask the access: mask=offsets < n")  # fmt: skip
        return parts

    def _outside(self, verb: str, address: int, kind: np.dtype[Any]) -> str:
        def distance(segment: Segment) -> int:
            return max(segment.start - address, address - segment.end, 0)

        if not self.segments:
            return f"a {verb} at address {address:#x}, and no argument is a tensor"
        near = min(self.segments, key=distance)
        element = (address - near.start) // kind.itemsize
        count = (near.end - near.start) // kind.itemsize
        return f"a {verb} outside of every argument: element {element} of '{near.name}', which has {count}"


class Interpreter:
    """The mode in which ops compute with NumPy.

    Attributes:
        program: Position of the program that runs.
        grid: Extents of the grid.
        memory: The arguments' memory.
    """

    def __init__(self, grid: tuple[int, int, int]) -> None:
        self.grid = grid
        self.program = (0, 0, 0)
        self.memory = Memory()
        self._functions: dict[int, Any] = {}

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Applies an op: binds its arguments, promotes them, and evaluates its reference."""
        arguments: Sequence[Any] = [unwrap(value) for value in op.bind(args, kwargs)]
        if op.operands is not None:
            arguments = op.operands(self, *arguments)
        assert op.reference_rule is not None
        if op.reference_is_typed:
            return op.reference_rule(self, *arguments)
        arrays = [value.handle if isinstance(value, tensor) else value for value in arguments]
        result = op.reference_rule(*arrays)
        if result is None:
            return None
        return self.typed(result, *(value for value in arguments if isinstance(value, tensor)))

    def typed(self, values: Any, *operands: tensor) -> tensor:
        """NumPy's result as a tensor: of the first operand's type that fits, or of NumPy's own.

        Floats fit any float: a reference may compute in float64, and is rounded here.
        """
        array = np.asarray(values)
        kind: Scalar | None = None
        for operand in operands:
            floats = operand.dtype.is_floating() and array.dtype.kind == "f"
            if floats or (numerics.carrier(operand.dtype) == array.dtype and not operand.dtype.is_ptr()):
                kind = operand.dtype
                break
        if kind is None:
            kind = _BY_NUMPY[array.dtype]
        return tensor(numerics.fit(array, kind), types.block(kind, array.shape))

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a jit function as Python."""
        if isinstance(function, Callee):
            function = function.function
        return self.python(function)(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()})

    def constant(self, value: int | float | bool, type: Type) -> tensor:  # noqa: A002
        """A scalar or block whose elements all equal a number."""
        scalar = numerics.fit(np.asarray(_wrapped(value, type.scalar)), type.scalar)
        return tensor(np.broadcast_to(scalar, type.shape), type, value)

    def note(self, text: str) -> None:
        """Prints."""
        print(text, end="")

    def python(self, function: Any) -> Any:
        """A jit function's Python function, which sees the kernel's meaning of ``range`` and of constexprs."""
        original = _function_of(function)
        if id(original) not in self._functions:
            cells = zip(original.__code__.co_freevars, original.__closure__ or (), strict=True)
            names = {**original.__globals__, **{name: cell.cell_contents for name, cell in cells}}
            refused = {name: value for name, value in names.items() if not self._is_readable(name, value)}
            readable = {name: self._seen(value) for name, value in names.items() if name not in refused}
            seen = _Names({**_BUILTINS, **readable}, refused)
            made = python_types.FunctionType(code_of(original, _source_of(function)), seen, original.__name__)
            made.__defaults__ = tuple(map(unwrap, original.__defaults__ or ())) or None
            made.__kwdefaults__ = {key: unwrap(value) for key, value in (original.__kwdefaults__ or {}).items()}
            self._functions[id(original)] = made
        return self._functions[id(original)]

    def _seen(self, value: Any) -> Any:
        """A global as the kernel sees it."""
        if isinstance(value, constexpr):
            return value.value
        if not isinstance(value, LibraryFunction) and _source_of(value) is not None:
            return Callee(self, value)
        if isinstance(value, (tuple, list)) and all(isinstance(each, constexpr) for each in value):
            return type(value)(each.value for each in value)
        return value

    def _is_readable(self, name: str, value: Any) -> bool:
        """May a kernel read a global? The rule is the front end's."""
        if isinstance(value, (tuple, list)):
            return all(isinstance(each, constexpr) for each in value)
        known = (constexpr, Type, enum.Enum, python_types.ModuleType)
        return value is None or isinstance(value, known) or callable(value) or name == "__builtins__"


class _Names(dict[str, Any]):
    """The names a kernel sees. The others are refused when it reads them, as when it is compiled."""

    def __init__(self, readable: Mapping[str, Any], refused: Mapping[str, Any]) -> None:
        super().__init__(readable)
        self._refused = refused

    def __missing__(self, name: str) -> Any:
        if name in self._refused:
            raise not_constant(name, self._refused[name])
        raise KeyError(name)


class Callee:
    """A jit function that a kernel names, callable as Python."""

    def __init__(self, mode: Interpreter, function: Any) -> None:
        self.mode = mode
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.mode.call(self.function, args, kwargs)


def _wrapped(value: int | float | bool, kind: Scalar) -> int | float | bool:
    """A number in the range of its type, as NumPy insists on."""
    if not isinstance(kind, dtype) or not kind.is_int() or kind.is_bool():
        return value
    bits: int = int(value) & (2**kind.primitive_bitwidth - 1)
    negative = kind.is_int_signed() and bits >> (kind.primitive_bitwidth - 1)
    return bits - 2**kind.primitive_bitwidth if negative else bits


def _source_of(value: Any) -> Any:
    """The ``KernelSource`` that a value is, or that a jit function has."""
    named = None if isinstance(value, (python_types.ModuleType, type)) else getattr(value, "source", None)
    return next((each for each in (value, named) if hasattr(each, "function") and hasattr(each, "parameters")), None)


def _function_of(function: Any) -> Any:
    if isinstance(function, LibraryFunction):
        return function.fn
    source = _source_of(function)
    return function if source is None else source.function


def _declared(annotation: Any) -> dtype | None:
    """The type that a number's annotation names."""
    if isinstance(annotation, str):
        name = annotation.strip("'\" ").rsplit(".", 1)[-1]
        annotation = _BY_LIBRARY.get(name)
        if annotation is None and name in [str(each) for each in types.SCALARS]:
            annotation = types.parse(name)
    return annotation if isinstance(annotation, dtype) else None


def scalar(value: Any, annotation: Any) -> tensor:
    """A number argument with the type it has when the kernel is compiled."""
    kind = _declared(annotation) or _argument_type(value)
    return tensor(numerics.fit(np.asarray(_wrapped(value, kind)), kind), kind)


def _number(value: Any, annotation: Any) -> Any:
    """A number argument. A launch specializes on an int that is 1 and has no declared type."""
    is_one = type(value) is int and value == 1 and _declared(annotation) is None
    return 1 if is_one else scalar(value, annotation)


def _argument_type(value: Any) -> dtype:
    if isinstance(value, float):
        return types.float32
    kind = types.literal_type(value)
    # 32 bits, 64 bits, or 64 unsigned ones: no argument is uint32.
    return types.int64 if kind is types.uint32 else kind


def _array(value: Any) -> Array:
    """What shares its memory by DLPack, or as a buffer."""
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(memoryview(value))


def _is_memory(value: Any) -> bool:
    if hasattr(value, "data_ptr") or hasattr(value, "__dlpack__"):
        return True
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def _pointer(memory: Memory, name: str, value: Any, annotation: Any) -> tensor:
    """A tensor argument as the address of its first element."""
    if hasattr(value, "data_ptr"):
        if value.device.type != "cpu":
            raise LaunchError(f"'{name}' is on {value.device}, and the interpreter runs on the CPU",
                              hint="pass x.cpu()")  # fmt: skip
        storage = value.untyped_storage()
        segment = Segment(name, storage.data_ptr(), storage.nbytes(), True, value)
        address, kind = value.data_ptr(), str(value.dtype).removeprefix("torch.")
    else:
        array = value if isinstance(value, np.ndarray) else _array(value)
        low, high = np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)  # type: ignore[attr-defined]
        segment = Segment(name, low, high - low, array.flags.writeable, array)
        address, kind = array.ctypes.data, array.dtype.name
    if segment.end > segment.start:
        memory.segments.append(segment)
    const = getattr(annotation, "__name__", annotation) == "const"
    return tensor(np.asarray(address, np.int64), pointer_type(_BY_LIBRARY[kind], const))


def _descriptor(memory: Memory, parameter: Any, value: Any) -> tensor_descriptor:
    """A tensor descriptor of the host: its base as an address, shape and strides as scalars."""
    base = _pointer(memory, parameter.name, value.base, None)
    assert isinstance(base.dtype, pointer_type)
    kind = tensor_descriptor_type(types.block(base.dtype.element_ty, [int(size) for size in value.block_shape]))

    def scalars(sizes: Sequence[Any], kind: dtype) -> tuple[tensor, ...]:
        return tuple(tensor(np.asarray(int(size), kind.carrier), kind) for size in sizes)

    handle = tensor((base.handle, value.padding), kind)
    return tensor_descriptor(handle, scalars(value.shape, types.int32), scalars(value.strides, types.int64))


def _argument(memory: Memory, parameter: Any, value: Any) -> Any:
    """What a kernel computes with in the place of an argument."""
    if isinstance(value, constexpr):
        return value.value
    if parameter.is_constexpr or value is None or isinstance(value, (Type, tensor)):
        return value
    if isinstance(value, (bool, int, float)):
        return _number(value, parameter.annotation)
    if isinstance(value, np.generic):
        return _number(value.item(), parameter.annotation)
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return _descriptor(memory, parameter, value)
    if isinstance(value, tuple):
        named = [replace(parameter, name=f"{parameter.name}[{index}]") for index in range(len(value))]
        items = [_argument(memory, each, item) for each, item in zip(named, value, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if _is_memory(value):
        return _pointer(memory, parameter.name, value, parameter.annotation)
    return value  # known when a kernel is compiled, such as a function


def _arguments(memory: Memory, source: Any, bound_arguments: Mapping[str, Any]) -> dict[str, Any]:
    with Loc(source.location(source.tree)):
        return {each.name: _argument(memory, each, bound_arguments[each.name]) for each in source.parameters}


def run(
    source: Any,
    bound_arguments: Mapping[str, Any],
    grid: Sequence[int],
    make: Callable[[tuple[int, int, int]], Interpreter] = Interpreter,
) -> Interpreter:
    """Runs every program of a launch, one after the other.

    Args:
        source: The kernel's ``KernelSource``.
        bound_arguments: The value of each parameter: tensors, numbers, compile-time values.
        grid: One to three extents.
        make: Makes the mode that ops run in.

    Returns:
        The mode, whose memory the programs have used.

    Raises:
        LaunchError: A tensor is on a GPU, or is read-only and stored to.
        KernelSyntaxError: Python cannot run the kernel.
        KernelAssertionError: A ``device_assert`` failed, or an access was outside of the arguments' memory.

    Example:
        interpreter.run(add.source, {"x": x, "y": y, "n": n, "BLOCK": 128}, (8,))
    """
    columns, rows, layers = (*grid, *[1] * (3 - len(grid)))
    mode = make((columns, rows, layers))
    arguments = _arguments(mode.memory, source, bound_arguments)
    positional = [value for each in source.parameters if each.variadic for value in arguments.pop(each.name)]
    function = mode.python(source)
    with running(mode), np.errstate(all="ignore"):
        for z in range(layers):
            for y in range(rows):
                for x in range(columns):
                    mode.program = (x, y, z)
                    try:
                        function(*arguments.values(), *positional)
                    except BlockdslError as error:
                        if error.location is None:
                            error.location = _place(source, error)
                        raise
                    except _PYTHONS as error:
                        raise _worded(error, _place(source, error)) from error
    return mode


# What Python raises of a kernel that it cannot run. (Others are not the kernel's: a debugger's, for one.)
_PYTHONS = (ArithmeticError, AttributeError, LookupError, NameError, RecursionError, TypeError, ValueError)


def _worded(error: Exception, place: Location | None) -> KernelSyntaxError:
    return KernelSyntaxError(
        f"Python cannot run the kernel: {type(error).__name__}: {error}",
        location=place,
        hint="compiled, it may be refused in other words: unset BLOCKDSL_INTERPRET to see them",
    )


def _place(source: Any, error: Exception) -> Location | None:
    """The line of the kernel that an error came through."""
    trace, place = error.__traceback__, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in (source.file, source.function.__code__.co_filename):
            column, end = 1, None
            if hasattr(code, "co_positions"):
                positions = list(code.co_positions())[trace.tb_lasti // 2]
                if positions[2] is not None and positions[3] is not None:
                    column, end = positions[2] + 1, positions[3] + 1 if positions[0] == positions[1] else None
            place = Location(source.file, trace.tb_lineno, column, end, code.co_name)
        trace = trace.tb_next
    return place
