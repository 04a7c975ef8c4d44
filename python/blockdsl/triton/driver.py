"""Implementation of Triton's driver interface. The class that Triton imports is in ``blockdsl_triton``."""

from __future__ import annotations

from typing import Any

from blockdsl import knobs
from blockdsl.errors import TargetError
from blockdsl.triton import device
from blockdsl.triton.kernel_launcher import DEVICE, launcher

_CPP_TYPES = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "fp16": "double", "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double",
}  # fmt: skip


class Driver:
    """Triton's driver for the CPU."""

    is_alone = True
    """Whether every launch uses this driver."""

    def __init__(self) -> None:
        self.utils = device.Utilities()
        self.launcher_cls = launcher

    @staticmethod
    def get_current_device() -> str:
        return DEVICE

    @staticmethod
    def set_current_device(device: object) -> None:
        """Does nothing: there is one device."""

    @staticmethod
    def get_current_stream(device: object = None) -> int:
        """Returns 0: there is one stream."""
        return 0

    @staticmethod
    def get_current_target() -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cpu", 0, 1)

    @staticmethod
    def map_python_to_cpp_type(ty: str) -> str:
        """Returns a type's name in C++. A pointer is an integer, as for CUDA: ``triton.tools.link``, which uses this
        driver on machines without a GPU, drops parameters with an asterisk."""
        return "uintptr_t" if ty.startswith("*") else _CPP_TYPES[ty]

    @staticmethod
    def get_device_capability(device: object = None) -> tuple[int, int]:
        """Returns (0, 0): a CPU has no compute capability."""
        return 0, 0

    @staticmethod
    def get_active_torch_device() -> Any:
        import torch

        return torch.device("cpu")

    @staticmethod
    def get_device_interface() -> Any:
        return device.Interface()

    @staticmethod
    def get_benchmarker() -> Any:
        from triton.testing import do_bench

        return do_bench

    @staticmethod
    def get_empty_cache_for_benchmark() -> Any:
        return device.timing_cache()

    @staticmethod
    def clear_cache(cache: Any) -> None:
        cache.zero_()

    def prefer_cpu(self) -> None:
        """Does nothing: there is no other device."""


def make() -> Any:
    """Returns the driver for this process: ours alone, or combined with a GPU's working driver."""
    from blockdsl.triton import active_driver, cached_launch, tuning

    tuning.install()
    make_other = active_driver.other_driver()
    if make_other is None:
        cached_launch.install()
        return Driver()
    shared = active_driver.SharedDriver(Driver(), make_other)
    if knobs.TRITON_DEFAULT_BACKEND.get() == "cpu":
        shared.prefer_cpu()
    return shared


def found() -> Any:
    """Returns Triton's configuration of drivers, after checking that our back end is listed.

    Raises:
        TargetError: Triton is not installed, or does not list the back end ``cpu``.
    """
    try:
        from triton.backends import backends
        from triton.runtime import driver
    except ImportError as error:
        raise TargetError(
            "Triton is not installed, so no driver can be activated", hint="pip install triton"
        ) from error
    if "cpu" not in backends:
        raise TargetError(
            f"Triton lists no back end 'cpu', only {', '.join(backends)}",
            hint="unset TRITON_BACKENDS_IN_TREE, and install blockdsl with pip where Triton is",
        )
    return driver


def require() -> None:
    """Ensures that Triton has a driver, from which Inductor gets a target.

    Raises:
        TargetError: As ``found`` does.
    """
    driver = found()
    if driver._active is not None:
        return
    try:
        _ = driver.active
    except Exception:  # Any error of another driver, for example without a C compiler or libcuda.
        activate()
        # For Inductor's compiling subprocesses.
        knobs.TRITON_DEFAULT_BACKEND.set("cpu")


def activate() -> tuple[Any, Any]:
    """Activates our driver. Returns it, and the previously active one or None."""
    driver = found()
    from triton.backends import backends

    before = driver._active
    own = backends["cpu"].driver()
    own.prefer_cpu()
    driver.set_active(own)
    return own, before
