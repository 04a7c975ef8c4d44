#!/usr/bin/env bash
# Makes a bare Debian 12 ready, and builds: packages, the environment .venv, build/. Each step does what is missing only,
# so it runs before every make target. Versions stand in pyproject.toml; the packages below are Debian's own.
#
#     tools/setup.sh [EXTRA...]    with the packages of extras that neither the build nor the tests need, such as docs
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
    llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools clang-22 lld-22 zlib1g-dev libzstd-dev
    cmake ninja-build ccache git make python3 python3-dev python3-venv
)

missing_packages() {
    local package
    for package in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
    done
}

install_packages() {
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    command -v apt-get >/dev/null || { echo "setup: please install the equivalent of: ${missing[*]}" >&2; return 1; }
    ((EUID == 0)) || as_root=(sudo)
    echo "setup: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null
}

# The first Python that can build an extension: it has headers, venv, and is 3.10 or later.
find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
        if "$candidate" - 2>/dev/null <<'PROBE'
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 10) or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
PROBE
        then
            echo "$candidate"
            return 0
        fi
    done
    echo "setup: no Python 3.10 or later with headers and venv was found" >&2
    return 1
}

# The requirements in pyproject.toml: `torch`, and `rest`, to build, to run, to test and to name wheels; or of an extra.
requirements() {
    "$1" - "$2" <<'LIST'
import sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
extras = project["project"].get("optional-dependencies", {})
names = [*project["build-system"]["requires"], *project["project"].get("dependencies", [])]
names += [*extras.get("test", []), *project["dependency-groups"]["wheel"]]
torch = [name for name in names if name.startswith("torch")]
lists = {**extras, "torch": torch, "rest": [name for name in names if name not in torch]}
print("\n".join(lists[sys.argv[1]]))
LIST
}

# PyPI's torch for Linux brings CUDA along; where PyTorch's own index answers, its CPU wheels are used.
torch_index() {
    local index=https://download.pytorch.org/whl/cpu
    "$1" -c "import urllib.request as u; u.urlopen('$index/torch/', timeout=5)" 2>/dev/null && echo "$index" || true
}

make_environment() {
    local stamp wanted torch rest index
    wanted=$(sha256sum pyproject.toml | cut -d' ' -f1)
    stamp=.venv/installed
    [[ -f $stamp && $(<"$stamp") == "$wanted" ]] && return 0
    [[ -x .venv/bin/python ]] || "$(find_python)" -m venv .venv
    local python=.venv/bin/python
    mapfile -t torch < <(requirements "$python" torch)
    mapfile -t rest < <(requirements "$python" rest)
    index=$(torch_index "$python")
    echo "setup: installing Python packages into .venv"
    ((${#torch[@]} == 0)) || PIP_EXTRA_INDEX_URL="${PIP_EXTRA_INDEX_URL:-} $index" "$python" -m pip install -q "${torch[@]}"
    "$python" -m pip install -q "${rest[@]}"
    # The oldest Triton that compiles for us, for tests; it cannot stand beside the other under one name.
    [[ -d .venv/triton-3.6 ]] || "$python" -m pip install -q --no-deps --target .venv/triton-3.6 triton==3.6.0
    # Libraries of kernels, a sample of which is among the tests.
    PYTHONPATH=test "$python" -m conformance.suites.libraries
    # The package is used where it lies, with the extension built into it.
    pwd | sed 's|$|/python|' > "$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/blockdsl.pth"
    echo "$wanted" > "$stamp"
}

install_extra() {
    local wanted stamp=.venv/installed-$1
    mapfile -t wanted < <(requirements .venv/bin/python "$1")
    [[ -f $stamp && $(<"$stamp") == "${wanted[*]}" ]] && return 0
    echo "setup: installing the packages of the extra $1 into .venv"
    .venv/bin/python -m pip install -q "${wanted[@]}"
    echo "${wanted[*]}" > "$stamp"
}

build() {
    if [[ ! -f build/build.ninja ]]; then
        cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBLOCKDSL_PYTHON=ON -DBLOCKDSL_INPLACE=ON \
            -DPython_EXECUTABLE="$PWD/.venv/bin/python" > build.log 2>&1 \
            || { cat build.log; return 1; }
        mv build.log build/configure.log
    fi
    cmake --build build
}

install_packages
make_environment
for extra in "$@"; do install_extra "$extra"; done
build
