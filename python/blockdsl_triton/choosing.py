"""Selection of Triton's driver before the first tuning.

Triton selects it at the first launch, which a tuner may make after it has chosen configurations and timing function.
Both depend on the device.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from importlib.abc import MetaPathFinder
from typing import Any


class _Watch(MetaPathFinder):
    """Import hook that patches the tuner at the import of ``triton.testing``, when the tuner is defined. When Triton
    imports this package, it is not yet."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "triton.testing":
            sys.meta_path.remove(self)
            # An error here would be one of `import triton`, so a Triton with another tuner is not patched.
            with contextlib.suppress(ImportError, AttributeError):
                _choose_before_tuning()


def _choose_before_tuning() -> None:
    from triton.runtime import Autotuner, driver

    prune = Autotuner.prune_configs

    @functools.wraps(prune)
    def pruned(self: Any, *args: Any, **kwargs: Any) -> Any:
        if Autotuner.prune_configs is pruned:
            # Selects the driver. Ours replaces this method again.
            driver.active.get_current_target()
            if Autotuner.prune_configs is not pruned:
                return Autotuner.prune_configs(self, *args, **kwargs)
        return prune(self, *args, **kwargs)

    Autotuner.prune_configs = pruned


def watch() -> None:
    """Installs the import hook, so that the first tuner selects the driver before it chooses configurations."""
    sys.meta_path.insert(0, _Watch())
