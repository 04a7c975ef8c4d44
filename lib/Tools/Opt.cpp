//===- Opt.cpp - The program blockdsl-opt ----------------------------------===//

#include "blockdsl/Tools/Opt.h"

#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Pipelines/Register.h"
#include "blockdsl/Tools/DeepStack.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;
using blockdsl::TTVersion;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "blockdsl-opt: " << message << '\n';
  return EXIT_FAILURE;
}

int blockdsl::runOpt(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::opt<TTVersion> version("tt-version", cl::desc("Version of Triton to print tt ops for"), cl::init(TTVersion::V3_9),
                             cl::values(clEnumValN(TTVersion::V3_6, "3.6", ""), clEnumValN(TTVersion::V3_7, "3.7", ""),
                                        clEnumValN(TTVersion::V3_8, "3.8", ""),
                                        clEnumValN(TTVersion::V3_9, "3.9", "")));
  cl::opt<bool> allowBytecode("allow-bytecode",
                              cl::desc("Read MLIR bytecode too, from sources you trust: its reader is not hardened"));

  mlir::DialectRegistry registry;
  blockdsl::registerAllDialects(registry);
  blockdsl::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "blockdsl-opt\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &error);
  if (!file)
    return fail(error);
  bool isBytecode = mlir::isBytecode(*file);
  if (isBytecode && !allowBytecode)
    return fail(input + " is MLIR bytecode, which is read with --allow-bytecode only");
  std::unique_ptr<llvm::ToolOutputFile> out = mlir::openOutputFile(output, &error);
  if (!out)
    return fail(error);

  blockdsl::PrintVersionScope scope(version);
  llvm::LogicalResult result = llvm::failure();
  blockdsl::callOnDeepStack([&] { result = mlir::MlirOptMain(out->os(), std::move(file), registry, config); });
  if (failed(result))
    return EXIT_FAILURE;
  out->keep();
  return EXIT_SUCCESS;
}
