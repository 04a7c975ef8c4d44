"""Compiles kernels of the stage ``loops`` through ``blockdsl-to-llvm`` and runs them on arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from blockdsl.mlir import ir, passmanager, translate

Array = np.ndarray[Any, Any]

HOST = ",".join(("+" if present else "-") + name for name, present in llvm.get_host_cpu_features().items())
# Without features: the formulas for a generic CPU.
PORTABLE = ""


def to_llvm_ir(module: str, features: str, fp_fusion: bool = True) -> str:
    """Returns the LLVM IR of a module of the stage ``loops``."""
    context = ir.Context()
    parsed = ir.Module.parse(module, context)
    options = f"features={features} fp-fusion={str(fp_fusion).lower()}"
    passmanager.PassManager.parse(f"builtin.module(blockdsl-to-llvm{{{options}}})", context).run(parsed.operation)
    return translate.to_llvm_ir(parsed)


def _stored(dtype: str) -> str:
    """LLVM has no 8-bit floats: they are stored as bytes."""
    return "i8" if dtype.startswith("f8") else dtype


def _vector_load(value: str, address: str, dtype: str, lanes: int) -> list[str]:
    stored = _stored(dtype)
    name = value if stored == dtype else value + "_bits"
    lines = [f"{name} = llvm.load {address} {{alignment = 1 : i64}} : !llvm.ptr -> vector<{lanes}x{stored}>"]
    if stored != dtype:
        lines.append(f"{value} = arith.bitcast {name} : vector<{lanes}x{stored}> to vector<{lanes}x{dtype}>")
    return lines


def elementwise_kernel(name: str, inputs: Sequence[str], output: str, lanes: int, body: str) -> str:
    """Returns a kernel that computes `body`, from %x0, %x1, ... to %y; array lengths are multiples of `lanes`."""
    parameters = [f"%p{i}: !llvm.ptr {{llvm.noalias}}" for i in range(len(inputs))]
    lines = [
        f"func.func @{name}({', '.join(parameters)}, %out: !llvm.ptr {{llvm.noalias}}, %n: i64)"
        " attributes {blockdsl.kernel} {",
        "%zero = arith.constant 0 : i64",
        f"%step = arith.constant {lanes} : i64",
        "scf.for %i = %zero to %n step %step : i64 {",
    ]
    for i, dtype in enumerate(inputs):
        lines.append(f"%a{i} = llvm.getelementptr %p{i}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {_stored(dtype)}")
        lines += _vector_load(f"%x{i}", f"%a{i}", dtype, lanes)
    lines += [body, f"%a = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {_stored(output)}"]
    result = "%y"
    if _stored(output) != output:
        lines.append(f"%y_bits = arith.bitcast %y : vector<{lanes}x{output}> to vector<{lanes}x{_stored(output)}>")
        result = "%y_bits"
    lines.append(f"llvm.store {result}, %a {{alignment = 1 : i64}} : vector<{lanes}x{_stored(output)}>, !llvm.ptr")
    return "\n".join([*lines, "}", "return", "}"])


class Kernels:
    """The kernels of one module, callable on arrays."""

    def __init__(self, kernels: Iterable[str], features: str = HOST) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=HOST, opt=2)
        module = llvm.parse_assembly(to_llvm_ir("\n".join(kernels), features))
        module.triple = llvm.get_default_triple()
        module.data_layout = str(machine.target_data)
        passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        passes.getModulePassManager().run(module, passes)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def run(self, name: str, inputs: Sequence[Array], output: Array, programs: int = 1) -> Array:
        """Every program computes all elements; more than one program is for timing."""
        words = [*(array.ctypes.data for array in inputs), output.ctypes.data, output.size, programs, 1, 1, 0]
        slots = (ctypes.c_int64 * len(words))(*words)
        signature = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        signature(self._engine.get_function_address(name))(ctypes.addressof(slots), 0, programs, None)
        return output
