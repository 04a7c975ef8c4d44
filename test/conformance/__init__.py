"""Runs what other programs made (Triton's text, tables of its answers) through blockdsl and counts what passes.

The inputs lie outside the project; ``make conformance CONFORMANCE=DIR`` names their directory. ``__main__.py`` is the
command, ``suites/`` has one module per table, ``oracle.py`` evaluates Triton's text on buffers that grow as they are
touched. Nothing here is imported by the package.
"""
