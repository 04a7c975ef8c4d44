//===- CacheHints.cpp - Parsing and printing of cache hints -----*- C++ -*-===//
#include "CacheHints.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"

using namespace mlir;
using namespace blockdsl;

ParseResult blockdsl::parseCacheHints(OpAsmParser &parser, OperationState &result) {
  std::optional<CacheModifier> modifier;
  std::optional<EvictionPolicy> eviction;
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word, {"cacheModifier", "evictionPolicy"}))) {
    StringRef value;
    SMLoc where;
    if (parser.parseEqual() || (where = parser.getCurrentLocation(), parser.parseKeyword(&value)))
      return failure();
    if (word == "cacheModifier" && !(modifier = symbolizeCacheModifier(value)))
      return parser.emitError(where) << "expects cache modifier (" << value << ") to be none, ca, cg, wb, cs, wt or cv";
    if (word == "evictionPolicy" && !(eviction = symbolizeEvictionPolicy(value)))
      return parser.emitError(where) << "expects eviction policy (" << value
                                     << ") to be evict_normal, evict_first or evict_last";
  }
  if (modifier || eviction)
    result.addAttribute("cachePolicy", CachePolicyAttr::get(parser.getContext(), modifier.value_or(CacheModifier::None),
                                                            eviction.value_or(EvictionPolicy::Normal)));
  return success();
}

void blockdsl::printAttributes(OpAsmPrinter &printer, Operation *op, CachePolicyAttr policy,
                               SmallVector<StringRef> elided) {
  if (policy && getPrintVersion() != TTVersion::V3_9) {
    elided.push_back("cachePolicy");
    if (policy.getCacheModifier() != CacheModifier::None)
      printer << " cacheModifier = " << stringifyCacheModifier(policy.getCacheModifier());
    if (policy.getEvictionPolicy() != EvictionPolicy::Normal)
      printer << " evictionPolicy = " << stringifyEvictionPolicy(policy.getEvictionPolicy());
  }
  printer.printOptionalAttrDict(op->getAttrs(), elided);
}
