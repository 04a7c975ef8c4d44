"""ResNet-50 of torchvision with random weights, forward. Ops other than convolutions become kernels."""

import torch

from examples.torch_compile import torchvision_names
from examples.torch_compile.compared import compare

_names = torchvision_names.define()

from torchvision.models import resnet50  # noqa: E402 - it needs the names


def main() -> None:
    torch.manual_seed(0)
    model, x = resnet50(weights=None).eval(), torch.randn(1, 3, 224, 224)
    compiled = torch.compile(model, backend="blockdsl", fullgraph=True)
    with torch.no_grad():
        compare("resnet", lambda: compiled(x), lambda: model(x))


if __name__ == "__main__":
    main()
