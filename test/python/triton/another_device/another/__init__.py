"""A back end of Triton's with an active driver and no operation: replaces a GPU on machines without one."""
