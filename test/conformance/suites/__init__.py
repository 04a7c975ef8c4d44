"""One module per table of the conformance report."""
