"""Text of IR at random: mutants of the tests' modules, and random modules that mean something. ``python -m irfuzz``."""
