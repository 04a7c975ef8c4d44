"""Names of Triton's package ``runtime`` for host programs: classes for ``isinstance``, and the driver."""

from blockdsl.autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from blockdsl.errors import BlockdslError as InterpreterError
from blockdsl.errors import OutOfResourcesError as OutOfResources
from blockdsl.jit import JITFunction
from blockdsl.launcher.mock_tensors import MockTensor
from blockdsl.runtime import autotuner, cache, errors, jit
from blockdsl.runtime.cache import RedisRemoteCacheBackend, RemoteCacheBackend
from blockdsl.runtime.driver import driver
from blockdsl.runtime.interface import KernelInterface
from blockdsl.runtime.wrapper import TensorWrapper, reinterpret

__all__ = [
    "Autotuner",
    "Config",
    "Heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "TensorWrapper",
    "autotune",
    "autotuner",
    "cache",
    "driver",
    "errors",
    "heuristics",
    "jit",
    "reinterpret",
]
