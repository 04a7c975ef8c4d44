"""Configuration of the lit tests: `lit -sv build/test`. Tools and folders are in lit.site.cfg.py, by CMake.

`lit --param roundtrip=1 build/test` reruns all of it with --verify-roundtrip: every module a test parses is also
printed, parsed again, and compared.
"""

import os

import lit.formats

config.name = "blockdsl"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ttir"]
# Directories of pytest's tests, and of files that are not tests.
config.excludes = ["python", "conformance", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

tools = [config.blockdsl_tools_dir, config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join([*tools, config.environment.get("PATH", "")])

opt = "blockdsl-opt --verify-roundtrip" if lit_config.params.get("roundtrip") else "blockdsl-opt"
config.substitutions.append((r"(?<![-/\w])blockdsl-opt(?![-\w])", opt))
