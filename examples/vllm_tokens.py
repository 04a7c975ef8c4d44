"""Generates tokens with vLLM's build for CPUs, by its Triton kernels through blockdsl and by torch's operators.

    make vllm

Nothing in vLLM is changed: stock Triton finds blockdsl, so vLLM takes its V2 model runner, whose samplers and block
tables are Triton kernels. The V1 runner calls torch instead. The model has random weights, which are equal in both
processes, so greedy tokens have to be equal. docs/serving.md explains the environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MODEL = {
    "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_act": "silu", "hidden_size": 256,
    "intermediate_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 8,
    "vocab_size": 8192, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
    "tie_word_embeddings": False, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
SETTINGS = {
    "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "BLOCKDSL_LOGS": "compiler",
}  # fmt: skip
REQUESTS, TOKENS = 6, 32


def generate(model: str) -> None:
    """Prints the tokens of greedy requests, and the time of the second pass over them."""
    from vllm import LLM, SamplingParams

    llm = LLM(
        model, load_format="dummy", skip_tokenizer_init=True, dtype="bfloat16", max_model_len=512, max_num_seqs=8,
        gpu_memory_utilization=0.3, seed=0, enforce_eager=True,
    )  # fmt: skip
    lengths = [50 + 3 * number for number in range(REQUESTS)]
    prompts = [
        {"prompt_token_ids": [3 + 577 * at * (at + length) % 8000 for at in range(length)]} for length in lengths
    ]
    options = {"max_tokens": TOKENS, "ignore_eos": True, "detokenize": False}
    greedy = SamplingParams(temperature=0, **options)
    seconds = []
    for _ in range(2):
        begun = time.perf_counter()
        found = llm.generate(prompts, greedy, use_tqdm=False)
        seconds.append(time.perf_counter() - begun)
    sampled = SamplingParams(temperature=0.8, top_k=50, top_p=0.9, seed=1, **options)
    drawn = llm.generate(prompts, sampled, use_tqdm=False)
    result = {
        "tokens": [list(request.outputs[0].token_ids) for request in found],
        "drawn": [len(request.outputs[0].token_ids) for request in drawn],
        "seconds": seconds,
    }
    print("RESULT", json.dumps(result), flush=True)


def run(model: str, second_runner: bool) -> dict[str, Any]:
    """Generates in a process of its own, as vLLM reads its environment once."""
    environment = {**os.environ, **SETTINGS, "VLLM_USE_V2_MODEL_RUNNER": str(int(second_runner))}
    command = [sys.executable, __file__, model]
    done = subprocess.run(  # noqa: S603 - this program itself
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode or not lines:
        raise SystemExit(f"{done.stdout[-4000:]}\nvllm_tokens: vLLM failed")
    # Each kernel that is compiled or found on disk is a line of the log.
    kernels = {*re.findall(r"blockdsl\.compiler: (?:compiled|took) (\w+)", done.stdout)}
    return {**json.loads(lines[0].removeprefix("RESULT ")), "kernels": kernels}


def main() -> None:
    """Compares the tokens of both runners."""
    with tempfile.TemporaryDirectory() as model:
        (Path(model) / "config.json").write_text(json.dumps(MODEL))
        kernels, operators = (run(model, second_runner) for second_runner in (True, False))
    for name, found in (("Triton kernels through blockdsl", kernels), ("torch's operators", operators)):
        first, second = found["seconds"]
        print(f"{name}: {REQUESTS} requests of {TOKENS} tokens, first pass {first:.2f} s, second {second:.2f} s")
    # The other runner has kernels, too, for sampling; greedy tokens need none of them.
    alone = sorted(kernels["kernels"] - operators["kernels"])
    print(f"kernels that ran in the first case alone: {', '.join(alone)}")
    assert alone
    assert kernels["drawn"] == [TOKENS] * REQUESTS
    assert kernels["tokens"] == operators["tokens"], "greedy tokens differ"
    print("greedy tokens are equal")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        generate(sys.argv[1])
    else:
        main()
