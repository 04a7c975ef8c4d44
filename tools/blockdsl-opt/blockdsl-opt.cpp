//===- blockdsl-opt.cpp - Runs passes and named pipelines on IR files ------===//
//
// The tool of the build tree, which has the passes that print analyses for tests. The package's own has not.
//
//===----------------------------------------------------------------------===//

#include "TestAnalyses.h"
#include "blockdsl/Tools/Opt.h"

int main(int argc, char **argv) {
  blockdsl::registerTestAccessBounds();
  blockdsl::registerTestInputVerifier();
  blockdsl::registerTestKnownBits();
  blockdsl::registerTestLoopWrapping();
  blockdsl::registerTestMaskAnalyses();
  return blockdsl::runOpt(argc, argv);
}
