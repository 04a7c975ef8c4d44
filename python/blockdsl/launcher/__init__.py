"""Launches of kernels: specialization and checks of arguments, and hooks."""
