"""Programs that use ``torch.compile(backend="blockdsl")``; docs/torch_compile.md walks through them."""
