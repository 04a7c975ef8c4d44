"""Timed kernels, each beside the figure it is held to. ``python -m benchmarks`` runs them; ``make bench`` does so.

One module per kernel says what is timed (``cases``); ``timing.py`` measures, ``limits.py`` says what the machine could
do at best, ``report.py`` prints.
"""
