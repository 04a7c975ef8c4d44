"""Settings of Inductor for one graph. They apply during the graph's compilation only."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from blockdsl import triton
from blockdsl.torch_compile import attention, cached_launch, matmuls, scheduling, warmup
from blockdsl.torch_compile.choices import choices

_ALWAYS: Mapping[str, Any] = {
    "cpu_backend": "triton",
    # A template with its epilogue is timed under a device guard, which torch does not have for CPUs.
    "benchmark_epilogue_fusion": False,
    # The template for convolutions takes a bias on GPUs only: for CPUs it is launched with one argument too many.
    "max_autotune_conv_backends": "ATEN",
    # Only the configuration of choices.py, without timing.
    "triton.autotune_pointwise": False,
}


@functools.cache
def _inductor_settings() -> frozenset[str]:
    """Returns the settings that this version of torch has."""
    from torch._inductor import config

    return frozenset(config.get_config_copy())


@functools.cache
def give_streams_to_gpus_only() -> None:
    """Makes Inductor launch kernels for the CPU with a literal 0 as stream, and time them without a device guard.

    Inductor's module would define a function for the CPU's stream under the name of the imported function for a GPU's
    stream, so that one of them would replace the other.
    """
    from torch._inductor import config
    from torch._inductor.codegen import wrapper
    from torch._inductor.codegen.cpu_device_op_overrides import CpuDeviceOpOverrides
    from torch._inductor.virtualized import V

    generator: Any = wrapper.PythonWrapperCodegen
    write = generator.write_get_raw_stream

    @functools.wraps(write)
    def written(self: Any, device: int | None, graph: str) -> str:
        if device is not None:
            return cast(str, write(self, device, graph))
        line = f"raw_stream{device} = 0"
        if config.triton.autotune_at_compile_time:
            self.kernel_autotune_calls.writeline(line)
        # C++ code has no stream.
        if not V.graph.cpp_wrapper:
            self.writeline(line)
        return f"raw_stream{device}"

    generator.write_get_raw_stream = written
    # A single line, because the module that times a kernel inserts it into indented text.
    overrides: Any = CpuDeviceOpOverrides
    overrides.import_get_raw_stream_as = lambda self, name: f"{name} = lambda device: 0"
    # An expression, because it follows "with"; torch before 2.13 has none.
    overrides.device_guard = lambda self, device: "torch._ops.contextlib.nullcontext()"


def settings(mode: str | None, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns our settings, overridden by those of the mode, overridden by the caller's."""
    from torch import _inductor

    from blockdsl.torch_compile.biases import deferred_biases
    from blockdsl.torch_compile.convolutions import as_matmuls

    defaults = {name: value for name, value in _ALWAYS.items() if name in _inductor_settings()}
    defaults["post_grad_custom_pre_pass"] = as_matmuls()
    # After Inductor's own passes, which would fuse bias and matmul again.
    defaults["post_grad_custom_post_pass"] = deferred_biases()
    if "inductor_choices_class" in _inductor_settings():
        defaults["inductor_choices_class"] = choices
    chosen = _inductor.list_mode_options(mode) if mode not in (None, "default") else {}
    user_options = {name.replace("-", "_"): value for name, value in (options or {}).items()}
    return {**defaults, **chosen, **user_options}


def _is_on_cpu(inputs: Sequence[Any]) -> bool:
    """Returns whether all tensors among the inputs are on the CPU."""
    return all(value.device.type == "cpu" for value in inputs if hasattr(value, "device"))


def _is_timed(patches: Mapping[str, Any]) -> bool:
    """Returns whether the settings request timing of matmuls, or restrict their implementations."""
    return any(name in patches for name in ("max_autotune", *matmuls.SETTINGS))


def _choosing(make: Callable[[], Any]) -> Callable[..., Any]:
    """Returns Inductor's compile function with these choices, for forward or backward graphs. Otherwise Inductor would
    make choices once per process, for the first graph."""
    from torch._inductor.compile_fx import compile_fx_inner
    from torch._inductor.virtualized import V

    @functools.wraps(compile_fx_inner)
    def compiled(*args: Any, **kwargs: Any) -> Any:
        with V.set_choices_handler(make()):
            return compile_fx_inner(*args, **kwargs)

    return compiled


def compile_graph(
    graph: Any, example_inputs: Sequence[Any], mode: str | None, options: Mapping[str, Any] | None
) -> Callable[..., Any]:
    """Compiles the graph with Inductor, forward and backward."""
    triton.require()
    with warmup.fewer_collections():
        warmup.hash_triton_meanwhile()
        from torch._inductor.compile_fx import compile_fx

        give_streams_to_gpus_only()
        cached_launch.install()
        scheduling.install()
        attention.install()
        patches = settings(mode, options)
        chooser = patches.get("inductor_choices_class", choices)
        if chooser is choices and matmuls.are_faster() and _is_on_cpu(example_inputs) and not _is_timed(patches):
            patches.update(matmuls.SETTINGS)
            chooser = matmuls.matmul_choices
        inner = _choosing(chooser)
        compiled: Any = compile_fx(graph, example_inputs, inner_compile=inner, config_patches=patches)
        return cast(Callable[..., Any], compiled)
