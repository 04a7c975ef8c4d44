"""Third-party libraries of kernels: each module is a library's table of operators with their references."""
