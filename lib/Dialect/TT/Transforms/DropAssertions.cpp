//===- DropAssertions.cpp - Removal of assertions ---------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_DROPASSERTIONSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

namespace {
struct DropAssertions : blockdsl::impl::DropAssertionsPassBase<DropAssertions> {
  void runOnOperation() override {
    getOperation()->walk([](blockdsl::AssertOp op) { op.erase(); });
  }
};
} // namespace
