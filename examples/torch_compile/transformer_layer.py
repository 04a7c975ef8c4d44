"""Training steps of a layer of a transformer's encoder: attention, two layer norms and a feed-forward network."""

import torch
from torch import nn

from examples.torch_compile.training import train


def main() -> None:
    torch.manual_seed(0)
    model = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, activation="gelu", batch_first=True)
    train("transformer_layer", model, nn.functional.mse_loss, torch.randn(4, 50, 128), torch.randn(4, 50, 128))


if __name__ == "__main__":
    main()
