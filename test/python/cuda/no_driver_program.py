"""A launch on a machine without CUDA's driver: an error message, and no crash."""

import fake_tensors

from blockdsl import _runtime
from blockdsl.errors import LaunchError
from blockdsl.jit import JITFunction


class Function(JITFunction):
    def _compile_cuda(self, values, attributes, device):
        return _runtime.CUDAKernel(b"", "kernel", [(0, "n")], 4, 1, 0, (0, 1), (0, 1), False, False)


def kernel(x): ...


print(_runtime.cuda_device_count())
try:
    Function(kernel)[(1,)](fake_tensors.Tensor(0xA00000, (2, 0), (2, 32)))
except LaunchError as error:
    print(error.message)
    print(error.hint)
