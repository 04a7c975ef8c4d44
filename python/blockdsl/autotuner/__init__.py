"""``@autotune`` and ``@heuristics``: values of a kernel's parameters that are found by timing, or computed at a launch.

``config.py`` defines configurations, ``layer.py`` the base of both decorators, ``key.py`` the keys of choices,
``search.py`` the search, ``choices.py`` choices on disk, and ``tuner.py`` combines them.
"""

from blockdsl.autotuner.config import Config
from blockdsl.autotuner.heuristics import Heuristics, heuristics
from blockdsl.autotuner.tuner import Autotuner, autotune

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
