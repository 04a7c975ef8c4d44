"""A failing program as a file that runs by itself: kernel, data, and expected results."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from . import values
from .judge import Difference, Expected, bits, initial
from .program import Descriptor, Program, Tensor

_GUARD = '''

def guarded(data, dtype, at_end):
    """A tensor between pages that may not be touched."""
    room = max(-(-data.nbytes // 4096), 1) * 4096
    memory = mmap.mmap(-1, room + 32 * 4096)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    offset = 16 * 4096 + (room - data.nbytes if at_end else 0)
    memory[offset : offset + data.nbytes] = data.tobytes()
    for fence in (base, base + 16 * 4096 + room):
        ctypes.CDLL(None).mprotect(ctypes.c_void_p(fence), ctypes.c_size_t(16 * 4096), 0)
    return torch.frombuffer(memory, dtype=dtype, count=data.size, offset=offset)
'''


def file_text(program: Program, difference: Difference, expected: dict[str, Expected] | None) -> str:
    """Returns the file's text."""
    comment = "\n".join(f"# {line}" for line in difference.text.splitlines()[:12])
    head = (f"# {difference.kind.upper()}: program {program.seed} of test/fuzz, made small.\n{comment}\n"
            "# PYTHONPATH=python python FILE says what differs, and exits with 1 while something does.\n"
            'import base64, ctypes, mmap, os, zlib; os.environ["BLOCKDSL_CACHE"] = "0"\n'
            "import numpy as np, torch\nfrom blockdsl.tools.tensor_descriptor import TensorDescriptor\n")  # fmt: skip
    lines = [head + program.source() + _GUARD, "", "for threads in (1, 0):"]
    lines += ["    from blockdsl import _runtime; _runtime.set_num_threads(threads)"]
    for argument in program.arguments:
        if isinstance(argument, Tensor):
            if argument.view:
                lines.append(f"    {argument.name} = {argument.view[0]}[{argument.view[1]}:]")
                continue
            dtype = values.torch_name(argument.kind)
            data = _array(initial(argument))
            lines.append(f"    {argument.name} = guarded({data}, torch.{dtype}, {argument.at_end})")
        elif isinstance(argument, Descriptor):
            lines.append(f"    {argument.name} = {argument.written(argument.base)}")
        else:
            lines.append(f"    {argument.name} = {argument.value!r}")
    keywords = ", ".join(f"{argument.name}={argument.name}" for argument in program.arguments)
    lines.append(f"    kernel[{program.grid}]({keywords})")
    lines.append("    wrong = 0")
    for argument in program.arguments:
        if isinstance(argument, Tensor) and argument.view is None and argument.stored and expected is not None:
            lines += _check(argument, expected[argument.name])
    lines += ["    if wrong:", "        raise SystemExit(1)", 'print("right")', ""]
    return "\n".join(lines)


def _check(argument: Tensor, expected: Expected) -> list[str]:
    """Returns lines that find the same differences as `judge.compare`."""
    dtype = expected.data.dtype
    width = dtype.itemsize * 8
    lines = [f"    got = {argument.name}.view(torch.int{width}).numpy()",
             f"    want = {_array(expected.data)}.view(np.int{width})",
             "    bad = got != want"]  # fmt: skip
    if np.any(expected.error):
        lines.append(f"    error = {_array(expected.error)}")
    if values.KINDS[expected.kind].is_floating():
        lines.append(f"    floats = [torch.tensor(bits).view(torch.{values.torch_name(expected.kind)}).double().numpy()"
                     " for bits in (got, want)]")  # fmt: skip
        lines.append("    bad &= ~(np.isnan(floats[0]) & np.isnan(floats[1]))")
        if np.any(expected.error):
            lines.append("    with np.errstate(all='ignore'):")
            lines.append("        bad &= ~((error > 0) & (np.abs(floats[0] - floats[1]) <= error))")
    if np.any(expected.error):
        lines.append("    bad &= ~np.isinf(error)")
    lines.append(f"    got, want = got.view(np.{dtype}), want.view(np.{dtype})")
    lines.append("    for at in np.flatnonzero(bad)[:8]:")
    lines.append(f'        wrong = print("{argument.name}", at, "is", got[at], "expected", want[at]) or 1')
    return lines


def _array(array: Any) -> str:
    """Returns an expression that is an array to the bit, with the signs of zeros and the payloads of NaNs."""
    name, stored_bits = f"np.{array.dtype}", bits(array)
    if array.size > 1 and np.array_equal(stored_bits, bits(np.arange(array.size).astype(array.dtype))):
        return f"np.arange({array.size}).astype({name})"
    has_nan = np.isnan(array).any()
    if array.size and not has_nan and (stored_bits == stored_bits[0]).all():
        return f"np.full({array.size}, {_number(array[0])}, {name})"
    if array.size > 64 or has_nan:
        packed = base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()
        return f'np.frombuffer(zlib.decompress(base64.b64decode("{packed}")), {name})'
    return f"np.array([{', '.join(_number(value) for value in array)}], {name})"


def _number(value: Any) -> str:
    return repr(value.item()).replace("inf", "np.inf")


def write(directory: Path, program: Program, difference: Difference, expected: dict[str, Expected] | None) -> Path:
    """Writes the file. Returns its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{difference.kind}_{program.seed}.py"
    path.write_text(file_text(program, difference, expected))
    return path
