"""Programs with ``torch.compile(backend="blockdsl")``, which docs/torch_compile.md explains."""
