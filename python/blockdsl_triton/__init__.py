"""Entry point ``cpu`` of the group ``triton.backends``.

``import triton`` imports this package on every machine that has both. It imports nothing of blockdsl, which would slow
down ``import triton``, or let it fail with an error of ours. The implementation is in ``blockdsl.triton``, which is
imported on first use.
"""
