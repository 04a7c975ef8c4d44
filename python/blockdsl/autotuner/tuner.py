"""``@autotune``: kernels that are launched with the fastest of several configurations.

The first launch with a key searches (search.py). Later launches read their key, take the configuration from the cache,
and launch: all of this is in ``Autotuner._launch``, which is short because every launch runs it.
"""

from __future__ import annotations

import functools
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from blockdsl import forks, knobs
from blockdsl.autotuner.choices import Choices
from blockdsl.autotuner.config import Config
from blockdsl.autotuner.key import Reader, reader
from blockdsl.autotuner.layer import Layer, mistake, unknown_name
from blockdsl.autotuner.search import Hooks, Search, Timing
from blockdsl.compiler.options import OPTIONS, CUDAOptions
from blockdsl.errors import TargetError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.tracebacks import border
from blockdsl.tracing import is_traced

_log = logging.getLogger("blockdsl.autotuner")

_PRUNING = ("early_config_prune", "perf_model", "top_k")


class Autotuner(Layer):
    """A kernel with configurations, of which the fastest is found by timing.

    Attributes:
        configs: The configurations.
        keys: Parameters whose values are part of the key of a choice.
        cache: The choices, by key.
        best_config: The configuration of the last launch, or None.
        bench_time: Duration of the last search in seconds.
        configs_timings: Quantiles of the time of each configuration in the last search, in milliseconds.
        nargs: The arguments by name, set by derived classes with their own `run` for pruning.
        num_warmups: Milliseconds of warmup before each timing, as given.
        num_reps: Milliseconds of each timing.
        use_cuda_graph: Whether kernels on GPUs are timed by a graph of launches.
        pre_hook: Called before every timed launch; derived classes may set it.
        post_hook: Called after every timed launch; derived classes may set it.
    """

    def __init__(
        self,
        fn: Any,
        arg_names: Sequence[str],
        configs: Iterable[Config],
        key: Sequence[str],
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Callable[..., object] | None = None,
        post_hook: Callable[..., object] | None = None,
        prune_configs_by: Mapping[str, Any] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        do_bench: Callable[..., Any] | None = None,
        cache_results: bool = False,
    ) -> None:
        super().__init__(fn, arg_names, "autotune")
        self.keys = self._names("key", key)
        self.reset_to_zero = self._names("reset_to_zero", reset_to_zero)
        self.restore_value = self._names("restore_value", restore_value)
        self.configs = self._checked(configs)
        hooks = Hooks(self.reset_to_zero, self.restore_value)
        self.pre_hook = pre_hook or hooks.before
        self.post_hook = post_hook or hooks.after
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        pruning = self._pruning(prune_configs_by)
        self.early_config_prune = pruning.get("early_config_prune")
        self.perf_model = pruning.get("perf_model")
        self.configs_top_k = pruning.get("top_k", 1.0)
        self._do_bench = do_bench
        self.num_warmups, self.num_reps = warmup, rep
        options: dict[str, Any] = {"warmup": warmup, "rep": rep}
        self._bench_options = {name: value for name, value in options.items() if value is not None}
        self.use_cuda_graph = use_cuda_graph
        self.cache: dict[tuple[Any, ...], Config] = {}
        self.best_config: Config | None = None
        self.bench_time: float | None = None
        self.configs_timings: dict[Config, Timing] = {}
        self.cache_results = cache_results or knobs.autotuning.cache
        self._readers: dict[tuple[object, ...], Reader] = {}
        self._searching = forks.renewed_lock()
        self.nargs: Mapping[str, Any] = {}

    def _names(self, parameter: str, names: Sequence[str] | None) -> tuple[str, ...]:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names or ()):
            raise mistake(f"{parameter} of @autotune expects a list of names, got {names!r}",
                          f"write {parameter}=[{names!r}]" if isinstance(names, str) else None)  # fmt: skip
        self.check_names(f"{parameter} of @autotune has", names or ())
        return tuple(names or ())

    def _checked(self, configs: Iterable[Config]) -> list[Config]:
        # Libraries pass an empty list for a device without known configurations.
        result = list(configs) or [Config({})]
        for config in result:
            if not isinstance(config, Config):
                raise mistake(f"configs of @autotune expects blockdsl.Config, got {type(config).__name__} {config!r}",
                              "write blockdsl.Config({...}, num_warps=4)")  # fmt: skip
            self.check_names("a configuration of @autotune sets", config.kwargs, OPTIONS)
            self._check_options(config)
        return result

    def _check_options(self, config: Config) -> None:
        """Raises errors for invalid options now: a search would silently treat the configuration as slow."""
        try:
            CUDAOptions.of({name: value for name, value in config.all_kwargs().items() if name not in self.arg_names})
        except TargetError as error:
            raise mistake(f"in a configuration of @autotune, {error.message}", error.hint) from None

    def _pruning(self, by: Mapping[str, Any] | None) -> Mapping[str, Any]:
        for name in by or ():
            if name not in _PRUNING:
                raise unknown_name(f"prune_configs_by of @autotune has '{name}', which is nothing to prune by",
                                   name, _PRUNING, "expected are")  # fmt: skip
        return by or {}

    def _launch(self, grid: object, /, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values()) if kwargs else args
        form = tuple(map(type, values))
        read = self._readers.get((*form, *kwargs) if kwargs else form)
        if read is None:
            read = self._new_reader(args, kwargs, values)
        config = self.cache.get(read(values))
        if config is None:
            if any(map(is_traced, values)):
                return self._record(grid, args, kwargs)
            config = self._choose(grid, args, kwargs, read(values))
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**self.named(args), **kwargs, **config.all_kwargs()})
        return self.fn[grid](*args, **kwargs, **config.chosen)

    def _new_reader(self, args: Sequence[Any], kwargs: Mapping[str, Any], values: Sequence[Any]) -> Reader:
        """Returns the reader of the key for launches with these types and keywords, for which it is made once."""
        names = (*self.taken(len(args)), *kwargs)
        for config in self.configs:
            for name in config.all_kwargs():
                if name in names:
                    raise self.twice(name, "autotune")
        # The launch refuses excess arguments.
        made = reader(values[: len(names)], names, self.keys)
        self._readers[(*map(type, values), *kwargs)] = made
        return made

    def _choose(self, grid: object, args: Sequence[Any], kwargs: Mapping[str, Any], key: tuple[Any, ...]) -> Config:
        with self._searching:
            if key in self.cache:
                return self.cache[key]
            start = time.perf_counter()
            self.configs_timings = {}
            chosen = self.configs[0] if len(self.configs) == 1 else self._find_config(grid, args, kwargs, key)
            self.bench_time = time.perf_counter() - start
            self.cache[key] = chosen
            self._report_choice(key, chosen)
            if knobs.PRINT_AUTOTUNING.get():
                print(self._report(key, chosen), file=sys.stderr)
            return chosen

    def _report_choice(self, key: tuple[Any, ...], chosen: Config) -> None:
        """Logs a choice among several configurations, and calls the listener, if it is set."""
        is_known = not self.configs_timings
        if is_known and not (self.cache_results and len(self.configs) > 1):
            return
        name = self.base_fn.__name__
        if is_known:
            _log.info("took %s for %s with key %s from the disk cache", chosen, name, key)
        else:
            count = len(self.configs_timings)
            _log.info("chose %s for %s with key %s, of %s in %.2f s", chosen, name, key, count, self.bench_time)
            for config, timing in self.configs_timings.items():
                _log.debug("%s: %s takes %s ms", name, config, timing)
        listener = knobs.autotuning.listener
        if listener is not None:
            listener(
                fn=self.base_fn, key=key, best_config=chosen, configs_timings=self.configs_timings,
                duration=None if is_known else self.bench_time, cache_hit=is_known,
            )  # fmt: skip

    def _find_config(
        self, grid: object, args: Sequence[Any], kwargs: Mapping[str, Any], key: tuple[Any, ...]
    ) -> Config:
        def search() -> Config:
            return self._search(grid, args, kwargs, key[-1])

        if not self.cache_results:
            return search()
        choices = Choices(self.base_fn.source.cache_key, self.configs)
        return choices.find(key[: len(self.keys)], key[len(self.keys) : -1], key[-1], search)

    def _search(self, grid: object, args: Sequence[Any], kwargs: Mapping[str, Any], device: str) -> Config:
        configs = self.prune_configs({**kwargs, "grid": grid, "warmup": False}, args)
        # Timing interpreted kernels is meaningless.
        if len(configs) == 1 or isinstance(self.base_fn, InterpretedFunction):
            return configs[0]
        return self._timed(grid, args, kwargs, device).best(configs)

    def _timed(self, grid: object, args: Sequence[Any], kwargs: Mapping[str, Any], device: str) -> Search:
        return Search(
            name=self.__name__, fn=self.fn, grid=grid, args=args, kwargs=kwargs, named={**self.named(args), **kwargs},
            before=self.pre_hook, after=self.post_hook, bench=self._timer(device), is_cpu=device == "cpu",
            may_skip=self._do_bench is None, timings=self.configs_timings,
        )  # fmt: skip

    def _bench(self, *args: Any, config: Config, grid: object, warmup: bool = False, **kwargs: Any) -> Timing:
        """Returns quantiles of the time of one configuration in milliseconds, for derived classes with their own
        search, as Triton's tuner does."""
        del warmup
        values = (*args, *kwargs.values())
        device = self._new_reader(args, kwargs, values)(values)[-1]
        return self._timed(grid, args, kwargs, device).time(config)

    @property
    def do_bench(self) -> Callable[..., Any]:
        """The function that times a call: the given one, or else ``blockdsl.testing.do_bench``."""
        from blockdsl import testing

        return self._do_bench or testing.do_bench

    def _timer(self, device: str) -> Callable[..., Any]:
        if self._do_bench is not None:
            return self._do_bench
        from blockdsl import testing

        if self.use_cuda_graph and device != "cpu":
            rep = {name: value for name, value in self._bench_options.items() if name == "rep"}
            return functools.partial(testing.do_bench_cudagraph, device=device, **rep)
        return functools.partial(testing.do_bench, device=device, **self._bench_options)

    @border
    def prune_configs(self, kwargs: Mapping[str, Any], args: Sequence[Any] = ()) -> list[Config]:
        """Returns the configurations to time for some arguments, after the early prune and the performance model."""
        named = self.named(args) if args else dict(self.nargs)
        left = self.configs
        if self.early_config_prune is not None:
            left = list(self.early_config_prune(self.configs, named, **kwargs))
            if not left:
                raise mistake(f"early_config_prune left none of the {len(self.configs)} configurations of kernel "
                              f"'{self.__name__}'", "let it keep one that works for these arguments")  # fmt: skip
        if self.perf_model is None:
            return left
        top = self.configs_top_k
        count = max(1, int(len(self.configs) * top)) if isinstance(top, float) and top <= 1.0 else int(top)
        if len(left) <= count:
            return left
        estimates = [self.perf_model(**{**named, **kwargs, **config.all_kwargs()}) for config in left]
        return [left[at] for at in sorted(range(len(left)), key=estimates.__getitem__)[:count]]

    @border
    def warmup(self, *args: Any, grid: object = None, **kwargs: Any) -> list[Any]:
        """Compiles the kernel for every configuration that a launch would time."""
        configs = self.prune_configs({**kwargs, "grid": grid, "warmup": True}, args)
        return [self.fn.warmup(*args, grid=grid, **kwargs, **config.all_kwargs()) for config in configs]

    def _report(self, key: tuple[Any, ...], chosen: Config) -> str:
        values = [f"{name}={value!r}" for name, value in zip(self.keys, key, strict=False)]
        args = ", ".join([*values, *map(str, key[len(self.keys) :])])
        timing = self.configs_timings.get(chosen)
        failed = sum(times[0] == math.inf for times in self.configs_timings.values())
        best = f"{timing[0]:.4g} ms" if timing else "not timed"
        return (f"autotune: kernel '{self.__name__}' for {args}: {chosen} ({best}; {len(self.configs)} configurations, "
                f"{len(self.configs_timings)} timed, {failed} failed, {self.bench_time:.2f} s)")  # fmt: skip


def autotune(
    configs: Iterable[Config],
    key: Sequence[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., object] | None = None,
    post_hook: Callable[..., object] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Launches a kernel with the fastest of several configurations, found at the first launch with a key.

    The key is the values of the named arguments, the element types of all tensors, and the device. A search launches
    the kernel many times, so arguments it updates in place are named in ``reset_to_zero`` or ``restore_value``.

    Args:
        configs: The configurations. An empty list means one without settings.
        key: Parameters whose values are part of the key.
        prune_configs_by: ``early_config_prune(configs, named_args, **kwargs)`` returns the configurations to time. The
            ``top_k`` of them, a number or a fraction, with the best ``perf_model(**arguments)``, an estimated time, are
            kept.
        reset_to_zero: Tensors that are zeroed before every timed launch.
        restore_value: Tensors whose values are restored after every timed launch.
        pre_hook: Called with all arguments before every timed launch, in place of the two above; once more with
            ``reset_only=True`` before the launch itself.
        post_hook: Called with all arguments, and ``exception=``, after every timed launch.
        warmup: Milliseconds before each timing.
        rep: Milliseconds of each timing.
        use_cuda_graph: Times CUDA kernels by a graph of launches.
        do_bench: Another function to time a call: ``do_bench(call, quantiles=...)`` returns milliseconds.
        cache_results: Stores the choice on disk, for other processes.

    Example:
        @blockdsl.autotune([blockdsl.Config({"BLOCK": 512}), blockdsl.Config({"BLOCK": 2048})], key=["n"])
        @blockdsl.jit
        def double(x_ptr, n, BLOCK: tl.constexpr): ...

        double[lambda meta: (blockdsl.cdiv(n, meta["BLOCK"]),)](x, n)
    """
    return border(lambda fn: Autotuner(
        fn, getattr(fn, "arg_names", ()), configs, key, reset_to_zero, restore_value, pre_hook, post_hook,
        prune_configs_by, warmup, rep, use_cuda_graph, do_bench, cache_results,
    ))  # fmt: skip
