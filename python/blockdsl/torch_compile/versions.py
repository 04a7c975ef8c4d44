"""Checks of torch's version."""

from __future__ import annotations

import torch

IS_BEFORE_2_13 = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 13)
