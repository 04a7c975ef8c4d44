"""From a call ``kernel[grid](...)`` to a launch of a compiled kernel: arguments, their checks, and hooks."""
