//===- TestAnalyses.h - Passes that print analyses --------------*- C++ -*-===//
//
// Part of blockdsl-opt in development builds, and not of the package.
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
