"""Stub of CUDA's driver, tensors on its devices, and kernels. Only for processes that test_stubbed.py starts."""

from __future__ import annotations

import ctypes
import gc
import json
from collections.abc import Callable, Sequence
from typing import Any

import fake_tensors

from blockdsl import _runtime
from blockdsl.compiler.signature import slots
from blockdsl.jit import JITFunction
from blockdsl.launcher import arguments

_library = ctypes.CDLL("libcuda.so.1")
_library.stub_take.restype = ctypes.c_char_p
_library.stub_image.restype = ctypes.c_void_p
_library.stub_current.restype = ctypes.c_uint64
_library.stub_capture.argtypes = [ctypes.c_uint64, ctypes.c_int]
_library.stub_pin.argtypes = [ctypes.c_uint64]

CUDA, CUDA_HOST, CUDA_MANAGED = 2, 3, 13
FIRST_CONTEXT = 0x1000
# DLPack's type codes, and bits.
DTYPES = {"i1": (6, 8), "i8": (0, 8), "i16": (0, 16), "i32": (0, 32), "i64": (0, 64), "u8": (1, 8), "u16": (1, 16),
          "u32": (1, 32), "u64": (1, 64), "fp16": (2, 16), "bf16": (4, 16), "fp32": (2, 32),
          "fp64": (2, 64)}  # fmt: skip
# Parts of a descriptor: extents have 32 bits, flags 8.
_PARTS = {"m": 128, "p": 1, "t": 1, **{f"e{dimension}": 4 for dimension in range(5)}}
_SIZES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "fp16": 2, "bf16": 2, "i32": 4, "u32": 4, "fp32": 4}

Call = dict[str, Any]


def tensor(address: int = 0xA00000, dtype: str = "fp32", device: int = 0, kind: int = CUDA) -> Any:
    """A tensor that implements DLPack's exchange table."""
    return fake_tensors.Tensor(address, (kind, device), DTYPES[dtype])


class CapsuleTensor:
    """A tensor that implements DLPack through capsules; it records the requested options."""

    def __init__(self, address: int = 0xA00000, dtype: str = "fp32", device: int = 0, kind: int = CUDA, **knows: bool):
        self.described = (address, (kind, device), DTYPES[dtype])
        self.knows_versions = knows.get("versions", True)
        self.needs_detach = knows.get("detach", False)
        self.asked: list[dict[str, object]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.described[1]

    def __dlpack__(self, **options: object) -> object:
        if "max_version" in options and not self.knows_versions:
            raise TypeError("unexpected keyword argument 'max_version'")
        if self.needs_detach:
            raise BufferError("requires a gradient")
        self.asked.append(options)
        return fake_tensors.capsule(*self.described, self.knows_versions)

    def detach(self) -> CapsuleTensor:
        address, (kind, device), _ = self.described
        return CapsuleTensor(address, device=device, kind=kind, versions=self.knows_versions)


def take() -> list[Call]:
    """Returns the driver's calls since the last call of this function."""
    return [json.loads(line) for line in _library.stub_take().decode().splitlines()]


def taken(name: str) -> list[Call]:
    return [call for call in take() if call["call"] == name]


def launches() -> list[Call]:
    return taken("cuLaunchKernelEx")


def fail(call: str, result: int = 999, before: int = 0, times: int = 1) -> None:
    _library.stub_fail(call.encode(), result, before, times)


def forget_faults() -> None:
    _library.stub_forget_faults()


def capture(stream: int, on: bool) -> None:
    _library.stub_capture(stream, on)


def capture_mode() -> int:
    return int(_library.stub_capture_mode())


def pin(address: int) -> None:
    _library.stub_pin(address)


def enter(device: int) -> None:
    """Makes a device's context current in this thread, as torch does."""
    _library.stub_enter(device)


def leave() -> None:
    _library.stub_leave()


def current() -> int:
    return int(_library.stub_current())


def devices(count: int) -> None:
    _library.stub_devices(count)


def hold_launches(on: bool) -> None:
    """Blocks launches in the driver until they are released."""
    _library.stub_hold(on)


def held() -> bool:
    """Returns true if a launch is blocked."""
    return bool(_library.stub_held())


def image() -> bytes:
    """Returns the cubin that was loaded last."""
    size = ctypes.c_size_t()
    address = _library.stub_image(ctypes.byref(size))
    return ctypes.string_at(address, size.value)


def modules() -> int:
    return int(_library.stub_modules())


def allocations() -> int:
    return int(_library.stub_allocations())


def quiet(on: bool) -> None:
    _library.stub_quiet(on)


def fatal() -> None:
    """Makes the driver end the process at its next call."""
    _library.stub_fatal()


def set_stream(device: int, handle: int) -> None:
    fake_tensors.set_stream(device, handle)


OPTIONS: dict[str, Any] = {
    "num_warps": 4,
    "num_ctas": 1,
    "shared_bytes": 0,
    "global_scratch": (0, 1),
    "profile_scratch": (0, 1),
    "launch_pdl": False,
    "cooperative": False,
}


class StubKernel(_runtime.CUDAKernel):
    """A kernel whose cubin contains its properties, for the stub."""

    def __init__(
        self,
        name: str,
        slots: Sequence[tuple[int, str]],
        types: Sequence[str],
        static_shared: int = 0,
        most_threads: int = 1024,
        **options: Any,
    ) -> None:
        sizes = [_PARTS.get(type_) or _SIZES.get(type_, 8) for type_ in types] + [8, 8]
        image = f"{name} {static_shared} {most_threads} {' '.join(map(str, sizes))}"
        super().__init__(image.encode(), name, slots, **{**OPTIONS, **options})


class StubFunction(JITFunction):
    """A kernel that compiles to StubKernels, and records the requested compilations.

    ``heads`` describes how tensor descriptors are passed, in the form of ``slots``.
    """

    def __init__(self, fn: Callable[..., Any], heads: Sequence[str] = (), **options: Any) -> None:
        super().__init__(fn)
        self.kernel_options = options
        self.heads = heads
        self.compiled: list[tuple[Any, int, dict[str, object]]] = []

    def _compile_cuda(self, values: Sequence[object], attributes: Sequence[int], device: int) -> Any:
        specialization = arguments.specialize(self.source.parameters, values, attributes, self._refuse)
        self.compiled.append((specialization, device, self._options(values)))
        packed = slots(self.arg_names, specialization.types, self.heads)
        types = [encoding if encoding in _PARTS else specialization.types[self.arg_names[index]]
                 for index, encoding in packed]  # fmt: skip
        return StubKernel(self.__name__, packed, types, **self.kernel_options)


def stubbed(fn: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorates a function without a body like ``@blockdsl.jit``; the options are StubKernel's."""
    return StubFunction(fn, **options) if fn else lambda function: StubFunction(function, **options)


def make_add(**options: Any) -> StubFunction:
    @stubbed(**options)
    def add(x, y, out, n, BLOCK=64): ...

    return add  # type: ignore[no-any-return]


_loaders: list[StubFunction] = []


def unload_the_dead() -> None:
    """Loads a kernel, which unloads dead ones, and clears the list of calls."""
    gc.collect()
    _loaders.append(make_add())
    _loaders[-1][(1,)](*operands(), 200)
    take()


def operands(device: int = 0) -> tuple[Any, Any, Any]:
    return tensor(0xA00000, device=device), tensor(0xB00000, device=device), tensor(0xC00000, device=device)
