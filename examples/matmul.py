"""Matrix product in tiles, with an activation at the end: the structure of Triton's third tutorial.

Each program computes one tile of C. Programs are numbered so that consecutive ones share rows of A and columns of B in
the cache: groups of ``GROUP_M`` rows of tiles are processed column by column.
"""

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@blockdsl.jit
def matmul_tiles(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
    ACTIVATION: tl.constexpr,
):  # fmt: skip
    """C = activation(A @ B), each matrix given by its pointer and its strides."""
    program = tl.program_id(axis=0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    group = program // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    rows_in_group = min(tiles_m - first_m, GROUP_M)
    tile_m = first_m + (program % (GROUP_M * tiles_n)) % rows_in_group
    tile_n = (program % (GROUP_M * tiles_n)) // rows_in_group

    # Rows and columns out of bounds wrap around: their results are not stored, and the loop needs no mask for them.
    rows = (tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    depth = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rows[:, None] * stride_am + depth[None, :] * stride_ak)
    b_ptrs = b_ptr + (depth[:, None] * stride_bk + columns[None, :] * stride_bn)
    # Products of int8 are accumulated exactly in int32.
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32 if a_ptr.dtype.element_ty == tl.int8 else tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION is not None:
        accumulator = ACTIVATION(accumulator)

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


BLOCKS = {"cpu": (256, 128, 256), "cuda": (64, 64, 64)}
"""The default rows, columns and depth of a tile. A CPU core's second-level cache holds more of B than a GPU's shared
memory."""


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    activation: object = None,
    out: torch.Tensor | None = None,
    blocks: tuple[int, int, int] | None = None,
    group: int = 8,
) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    if out is None:
        out = a.new_empty(m, n, dtype=torch.int32 if a.dtype == torch.int8 else a.dtype)
    block_m, block_n, block_k = blocks or BLOCKS[a.device.type]
    grid = (blockdsl.cdiv(m, block_m) * blockdsl.cdiv(n, block_n),)
    matmul_tiles[grid](
        a, b, out, m, n, k, *a.stride(), *b.stride(), *out.stride(),
        BLOCK_M=block_m, BLOCK_N=block_n, BLOCK_K=block_k, GROUP_M=group, ACTIVATION=activation,
    )  # fmt: skip
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    a, b = torch.randn(1000, 513, device=device), torch.randn(513, 777, device=device)
    expected = torch.nn.functional.leaky_relu(a.double() @ b.double(), 0.01)
    error = (matmul(a, b, leaky_relu).double() - expected).abs().max()
    print(f"matmul, 1000 x 777 x 513: largest error {error:.1e}")


if __name__ == "__main__":
    main()
