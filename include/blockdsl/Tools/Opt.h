//===- Opt.h - The program blockdsl-opt -------------------------*- C++ -*-===//
// A function, because two rooms have a main for it: tools/, and the extension module, which is all that a wheel holds.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_TOOLS_OPT_H
#define BLOCKDSL_TOOLS_OPT_H

namespace blockdsl {

/// Runs passes and named pipelines on a file, as the command line says; returns the exit status. Options live in the
/// process, so it is called once in one.
int runOpt(int argc, char **argv);

} // namespace blockdsl

#endif // BLOCKDSL_TOOLS_OPT_H
