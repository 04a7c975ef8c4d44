"""Benchmarks of kernels, each with a target figure. ``python -m benchmarks`` or ``make bench`` runs them.

A module per kernel defines its ``cases``; ``timing.py`` measures, ``limits.py`` measures the machine's limits,
``report.py`` prints.
"""
