#include "blockdsl/Dialect/TT/IR/TT.h"

using namespace mlir;
using namespace blockdsl;

void TTDialect::registerDebugOps() {
}
