//===- FaultReport.h - Reports of faults in kernels ---------------------------------------------------------------===//
//
// A kernel that accesses unmapped memory ends the process, like any code. Before that, the kernel, the address and the
// extents of the launch's arguments are written to standard error.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H

namespace blockdsl::python {

struct LaunchRequest;

/// Description of a running launch, to which `LaunchContext::record` points.
struct LaunchRecord {
  const char *kernel, *place;
  const LaunchRequest *request;
};

/// Installs signal handlers for faults, once per process. Earlier handlers run afterwards.
void reportFaults();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_FAULTREPORT_H
