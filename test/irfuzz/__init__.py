"""Text of IR at random: mutants of the tests' modules, and random modules with a meaning. ``python -m irfuzz``."""
