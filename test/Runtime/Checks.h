//===- Checks.h - Checks and main function of the runtime's test programs -----------------------------------------===//
//
// A test is a function in the table at the end of its file; a failing CHECK prints its line.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_TEST_RUNTIME_CHECKS_H
#define BLOCKDSL_TEST_RUNTIME_CHECKS_H

#include <cstdio>
#include <initializer_list>

inline int failures = 0;

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                             \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (false)

struct Test {
  const char *name;
  void (*run)();
};

/// Runs all of them and returns what main does.
inline int runTests(std::initializer_list<Test> tests) {
  for (const Test &test : tests) {
    int before = failures;
    test.run();
    std::printf("%s: %s\n", failures == before ? "ok" : "FAILED", test.name);
  }
  return failures == 0 ? 0 : 1;
}

#endif // BLOCKDSL_TEST_RUNTIME_CHECKS_H
