"""Kernels of other people's libraries: each module is a library's table of operators with their references."""
