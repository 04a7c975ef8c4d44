"""
7. Inside torch
===============

A kernel can be a part of a torch program: an operation with a gradient, a node of a
compiled graph, or an operator that is exported with a model. This chapter does all three
with one small kernel, an activation, and then lets ``torch.compile`` write the kernels
itself.
"""

import io

import matplotlib.pyplot as plt
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# Autograd
# --------
#
# The squared ReLU is ``max(x, 0) ** 2``, and its derivative ``2 * max(x, 0)``. torch does
# not look into kernels, so the gradient is a kernel as well, and a
# ``torch.autograd.Function`` says which kernel belongs to which direction.


@blockdsl.jit
def squared_relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n), 0)
    tl.store(out_ptr + at, x * x, mask=at < n)


@blockdsl.jit
def squared_relu_gradient(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.maximum(tl.load(x_ptr + at, mask=at < n), 0)
    tl.store(dx_ptr + at, 2 * x * tl.load(dy_ptr + at, mask=at < n), mask=at < n)


class SquaredReLU(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        x = x.contiguous()
        context.save_for_backward(x)
        out, n = torch.empty_like(x), x.numel()
        squared_relu_kernel[(blockdsl.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
        return out

    @staticmethod
    def backward(context, dy):
        (x,) = context.saved_tensors
        dx, n = torch.empty_like(x), x.numel()
        squared_relu_gradient[(blockdsl.cdiv(n, 1024),)](
            x, dy.contiguous(), dx, n, BLOCK=1024
        )
        return dx


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    return SquaredReLU.apply(x)


# %%
# ``gradcheck`` compares a gradient with differences of values. It wants float64, which the
# kernels take as they take float32: each type of the arguments compiles its own code.

x = torch.randn(40, dtype=torch.float64, device=device, requires_grad=True)
assert torch.autograd.gradcheck(squared_relu, x)

x = torch.linspace(-2, 2, 200, device=device, requires_grad=True)
y = squared_relu(x)
(slope,) = torch.autograd.grad(y.sum(), x)

_, axes = plt.subplots(figsize=(6, 2.6))
axes.plot(x.detach().cpu(), y.detach().cpu(), label="squared ReLU")
axes.plot(x.detach().cpu(), slope.cpu(), "--", label="gradient")
axes.legend()
plt.tight_layout()

# %%
# In a compiled graph
# -------------------
#
# ``torch.compile`` traces a function to a graph of torch's operations. The launch of a
# kernel becomes one node of it, with any backend of ``torch.compile`` and without a graph
# break. ``fullgraph=True`` would raise an error otherwise.


def squared_relu_and_sine(x: torch.Tensor) -> torch.Tensor:
    out, n = torch.empty_like(x), x.numel()
    squared_relu_kernel[(blockdsl.cdiv(n, 1024),)](x, out, n, BLOCK=1024)
    return out + x.sin()


def print_graph(graph: torch.fx.GraphModule, _inputs: list) -> object:
    print(graph.code.strip())
    return graph.forward


x = torch.randn(1000, device=device)
compiled = torch.compile(squared_relu_and_sine, backend=print_graph, fullgraph=True)
assert torch.allclose(compiled(x), torch.relu(x).square() + x.sin())

# %%
# A launch by itself has no gradient; the function with a gradient is compiled in the same
# way:


def loss(x: torch.Tensor) -> torch.Tensor:
    return (squared_relu(x) + x.sin()).square().mean()


x = torch.randn(1000, device=device, requires_grad=True)
compiled_loss = torch.compile(loss, backend="aot_eager", fullgraph=True)
(ours,) = torch.autograd.grad(compiled_loss(x), x)
(wanted,) = torch.autograd.grad(loss(x), x)
assert torch.allclose(ours, wanted)

# %%
# An operator, and export
# -----------------------
#
# ``torch.library.custom_op`` gives an operation a name that others can look up: in a graph,
# in an exported model, in another process. It says which arguments are changed (none), and
# ``register_fake`` says what the shape of the result is without computing it.


@torch.library.custom_op("tutorial::squared_relu", mutates_args=())
def squared_relu_operator(x: torch.Tensor) -> torch.Tensor:
    out, n = torch.empty_like(x), x.numel()
    squared_relu_kernel[(blockdsl.cdiv(n, 1024),)](x.contiguous(), out, n, BLOCK=1024)
    return out


@squared_relu_operator.register_fake
def _(x):
    return torch.empty_like(x)


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return squared_relu_operator(self.linear(x))


layer = Layer().to(device)
x = torch.randn(8, 16, device=device)
rows = torch.export.Dim("rows", min=2)
exported = torch.export.export(layer, (x,), dynamic_shapes=({0: rows},))

saved = io.BytesIO()
torch.export.save(exported, saved)
saved.seek(0)
loaded = torch.export.load(saved).module()

more = torch.randn(50, 16, device=device)
assert torch.allclose(loaded(more), layer(more))
print([str(node.target) for node in exported.graph.nodes if node.op == "call_function"])

# %%
# Kernels that torch writes
# -------------------------
#
# With ``backend="blockdsl"``, torch's compiler Inductor writes Triton kernels for CPU
# tensors as it does for a GPU, and they are compiled here. It joins elementwise operations
# and reductions into one kernel, forward and backward. That needs the package ``triton``,
# but no C++ compiler. Nothing changes for tensors on a GPU: there Inductor and Triton go
# their own way.


@torch.compile(backend="blockdsl")
def normalized(x: torch.Tensor) -> torch.Tensor:
    x = torch.nn.functional.gelu(x)
    return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)


x = torch.randn(64, 300, device=device)
wanted = torch.nn.functional.gelu(x)
wanted = (wanted - wanted.mean(1, keepdim=True)) / (wanted.std(1, keepdim=True) + 1e-5)
assert torch.allclose(normalized(x), wanted, atol=1e-4)

# %%
# On a CPU
# --------
#
# A launch takes about a microsecond, and runs on torch's own threads while these are awake,
# so kernels and torch's operations do not compete for cores. Tensors are used where they
# are: nothing is copied. The launch returns when the kernel has run.
#
# On a GPU
# --------
#
# A launch puts the kernel into torch's current stream and returns at once, as torch's
# operations do. So results are in order with theirs, and ``torch.cuda.synchronize()`` waits
# for both. Launches in a compiled graph become part of CUDA graphs
# (``mode="reduce-overhead"``) as other operations do.
#
# Exercises
# ---------
#
# - Register a gradient for the operator with ``squared_relu_operator.register_autograd``.
# - Compile ``loss`` with ``backend="blockdsl"``, and look at what Inductor wrote with
#   ``TORCH_LOGS=output_code``.
