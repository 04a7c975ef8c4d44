"""Prints the machine code that llvmlite's LLVM makes of a file of IR for a CPU, optimized if a third word is given."""

from __future__ import annotations

import sys
from pathlib import Path

from llvmlite import binding as llvm

TRIPLE = "x86_64-unknown-linux-gnu"


def main() -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=sys.argv[2], opt=3)
    module = llvm.parse_assembly(Path(sys.argv[1]).read_text())
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    if len(sys.argv) > 3:
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
        builder.getModulePassManager().run(module, builder)
    print(machine.emit_assembly(module))


main()
