//===- Opt.h - The program blockdsl-opt -------------------------*- C++ -*-===//
// A function, because both tools/ and the extension module run it: a wheel has no separate executable.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_TOOLS_OPT_H
#define BLOCKDSL_TOOLS_OPT_H

namespace blockdsl {

/// Runs the passes and named pipelines of the command line on a file and returns the exit status. May be called once
/// per process, because options are global.
int runOpt(int argc, char **argv);

} // namespace blockdsl

#endif // BLOCKDSL_TOOLS_OPT_H
