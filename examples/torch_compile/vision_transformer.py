"""A vision transformer of timm with random weights, forward."""

import torch

from examples.torch_compile import torchvision_names
from examples.torch_compile.compared import compare

_names = torchvision_names.define()

import timm  # noqa: E402 - it imports torchvision, which needs the names


def main() -> None:
    torch.manual_seed(0)
    model, x = timm.create_model("vit_tiny_patch16_224", pretrained=False).eval(), torch.randn(2, 3, 224, 224)
    compiled = torch.compile(model, backend="blockdsl", fullgraph=True)
    with torch.no_grad():
        compare("vision_transformer", lambda: compiled(x), lambda: model(x))


if __name__ == "__main__":
    main()
