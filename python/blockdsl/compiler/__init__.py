"""From a kernel and its types to machine code: stages, options, targets and the disk cache."""
