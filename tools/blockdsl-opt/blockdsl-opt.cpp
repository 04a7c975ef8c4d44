//===- blockdsl-opt.cpp - The tool blockdsl-opt of the build tree ---------===//
//
// It includes the passes that print analyses for tests, unlike the tool of the package.
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
