//===- TritonText.cpp - Text for Triton's versions --------------*- C++ -*-===//
// The version that a thread prints for, and the barrier op, whose name depends on it. Printers of types and attributes
// that depend on it call getPrintVersion().
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace blockdsl;

#include "blockdsl/Dialect/TT/IR/BarrierEnums.cpp.inc"
#include "blockdsl/Dialect/TT/IR/TTGDialect.cpp.inc"

/// Parses `local|global_write`. TableGen would print a bit set as one quoted string.
static ParseResult parseBarrierScope(OpAsmParser &parser, BarrierScopeAttr &scope) {
  BarrierScope all = BarrierScope::None;
  do {
    StringRef word;
    SMLoc where = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<BarrierScope> one = symbolizeBarrierScope(word);
    if (!one)
      return parser.emitError(where) << "expects scope of the barrier (" << word << ") to be all, none, local, "
                                     << "global_read, global_write, tensor_read or tensor_write";
    all = all | *one;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  scope = BarrierScopeAttr::get(parser.getContext(), all);
  return success();
}

static void printBarrierScope(OpAsmPrinter &printer, BarrierOp, BarrierScopeAttr scope) {
  printer << stringifyBarrierScope(scope.getValue());
}

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/BarrierOps.cpp.inc"

// Thread-local, because printers take no user state, and one context may print for several versions at once.
static thread_local TTVersion printVersion = TTVersion::V3_9;

std::optional<TTVersion> blockdsl::parseTTVersion(StringRef text) {
  return llvm::StringSwitch<std::optional<TTVersion>>(text)
      .Case("3.6", TTVersion::V3_6)
      .Case("3.7", TTVersion::V3_7)
      .Case("3.8", TTVersion::V3_8)
      .Case("3.9", TTVersion::V3_9)
      .Default(std::nullopt);
}

std::optional<TTVersion> blockdsl::parseTTVersion(StringRef text, Operation *op) {
  std::optional<TTVersion> known = parseTTVersion(text);
  if (!known)
    op->emitError("expects version 3.6 to 3.9, got ") << text;
  return known;
}

PrintVersionScope::PrintVersionScope(TTVersion version) : outer(printVersion) { printVersion = version; }

PrintVersionScope::~PrintVersionScope() { printVersion = outer; }

TTVersion blockdsl::getPrintVersion() { return printVersion; }

/// Returns the start of a location range, without names. Triton prints and uses nothing else.
static Location getPoint(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(getPoint(call.getCallee()), getPoint(call.getCaller()));
  if (auto name = dyn_cast<NameLoc>(location))
    return getPoint(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location); fused && !fused.getLocations().empty())
    return getPoint(fused.getLocations().front());
  if (auto range = dyn_cast<FileLineColRange>(location))
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn());
  return location;
}

static OwningOpRef<Operation *> cloneWithPoints(Operation *op) {
  OwningOpRef<Operation *> copy = op->clone();
  copy->walk([](Operation *each) {
    each->setLoc(getPoint(each->getLoc()));
    for (Region &region : each->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(getPoint(argument.getLoc()));
  });
  return copy;
}

void blockdsl::printForTriton(Operation *op, TTVersion version, raw_ostream &out, bool locations) {
  PrintVersionScope scope(version);
  if (locations)
    cloneWithPoints(op)->print(out, OpPrintingFlags().enableDebugInfo());
  else
    op->print(out);
  out << '\n';
}

namespace {
/// Allows functions with barriers to be inlined.
struct TTGInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void TTGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/BarrierOps.cpp.inc"
      >();
  addInterfaces<TTGInlinerInterface>();
}

OperationName::PrintAssemblyFn BarrierOp::getPrintAssemblyFn() {
  return [](Operation *op, OpAsmPrinter &printer, StringRef defaultDialect) {
    if (getPrintVersion() == TTVersion::V3_6) {
      printer << "gpu.barrier";
      return;
    }
    printOpName(op, printer, defaultDialect);
    cast<BarrierOp>(op).print(printer);
  };
}
