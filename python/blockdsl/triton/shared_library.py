"""Kernels as shared libraries, for packages of AOTInductor, which run without Python.

torch compiles a Triton kernel for a package as for a launch, and then reads two libraries from the result:
``asm["so"]`` with the kernel under its name, and ``asm["launcher.so"]`` with ``run_from_nativert``, which torch calls
with the grid and the address of each argument. Both are the same library, which AOTInductor's C++ compiler links on
first use. It runs a grid on the threads of torch's OpenMP runtime.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from blockdsl.compiler import standalone
from blockdsl.compiler.cpu_kernel import CPUKernel
from blockdsl.compiler.target import parse_cpu
from blockdsl.errors import BlockdslError, CompilationError, TargetError
from blockdsl.triton import source_locations
from blockdsl.triton.kernel_launcher import unaligned

_FLOATS = ("fp32", "fp64")


def library(kernel: CPUKernel, signature: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a shared library for this CPU.

    The code assumes neither alignment nor disjoint pointers, because torch's launcher checks neither.

    Args:
        kernel: The kernel.
        signature: The type of each parameter, including constants.

    Raises:
        LaunchError: The kernel's name is no valid name of a C function.
        TargetError: The kernel takes an argument that torch cannot pass, or needs our runtime.
        CompilationError: The compiler fails.
    """
    program = unaligned(kernel)
    arguments = tuple(_arguments(program.name, signature))
    # Several threads run a grid.
    options = replace(kernel.options, disjoint=False, sequential=False)
    try:
        made = standalone.make(program, options, parse_cpu("cpu"))
    except BlockdslError as error:
        raise source_locations.at_the_kernel(error, program.text, program.origin, program.name) from None
    return _linked(made, _launcher(made, arguments))


def _arguments(kernel: str, signature: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yields the indices of torch's arguments that the kernel takes, and their types."""
    for index, (name, kind) in enumerate(signature.items()):
        if kind == "constexpr":
            continue
        if not isinstance(kind, str) or not (kind[0] in "*iu" or kind in _FLOATS):
            raise TargetError(
                f"kernel '{kernel}' takes '{name}' as {kind}, which AOTInductor does not pass as it is",
                hint="pass a tensor, an integer, or a float",
            )
        yield index, kind


_LAUNCHER = """\
#include "kernel.h"

#include <omp.h>
#include <stdexcept>
#include <stdlib.h>

template <typename T> static T whole(int64_t value, const char *wrong) {{
  if (int64_t(T(value)) != value)
    throw std::runtime_error(wrong);
  return T(value);
}}

extern "C" void run_from_nativert(uint32_t x, uint32_t y, uint32_t z, int, void **args, void *) {{
{values}  const int64_t programs = int64_t(x) * y * z;
  int64_t threads = omp_in_parallel() ? 1 : omp_get_max_threads();
  threads = threads < programs ? threads : programs;
  const char *wrong = nullptr;
#pragma omp parallel num_threads(threads > 1 ? int(threads) : 1)
  {{
    const int64_t members = omp_get_num_threads(), member = omp_get_thread_num();
    void *scratch = {scratch};
    const char *said = {name}_programs({arguments}int32_t(x), int32_t(y), int32_t(z), programs * member / members,
                                       programs * (member + 1) / members, scratch);
    free(scratch);
    if (said)
#pragma omp critical
      wrong = said;
  }}
  if (wrong)
    throw std::runtime_error(wrong);
}}
"""


def _launcher(made: standalone.Standalone, arguments: tuple[tuple[int, str], ...]) -> str:
    """Returns the C++ code of the function that torch calls."""
    values = []
    for (index, kind), each in zip(arguments, made.parameters, strict=True):
        if kind.startswith("*"):
            values.append(f"({each.type})args[{index}]")
            continue
        # The value has torch's C++ type, which may differ from the kernel's.
        cpp_type = _declared(float if kind in _FLOATS else int)
        value = f"*(const {cpp_type} *)args[{index}]"
        if kind in _FLOATS:
            values.append(f"{each.type}({value})")
        else:
            # The kernel's text has signless integers.
            integer = "uint8_t" if kind[1:] == "1" else f"{'uint' if kind[0] == 'u' else 'int'}{kind[1:]}_t"
            values.append(f'{each.type}(whole<{integer}>({value}, "{made.name}: {each.name} does not fit in {kind}"))')
    size = -(-made.scratch_bytes // 64) * 64
    return _LAUNCHER.format(
        name=made.name,
        # Before the parallel region, because exceptions cannot leave it.
        values="".join(f"  const auto value_{at} = {each};\n" for at, each in enumerate(values)),
        arguments="".join(f"value_{at}, " for at in range(len(values))),
        scratch=f"aligned_alloc(64, {size})" if size else "nullptr",
    )


def _declared(kind: type) -> str:
    """Returns torch's C++ type of a number: in 2.13 ``float`` for all floats, even if the kernel takes ``double``."""
    from torch._inductor.codegen.cpp_wrapper_cpu import DeferredCpuTritonCallWrapper

    cpp_type: Any = DeferredCpuTritonCallWrapper._get_cpp_param_type
    return str(cpp_type(None, "value", kind)).partition(" ")[0]


def _linked(made: standalone.Standalone, launcher: str) -> bytes:
    from torch._inductor.cpp_builder import get_cpp_compiler

    with tempfile.TemporaryDirectory() as directory:
        at = Path(directory)
        (at / "kernel.o").write_bytes(made.code)
        (at / "kernel.h").write_text(made.header, encoding="utf-8")
        (at / "launcher.cpp").write_text(launcher, encoding="utf-8")
        # All libraries define functions of the same names; each must call its own.
        flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-fopenmp", "-Wl,-Bsymbolic"]
        command = [get_cpp_compiler(), *flags, "launcher.cpp", "kernel.o", "-o", "kernel.so", "-lm"]
        done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)  # noqa: S603 - torch's compiler
        if done.returncode:
            raise CompilationError(
                f"'{command[0]}' does not make a shared library of kernel '{made.name}': {done.stderr.strip()}",
                hint="AOTInductor needs a C++ compiler that has OpenMP; CXX names it",
            )
        return (at / "kernel.so").read_bytes()
