"""Kernels that run as they stand; each module has a main(), and demo.py runs and times them all."""
