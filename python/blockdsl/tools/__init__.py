"""What host programs use beside kernels, under Triton's names."""
