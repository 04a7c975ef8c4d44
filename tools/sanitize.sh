#!/usr/bin/env bash
# The runtime and the launch path under clang's sanitizers: the pool's programs under TSan, then the extension `_runtime`
# and its programs under ASan and UBSan, with the tests of test/python/runtime. What MLIR and LLVM are made of is not
# instrumented, and the compiler's extension is the one of build/. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$PWD/.venv/bin/python
asan=$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so)
if [[ ! -e $asan ]]; then
    as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends libclang-rt-22-dev >/dev/null
    asan=$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so)
fi
programs=(blockdsl-cpus-test blockdsl-executor-test blockdsl-parallel-for-test blockdsl-small-launch-test
    blockdsl-program-dependencies-test blockdsl-openmp-worker-state-test blockdsl-symbols-test)
# TSan sees no order in the barriers of an OpenMP runtime, which is not instrumented.
on_openmp=(blockdsl-parallel-for-test blockdsl-small-launch-test blockdsl-program-dependencies-test blockdsl-workers-test)

# build DIRECTORY FLAGS TARGETS...
build() {
    local directory=$1 flags="$2 -g -O1 -fno-omit-frame-pointer"
    shift 2
    mkdir -p build
    cmake -S . -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBLOCKDSL_PYTHON=ON -DPython_EXECUTABLE="$python" \
        -DCMAKE_CXX_FLAGS="$flags" > "$directory.log" 2>&1 || { cat "$directory.log"; return 1; }
    rm "$directory.log"
    cmake --build "$directory" --target "$@"
}

# With C++'s library in the program, so that its threads are the sanitizer's, too.
build build/tsan "-fsanitize=thread -static-libstdc++" "${programs[@]}"
for program in "${programs[@]}"; do
    TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:allocator_may_return_null=1 "build/tsan/bin/$program"
done

# Compiled kernels have no type before their code. The interpreter is not instrumented, so the sanitizer's own library is loaded before it.
build build/asan "-fsanitize=address,undefined -fno-sanitize=function -fno-sanitize-recover=undefined -shared-libasan" _runtime "${programs[@]}" "${on_openmp[@]}"
libraries=$(dirname "$asan")
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# Scratch memory of a thread lives as long as the thread; so do Python's own objects. The extensions bring a C++ library
# along, so what _native makes with its `new`, LLVM's shared library deletes with the sanitizer's; both are malloc.
export ASAN_OPTIONS=detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1:alloc_dealloc_mismatch=0 UBSAN_OPTIONS=print_stacktrace=1
for program in "${programs[@]}"; do
    "build/asan/bin/$program"
done
for program in "${on_openmp[@]}"; do
    "build/asan/bin/$program" libgomp.so.1
done

# The package as it is, but for one extension.
package=build/asan/python/blockdsl
rm -rf "$package"
mkdir -p "$package"
for path in "$PWD"/python/blockdsl/*; do
    ln -sfn "$path" "$package/"
done
extension=$(basename python/blockdsl/_runtime.*.so)
ln -sfn "$PWD/build/asan/lib/Bindings/Python/$extension" "$package/$extension"
(($#)) || set -- test/python/runtime
# The sanitizers write to the file descriptor and end the process: what pytest captured there would never be shown.
LD_PRELOAD=$asan PYTHONMALLOC=malloc PYTHONPATH=$PWD/test BLOCKDSL_CACHE=0 \
    "$python" -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal --capture=sys -p under_sanitizers \
    -o "pythonpath=. build/asan/python test" -p no:cacheprovider -m "not without_sanitizers" "$@"
