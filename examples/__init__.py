"""Runnable kernels. Each module has a main(); demo.py runs and times four of them."""
