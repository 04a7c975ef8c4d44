#!/usr/bin/env bash
# On a machine with a GPU, torch and Triton: installs a wheel beside them, runs the tests that can use the GPU, and
# writes every table about it (docs/archive/measurements.md). Builds nothing.
#
#   benchmarks/cuda/all.sh blockdsl-*-cp312-*.whl [DIRECTORY]
#
# With the directory of another Triton in PYTHONPATH, that one compiles for both sides.
set -euo pipefail
wheel=$(realpath "$1")
out=$(realpath -m "${2:-.}")
cd "$(dirname "$0")/../.."
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
python3 -m pip install -q --no-deps --no-index --target "$site" "$wheel"
export PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH} BLOCKDSL_CACHE_DIR=$site/cache
mkdir -p "$out"

# The package that was installed is tested, not the sources beside the tests.
failed=0
tests() {
    python3 -m pytest -q -o pythonpath=". test" -p no:cacheprovider "$@" 2>&1 | tee -a "$out/tests.log" || failed=1
}
rm -f "$out/tests.log"
tests --device cuda test/python/language test/python/test_examples.py test/python/test_devices.py \
    test/python/test_cuda_benchmarks.py
tests test/python/language/test_dot.py test/python/runtime/test_launch.py
python3 test/python/cuda/stock_beside_program.py 2>&1 | tee -a "$out/tests.log" || failed=1

python3 -m benchmarks.cuda --out "$out" || failed=1
exit $failed
