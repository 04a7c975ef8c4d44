"""Runs the output of other programs (Triton's text, its result types) through blockdsl and counts passed cases.

The inputs are outside the project; ``make conformance CONFORMANCE=DIR`` names their directory. ``__main__.py`` is the
command, ``suites/`` has one module per table, ``oracle.py`` evaluates Triton's text on buffers that grow as they are
accessed. The package imports nothing from here.
"""
