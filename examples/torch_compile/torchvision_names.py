"""Definitions of operators that torchvision needs. Its C++ library, which defines them, is built for CUDA on PyPI."""

import torch

_POOLED = ("roi_align", "ps_roi_align", "roi_pool", "ps_roi_pool", "deform_conv2d")
_NAMES = ("nms", "qnms", "qroi_align", *_POOLED, *(f"_{name}_backward" for name in _POOLED))


def define() -> torch.library.Library | None:
    """Makes ``import torchvision`` work beside a torch for CPUs; its models need no more than the names.

    Returns:
        The library object that must stay alive, or None if the operators are defined already.
    """
    if hasattr(torch.ops.torchvision, "nms"):
        return None
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in _NAMES:
        library.define(f"{name}(Tensor x) -> Tensor")
    return library
