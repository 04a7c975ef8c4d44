"""Tools for host programs, under Triton's names."""
