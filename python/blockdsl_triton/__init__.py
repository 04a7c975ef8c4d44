"""Entry point ``cpu`` of the group ``triton.backends``.

Triton imports this package with itself, on every machine that has both. It therefore imports nothing of blockdsl: that
takes longer than Triton should notice, and an error of ours would be an error of ``import triton``. Everything is in
``blockdsl.triton``, which is imported when Triton first asks for something.
"""
