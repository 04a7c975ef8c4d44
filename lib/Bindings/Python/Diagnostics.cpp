//===- Diagnostics.cpp - MLIR's diagnostics as Python exceptions -*- C++ -*-===//
// Locations are converted to file, line, column, function name and inlined calls.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "GIL.h"

using namespace mlir;
namespace nb = nanobind;

namespace blockdsl {

/// Reads the innermost position of a location. Callers of inlined functions are listed from the inside out.
static void readLocation(Location location, Diagnosis &diagnosis) {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    readLocation(call.getCallee(), diagnosis);
    Diagnosis caller;
    readLocation(call.getCaller(), caller);
    diagnosis.callers.push_back(caller.file + ":" + std::to_string(caller.line) + ":" + std::to_string(caller.column));
    diagnosis.callers.insert(diagnosis.callers.end(), caller.callers.begin(), caller.callers.end());
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    readLocation(name.getChildLoc(), diagnosis);
    diagnosis.function = name.getName().str();
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    if (!fused.getLocations().empty())
      readLocation(fused.getLocations().front(), diagnosis);
  } else if (auto range = dyn_cast<FileLineColRange>(location)) {
    diagnosis.file = range.getFilename().str();
    diagnosis.line = range.getStartLine();
    diagnosis.column = range.getStartColumn();
    diagnosis.endColumn = range.getEndLine() == range.getStartLine() ? range.getEndColumn() : 0;
  }
}

nb::object placeOf(Location location) {
  Diagnosis diagnosis;
  readLocation(location, diagnosis);
  return nb::make_tuple(diagnosis.file, diagnosis.line, diagnosis.column, diagnosis.endColumn, diagnosis.function,
                        diagnosis.callers);
}

static const char *severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

static Diagnosis readDiagnostic(const Diagnostic &diagnostic) {
  Diagnosis diagnosis;
  diagnosis.severity = severityName(diagnostic.getSeverity());
  diagnosis.message = diagnostic.str();
  readLocation(diagnostic.getLocation(), diagnosis);
  return diagnosis;
}

DiagnosticCapture::DiagnosticCapture(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        collected.push_back(readDiagnostic(diagnostic));
        for (const Diagnostic &note : diagnostic.getNotes())
          collected.push_back(readDiagnostic(note));
        return success();
      }) {}

void DiagnosticCapture::raise(const char *stage) const {
  nb::list list;
  for (const Diagnosis &one : collected)
    list.append(nb::make_tuple(one.severity, one.message, one.file, one.line, one.column, one.endColumn, one.function,
                               one.callers));
  nb::object error =
      callPython([&] { return nb::module_::import_("blockdsl.mlir.diagnostics").attr("error_of")(stage, list); });
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

/// Returns `(column, end column, function, callers)` of the op at this position, or else of the first op on its line,
/// because line tables of optimized code have inexact columns. Returns None if there is no such op.
static nb::object findPlace(PyModule &self, const std::string &file, unsigned line, unsigned column) {
  std::optional<Diagnosis> found;
  self.module->walk([&](Operation *op) {
    Diagnosis candidate;
    readLocation(op->getLoc(), candidate);
    if (candidate.file != file || candidate.line != line)
      return WalkResult::advance();
    bool exact = candidate.column == column;
    if (exact || !found)
      found = candidate;
    return exact ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return nb::none();
  return nb::make_tuple(found->column, found->endColumn, found->function, found->callers);
}

void bindDiagnostics(nb::module_ &module) {
  module.def("find_place", findPlace, nb::arg("module"), nb::arg("file"), nb::arg("line"), nb::arg("column"));
}

} // namespace blockdsl
