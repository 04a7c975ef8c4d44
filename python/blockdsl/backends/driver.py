"""The machine that kernels run on, for programs that ask Triton's driver about it.

Launches go where their tensors lie; the driver speaks of the GPU where there is one, and of the CPU elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blockdsl import _runtime
from blockdsl.backends.properties import CPUProperties
from blockdsl.language.target_info import CPU, GPUTarget


class Utils:
    """What a machine has, by Triton's names."""

    def get_device_properties(self, device: int = 0) -> Mapping[str, int]:
        """Processors, and memory close to them; for a GPU what torch knows of it.

        A CPU's threads are its multiprocessors, and the cache of one its shared memory; ``CPUProperties`` lists all.
        """
        if not _runtime.cuda_device_count():
            return CPUProperties()
        import torch

        found: Any = torch.cuda.get_device_properties(device)
        return {name: getattr(found, theirs) for name, theirs in _OF_TORCH.items() if hasattr(found, theirs)}


_OF_TORCH = {
    "multiprocessor_count": "multi_processor_count",
    "max_shared_mem": "shared_memory_per_block_optin",
    "max_num_regs": "regs_per_multiprocessor",
    "warpSize": "warp_size",
    "sm_clock_rate": "clock_rate",
    "mem_clock_rate": "memory_clock_rate",
    "mem_bus_width": "memory_bus_width",
}
"""Triton's names of a GPU's properties, and torch's, of which a version may lack some."""


class Driver:
    """The driver of the machine.

    Attributes:
        utils: What the machine has.
    """

    def __init__(self) -> None:
        self.utils = Utils()

    def get_current_target(self) -> GPUTarget:
        """``GPUTarget("cuda", 90, 32)`` for such a GPU; for a CPU ``GPUTarget("cpu", "x86_64", 1)``."""
        if not _runtime.cuda_device_count():
            return CPU
        return GPUTarget("cuda", _runtime.cuda_capability(self.get_current_device()), 32)

    def get_active_torch_device(self) -> Any:
        """The device that tensors are made on, for torch."""
        import torch

        return torch.device("cuda", self.get_current_device()) if _runtime.cuda_device_count() else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """``torch.cuda`` or ``torch.cpu``."""
        import torch

        return torch.cuda if _runtime.cuda_device_count() else torch.cpu

    def get_current_device(self) -> int:
        """torch's current GPU; 0 for the CPU."""
        return int(self.get_device_interface().current_device()) if _runtime.cuda_device_count() else 0

    def set_current_device(self, device: int) -> None:
        """Makes a GPU torch's current one; the CPU is."""
        if _runtime.cuda_device_count():
            self.get_device_interface().set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """The handle of torch's current stream; 0 for the CPU, where a launch has ended when it returns."""
        if not _runtime.cuda_device_count():
            return 0
        return int(self.get_device_interface().current_stream(device).cuda_stream)

    def get_empty_cache_for_benchmark(self) -> Any:
        """A tensor larger than the caches."""
        import torch

        return torch.empty(1 << 26, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        """Writes all of such a tensor, so that nothing else is left in the caches."""
        cache.zero_()

    @staticmethod
    def is_active() -> bool:
        """It is: there is always the CPU."""
        return True
