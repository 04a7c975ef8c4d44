//===- cubin.h - Kernel metadata of a cubin -----------------------------------------------------------------------===//
//
// The stub driver reads machine code as far as a driver has to before it can launch: the kernel's name, how many
// threads it was compiled for, and the size of each parameter. NVIDIA's assembler writes these into the sections
// `.text.<name>` and `.nv.info.<name>` of an ELF file.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_TEST_CUDA_CUBIN_H
#define BLOCKDSL_TEST_CUDA_CUBIN_H

#include <cstddef>
#include <string>
#include <vector>

struct Cubin {
  std::string kernel;
  int threads = 0;
  std::vector<int> parameters;
  /// Bytes of the whole file.
  size_t size = 0;
};

/// Whether the image is an ELF file with a kernel.
bool readCubin(const char *image, Cubin &cubin);

#endif // BLOCKDSL_TEST_CUDA_CUBIN_H
