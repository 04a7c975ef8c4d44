// Runs passes and named pipelines on .mlir and .ttir files.
#include "blockdsl/Pipelines/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  blockdsl::registerAllDialects(registry);
  blockdsl::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "blockdsl-opt\n", registry));
}
