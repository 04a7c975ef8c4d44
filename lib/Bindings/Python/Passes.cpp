//===- Passes.cpp - Pass managers and translation to LLVM IR ----*- C++ -*-===//
// Pipelines are parsed from text and run without the GIL. Printing for Triton is here too.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "GIL.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Pipelines/Register.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Action.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <chrono>

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {
namespace {

/// A pipeline and its context.
struct PyPassManager {
  std::shared_ptr<MLIRContext> context;
  std::unique_ptr<PassManager> manager;
};

PyPassManager parsePipeline(const std::string &pipeline, const PyContext &context) {
  registerAllPasses();
  std::string message;
  llvm::raw_string_ostream stream(message);
  FailureOr<OpPassManager> parsed = parsePassPipeline(pipeline, stream);
  if (failed(parsed))
    throw nb::value_error(("a pass pipeline is expected, got '" + pipeline + "': " + message).c_str());
  auto manager = std::make_unique<PassManager>(context.context.get());
  static_cast<OpPassManager &>(*manager) = std::move(*parsed);
  // Verification takes as long as the passes. Modules of a frontend are verified once, in `Interruption::run`. Other
  // parsed modules may lead a pass to invalid ops, which the next pass must not process.
  manager->enableVerifier(context.hasUntrustedText);
  return {context.context, std::move(manager)};
}

/// Checks for Ctrl-C while passes run, before each pass and each pattern. After a signal handler has raised, no further
/// action runs, which is the only way to end a pipeline from outside.
class Interruption {
public:
  explicit Interruption(MLIRContext *context) : context(context) {
    context->registerActionHandler([this](llvm::function_ref<void()> run, const tracing::Action &) {
      if (!raised && ++actions % kActionsPerCheck == 0)
        check();
      if (!raised)
        run();
    });
  }
  ~Interruption() { context->registerActionHandler(nullptr); }
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// Runs passes without the GIL.
  LogicalResult run(PassManager &manager, Operation *op) {
    ScopedGILRelease here;
    released = &here;
    if (failed(manager.run(op)))
      return failure();
    return failure(!raised && failed(verify(op)));
  }

  bool hasRaised() const { return raised.has_value(); }
  /// Raises the exception of the signal handler. Called with the GIL held.
  [[noreturn]] void raise() { throw std::move(*raised); }

private:
  static constexpr unsigned kActionsPerCheck = 16;
  static constexpr auto kInterval = std::chrono::milliseconds(50);

  void check() {
    auto now = std::chrono::steady_clock::now();
    if (now - last < kInterval)
      return;
    released->callWithGIL([&] {
      nb::module_::import_("blockdsl._runtime").attr("stay_out_if_ending")();
      if (PyErr_CheckSignals() != 0)
        raised.emplace();
    });
    last = std::chrono::steady_clock::now();
  }

  MLIRContext *context;
  ScopedGILRelease *released = nullptr;
  unsigned actions = 0;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
  std::optional<nb::python_error> raised;
};

/// Collects the optimization remarks of passes, in the order in which they are emitted.
class RemarkCapture {
public:
  explicit RemarkCapture(MLIRContext *context) : context(context) {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = categories.analysis = categories.failed = ".*";
    if (failed(remark::enableOptimizationRemarks(*context, std::make_unique<Streamer>(remarks),
                                                 std::make_unique<remark::RemarkEmittingPolicyAll>(), categories)))
      throw std::runtime_error("the context takes no remarks");
  }
  ~RemarkCapture() { context->setRemarkEngine(nullptr); }
  RemarkCapture(const RemarkCapture &) = delete;
  RemarkCapture &operator=(const RemarkCapture &) = delete;

  /// Returns kind, name, category, text and location of each. Called with the GIL held.
  nb::list take() const {
    nb::list result;
    for (const StoredRemark &each : remarks)
      result.append(nb::make_tuple(each.kind, each.name, each.category, each.text, placeOf(each.location)));
    return result;
  }

private:
  struct StoredRemark {
    std::string kind, name, category, text;
    Location location;
  };
  struct Streamer : remark::detail::MLIRRemarkStreamerBase {
    explicit Streamer(std::vector<StoredRemark> &remarks) : remarks(remarks) {}
    void streamOptimizationRemark(const remark::detail::Remark &remark) override {
      std::string text;
      for (const auto &argument : remark.getArgs())
        text += argument.val;
      remarks.push_back({remark.getRemarkTypeString().lower(), remark.getRemarkName().str(),
                         remark.getCategoryName().str(), std::move(text), remark.getLocation()});
    }
    std::vector<StoredRemark> &remarks;
  };

  MLIRContext *context;
  std::vector<StoredRemark> remarks;
};

nb::list runPipeline(PyPassManager &self, const PyOperation &operation) {
  DiagnosticCapture capture(self.context.get());
  Interruption interruption(self.context.get());
  RemarkCapture remarks(self.context.get());
  LogicalResult result = interruption.run(*self.manager, operation.op);
  if (interruption.hasRaised())
    interruption.raise();
  if (failed(result))
    capture.raise("run");
  return remarks.take();
}

/// Verifies types in attributes, which MLIR's translation assumes to be LLVM types. A parsed module may have others.
LogicalResult verifyTypesOfLLVM(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) {
    if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return WalkResult::advance();
    for (NamedAttribute attribute : op->getAttrs())
      if (auto type = dyn_cast<TypeAttr>(attribute.getValue()); type && !LLVM::isCompatibleType(type.getValue())) {
        op->emitError() << "expects a type of LLVM's for '" << attribute.getName().getValue() << "', got " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Translates a module to LLVM IR. Returns null after emitting an error if it is invalid.
std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context) {
  if (failed(verifyTypesOfLLVM(module)))
    return nullptr;
  std::unique_ptr<llvm::Module> translated = translateModuleToLLVMIR(module, context);
  // No error has been emitted if LLVM's verifier has rejected the module.
  if (!translated)
    emitError(module.getLoc()) << "expects ops that are valid LLVM IR";
  return translated;
}

std::string toLLVMIR(PyModule &self) {
  DiagnosticCapture capture(self.context.get());
  std::string text;
  bool translated = false;
  {
    ScopedGILRelease released;
    llvm::LLVMContext llvmContext;
    if (auto module = translate(*self.module, llvmContext)) {
      llvm::raw_string_ostream stream(text);
      module->print(stream, nullptr);
      translated = true;
    }
  }
  if (!translated)
    capture.raise("run");
  return text;
}

std::string printTT(PyModule &self, const std::string &version, bool locations) {
  std::optional<TTVersion> target = parseTTVersion(version);
  if (!target)
    throw nb::value_error(("a version from 3.6 to 3.9 is expected, got '" + version + "'").c_str());
  std::string text;
  llvm::raw_string_ostream stream(text);
  printForTriton(self.module->getOperation(), *target, stream, locations);
  return text;
}

} // namespace

void bindPasses(nb::module_ &module) {
  nb::class_<PyPassManager>(module, "PassManager")
      .def_static("parse", parsePipeline, nb::arg("pipeline"), nb::arg("context"))
      .def("run", runPipeline, nb::arg("operation"))
      .def("__str__", [](PyPassManager &self) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        self.manager->printAsTextualPipeline(stream);
        return text;
      });
  module.def("to_llvm_ir", toLLVMIR, nb::arg("module"));
  module.def("print_tt", printTT, nb::arg("module"), nb::arg("version"), nb::arg("locations") = false);
}

} // namespace blockdsl
