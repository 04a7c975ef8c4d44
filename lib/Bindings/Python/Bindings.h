//===- Bindings.h - What the files of blockdsl._native share ----*- C++ -*-===//
// The Python objects around MLIR's, and the capture of diagnostics. No op and no pass is named in this room.
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

/// A context. Modules keep theirs alive.
struct PyContext {
  PyContext();
  std::shared_ptr<mlir::MLIRContext> context;
  bool hasText = false; ///< Modules in it were parsed: they may hold what our front end would not build.
};

/// A module. Whatever is handed out of it, an operation or an attribute, keeps it and its context alive.
struct PyModule {
  PyModule(std::shared_ptr<mlir::MLIRContext> context, mlir::ModuleOp op)
      : context(context), module(new mlir::ModuleOp(op), [context](mlir::ModuleOp *op) {
          op->erase();
          delete op;
        }) {}
  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<mlir::ModuleOp> module;
};

/// An op of a module. Ops under construction have no owner: the builder's user keeps them.
struct PyOperation {
  mlir::Operation *op;
  std::shared_ptr<void> owner;
};

struct PyAttribute {
  mlir::Attribute attribute;
  std::shared_ptr<void> owner;
};

/// One diagnostic as Python sees it: `(severity, message, file, line, column, end column, function, callers)`.
struct Diagnosis {
  std::string severity, message, file, function;
  unsigned line = 0, column = 0, endColumn = 0;
  std::vector<std::string> callers;
};

/// Collects the diagnostics of a context while it lives; nothing reaches stderr.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(mlir::MLIRContext *context);

  /// Raises the exception of blockdsl.errors that fits what was collected. `stage` is "parse", "verify" or "run".
  /// Call it with the interpreter's lock held.
  [[noreturn]] void raise(const char *stage) const;

private:
  std::vector<Diagnosis> collected;
  mlir::ScopedDiagnosticHandler handler;
};

/// A location as Python sees it: `(file, line, column, end column, function, callers)`.
nanobind::object placeOf(mlir::Location location);

void bindIR(nanobind::module_ &module);
void bindDiagnostics(nanobind::module_ &module);
void bindBuilder(nanobind::module_ &module);
void bindKernelSignature(nanobind::module_ &module);
void bindCrashReport(nanobind::module_ &module);
void bindPasses(nanobind::module_ &module);

} // namespace blockdsl

#endif // BLOCKDSL_BINDINGS_PYTHON_BINDINGS_H
