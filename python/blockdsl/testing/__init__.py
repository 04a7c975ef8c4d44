"""Functions for tests and benchmarks of kernels under Triton's names: timing, tables and plots, comparison of results.

torch, pandas and matplotlib are imported on use.
"""

from blockdsl.testing.compare import assert_close
from blockdsl.testing.report import Benchmark, Mark, perf_report
from blockdsl.testing.timing import do_bench, do_bench_cudagraph

__all__ = ["Benchmark", "Mark", "assert_close", "do_bench", "do_bench_cudagraph", "perf_report"]
