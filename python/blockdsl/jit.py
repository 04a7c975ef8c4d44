"""``@blockdsl.jit``: decorated kernels. The package ``compiler`` compiles them, and ``_runtime`` launches them.

A launch of a compiled kernel runs entirely in C++ (lib/Bindings/Python/Launcher.cpp). It calls Python for a new
specialization: ``_compile``, for errors: ``_refuse``, ``_explain_grid``, ``_failed``, and under a tracer: ``_record``.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, overload

from blockdsl import _runtime, knobs
from blockdsl.compiler import asynchronous, cuda
from blockdsl.compiler import target as targets
from blockdsl.compiler.aliases import Aliases, Overlaps
from blockdsl.compiler.captured_globals import captured
from blockdsl.compiler.compile_hooks import Compilation, warming
from blockdsl.compiler.compiled_kernel import CompiledKernel
from blockdsl.compiler.cpu_kernel import CPUKernel, compile_kernel
from blockdsl.compiler.kernel_info import KernelInfo
from blockdsl.compiler.options import CUDAOptions, Options
from blockdsl.compiler.preloading import read_back
from blockdsl.compiler.program import SourceProgram
from blockdsl.errors import KernelSyntaxError
from blockdsl.errors.memory_shortage import reporting_shortage
from blockdsl.errors.source_locations import caller, located
from blockdsl.frontend.source import KernelSource, Specialization
from blockdsl.interpreted import InterpretedFunction
from blockdsl.language.op import current_mode
from blockdsl.launcher import arguments, launch_warnings
from blockdsl.launcher.compiled_launcher import CPU, STREAMING
from blockdsl.launcher.errors import explain_grid, refusal_of
from blockdsl.launcher.hooks import Watched, add_hook
from blockdsl.launcher.mock_tensors import resolve_mock
from blockdsl.launcher.parameters import check_parameters, parameter_rows
from blockdsl.launcher.reports import Reporting
from blockdsl.tracebacks import border
from blockdsl.tracing import Traceable, traceable


class JITFunction(Traceable, KernelInfo, Watched, Reporting, _runtime.Launcher):
    """A kernel: launched as ``kernel[grid](...)``, called from other kernels by its name.

    Attributes:
        fn: The Python function.
        source: Its source, parameters and identity.
        arg_names: The names of its parameters.

    Example:
        @blockdsl.jit
        def double(x_ptr, n, BLOCK: tl.constexpr):
            offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + offsets, mask=offsets < n)
            tl.store(x_ptr + offsets, 2 * x, mask=offsets < n)

        double[(blockdsl.cdiv(n, 1024),)](x, n, BLOCK=1024)
    """

    __name__: str
    __qualname__: str
    _is_compile_time = True

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        do_not_specialize: Sequence[str | int] = (),
        do_not_specialize_on_alignment: Sequence[str | int] = (),
        debug: bool = False,
        repr: Callable[[Any], str] | None = None,  # noqa: A002 - Triton's spelling
        launch_metadata: Callable[..., Mapping[str, Any]] | None = None,
        version: object = None,
        noinline: object = None,
    ) -> None:
        self.fn = fn
        self.debug = debug
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.version = version
        self.noinline = noinline
        self._do_not_specialize = tuple(do_not_specialize)
        self._do_not_specialize_on_alignment = tuple(do_not_specialize_on_alignment)
        self.source = KernelSource.of(fn)
        self.arg_names = [parameter.name for parameter in self.source.parameters]
        functools.update_wrapper(self, fn, updated=())
        self._warned: set[launch_warnings.Finding] = set()
        self._kernels: dict[tuple[str, Options], CPUKernel] = {}
        self._gpu_kernels: dict[tuple[str, targets.CUDA, CUDAOptions], cuda.CUDAKernel] = {}
        check_parameters(self.source)
        rows = parameter_rows(self.source, set(do_not_specialize), set(do_not_specialize_on_alignment))
        self._option_names = tuple(name for name, *_ in rows[len(self.arg_names) :])
        super().__init__(rows)

    # For `super().__getitem__` of derived classes, and for Dynamo; `kernel[grid]` runs the slot of Launcher. The
    # keyword-only parameter keeps CPython's specialized bytecode from calling this function instead of the slot.
    @traceable
    def __getitem__(self, grid: object, *, _: None = None) -> Callable[..., Any]:
        return super().__getitem__(grid)

    _bound = __getitem__

    @border
    def __call__(self, *args: object, **kwargs: object) -> object:
        # An interpreted kernel calls this one, which was decorated for compilation, as a Python function.
        mode = current_mode()
        return self._refuse("no grid", None, None) if mode is None else mode.call(self, args, kwargs)

    @border
    def run(self, *args: object, grid: object, warmup: bool = False, **kwargs: object) -> Any:
        """Launches, or only compiles: Triton's spelling of ``kernel[grid](...)``."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        # The operator of a derived class may call `run`, so it must not be used here.
        return self._bound(grid)(*args, **kwargs)

    @border
    def warmup(self, *args: object, grid: object = None, **kwargs: object) -> Any:
        """Compiles the kernel that a launch would run. ``torch.float32`` or a ``MockTensor`` replaces a tensor.

        The target is the device of the tensors; mock tensors are on the CPU. ``target="cuda:90"`` compiles for GPUs of
        that generation independent of the arguments, and needs no GPU; a launch on one then finds the kernel.

        Example:
            compiled = add.warmup(torch.float32, torch.float32, torch.float32, 1024, BLOCK=1024, grid=(1,))
            cubin = add.warmup(*[torch.float32] * 3, 1024, BLOCK=1024, grid=(1,), target="cuda:90").asm["cubin"]
        """
        del grid
        # The kernel may have a parameter of this name.
        target = None if "target" in self.arg_names else kwargs.pop("target", None)
        gpu = None if target is None else targets.parse(target)
        placeholders = [resolve_mock(value) for value in args]
        named = {name: resolve_mock(value) for name, value in kwargs.items()}

        def compiled() -> Any:
            with warming():
                if gpu is not None:
                    return self._compile_for(gpu, *self._describe(*placeholders, **named))
                return self._compile_only(*placeholders, **named)

        mode = asynchronous.active_mode.get()
        if mode is None:
            return compiled()
        values, attributes = self._describe(*placeholders, **named)
        return mode.submit((self, target, repr(values), attributes), compiled)

    @border
    def preload(self, specialization_data: str) -> CompiledKernel | None:
        """Compiles a specialization from the data that ``jit_cache_hook`` got, as ``warmup`` does.

        Raises:
            LaunchError: The data is another kernel's, or contains a constant without a text form.
        """
        called = f"{self.fn.__module__}.{self.fn.__qualname__}"
        specialization, target, options = located(read_back, called, specialization_data)
        with warming():
            checked = CUDAOptions.of(options)
            gpu = targets.parse(target)
            program = self._program(specialization)
            if gpu is not None:
                return self._compile_gpu(program, gpu, checked, 0)
            return self._compile_cpu(program, Options(fp_fusion=checked.enable_fp_fusion), Aliases(), checked)

    @border
    def add_pre_run_hook(self, hook: Callable[..., object]) -> None:
        """Adds a function that is called before each launch, with the launch's arguments."""
        add_hook(self.pre_run_hooks, hook)

    @reporting_shortage
    def _compile(
        self,
        values: Sequence[object],
        attributes: Sequence[arguments.Attributes],
        variant: int,
        overlaps: Overlaps,
        device: int,
    ) -> _runtime.AnyKernel | None:
        self._watch(captured(self.source))
        self._warn(launch_warnings.missing_strides(self.arg_names, values, attributes))
        if device != CPU:
            return self._compile_cuda(values, attributes, device)
        checked = self._checked(values)
        specialization = arguments.specialize(self.source.parameters, values, attributes, self._refuse)
        options = Options(streaming=bool(variant & STREAMING), fp_fusion=checked.enable_fp_fusion)
        program = self._program(specialization)
        known = self._compile_cpu(program, options, Aliases.of(program.signature, overlaps), checked)
        if known is not None:
            self._warn(launch_warnings.narrow_offsets(program.signature, known, values, attributes))
        return known

    def _compile_cpu(
        self, program: SourceProgram, options: Options, aliases: Aliases, gpu_options: CUDAOptions
    ) -> CPUKernel | None:
        for candidate in aliases.candidates(options):
            known = self._kernels.get((program.identity, candidate))
            if known is not None and known.suits(options, aliases):
                return known
        compilation = Compilation(self, program, "cpu", 0, gpu_options)
        if compilation.is_refused():
            return None
        kernel = self._compile_program(program, options, aliases)
        self._kernels[program.identity, kernel.options] = kernel
        compilation.is_done()
        return kernel

    def _warn(self, found: Iterable[launch_warnings.Finding]) -> None:
        for finding in found:
            if finding not in self._warned:
                self._warned.add(finding)
                launch_warnings.warn(self.__name__, finding)

    def _options(self, values: Sequence[object]) -> dict[str, object]:
        """Returns the options of a launch, by name."""
        return dict(zip(self._option_names, values[len(self.arg_names) :], strict=True))

    def _checked(self, values: Sequence[object]) -> CUDAOptions:
        given = {name: value for name, value in self._options(values).items() if value is not None}
        return CUDAOptions.of({"debug": self.debug or knobs.runtime.debug, **given})

    def _compile_cuda(
        self, values: Sequence[object], attributes: Sequence[arguments.Attributes], device: int
    ) -> cuda.CUDAKernel | None:
        made = self._compile_for(targets.CUDA(_runtime.cuda_capability(device)), values, attributes, device)
        return None if made is None else made.ready(device)

    def _compile_for(
        self,
        target: targets.CUDA,
        values: Sequence[object],
        attributes: Sequence[arguments.Attributes],
        device: int = 0,
    ) -> cuda.CUDAKernel | None:
        options = self._checked(values)
        specialization = arguments.specialize(self.source.parameters, values, attributes, self._refuse)
        return self._compile_gpu(self._program(specialization), target, options, device)

    def _program(self, specialization: Specialization) -> SourceProgram:
        return SourceProgram(self.source, specialization, repr=self._repr, function=weakref.ref(self))

    def _compile_gpu(
        self, program: SourceProgram, target: targets.CUDA, options: CUDAOptions, device: int
    ) -> cuda.CUDAKernel | None:
        key = (program.identity, target, options)
        if key not in self._gpu_kernels:
            compilation = Compilation(self, program, str(target), device, options)
            if compilation.is_refused():
                return None
            self._gpu_kernels[key] = cuda.compile_kernel(program, target, options)
            compilation.is_done()
        return self._gpu_kernels[key]

    def _compile_program(self, program: SourceProgram, options: Options, aliases: Aliases) -> CPUKernel:
        return compile_kernel(program, options, aliases)

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise refusal_of(self.source, reason, name, value)

    def _explain_grid(self, given: Mapping[str, object], error: BaseException) -> None:
        explain_grid(self.__name__, given, error)

    def __repr__(self) -> str:
        return f"<blockdsl.jit kernel {self.__module__}.{self.__qualname__}>"


@overload
def jit(fn: Callable[..., Any]) -> JITFunction: ...
@overload
def jit(
    fn: None = None,
    *,
    version: object = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable[..., Mapping[str, Any]] | None = None,
    do_not_specialize: Sequence[str | int] | None = None,
    do_not_specialize_on_alignment: Sequence[str | int] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Callable[[Callable[..., Any]], JITFunction]: ...


@border
def jit(
    fn: Callable[..., Any] | None = None,
    *,
    version: object = None,
    repr: Callable[[Any], str] | None = None,  # noqa: A002 - Triton's spelling
    launch_metadata: Callable[..., Mapping[str, Any]] | None = None,
    do_not_specialize: Sequence[str | int] | None = None,
    do_not_specialize_on_alignment: Sequence[str | int] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Any:
    """Makes a kernel of a Python function; used as ``@jit`` or with arguments.

    Nothing is compiled before the first launch, ``kernel[grid](*arguments)``. The grid is one to three sizes from 0 to
    2**31 - 1, or a function that returns them for a dict of the arguments by name. An argument is a tensor in CPU or
    CUDA memory (torch, NumPy, DLPack, buffers: bool, integers of 8 to 64 bits, floats of 16 to 64), a number, None, a
    tensor descriptor, or a tuple of these; a kernel gets a tensor as the pointer to its first element. A launch returns
    its CompiledKernel.

    Args:
        fn: The function.
        version: Accepted for compatibility with Triton, and ignored.
        repr: A function that returns the kernel's name, from an object with the ``signature`` and the ``constants`` by
            the names of parameters. The default is the function's name.
        launch_metadata: A function of the grid, the kernel's metadata and the arguments by name. It returns a dict that
            is added to the metadata for launch hooks.
        do_not_specialize: Parameters, by name or index, whose values never change the code.
        do_not_specialize_on_alignment: Parameters whose divisibility by 16 does not change the code.
        debug: Whether ``device_assert`` is checked on GPUs, unless a launch passes ``debug=...``; a CPU always checks.
        noinline: Accepted for compatibility with Triton, and ignored: calls are always inlined.

    Raises:
        KernelSyntaxError: ``fn`` is no function, its source cannot be read, or it takes ``**kwargs``.

    Example:
        @blockdsl.jit(do_not_specialize=["n"])
        def scale(x_ptr, n, BLOCK: tl.constexpr): ...
    """

    @border
    def decorate(function: Callable[..., Any]) -> JITFunction | InterpretedFunction:
        if not inspect.isfunction(function):
            raise KernelSyntaxError(
                f"a kernel is made of a function, got {type(function).__name__} {function!r}",
                location=caller(),
                hint="write @blockdsl.jit above a def",
            )
        unspecialized, unaligned = do_not_specialize or (), do_not_specialize_on_alignment or ()
        if knobs.INTERPRET.get():
            return InterpretedFunction(function, unspecialized, unaligned)
        return JITFunction(
            function,
            do_not_specialize=unspecialized,
            do_not_specialize_on_alignment=unaligned,
            debug=bool(debug),
            repr=repr,
            launch_metadata=launch_metadata,
            version=version,
            noinline=noinline,
        )

    return decorate if fn is None else decorate(fn)


_runtime.set_num_threads(knobs.NUM_THREADS.get() or 0)
_runtime.set_workers(knobs.WORKERS.get())
# Daemon threads may launch until the interpreter exits. Callbacks registered earlier run later, and may still launch.
atexit.register(_runtime.end_launches)
