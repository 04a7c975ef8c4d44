//===- FaultReport.h - Faults inside of kernels -------------------------------------------------------------------===//
//
// A kernel that accesses memory which is not there ends the process, as any code does. Before that, the kernel, the
// address and the extents of the launch's arguments are written to standard error.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H

namespace blockdsl::python {

struct LaunchRequest;

/// A launch that runs, as `LaunchContext::record` points to it.
struct LaunchRecord {
  const char *kernel, *place;
  const LaunchRequest *request;
};

/// Installs a handler for the signals of faults, once a process. Handlers that were installed before run after it.
void reportFaults();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H
