"""All environment variables of blockdsl. No other module of the package reads ``os.environ``; blockdsl_triton, which
Triton imports early, reads one of the variables itself.

A knob is read on each use, so a test or a notebook may change the variable at any time. Only the number of threads and
their kind, which every launch needs, are read when the launch path is loaded, and the CPU at the first launch. An
unknown variable that starts with ``BLOCKDSL_`` is probably a typing error, and is reported once::

    BLOCKDSL_DUMP=ttir,llir BLOCKDSL_DUMP_DIR=/tmp/dump python attention.py

``runtime``, ``compilation``, ``cache`` and the other groups below have Triton's names for settings, and its hooks.
"""

from __future__ import annotations

import difflib
import os
import warnings
from pathlib import Path

from blockdsl.knobs.groups import Chain, Group, LanguageGroup, RuntimeGroup
from blockdsl.knobs.hooks import HookChain as HookChain
from blockdsl.knobs.listeners import AutotuneListener as AutotuneListener
from blockdsl.knobs.listeners import CompilationListener as CompilationListener
from blockdsl.knobs.listeners import CompileTimes as CompileTimes
from blockdsl.knobs.listeners import InitHandleHook as InitHandleHook
from blockdsl.knobs.listeners import JITHook as JITHook
from blockdsl.knobs.listeners import LaunchHook as LaunchHook
from blockdsl.knobs.logs import print_logs
from blockdsl.knobs.settings import Fixed, Held, Mirror, flag, function, switch, text, tool
from blockdsl.knobs.settings import NvidiaTool as NvidiaTool
from blockdsl.knobs.variables import ALL as ALL
from blockdsl.knobs.variables import CACHE as CACHE
from blockdsl.knobs.variables import CACHE_DIR as CACHE_DIR
from blockdsl.knobs.variables import CACHE_HOME as CACHE_HOME
from blockdsl.knobs.variables import COMPILE as COMPILE
from blockdsl.knobs.variables import CPU as CPU
from blockdsl.knobs.variables import CPUS as CPUS
from blockdsl.knobs.variables import DUMP as DUMP
from blockdsl.knobs.variables import DUMP_DIR as DUMP_DIR
from blockdsl.knobs.variables import FAMILIES as FAMILIES
from blockdsl.knobs.variables import FULL_TRACEBACK as FULL_TRACEBACK
from blockdsl.knobs.variables import INTERPRET as INTERPRET
from blockdsl.knobs.variables import LLVM_IR_ENABLE_DUMP as LLVM_IR_ENABLE_DUMP
from blockdsl.knobs.variables import LOGS as LOGS
from blockdsl.knobs.variables import MLIR_ENABLE_DUMP as MLIR_ENABLE_DUMP
from blockdsl.knobs.variables import NUM_THREADS as NUM_THREADS
from blockdsl.knobs.variables import OVERRIDE_DIR as OVERRIDE_DIR
from blockdsl.knobs.variables import PREFIX as PREFIX
from blockdsl.knobs.variables import PRINT_AUTOTUNING as PRINT_AUTOTUNING
from blockdsl.knobs.variables import TRITON as TRITON
from blockdsl.knobs.variables import TRITON_ALWAYS_COMPILE as TRITON_ALWAYS_COMPILE
from blockdsl.knobs.variables import TRITON_CACHE_AUTOTUNING as TRITON_CACHE_AUTOTUNING
from blockdsl.knobs.variables import TRITON_CACHE_DIR as TRITON_CACHE_DIR
from blockdsl.knobs.variables import TRITON_CACHE_MANAGER as TRITON_CACHE_MANAGER
from blockdsl.knobs.variables import TRITON_DEBUG as TRITON_DEBUG
from blockdsl.knobs.variables import TRITON_DEFAULT_BACKEND as TRITON_DEFAULT_BACKEND
from blockdsl.knobs.variables import TRITON_DEFAULT_FP_FUSION as TRITON_DEFAULT_FP_FUSION
from blockdsl.knobs.variables import TRITON_DUMP_DIR as TRITON_DUMP_DIR
from blockdsl.knobs.variables import TRITON_F32_DEFAULT as TRITON_F32_DEFAULT
from blockdsl.knobs.variables import TRITON_FORCE_DISABLE_FP_FUSION as TRITON_FORCE_DISABLE_FP_FUSION
from blockdsl.knobs.variables import TRITON_HOME as TRITON_HOME
from blockdsl.knobs.variables import TRITON_KERNEL_DUMP as TRITON_KERNEL_DUMP
from blockdsl.knobs.variables import TRITON_KERNEL_OVERRIDE as TRITON_KERNEL_OVERRIDE
from blockdsl.knobs.variables import TRITON_OVERRIDE_DIR as TRITON_OVERRIDE_DIR
from blockdsl.knobs.variables import TRITON_REDIS_HOST as TRITON_REDIS_HOST
from blockdsl.knobs.variables import TRITON_REDIS_KEY_FORMAT as TRITON_REDIS_KEY_FORMAT
from blockdsl.knobs.variables import TRITON_REDIS_PORT as TRITON_REDIS_PORT
from blockdsl.knobs.variables import TRITON_REMOTE_CACHE_BACKEND as TRITON_REMOTE_CACHE_BACKEND
from blockdsl.knobs.variables import TRITON_REPRODUCER_PATH as TRITON_REPRODUCER_PATH
from blockdsl.knobs.variables import WORKERS as WORKERS
from blockdsl.knobs.variables import Family as Family
from blockdsl.knobs.variables import Knob as Knob
from blockdsl.knobs.variables import derives


def _directory(knob: Knob[Path | None] | Knob[Path]) -> Mirror:
    def read() -> str | None:
        found = knob.get()
        return None if found is None else str(found)

    return Mirror(knob.name, read, os.fspath)


def _class(knob: Knob[type | None], base: str) -> Held:
    return Held(knob.get, f"a class that derives from {base}", lambda value: derives(value, base))


runtime = RuntimeGroup(
    {
        "launch_enter_hook": Chain(),
        "launch_exit_hook": Chain(is_reversed=True),
        "kernel_load_start_hook": Chain(),
        "kernel_load_end_hook": Chain(is_reversed=True),
        "kernel_unload_hook": Chain(),
        "jit_cache_hook": function(),
        "jit_post_compile_hook": function(),
        "add_stages_inspection_hook": Fixed(None),
        "interpret": Mirror(INTERPRET.name, INTERPRET.get, flag),
        "debug": Mirror(TRITON_DEBUG.name, TRITON_DEBUG.get, flag),
        "override_arch": Fixed(None),
    }
)
"""Hooks before and after each launch, each loading of a kernel, and each compilation; ``interpret`` applies to kernels
that are decorated later, ``debug`` to kernels that are compiled later."""
compilation = Group(
    "compilation",
    {
        "dump_ir": Mirror(TRITON_KERNEL_DUMP.name, TRITON_KERNEL_DUMP.get, flag),
        "always_compile": Mirror(TRITON_ALWAYS_COMPILE.name, TRITON_ALWAYS_COMPILE.get, flag),
        "override": Mirror(TRITON_KERNEL_OVERRIDE.name, TRITON_KERNEL_OVERRIDE.get, flag),
        "listener": function(),
        "disable_line_info": switch("TRITON_DISABLE_LINE_INFO"),
        "dump_ir_extract_di_local_variables": switch("LLVM_EXTRACT_DI_LOCAL_VARIABLES"),
        "allow_non_constexpr_globals": Fixed(False),
        "enable_asan": Fixed(False),
        "fpsan_homomorphic_casts": Fixed(False),
        "front_end_debugging": Fixed(False),
        "instrumentation_mode": Fixed(""),
        "store_binary_only": Fixed(False),
        "use_ir_loc": Fixed(None),
    },
)
"""``dump_ir``: writes every stage to directories in ``cache.dump_dir``; ``always_compile``: ignores the disk cache;
``listener``: called for each kernel that is compiled or loaded from the disk cache."""
cache = Group(
    "cache",
    {
        "dir": _directory(CACHE_DIR),
        "home_dir": _directory(TRITON_HOME),
        "dump_dir": _directory(TRITON_DUMP_DIR),
        "override_dir": _directory(TRITON_OVERRIDE_DIR),
        "manager_class": _class(TRITON_CACHE_MANAGER, "CacheManager"),
        "remote_manager_class": _class(TRITON_REMOTE_CACHE_BACKEND, "RemoteCacheBackend"),
    },
)
"""``dir``, ``dump_dir``, ``override_dir``; ``manager_class``: a subclass of ``CacheManager`` that stores kernels."""
autotuning = Group(
    "autotuning",
    {
        "cache": Mirror(TRITON_CACHE_AUTOTUNING.name, TRITON_CACHE_AUTOTUNING.get, flag),
        "print": Mirror(PRINT_AUTOTUNING.name, PRINT_AUTOTUNING.get, flag),
        "listener": function(),
    },
)
"""``print``; ``cache``: the default of ``autotune(cache_results=)``; ``listener``: called for each choice."""
redis = Group(
    "redis",
    {
        "key_format": Mirror(TRITON_REDIS_KEY_FORMAT.name, TRITON_REDIS_KEY_FORMAT.get, str),
        "host": Mirror(TRITON_REDIS_HOST.name, TRITON_REDIS_HOST.get, str),
        "port": Mirror(TRITON_REDIS_PORT.name, TRITON_REDIS_PORT.get, str),
    },
)
language = LanguageGroup(
    "language",
    {
        "fp32_default": Mirror(TRITON_F32_DEFAULT.name, TRITON_F32_DEFAULT.get, str),
        "default_fp_fusion": Mirror(TRITON_DEFAULT_FP_FUSION.name, TRITON_DEFAULT_FP_FUSION.get, flag),
        "force_disable_fp_fusion": Mirror(
            TRITON_FORCE_DISABLE_FP_FUSION.name, TRITON_FORCE_DISABLE_FP_FUSION.get, flag
        ),
    },
)
"""``fp32_default``: the default ``input_precision`` of ``dot`` on GPUs; ``default_fp_fusion``: the default of
``enable_fp_fusion``; ``force_disable_fp_fusion``: disables fusion in any case. They apply to kernels compiled later."""
nvidia = Group(
    "nvidia",
    {
        **{name.replace("-", "_"): tool(name) for name in ("cuobjdump", "nvdisasm", "ptxas", "ptxas-blackwell")},
        "dump_nvptx": switch("NVPTX_ENABLE_DUMP"),
        "disable_ptxas_opt": switch("DISABLE_PTXAS_OPT"),
        "dump_ptxas_log": switch("TRITON_DUMP_PTXAS_LOG"),
        "ptxas_options": text("PTXAS_OPTIONS"),
        "mock_ptx_version": text("TRITON_MOCK_PTX_VERSION"),
        "libdevice_path": text("TRITON_LIBDEVICE_PATH"),
        "libcuda_path": Fixed(None),
    },
)
"""Variables that Triton's compiler reads. Its subprocess is restarted if one of them changes."""
build, amd, proton = Group("build", {}), Group("amd", {}), Group("proton", {})


def warn_about_unknown() -> None:
    """Warns about every unknown variable that starts with ``BLOCKDSL_``."""
    known = [knob.name for knob in ALL if knob.name.startswith(PREFIX)]
    for name in os.environ:
        if not name.startswith(PREFIX) or name in known:
            continue
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
        suggestion = f"; did you mean {close[0]}?" if close else f"; known are {', '.join(known)}"
        warnings.warn(f"unknown environment variable {name}{suggestion}", RuntimeWarning, stacklevel=2)


warn_about_unknown()
print_logs()
