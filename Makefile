# What there is to do here. `demo` and `test` need nothing but Debian 12 and root or sudo: tools/setup.sh sees to the rest.
PYTHON := .venv/bin/python
CONFORMANCE ?= ../shared/conformance
DEVICE ?= cpu
# Each of the tests' thousand processes would compile the package's sources anew; images of Docker often set this variable.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: demo test fuzz bench oldest wheel wheel-aarch64 sdist conformance docs changelog lint sizes sanitize models vllm setup

demo: setup  ## kernels, and stock Triton code, compiled, compared and timed; SHOW=softmax prints a kernel at every stage
	@$(PYTHON) examples/demo.py $(if $(SHOW),--show $(SHOW))
	$(if $(SHOW),,@$(PYTHON) examples/demo_compiled.py)

test: setup  ## all of it: lit, pytest, and the kernels of pytest compiled for GPUs by two versions of Triton
	.venv/bin/lit -sv build/test
	$(PYTHON) -m pytest test/python --numprocesses auto --maxprocesses 8 --dist worksteal --durations 50 \
	    --keep-kernels build/kernels --record-names build/names
	PYTHONPATH=python:tools:test $(PYTHON) -m pages --check build/names
	PYTHONPATH=test $(PYTHON) -m compile_for_gpus build/kernels --all
	PYTHONPATH=test:.venv/triton-3.6 $(PYTHON) -m compile_for_gpus build/kernels --all

# Kernels, or what is text: the tests' modules damaged, or random modules of the dialect.
FUZZ = $(if $(MUTANTS),irfuzz mutants --count $(MUTANTS),$(if $(MODULES),irfuzz modules --count $(MODULES),\
    fuzz $(if $(PROGRAMS),--programs $(PROGRAMS)) --device $(DEVICE)))
fuzz: setup  ## random programs until one differs; PROGRAMS=, SEED=, MINUTES=, DEVICE=cuda, MUTANTS=, MODULES=, ARGS="--without NAME"
	@PYTHONPATH=python:test $(PYTHON) -m $(FUZZ) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES)) $(ARGS)

bench: setup  ## the tables of benchmarks/; BENCH="--record MACHINE" keeps them for README.md and docs/
	PYTHONPATH=. $(PYTHON) -m benchmarks $(BENCH)

MODEL_PACKAGES := torchvision==0.28.0 timm==1.0.20 transformers==4.57.6 tokenizers==0.22.2 huggingface_hub==0.36.2 \
    safetensors pillow regex requests urllib3 certifi idna charset-normalizer tqdm pyyaml
MODELS := resnet vision_transformer bert k_means numpy_gradient
models: setup  ## ResNet-50, BERT, a model of timm and NumPy programs through torch.compile; their packages go to build/models
	test -e build/models/done || $(PYTHON) -m pip install -q --no-deps --target build/models $(MODEL_PACKAGES)
	touch build/models/done
	for each in $(MODELS); do PYTHONPATH=.:python:build/models $(PYTHON) -m examples.torch_compile.$$each || exit 1; done

vllm: setup  ## tokens by vLLM's build for CPUs, through stock Triton and us, equal to those by torch's operators; 1 GB
	@tools/vllm.sh
	PYTHONPATH=$(CURDIR)/python build/vllm/bin/python examples/vllm_tokens.py

OLDEST := build/oldest/bin/python
SINCE_THEN := $(addprefix --ignore=test/python/triton/test_,oldest_triton.py same_passes.py front_end.py)
oldest: setup  ## what runs through torch.compile and Triton, with the oldest of both that we know: 2.11 and 3.6, some 5 GB
	test -e build/oldest/done || { .venv/bin/python -m venv build/oldest && $(OLDEST) -m pip install -q torch==2.11.0 \
	    triton==3.6.0 "llvmlite==0.50.*" numpy mpmath pytest pytest-timeout pytest-xdist && touch build/oldest/done; }
	PYTHONPATH=$(CURDIR)/python $(OLDEST) -m pytest test/python/torch_compile test/python/triton $(SINCE_THEN) \
	    --numprocesses auto --maxprocesses 8 --dist worksteal -p no:cacheprovider

wheel: setup  ## a checked wheel in dist/ for each CPython 3.10 to 3.14 found; PYTHONS="3.12 ..." names them
	@$(PYTHON) tools/wheel.py $(PYTHONS)

wheel-aarch64: setup  ## that wheel for CPython 3.11 of AArch64, compiled on x86-64 and checked under QEMU; see CONTRIBUTING.md
	@tools/aarch64.sh build
	@$(PYTHON) tools/wheel.py --aarch64 3.11
	@tools/aarch64.sh run bash -c 'python3.11 tools/check_wheel.py dist/blockdsl-*-cp311-*_aarch64.whl'

sdist: setup  ## the sources in dist/; a wheel and an editable install from them show that none is missing; ARGS=--compile-all
	@$(PYTHON) tools/sdist.py $(ARGS)

conformance: setup  ## inputs of other programs, and libraries of kernels from PyPI; CONFORMANCE=directory, ARGS="--verbose NAME"
	@PYTHONPATH=test $(PYTHON) -m conformance $(CONFORMANCE) $(ARGS)

docs:  ## HTML in build/docs/html, with the reference from docstrings and the manuals from TableGen; LINKS=1 checks links
	@tools/setup.sh docs
	PYTHONPATH=python:tools:test $(PYTHON) -m pages
	cmake --build build --target blockdsl-doc
	PYTHONPATH=python:tools:test $(PYTHON) -m sphinx -W --keep-going -q -c docs -d build/docs/doctrees \
	    $(if $(LINKS),-b linkcheck . build/docs/links,. build/docs/html)

changelog:  ## the section of CHANGELOG.md on the next release, from changelog.d/; RELEASE=1 dates it and removes the files
	@tools/setup.sh docs
	$(PYTHON) tools/changelog.py $(if $(RELEASE),--release)

lint: setup  ## ruff, mypy, clang-format, and the words of headers and commit titles, changing nothing
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy
	git ls-files '*.cpp' '*.h' | xargs .venv/bin/clang-format --dry-run --Werror
	$(PYTHON) tools/check_words.py

sanitize: setup  ## the runtime and the launch path under ASan, UBSan and TSan; ARGS="test/python/runtime/test_launch.py"
	@tools/sanitize.sh $(ARGS)

sizes:  ## the ten largest files
	@git ls-files '*.py' '*.cpp' '*.h' '*.td' '*.mlir' | xargs wc -l | grep -v ' total$$' | sort -rn | head

setup:
	@tools/setup.sh
