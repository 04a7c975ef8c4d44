"""Random IR text: mutants of the tests' modules, and random modules with defined results. ``python -m irfuzz``."""
