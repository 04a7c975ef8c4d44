"""A back end of Triton's for a device that works, and can nothing: what a GPU is to us where there is none."""
