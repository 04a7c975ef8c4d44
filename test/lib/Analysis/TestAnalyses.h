//===- TestAnalyses.h - Passes that print analyses --------------*- C++ -*-===//
//
// Registered by blockdsl-opt as built here; not part of the package.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_TEST_LIB_ANALYSIS_TESTANALYSES_H
#define BLOCKDSL_TEST_LIB_ANALYSIS_TESTANALYSES_H

namespace blockdsl {

void registerTestAccessBounds();
void registerTestInputVerifier();
void registerTestKnownBits();
void registerTestLoopWrapping();
void registerTestMaskAnalyses();

} // namespace blockdsl

#endif // BLOCKDSL_TEST_LIB_ANALYSIS_TESTANALYSES_H
