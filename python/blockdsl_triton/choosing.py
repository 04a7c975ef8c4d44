"""A driver is there before anything is tuned.

Triton looks for one at the first launch, which may be a tuner's that has by then settled what it times and how; both
depend on the device.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from importlib.abc import MetaPathFinder
from typing import Any


class _Watch(MetaPathFinder):
    """Finds nothing. Triton finds us while it defines its tuner; what it imports later it imports with a tuner."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "triton.testing":
            sys.meta_path.remove(self)
            # Triton is being imported: one whose tuner chooses otherwise is left alone.
            with contextlib.suppress(ImportError, AttributeError):
                _choose_before_tuning()


def _choose_before_tuning() -> None:
    from triton.runtime import Autotuner, driver

    prune = Autotuner.prune_configs

    @functools.wraps(prune)
    def pruned(self: Any, *args: Any, **kwargs: Any) -> Any:
        if Autotuner.prune_configs is pruned:
            # Ours, if that is the one, has tuners do otherwise from now on.
            driver.active.get_current_target()
            if Autotuner.prune_configs is not pruned:
                return Autotuner.prune_configs(self, *args, **kwargs)
        return prune(self, *args, **kwargs)

    Autotuner.prune_configs = pruned


def watch() -> None:
    """Has the first tuner that chooses begin with the driver."""
    sys.meta_path.insert(0, _Watch())
