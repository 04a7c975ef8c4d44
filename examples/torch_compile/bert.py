"""BERT-base of transformers with random weights, forward; and training steps of one with two layers."""

import copy

import torch
from torch import nn

from examples.torch_compile import torchvision_names
from examples.torch_compile.compared import compare, difference

_names = torchvision_names.define()

from transformers import BertConfig, BertModel  # noqa: E402 - it imports torchvision, which needs the names


def forward() -> None:
    model, words = BertModel(BertConfig()).eval(), torch.randint(0, 30_000, (1, 128))
    compiled = torch.compile(model, backend="blockdsl")
    with torch.no_grad():
        compare("bert", lambda: compiled(words).last_hidden_state, lambda: model(words).last_hidden_state)


class Classifier(nn.Module):
    """Classifier of texts with two classes, without dropout, whose random numbers would differ from eager's."""

    def __init__(self) -> None:
        super().__init__()
        config = BertConfig(num_hidden_layers=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.text, self.classes = BertModel(config), nn.Linear(config.hidden_size, 2)

    def forward(self, words: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(self.classes(self.text(words).pooler_output), wanted)


def losses(model: nn.Module, run: nn.Module, steps: int = 5) -> list[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    torch.manual_seed(1)
    words, wanted = torch.randint(0, 30_000, (4, 64)), torch.randint(0, 2, (4,))
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = run(words, wanted)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def training() -> None:
    model = Classifier()
    eager = copy.deepcopy(model)
    ours, theirs = losses(model, torch.compile(model, backend="blockdsl")), losses(eager, eager)
    print(f"bert, 2 layers, {len(ours)} training steps, loss {ours[0]:.3f} to {ours[-1]:.3f}: "
          f"largest error {difference(ours, theirs):.1e}")  # fmt: skip


def main() -> None:
    torch.manual_seed(0)
    forward()
    training()


if __name__ == "__main__":
    main()
