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
    """The CPU as a device of Triton's."""

    is_alone = True
    """Every launch is for it."""

    def __init__(self) -> None:
        self.utils = device.Utilities()
        self.launcher_cls = launcher

    @staticmethod
    def get_current_device() -> str:
        return DEVICE

    @staticmethod
    def set_current_device(device: object) -> None:
        """There is one."""

    @staticmethod
    def get_current_stream(device: object = None) -> int:
        """There is one."""
        return 0

    @staticmethod
    def get_current_target() -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cpu", 0, 1)

    @staticmethod
    def map_python_to_cpp_type(ty: str) -> str:
        """What a type is called in C++. An address is a number there, as CUDA's are: ``triton.tools.link``, which works
        without a GPU once there is a driver, reads words, and leaves out a parameter with an asterisk."""
        return "uintptr_t" if ty.startswith("*") else _CPP_TYPES[ty]

    @staticmethod
    def get_device_capability(device: object = None) -> tuple[int, int]:
        """None, in the numbers that NVIDIA counts."""
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
        """There is nothing else."""


def make() -> Any:
    """The driver for this process: ours alone, or beside one that works for a GPU."""
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
    """Triton's configuration of drivers, once it is sure that our back end is listed.

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
    """Makes sure that Triton has a driver, so that Inductor can ask it for a target.

    Raises:
        TargetError: As ``found`` does.
    """
    driver = found()
    if driver._active is not None:
        return
    try:
        _ = driver.active
    except Exception:  # The driver's own, whatever it is: without a C compiler or libcuda it cannot be made.
        activate()
        # For the processes that compile for Inductor.
        knobs.TRITON_DEFAULT_BACKEND.set("cpu")


def activate() -> tuple[Any, Any]:
    """Makes Triton's driver ours. Gives it, and the one that was active before, which may be none."""
    driver = found()
    from triton.backends import backends

    before = driver._active
    ours = backends["cpu"].driver()
    ours.prefer_cpu()
    driver.set_active(ours)
    return ours, before
