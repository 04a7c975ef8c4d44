//===- Bindings.h - Common declarations of the extension module blockdsl._native -*- C++ -*-===//
// Python objects that wrap MLIR's, and the capture of diagnostics. Independent of particular ops and passes.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_BINDINGS_PYTHON_BINDINGS_H
#define BLOCKDSL_BINDINGS_PYTHON_BINDINGS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace blockdsl {

/// A context. Modules keep their context alive.
struct PyContext {
  PyContext();
  std::shared_ptr<mlir::MLIRContext> context;
  /// Whether it has parsed modules that may contain ops which no frontend builds.
  bool hasUntrustedText = false;
};

/// A module. Operations and attributes of it keep it and its context alive.
struct PyModule {
  PyModule(std::shared_ptr<mlir::MLIRContext> context, mlir::ModuleOp op)
      : context(context), module(new mlir::ModuleOp(op), [context](mlir::ModuleOp *op) {
          op->erase();
          delete op;
        }) {}
  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<mlir::ModuleOp> module;
};

/// An op of a module. Ops under construction have no owner; the user of the builder keeps them alive.
struct PyOperation {
  mlir::Operation *op;
  std::shared_ptr<void> owner;
};

struct PyAttribute {
  mlir::Attribute attribute;
  std::shared_ptr<void> owner;
};

/// A diagnostic, in Python `(severity, message, file, line, column, end column, function, callers)`.
struct Diagnosis {
  std::string severity, message, file, function;
  unsigned line = 0, column = 0, endColumn = 0;
  std::vector<std::string> callers;
};

/// Collects the diagnostics of a context in a scope instead of printing them.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(mlir::MLIRContext *context);

  /// Raises the collected diagnostics as an exception of blockdsl.errors. `stage` is "parse", "verify" or "run". Called
  /// with the GIL held.
  [[noreturn]] void raise(const char *stage) const;

private:
  std::vector<Diagnosis> collected;
  mlir::ScopedDiagnosticHandler handler;
};

/// Converts a location to `(file, line, column, end column, function, callers)`.
nanobind::object placeOf(mlir::Location location);

void bindIR(nanobind::module_ &module);
void bindDiagnostics(nanobind::module_ &module);
void bindBuilder(nanobind::module_ &module);
void bindKernelSignature(nanobind::module_ &module);
void bindCrashReport(nanobind::module_ &module);
void bindPasses(nanobind::module_ &module);

} // namespace blockdsl

#endif // BLOCKDSL_BINDINGS_PYTHON_BINDINGS_H
