"""``@autotune`` and ``@heuristics``: values of a kernel's parameters that are found by timing, or computed at a launch.

``config.py`` is what is tried, ``layer.py`` what both decorators have in common, ``key.py`` when a choice holds,
``search.py`` how one is made, ``choices.py`` how it is kept on disk, and ``tuner.py`` puts them together.
"""

from blockdsl.autotuner.config import Config
from blockdsl.autotuner.heuristics import Heuristics, heuristics
from blockdsl.autotuner.tuner import Autotuner, autotune

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]
