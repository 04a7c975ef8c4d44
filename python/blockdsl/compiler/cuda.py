"""Kernels compiled for NVIDIA's GPUs. A GPU and its driver are needed to launch, not to compile."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from blockdsl import _runtime, knobs
from blockdsl.backends import nvidia
from blockdsl.backends.driver import Driver
from blockdsl.compiler import cache, descriptors, entries, handoff
from blockdsl.compiler.compile_listener import Stopwatch
from blockdsl.compiler.compiled_kernel import (
    CompiledKernel,
    Keep,
    Metadata,
    Stages,
    Text,
    build_id,
    collector_paused,
    find_or_compile,
)
from blockdsl.compiler.dumps import Dumps, Printed, dumper, dumps, is_compiled_anew
from blockdsl.compiler.options import CUDAOptions
from blockdsl.compiler.overrides import overridden
from blockdsl.compiler.program import Program
from blockdsl.compiler.signature import Signature, slots
from blockdsl.compiler.target import CUDA
from blockdsl.errors import OutOfResourcesError
from blockdsl.errors.gpu_errors import failure
from blockdsl.knobs.hooks import calls_of
from blockdsl.language.target_info import GPUTarget

_THREADS = 1024


class CUDAKernel(CompiledKernel, _runtime.CUDAKernel):
    """A cubin and the metadata of its launches."""

    options: CUDAOptions

    def __init__(self, program: Program, target: CUDA, options: CUDAOptions, entry: cache.Entry) -> None:
        metadata: Any = entry.metadata
        compiled_for = {"target": GPUTarget("cuda", target.capability, 32), "warp_size": 32}
        self.metadata = Metadata.of(program, options, {**metadata, **compiled_for})
        self.name = str(metadata["name"])
        self._resources: dict[int, tuple[int, int, int]] = {}
        self.program = program
        self.target = target
        self.options = options
        self.asm = Stages(handoff.STAGES, functools.partial(_texts, program, target, options), cubin=entry.object)
        super().__init__(
            entry.object,
            self.name,
            [(int(index), str(encoding)) for index, encoding in metadata["slots"]],
            metadata["num_warps"],
            metadata["num_ctas"],
            metadata["shared"],
            (metadata["global_scratch_size"], metadata["global_scratch_align"]),
            (metadata["profile_scratch_size"], metadata["profile_scratch_align"]),
            options.launch_pdl,
            options.launch_cooperative_grid,
            descriptors.requests(metadata["tensordesc_meta"]),
        )

    @property
    def capability(self) -> int:
        """The compute capability of its GPUs, times ten."""
        return self.target.capability

    @property
    def kernel(self) -> bytes:
        code = self.asm["cubin"]
        assert isinstance(code, bytes)
        return code

    def _init_handles(self) -> None:
        """Loads the code on the current GPU, which otherwise happens at the first launch.

        Raises:
            OutOfResourcesError: The kernel exceeds the GPU's resources.
            LaunchError: CUDA's driver rejects the code.
        """
        self._load(Driver().get_current_device())

    def ready(self, device: int) -> CUDAKernel:
        """Returns the kernel. Loads it on a device if hooks for loading are set; else the first launch does."""
        runtime = knobs.runtime
        if any(map(calls_of, (runtime.kernel_load_start_hook, runtime.kernel_load_end_hook))):
            self._load(device)
        return self

    def _load(self, device: int) -> tuple[int, int, int]:
        """Loads the code on a device and returns its registers, spilled bytes and most threads there."""
        found = self._resources.get(device)
        if found is None:
            with self._loading():
                resources = self.load(device, Driver().get_current_stream(device))
            if len(resources) == 2:
                raise failure(self.name, *resources)
            found = self._resources[device] = resources
        return found

    def _current_resources(self) -> tuple[int, int, int]:
        return self._load(Driver().get_current_device())

    @property
    def n_regs(self) -> int:  # type: ignore[override]
        return self._current_resources()[0]

    @property
    def n_spills(self) -> int:  # type: ignore[override]
        # Triton counts words, the driver bytes.
        return self._current_resources()[1] // 4

    @property
    def n_max_threads(self) -> int:  # type: ignore[override]
        return self._current_resources()[2]


def _key(program: Program, target: CUDA, options: CUDAOptions, chain: nvidia.Toolchain) -> str:
    return cache.digest(build_id(), program.identity, repr(options), str(target), *chain.identity)


def compile_kernel(program: Program, target: CUDA, options: CUDAOptions) -> CUDAKernel:
    """Returns a kernel for a GPU, from the disk cache or compiled now."""
    options.check(target)
    # Read once: a version and a key of an installed Triton take a millisecond of file accesses.
    chain = nvidia.toolchain()
    program = overridden(program, _key(program, target, options, chain), ("ttir",))
    key = _key(program, target, options, chain)

    def find(disk: cache.DiskCache) -> CUDAKernel | None:
        return disk.load(key, str(target), lambda entry: _loaded(program, target, options, key, entry))

    stopwatch, dumped = Stopwatch(), dumps(program, key)

    def make(keep: Keep) -> CUDAKernel:
        entry = _make(program, target, options, chain, key, dumped, stopwatch)
        keep(key, str(target), entry)
        return CUDAKernel(program, target, options, entry)

    kernel = find_or_compile(key, find, make, is_compiled_anew(program, dumped))
    stopwatch.notify(kernel)
    return kernel


def _loaded(program: Program, target: CUDA, options: CUDAOptions, key: str, entry: cache.Entry) -> CUDAKernel:
    """Returns the kernel of a cache entry. Raises Fault if the entry does not match the program."""
    metadata = entry.metadata
    size, alignment = entries.within(0, 1 << 40), entries.within(1, 1 << 20)
    entries.check(
        metadata,
        {
            "name": entries.has_type(str),
            "key": entries.exactly(key),
            "target": entries.exactly(str(target)),
            "num_warps": entries.within(1, _THREADS // 32),
            "num_ctas": entries.within(1, 64),
            "shared": entries.within(0, target.shared_bytes),
            **{f"{kind}_scratch_size": size for kind in ("global", "profile")},
            **{f"{kind}_scratch_align": alignment for kind in ("global", "profile")},
            "descriptor_flags": entries.has_type(str),
        },
    )
    try:
        packed = [[index, encoding] for index, encoding in _slots(program.signature, metadata, target)]
        entries.check(metadata, {"slots": entries.exactly(packed)})
        return CUDAKernel(program, target, options, entry)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise cache.Fault(f"its metadata are wrong: {error}") from None


@collector_paused()
def _make(
    program: Program,
    target: CUDA,
    options: CUDAOptions,
    chain: nvidia.Toolchain,
    key: str,
    dumped: Dumps,
    stopwatch: Stopwatch,
) -> cache.Entry:
    watch = stopwatch.recording(dumper(dumped))
    made = handoff.compile_module(program.module, target, options, chain, watch)
    metadata = {
        **made.metadata,
        "key": key,
        "target": str(target),
        "slots": [[index, encoding] for index, encoding in _slots(program.signature, made.metadata, target)],
    }
    _check_resources(metadata, target)
    return cache.Entry(metadata, made.product)


def _slots(signature: Signature, metadata: Mapping[str, Any], target: CUDA) -> list[tuple[int, str]]:
    # For GPUs that copy blocks in hardware Triton keeps descriptors: then our passes have split those without a map.
    flags = "" if target.copies_blocks else metadata["descriptor_flags"]
    count = sum(type_.startswith("tensordesc<") for type_ in signature.types.values())
    heads = descriptors.heads(count, metadata["tensordesc_meta"], flags)
    return slots(signature.names, signature.types, heads, signature.tuples)


def _check_resources(metadata: Mapping[str, object], target: CUDA) -> None:
    """Raises OutOfResourcesError for a kernel that the driver would reject at the first launch."""
    name, shared, warps = str(metadata["name"]), metadata["shared"], metadata["num_warps"]
    assert isinstance(shared, int)
    assert isinstance(warps, int)
    if shared > target.shared_bytes:
        raise OutOfResourcesError(
            f"kernel '{name}' needs {shared} bytes of shared memory, '{target}' has at most {target.shared_bytes}",
            hint="use smaller blocks, or a smaller num_stages",
        )
    if warps * 32 > _THREADS:
        raise OutOfResourcesError(
            f"kernel '{name}' needs {warps * 32} threads a block, a GPU has at most {_THREADS}",
            hint="use a smaller num_warps",
        )


def _texts(program: Program, target: CUDA, options: CUDAOptions, stage: str) -> Mapping[str, Text]:
    """Returns the stages up to the requested one."""
    texts: dict[str, Text] = {}

    def watch(name: str, text: Printed) -> None:
        texts[name] = text()

    chain = nvidia.toolchain()
    if stage in ("ttir", "handoff"):
        handoff.hand_over(program.module, target, options, chain.dialect, watch)
        return texts
    handoff.compile_module(program.module, target, options, chain, watch, stage)
    return texts
