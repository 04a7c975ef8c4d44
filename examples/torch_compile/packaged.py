"""A model with a kernel of stock Triton as a package of AOTInductor, which runs without Triton and blockdsl."""

import tempfile
from pathlib import Path

import torch
import triton
import triton.language as tl

from blockdsl.torch_compile import inductor_configs


@triton.autotune([triton.Config({"BLOCK": size}) for size in (1024, 4096)], key=["n"])
@triton.jit
def squared_relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n), 0)
    tl.store(out_ptr + at, x * x, mask=at < n)


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(x)
        out, n = torch.empty_like(x), x.numel()
        squared_relu[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
        return torch.softmax(out, 1)

    def reference(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.layer(x).relu().square(), 1)


def main() -> None:
    torch.manual_seed(0)
    model = Model().eval()
    rows = torch.export.Dim("rows", min=2, max=4096)
    exported = torch.export.export(model, (torch.randn(100, 64),), dynamic_shapes=({0: rows},), strict=True)
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model.pt2")
        # Without these configurations Inductor's own kernels would be C++.
        torch._inductor.aoti_compile_and_package(exported, package_path=path, inductor_configs=inductor_configs())
        loaded = torch._inductor.aoti_load_package(path)
        x = torch.randn(1_000, 64)
        with torch.no_grad():
            wanted = model.double().reference(x.double())
        error = (loaded(x) - wanted).abs().max()
    print(f"packaged, 1000 x 64: largest error {error:.1e}")


if __name__ == "__main__":
    main()
