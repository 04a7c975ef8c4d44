"""Makes FlagGems importable without a GPU: adds its vendor whose device is the CPU to its list."""

from __future__ import annotations

import importlib.util
import os
import sys
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

VENDOR = "arm"


class SeedAndOffset:
    """The state of a generator of random numbers as FlagGems reads it from a GPU's: a seed and an offset."""

    def __init__(self) -> None:
        self.state = torch.tensor([20, 0]).view(torch.uint8)

    def get_state(self) -> torch.Tensor:
        return self.state.clone()

    def set_state(self, state: torch.Tensor) -> None:
        self.state = state.clone()


def prepare() -> None:
    """Prepares FlagGems; called before the first import of ``flag_gems``."""
    os.environ["GEMS_VENDOR"] = VENDOR
    cpu: Any = torch.cpu
    cpu.device = lambda device: nullcontext()
    cpu.current_device = lambda: 0
    cpu.device_count = lambda: 1
    cpu.default_generators = (SeedAndOffset(),)
    cpu.get_device_capability = lambda device=None: (0, 0)
    cpu.get_device_properties = lambda device=None: SimpleNamespace(
        multi_processor_count=os.cpu_count(), L2_cache_size=1 << 20
    )
    sys.modules["flag_gems.runtime.common"] = common = ModuleType("flag_gems.runtime.common")
    common.vendors = listed_vendors()  # type: ignore[attr-defined]
    # The vendor's rules lack parameters of the current kernels; its operators are two examples, one of which prints.
    sys.modules[f"_{VENDOR}.heuristics_config_utils"] = None  # type: ignore[assignment]
    sys.modules[f"_{VENDOR}.ops"] = ModuleType(f"_{VENDOR}.ops")
    # Triton's functions of a device have a module for each device that Triton itself ships.
    from triton.language.extra import libdevice

    sys.modules["triton.language.extra.cpu"] = ModuleType("triton.language.extra.cpu")
    sys.modules["triton.language.extra.cpu.libdevice"] = libdevice


def listed_vendors() -> Any:
    """Returns FlagGems' list of vendors, with the CPU's."""
    package = importlib.util.find_spec("flag_gems")
    assert package and package.submodule_search_locations
    path = os.path.join(package.submodule_search_locations[0], "runtime", "common.py")
    spec = importlib.util.spec_from_file_location("listed", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [*module.vendors.get_all_vendors(), VENDOR]
    members = tuple(name.upper() for name in names)
    vendors: Any = type("Vendors", (), {name: name for name in members})
    vendors.get_all_vendors = lambda: dict(zip(names, members, strict=True))
    return vendors
