"""Unsupported names of Triton's, with the reasons. A test holds the list against ``api_diff.gaps``."""

from __future__ import annotations

UNSUPPORTED: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "Internals of Triton's front end and interpreter.",
        {
            "triton": "JITFunction.create_binder",
            "triton.compiler": "ASTSource.make_ir IRSource.make_ir",
            "triton.compiler.code_generator": "*",
            "triton.compiler.compiler": "ASTSource.make_ir IRSource.make_ir AsmDict CompileTimer filter_traceback "
            "parse arg_type_pattern convert_type_repr prototype_pattern ptx_arg_type_pattern ptx_prototype_pattern",
            "triton.compiler.make_launcher": "*",
            "triton.language": "block_type.to_ir dtype.to_ir pointer_type.to_ir",
            "triton.language.core": "CAT_CAN_REORDER_WARNING RESHAPE_CAN_REORDER_WARNING TRITON_BUILTIN base_value "
            "binary_op_type_legalization block_type.to_ir builtin builtin_max builtin_min check_bit_width "
            "dataclass_transform dispatch dtype.to_ir is_builtin is_negative_zero pointer_type.to_ir slice_type "
            "tensor_descriptor_base tensor_descriptor_base_type",
            "triton.language.extra": "is_pkg module_name modules",
            "triton.language.semantic": "*",
            "triton.language.standard": "sort_impl",
            "triton.runtime": "JITFunction.create_binder",
            "triton.runtime.interpreter": "*",
            "triton.runtime.jit": "BoundConstexprFunction ConstexprFunction DependenciesFinder GLUON_MODULE "
            "TRITON_MODULE JITFunction.create_binder KernelParam.annotation KernelParam.annotation_type "
            "KernelParam.is_const compute_cache_key convert_to_tuple_if_list create_function_from_signature "
            "get_def_col_number "
            "get_def_line_number get_full_name mangle_type serialize_specialization_data type_canonicalisation_dict",
        },
    ),
    (
        "Members that Triton's types inherit and that have no meaning for a pointer or a block; `mangle` and `str` "
        "name tuples.",
        {
            module: " ".join(
                f"{kind}.{name}"
                for kind in ("block_type", "pointer_type")
                for name in ("codegen_name", "get_int_max_value", "get_int_min_value", "kind")
            )
            for module in ("triton.language", "triton.language.core")
        },
    ),
    ("Block pointers are blocks to Triton; here they have a class of their own.",
     {"triton.language": "tensor.advance", "triton.language.core": "tensor.advance"}),
    ("`tl.item` and `blockdsl.must_use_result` are where `triton` has them, too.",
     {"triton.language.core": "item must_use_result tuple_type.name"}),
    (
        "Registration of back ends: blockdsl has two fixed ones. `make_backend` returns an object with the attributes "
        "that programs read, and a kernel's launcher is C++, called by `kernel[grid]`.",
        {
            "triton.backends": "Backend backends",
            "triton.backends.compiler": "BaseBackend Language",
            "triton.backends.driver": "Benchmarker DriverBase GPUDriver decompose_descriptor expand_signature "
            "wrap_handle_tensordesc_impl",
            "triton.compiler.compiler": "backends",
            "triton.runtime.build": "*",
            "triton.runtime.driver": "backends",
        },
    ),
    (
        "Internals of Triton's settings. Ours read and set variables directly, so there is nothing to refresh.",
        {
            "triton.knobs": "BuildImpl Env FP_FUSION_DEFAULT_WARNING JITHookCompileInfo PipelineStagesHook amd_knobs "
            "autotuning_knobs base_knobs build_knobs cache_knobs compilation_knobs env env_base env_bool env_class "
            "env_int env_nvidia_tool env_opt_bool env_opt_str env_str env_str_callable_default language_knobs "
            "nvidia_knobs propagate_env proton_knobs redis_knobs refresh_knobs runtime_knobs setenv toenv",
        },
    ),
    (
        "The length of a message's excerpt: errors here show the kernel's line.",
        {
            "triton": "CompilationError.source_line_count_max_in_message",
            "triton.compiler": "CompilationError.source_line_count_max_in_message",
            "triton.compiler.errors": "CompilationError.source_line_count_max_in_message "
            "CompileTimeAssertionFailure.source_line_count_max_in_message "
            "UnsupportedLanguageConstruct.source_line_count_max_in_message",
        },
    ),
    ("The tuner's choices on disk: the files have a format of our own.",
     {"triton.runtime": "Autotuner.check_disk_cache", "triton.runtime.autotuner": "Autotuner.check_disk_cache"}),
    (
        "Measurements of NVIDIA's GPUs with NVIDIA's programs, and Triton's profiler.",
        {
            "triton.testing": "cublas cuda_graph_without_gc cuda_memcheck do_bench_cudagraph_proton do_bench_proton "
            "get_dram_gbps get_max_simd_tflops get_max_tensorcore_tflops nvsmi set_gpu_clock",
        },
    ),
    (
        "Command-line programs, in place of which `python -m blockdsl` has its own, and helpers of Triton's tests.",
        {
            f"triton.tools.{name}": "*"
            for name in ("build_extern", "compile", "disasm", "gsan", "link", "mxfp", "ragged_tma")
        },
    ),
)  # fmt: skip


def names() -> dict[str, set[str]]:
    """Returns the unsupported names of each module, in the form of ``api_diff.gaps``."""
    found: dict[str, set[str]] = {}
    for _, modules in UNSUPPORTED:
        for module, listed in modules.items():
            found.setdefault(module, set()).update(listed.split())
    return found


def section() -> str:
    """Returns the section of docs/compatibility.md on them."""
    lines = [
        "## Unsupported names", "", "These public names of Triton 3.9's modules are missing; a test compares the list",
        "with both packages. Modules for AMD's GPUs, Gluon and the profiler are out of scope.", "",
    ]  # fmt: skip
    for why, modules in UNSUPPORTED:
        listed = [
            f"`{module}`" if each == "*" else f"`{module.removeprefix('triton').removeprefix('.') or 'triton'}`: "
            f"`{each}`" for module, each in ((module, text) for module, text in modules.items())
        ]  # fmt: skip
        lines.append(f"- {why} {'; '.join(listed)}.")
    return "\n".join(lines) + "\n\n"
