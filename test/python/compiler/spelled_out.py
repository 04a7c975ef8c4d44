"""Machine instructions as plain functions, so that code for a newer CPU runs, slowly, on any.

Calls of intrinsics in the LLVM module are replaced by functions with the same result. Tiles become vectors of 256
words, and operations on them are computed by NumPy.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import numpy as np

TILE = "<256 x i32>"
_TILE_BYTES = 16 * 64


def _dot(name: str, lanes: int) -> str:
    """``dpbf16ps``: two products a lane, each added in turn."""
    wide, odd = f"<{2 * lanes} x float>", []
    for member in range(2):
        indices = ", ".join(f"i32 {2 * lane + member}" for lane in range(lanes))
        odd.append(f"shufflevector {wide} %p, {wide} poison, <{lanes} x i32> <{indices}>")
    return f"""
define internal <{lanes} x float> @{name}(<{lanes} x float> %c, <{2 * lanes} x bfloat> %a, <{2 * lanes} x bfloat> %b) {{
  %x = fpext <{2 * lanes} x bfloat> %a to {wide}
  %y = fpext <{2 * lanes} x bfloat> %b to {wide}
  %p = fmul {wide} %x, %y
  %even = {odd[0]}
  %odd = {odd[1]}
  %s = fadd <{lanes} x float> %c, %even
  %r = fadd <{lanes} x float> %s, %odd
  ret <{lanes} x float> %r
}}
"""


def _rows(address: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.ctypeslib.as_array((ctypes.c_uint8 * _TILE_BYTES).from_address(address)).reshape(16, 64)


def _load(tile: int, rows: int, width: int, memory: int, pitch: int) -> None:
    _rows(tile)[:] = 0
    for row in range(rows):
        ctypes.memmove(tile + 64 * row, memory + pitch * row, width)


def _store(tile: int, rows: int, width: int, memory: int, pitch: int) -> None:
    for row in range(rows):
        ctypes.memmove(memory + pitch * row, tile + 64 * row, width)


def _multiply_bytes(sums: int, rows: int, width: int, depth: int, left: int, right: int) -> None:
    total, words = _rows(sums).view(np.int32), depth // 4
    a = _rows(left).view(np.int8)[:rows, :depth].astype(np.int32)
    b = _rows(right).view(np.int8)[:words, :width].astype(np.int32).reshape(words, width // 4, 4)
    total[:rows, : width // 4] += a @ b.transpose(0, 2, 1).reshape(depth, width // 4)


def _widened(tile: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return (_rows(tile).view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def _multiply_pairs(sums: int, rows: int, width: int, depth: int, left: int, right: int) -> None:
    total, words = _rows(sums).view(np.float32), depth // 4
    a, b = _widened(left)[:rows, : depth // 2], _widened(right)[:words, : width // 2].reshape(words, width // 4, 2)
    with np.errstate(invalid="ignore"):
        total[:rows, : width // 4] += a @ b.transpose(0, 2, 1).reshape(depth // 2, width // 4)


_MOVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
_MULTIPLY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int] * 3, ctypes.c_void_p, ctypes.c_void_p)
_CALLBACKS: dict[Callable[..., None], ctypes._FuncPointer] = {
    **{function: _MOVE(function) for function in (_load, _store)},
    **{function: _MULTIPLY(function) for function in (_multiply_bytes, _multiply_pairs)},
}


def _address(function: Callable[..., None]) -> str:
    address = ctypes.cast(_CALLBACKS[function], ctypes.c_void_p).value
    return f"  %f = inttoptr i64 {address} to ptr"


def _widen(*names: str) -> str:
    return "\n".join(f"  %{name}.w = zext i16 %{name} to i32" for name in names)


def _moves() -> dict[str, str]:
    call = "call void %f(ptr %t, i32 %rows.w, i32 %width.w, ptr %memory, i64 %pitch)"
    load = f"""
define internal {TILE} @tileloadd64(i16 %rows, i16 %width, ptr %memory, i64 %pitch) {{
  %t = alloca {TILE}, align 64
{_widen("rows", "width")}
{_address(_load)}
  {call}
  %r = load {TILE}, ptr %t
  ret {TILE} %r
}}
"""
    store = f"""
define internal void @tilestored64(i16 %rows, i16 %width, ptr %memory, i64 %pitch, {TILE} %tile) {{
  %t = alloca {TILE}, align 64
  store {TILE} %tile, ptr %t
{_widen("rows", "width")}
{_address(_store)}
  {call}
  ret void
}}
"""
    zero = f"\ndefine internal {TILE} @tilezero(i16 %rows, i16 %width) {{\n  ret {TILE} zeroinitializer\n}}\n"
    return {"tileloadd64": load, "tilestored64": store, "tilezero": zero}


def _multiplication(name: str, function: Callable[..., None]) -> str:
    slots = "\n".join(f"  %{t}.p = alloca {TILE}, align 64\n  store {TILE} %{t}, ptr %{t}.p" for t in "cab")
    return f"""
define internal {TILE} @{name}(i16 %rows, i16 %width, i16 %depth, {TILE} %c, {TILE} %a, {TILE} %b) {{
{slots}
{_widen("rows", "width", "depth")}
{_address(function)}
  call void %f(ptr %c.p, i32 %rows.w, i32 %width.w, i32 %depth.w, ptr %a.p, ptr %b.p)
  %r = load {TILE}, ptr %c.p
  ret {TILE} %r
}}
"""


INTRINSICS = {
    **{f"llvm.x86.avx512bf16.dpbf16ps.{32 * n}": (f"dpbf16ps{n}", _dot(f"dpbf16ps{n}", n)) for n in (4, 8, 16)},
    **{f"llvm.x86.{name}.internal": (name, text) for name, text in _moves().items()},
    "llvm.x86.tdpbssd.internal": ("tdpbssd", _multiplication("tdpbssd", _multiply_bytes)),
    "llvm.x86.tdpbf16ps.internal": ("tdpbf16ps", _multiplication("tdpbf16ps", _multiply_pairs)),
}


def spell_out(llvm_ir: str) -> tuple[str, set[str]]:
    """Returns the module with functions in place of the intrinsics, and the replaced intrinsics."""
    used = {name for name in INTRINSICS if f"@{name}(" in llvm_ir}
    for name in used:
        function, text = INTRINSICS[name]
        llvm_ir = re.sub(rf"^declare .*@{re.escape(name)}\(.*$", "", llvm_ir, flags=re.MULTILINE)
        llvm_ir = llvm_ir.replace(f"@{name}(", f"@{function}(") + text
    return llvm_ir.replace("x86_amx", TILE), used
