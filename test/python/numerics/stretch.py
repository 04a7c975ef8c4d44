"""Compiles functions of vectors through `--blockdsl-to-llvm` and runs them on numpy arrays."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

TREE = Path(__file__).resolve().parents[3]
LANES = {"f64": 8, "f32": 16, "f16": 16, "bf16": 16}
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16}


def _tool(name: str) -> str:
    found = shutil.which(name) or shutil.which(name + "-22")
    if found is None:
        built = Path(os.environ.get("BLOCKDSL_BUILD", TREE / "build")) / "bin" / name
        assert built.exists(), f"{name} is not built"
        found = str(built)
    return found


def to_llvm_ir(text: str, features: str) -> str:
    """What the stretch and the translation make of a module of the vector stage."""
    option = f"--blockdsl-to-llvm=features={features} fp-fusion=true"
    lowered = subprocess.run([_tool("blockdsl-opt"), option], input=text, capture_output=True, text=True, check=False)
    assert lowered.returncode == 0, lowered.stderr
    command = [_tool("mlir-translate"), "--mlir-to-llvmir"]
    return subprocess.run(command, input=lowered.stdout, capture_output=True, text=True, check=True).stdout


def elementwise_kernel(name: str, inputs: list[str], output: str, lanes: int, body: str) -> str:
    """A kernel that computes `body` (from %x0, %x1, ... to %y) on vectors, over n elements, n a multiple of the lanes."""
    lines = [f"func.func @{name}("]
    lines[0] += ", ".join(f"%p{i}: !llvm.ptr {{llvm.noalias}}" for i in range(len(inputs)))
    lines[0] += ", %out: !llvm.ptr {llvm.noalias}, %n: i64) attributes {blockdsl.kernel} {"
    lines += [
        "  %zero = arith.constant 0 : i64",
        f"  %step = arith.constant {lanes} : i64",
        "  scf.for %i = %zero to %n step %step : i64 {",
    ]
    for i, dtype in enumerate(inputs):
        lines.append(f"    %a{i} = llvm.getelementptr %p{i}[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {storage(dtype)}")
        lines.append(f"    %x{i} = {load(f'%a{i}', dtype, lanes)}")
        if dtype != storage(dtype):
            lines[-1] = f"    %b{i} = {load(f'%a{i}', dtype, lanes)}"
            lines.append(f"    %x{i} = arith.bitcast %b{i} : vector<{lanes}xi8> to vector<{lanes}x{dtype}>")
    lines.append("    " + body.replace("\n", "\n    "))
    lines.append(f"    %ao = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {storage(output)}")
    result = "%y"
    if output != storage(output):
        lines.append(f"    %yb = arith.bitcast %y : vector<{lanes}x{output}> to vector<{lanes}xi8>")
        result = "%yb"
    lines.append(f"    llvm.store {result}, %ao {{alignment = 1 : i64}} : vector<{lanes}x{storage(output)}>, !llvm.ptr")
    lines += ["  }", "  return", "}"]
    return "\n".join(lines)


def storage(dtype: str) -> str:
    """LLVM has no 8-bit floats in memory."""
    return "i8" if dtype.startswith("f8") else dtype


def load(address: str, dtype: str, lanes: int) -> str:
    return f"llvm.load {address} {{alignment = 1 : i64}} : !llvm.ptr -> vector<{lanes}x{storage(dtype)}>"


class Kernels:
    """The kernels of one module, callable on arrays."""

    def __init__(self, module: str, features: str = "host") -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        host = llvm.get_host_cpu_features()
        names = host.flatten() if features == "host" else features
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=host.flatten(), opt=3)
        compiled = llvm.parse_assembly(to_llvm_ir(module, names))
        compiled.triple = llvm.get_default_triple()
        compiled.data_layout = str(machine.target_data)
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        llvm.create_pass_builder(machine, tuning).getModulePassManager().run(compiled, llvm.create_pass_builder(machine, tuning))
        self._engine = llvm.create_mcjit_compiler(compiled, machine)
        self._engine.finalize_object()

    def run(self, name: str, inputs: list[np.ndarray], output: np.ndarray, programs: int = 1) -> np.ndarray:
        """Every program computes all elements; more than one program is for measuring time."""
        slots = (ctypes.c_int64 * (len(inputs) + 6))()
        for i, array in enumerate([*inputs, output]):
            slots[i] = array.ctypes.data
        slots[len(inputs) + 1] = output.size
        for axis, size in enumerate((programs, 1, 1)):
            slots[len(inputs) + 2 + axis] = size
        kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        kernel(self._engine.get_function_address(name))(ctypes.addressof(slots), 0, programs, None)
        return output


def compile_kernels(bodies: Mapping[str, str], features: str = "host") -> Kernels:
    return Kernels("module {\n" + "\n".join(bodies.values()) + "\n}\n", features)
