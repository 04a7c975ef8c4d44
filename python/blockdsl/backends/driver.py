"""Triton's driver interface, with the properties of this machine.

Launches run on the device of their tensors. The driver describes the GPU if there is one, else the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blockdsl import _runtime
from blockdsl.backends.properties import CPUProperties
from blockdsl.language.target_info import CPU, GPUTarget


class Utils:
    """Device properties under Triton's names."""

    def get_device_properties(self, device: int = 0) -> Mapping[str, int]:
        """Returns the properties of a device; for a GPU those that torch reports.

        For a CPU the threads count as multiprocessors and a core's cache as shared memory; see ``CPUProperties``.
        """
        if not _runtime.cuda_device_count():
            return CPUProperties()
        import torch

        properties: Any = torch.cuda.get_device_properties(device)
        return {
            name: getattr(properties, torch_name)
            for name, torch_name in _OF_TORCH.items()
            if hasattr(properties, torch_name)
        }


_OF_TORCH = {
    "multiprocessor_count": "multi_processor_count",
    "max_shared_mem": "shared_memory_per_block_optin",
    "max_num_regs": "regs_per_multiprocessor",
    "warpSize": "warp_size",
    "sm_clock_rate": "clock_rate",
    "mem_clock_rate": "memory_clock_rate",
    "mem_bus_width": "memory_bus_width",
}
"""Triton's names of a GPU's properties, and torch's. A torch version may lack some."""


class Driver:
    """The driver of the machine.

    Attributes:
        utils: The properties of devices.
    """

    def __init__(self) -> None:
        self.utils = Utils()

    def get_current_target(self) -> GPUTarget:
        """Returns for example ``GPUTarget("cuda", 90, 32)``, or ``GPUTarget("cpu", "x86_64", 1)`` for a CPU."""
        if not _runtime.cuda_device_count():
            return CPU
        return GPUTarget("cuda", _runtime.cuda_capability(self.get_current_device()), 32)

    def get_active_torch_device(self) -> Any:
        """Returns torch's device of the machine."""
        import torch

        return torch.device("cuda", self.get_current_device()) if _runtime.cuda_device_count() else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """Returns ``torch.cuda`` or ``torch.cpu``."""
        import torch

        return torch.cuda if _runtime.cuda_device_count() else torch.cpu

    def get_current_device(self) -> int:
        """Returns torch's current GPU; 0 for the CPU."""
        return int(self.get_device_interface().current_device()) if _runtime.cuda_device_count() else 0

    def set_current_device(self, device: int) -> None:
        """Makes a GPU torch's current one; does nothing for the CPU."""
        if _runtime.cuda_device_count():
            self.get_device_interface().set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """Returns the handle of torch's current stream; 0 for the CPU, where launches are synchronous."""
        if not _runtime.cuda_device_count():
            return 0
        return int(self.get_device_interface().current_stream(device).cuda_stream)

    def get_empty_cache_for_benchmark(self) -> Any:
        """Returns a tensor larger than the caches."""
        import torch

        return torch.empty(1 << 26, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache: Any) -> None:
        """Writes that tensor, which evicts all other data from the caches."""
        cache.zero_()

    @staticmethod
    def is_active() -> bool:
        """Returns True: the CPU is always available."""
        return True
