"""Data-parallel training of a small classifier with torch, whose forward and backward passes are our kernels.

    torchrun --standalone --nproc-per-node 2 examples/data_parallel.py

Each process takes its rows of every batch. DistributedDataParallel averages the gradients, over NCCL with one process
per GPU, over gloo on CPUs. Before the first step the gradients are compared between the processes, and with plain
torch's on the joined batch; after the last step the parameters are compared. Without torchrun one process takes all
rows.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist

# Imported before a group exists: its functions would keep the default group, and with it gloo's threads, alive.
import torch.distributed.nn
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import blockdsl
import blockdsl.language as tl
from examples.layer_norm import layer_norm
from examples.matmul import leaky_relu, matmul

FEATURES, HIDDEN, CLASSES, EPS = 48, 96, 10, 1e-5


@blockdsl.jit
def leaky_relu_backward(gradient_ptr, result_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """The result has the same sign as the input, so the input need not be saved."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    gradient = tl.load(gradient_ptr + offsets, mask=inside)
    slope = tl.where(tl.load(result_ptr + offsets, mask=inside) >= 0, 1.0, 0.01)
    tl.store(out_ptr + offsets, gradient * slope, mask=inside)


@blockdsl.jit
def layer_norm_backward(
    gradient_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, out_ptr, weight_part_ptr, bias_part_ptr, rows, columns,
    ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One program takes ROWS rows: the gradient of each, and their partial sums for weight and bias."""
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=inside, other=0.0)
    weight_sum = tl.zeros([BLOCK], dtype=tl.float32)
    bias_sum = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(program * ROWS, min(program * ROWS + ROWS, rows)):
        x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0)
        gradient = tl.load(gradient_ptr + row * columns + offsets, mask=inside, other=0.0)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(inside, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
        weighted = weight * gradient
        along = tl.sum(weighted * normal, axis=0) / columns
        mean = tl.sum(weighted, axis=0) / columns
        tl.store(out_ptr + row * columns + offsets, (weighted - normal * along - mean) * rstd, mask=inside)
        weight_sum += gradient * normal
        bias_sum += gradient
    tl.store(weight_part_ptr + program * columns + offsets, weight_sum, mask=inside)
    tl.store(bias_part_ptr + program * columns + offsets, bias_sum, mask=inside)


@blockdsl.jit
def sum_rows(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    """Adds up the rows of a matrix, always in the same order."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(rows):
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out_ptr + offsets, total, mask=offsets < columns)


@blockdsl.jit
def cross_entropy_rows(logits_ptr, target_ptr, loss_ptr, total_ptr, columns, BLOCK: tl.constexpr):
    """The loss of each row, and the logarithm of its sum of exponentials for the backward pass."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(logits_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf"))
    largest = tl.max(x, axis=0)
    total = largest + tl.log(tl.sum(tl.exp(x - largest), axis=0))
    tl.store(loss_ptr + row, total - tl.load(logits_ptr + row * columns + tl.load(target_ptr + row)))
    tl.store(total_ptr + row, total)


@blockdsl.jit
def cross_entropy_backward(
    gradient_ptr, logits_ptr, target_ptr, total_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(logits_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    hit = tl.where(offsets == tl.load(target_ptr + row), 1.0, 0.0)
    share = (tl.exp(x - tl.load(total_ptr + row)) - hit) * tl.load(gradient_ptr) / rows
    tl.store(out_ptr + row * columns + offsets, share, mask=inside)


class Linear(torch.autograd.Function):
    """``x @ weight.T``, with a leaky ReLU if asked for."""

    @staticmethod
    def forward(ctx, x, weight, activate):
        result = matmul(x, weight.T, leaky_relu if activate else None)
        ctx.save_for_backward(x, weight, result)
        ctx.activate = activate
        return result

    @staticmethod
    def backward(ctx, gradient):
        x, weight, result = ctx.saved_tensors
        if ctx.activate:
            given, gradient = gradient.contiguous(), torch.empty_like(result)
            n = result.numel()
            leaky_relu_backward[(blockdsl.cdiv(n, 1024),)](given, result, gradient, n, BLOCK=1024)
        # The input data needs no gradient.
        return matmul(gradient, weight) if ctx.needs_input_grad[0] else None, matmul(gradient.T, x), None


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        normal, mean, rstd = layer_norm(x, weight, bias, EPS)
        ctx.save_for_backward(x, weight, mean, rstd)
        return normal

    @staticmethod
    def backward(ctx, gradient):
        x, weight, mean, rstd = ctx.saved_tensors
        (rows, columns), strip = x.shape, 16
        programs = blockdsl.cdiv(rows, strip)
        out, parts, sums = torch.empty_like(x), x.new_empty(2, programs, columns), x.new_empty(2, columns)
        layer_norm_backward[(programs,)](
            gradient.contiguous(), x, weight, mean, rstd, out, parts[0], parts[1], rows, columns,
            ROWS=strip, BLOCK=blockdsl.next_power_of_2(columns),
        )  # fmt: skip
        for part, total in zip(parts, sums, strict=True):
            sum_rows[(blockdsl.cdiv(columns, 64),)](part, total, programs, columns, BLOCK=64)
        return out, sums[0], sums[1]


class CrossEntropy(torch.autograd.Function):
    """The mean over the rows of the negative logarithm of the target's softmax."""

    @staticmethod
    def forward(ctx, logits, target):
        rows, columns = logits.shape
        loss, total = logits.new_empty(rows), logits.new_empty(rows)
        block = blockdsl.next_power_of_2(columns)
        cross_entropy_rows[(rows,)](logits, target, loss, total, columns, BLOCK=block)
        ctx.save_for_backward(logits, target, total)
        return loss.mean()

    @staticmethod
    def backward(ctx, gradient):
        logits, target, total = ctx.saved_tensors
        (rows, columns), out = logits.shape, torch.empty_like(logits)
        block = blockdsl.next_power_of_2(columns)
        cross_entropy_backward[(rows,)](gradient, logits, target, total, out, rows, columns, BLOCK=block)
        return out, None


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Parameter(torch.randn(HIDDEN, FEATURES) / FEATURES**0.5)
        self.scale = nn.Parameter(torch.ones(HIDDEN))
        self.shift = nn.Parameter(torch.zeros(HIDDEN))
        self.second = nn.Parameter(torch.randn(CLASSES, HIDDEN) / HIDDEN**0.5)

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        hidden = LayerNorm.apply(Linear.apply(x, self.first, True), self.scale, self.shift)
        return CrossEntropy.apply(Linear.apply(hidden, self.second, False), target)

    def plain(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Computes the same with torch only."""
        f = nn.functional
        hidden = f.leaky_relu(x @ self.first.T, 0.01)
        hidden = f.layer_norm(hidden, (HIDDEN,), self.scale, self.shift, EPS)
        return f.cross_entropy(hidden @ self.second.T, target)


def joined_batch(step: int, rows: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the batch of all processes, which is equal in each. The target function is a fixed random map."""
    teacher = torch.randn(FEATURES, CLASSES, generator=torch.Generator().manual_seed(0))
    x = torch.randn(rows, FEATURES, generator=torch.Generator().manual_seed(1 + step))
    return x.to(device), (x @ teacher).argmax(1).to(device)


def gathered(tensor: torch.Tensor) -> list[torch.Tensor]:
    """Returns the tensor of each process."""
    if not dist.is_initialized():
        return [tensor]
    copies = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(copies, tensor)
    return copies


def check_equal(what: str, tensors: dict[str, torch.Tensor]) -> None:
    for name, tensor in tensors.items():
        if not all(torch.equal(tensor, copy) for copy in gathered(tensor.detach().contiguous())):
            raise SystemExit(f"the processes have different {what} of '{name}'")


def check_gradients(model: Classifier, batch: tuple[torch.Tensor, torch.Tensor]) -> float:
    """Returns the largest difference from torch's gradients on the joined batch, relative to the largest gradient."""
    check_equal("gradients", {name: parameter.grad for name, parameter in model.named_parameters()})
    # On a GPU our matmuls use tf32, with 11 bits of mantissa.
    tolerance = 1e-4 if batch[0].device.type == "cpu" else 2e-2
    worst = 0.0
    for parameter, expected in zip(
        model.parameters(), torch.autograd.grad(model.plain(*batch), list(model.parameters())), strict=True
    ):
        worst = max(worst, float((parameter.grad - expected).abs().max() / expected.abs().max()))
    if not worst < tolerance:
        raise SystemExit(f"the gradients differ from plain torch's by {worst:.1e}")
    return worst


def train(steps: int, rows: int, device: torch.device, rank: int, world: int) -> None:
    torch.manual_seed(0)
    model = Classifier().to(device)
    indices = [device.index] if device.type == "cuda" else None
    parallel = nn.parallel.DistributedDataParallel(model, device_ids=indices) if dist.is_initialized() else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    for step in range(steps):
        batch = joined_batch(step, rows, device)
        optimizer.zero_grad()
        loss = parallel(*(part[rank::world].contiguous() for part in batch))
        loss.backward()
        if step == 0:
            error = check_gradients(model, batch)
            if rank == 0:
                print(f"gradients: equal in all processes, {error:.1e} from plain torch's")
        optimizer.step()
        mean = torch.stack(gathered(loss.detach())).mean()
        if rank == 0 and (step % 10 == 0 or step == steps - 1):
            print(f"step {step}: loss {mean:.4f}")
    check_equal("values", dict(model.named_parameters()))
    if rank == 0:
        # A checksum of each parameter.
        shown = (float((p.detach().flatten().cpu() * torch.arange(p.numel()).cos()).sum()) for p in model.parameters())
        print("parameters: equal in all processes,", " ".join(f"{value:.5f}" for value in shown))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=256, help="rows of all processes together, a multiple of them")
    options = parser.parse_args()
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if options.batch % world:
        raise SystemExit(f"--batch {options.batch} does not divide among {world} processes")
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
    if "RANK" in os.environ:
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    if rank == 0:
        print(f"{world} x {device.type}, {torch.get_num_threads()} threads each", flush=True)
    try:
        train(options.steps, options.batch, device, rank, world)
    finally:
        if dist.is_initialized():
            # The group and gloo's threads end when no object refers to the group, including DistributedDataParallel. A
            # thread that releases a tensor while Python exits would abort the process.
            gc.collect()
            dist.destroy_process_group()


if __name__ == "__main__":
    main()
