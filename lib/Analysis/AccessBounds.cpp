//===- AccessBounds.cpp - Offsets of a kernel's accesses as formulas ---------------------------------------------===//

#include "blockdsl/Analysis/AccessBounds.h"

#include "AccessExpressions.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace mlir;
using blockdsl::runtime::AccessKind;
using blockdsl::runtime::AccessOp;
using blockdsl::runtime::VariableKind;

namespace blockdsl {

/// Limits on the encoded formulas, which are evaluated at each launch with new arguments.
static constexpr size_t kMostKeptNodes = 256, kMostKeptAccesses = 64;

bool AccessNode::operator<(const AccessNode &other) const {
  return std::tie(op, width, operands[0], operands[1], operands[2]) <
         std::tie(other.op, other.width, other.operands[0], other.operands[1], other.operands[2]);
}

/// Returns how many operands of a node are nodes.
static unsigned countOperands(AccessOp op) {
  if (op <= AccessOp::Variable)
    return 0;
  return op == AccessOp::Fit || op == AccessOp::ZExt ? 1 : op == AccessOp::Select ? 3 : 2;
}

//===-- Finding accesses ----------------------------------------------------------------------------------------===//

static Value maskOf(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getMask();
  if (auto update = dyn_cast<AtomicRMWOp>(op))
    return update.getMask();
  if (auto load = dyn_cast<AtomicLoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<AtomicStoreOp>(op))
    return store.getMask();
  return {};
}

namespace {

/// Finds the formula of an access, or the reason why it has none.
class Finder {
public:
  using Index = AccessExpressions::Index;
  static constexpr int64_t kUnknown = AccessExpressions::kUnknown;

  Finder(std::vector<AccessNode> &nodes, std::vector<AccessVariable> &variables)
      : nodes(nodes), expressions(nodes, variables) {}

  std::string find(Access &access) {
    Value pointer = access.op->getOperand(0);
    auto type = dyn_cast<PtrType>(getElementTypeOrSelf(pointer.getType()));
    if (!type || type.isBlockPointer())
      return "its pointer is none to elements";
    Type pointee = type.getPointeeType();
    access.elementBytes = pointee.isIntOrFloat() ? std::max<int64_t>(1, pointee.getIntOrFloatBitWidth() / 8) : 8;
    auto block = dyn_cast<RankedTensorType>(pointer.getType());
    access.rank = block ? block.getRank() : 0;
    Index index = block ? expressions.lanes(block.getShape()) : Index();
    PointerFormula formula = expressions.pointer(pointer, index);
    if (!formula.base)
      return "its offset follows from data, or is not of one argument";
    access.argument = cast<BlockArgument>(formula.base).getArgNumber();
    access.offset = formula.offset;
    if (std::string reason = addSurroundings(access); !reason.empty())
      return reason;
    if (Value mask = maskOf(access.op)) {
      int64_t bit = expressions.integer(mask, isa<RankedTensorType>(mask.getType()) ? index : Index());
      if (bit == kUnknown)
        return "its mask follows from data";
      addCondition(access, bit);
    }
    auto isFalse = [&](int64_t bit) { return nodes[bit].op == AccessOp::Constant && nodes[bit].operands[0] == 0; };
    return llvm::any_of(access.conditions, isFalse) ? "it never happens" : "";
  }

private:
  /// Adds a condition. A conjunction is split into its operands.
  void addCondition(Access &access, int64_t bit) {
    const AccessNode node = nodes[bit];
    if (node.op == AccessOp::And) {
      addCondition(access, node.operands[0]);
      addCondition(access, node.operands[1]);
    } else if (node.op != AccessOp::Constant || node.operands[0] == 0) {
      if (!llvm::is_contained(access.conditions, bit))
        access.conditions.push_back(bit);
    }
  }

  /// Adds the conditions of the branches and the variables of the loops around an access.
  std::string addSurroundings(Access &access) {
    Operation *inner = access.op;
    for (Operation *outer = inner->getParentOp(); !isa<FuncOp>(outer); inner = outer, outer = outer->getParentOp()) {
      if (auto branch = dyn_cast<scf::IfOp>(outer)) {
        int64_t bit = expressions.integer(branch.getCondition(), {});
        if (bit == kUnknown)
          return "it is in a branch whose condition follows from data";
        bool isThen = branch.getThenRegion().isAncestor(inner->getParentRegion());
        addCondition(access, isThen ? bit : expressions.negate(bit));
      } else if (auto loop = dyn_cast<scf::ForOp>(outer)) {
        int64_t iteration = expressions.loopVariable(loop);
        if (iteration == kUnknown)
          return "it is in a loop whose bounds follow from data";
        access.loops.push_back(nodes[iteration].operands[0]);
      } else {
        return "it is in '" + outer->getName().getStringRef().str() + "'";
      }
    }
    return inner->getBlock()->isEntryBlock() && llvm::hasSingleElement(*inner->getParentRegion())
               ? ""
               : "its function has several blocks";
  }

  std::vector<AccessNode> &nodes;
  AccessExpressions expressions;
};

} // namespace

static std::optional<AccessKind> kindOf(Operation *op) {
  if (isa<LoadOp>(op))
    return AccessKind::Load;
  if (isa<StoreOp>(op))
    return AccessKind::Store;
  return isAtomic(op) ? std::optional(AccessKind::Atomic) : std::nullopt;
}

/// Returns true if a loop around `op` contains an assertion: it precedes `op` from the second iteration on.
static bool isBehindAssertionOfLoop(Operation *op) {
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (loop->walk([](AssertOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return true;
  return false;
}

AccessBounds::AccessBounds(FuncOp kernel) {
  Finder finder(nodes, variables);
  bool hasAssertion = false;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    hasAssertion |= isa<AssertOp>(op);
    std::optional<AccessKind> kind = kindOf(op);
    if (!kind)
      return;
    Access access{op, *kind, {}};
    // A failing assertion is reported instead of the access, so the access gets no formula.
    access.reason = hasAssertion || isBehindAssertionOfLoop(op) ? "an assertion comes before it" : finder.find(access);
    accesses.push_back(std::move(access));
  });
}

//===-- Encoding ------------------------------------------------------------------------------------------------===//

namespace {

/// The nodes and variables of the encoded formulas.
struct Kept {
  llvm::SmallDenseSet<int64_t> nodes;
  llvm::SmallSetVector<int64_t, 8> variables;

  void add(int64_t node, ArrayRef<AccessNode> all, ArrayRef<AccessVariable> allVariables) {
    if (!nodes.insert(node).second)
      return;
    const AccessNode &each = all[node];
    if (each.op == AccessOp::Variable)
      addVariable(each.operands[0], all, allVariables);
    for (unsigned i = 0; i < countOperands(each.op); ++i)
      add(each.operands[i], all, allVariables);
  }
  void addVariable(int64_t variable, ArrayRef<AccessNode> all, ArrayRef<AccessVariable> allVariables) {
    if (variables.insert(variable))
      add(allVariables[variable].count, all, allVariables);
  }
};

} // namespace

static bool isSameFormula(const Access &one, const Access &other) {
  return one.argument == other.argument && one.elementBytes == other.elementBytes && one.offset == other.offset &&
         one.loops == other.loops && one.conditions == other.conditions;
}

std::vector<int64_t> AccessBounds::encode(SmallVectorImpl<Operation *> &ops) const {
  Kept kept;
  SmallVector<const Access *> chosen;
  for (const Access &access : accesses) {
    if (!access.reason.empty() || static_cast<size_t>(access.rank) > runtime::kMaxAccessRank ||
        chosen.size() == kMostKeptAccesses ||
        llvm::any_of(chosen, [&](const Access *other) { return isSameFormula(*other, access); }))
      continue;
    Kept more = kept;
    more.add(access.offset, nodes, variables);
    for (int64_t loop : access.loops)
      more.addVariable(loop, nodes, variables);
    for (int64_t condition : access.conditions)
      more.add(condition, nodes, variables);
    if (more.nodes.size() > kMostKeptNodes || more.variables.size() > runtime::kMaxAccessVariables)
      continue;
    kept = std::move(more);
    chosen.push_back(&access);
    ops.push_back(access.op);
  }
  if (chosen.empty())
    return {};

  SmallVector<int64_t> order(kept.nodes.begin(), kept.nodes.end());
  llvm::sort(order);
  llvm::DenseMap<int64_t, int64_t> nodeNumbers, variableNumbers;
  for (auto [number, node] : llvm::enumerate(order))
    nodeNumbers[node] = static_cast<int64_t>(number);
  SmallVector<int64_t> used = kept.variables.takeVector();
  llvm::sort(used);
  for (auto [number, variable] : llvm::enumerate(used))
    variableNumbers[variable] = static_cast<int64_t>(number);

  std::vector<int64_t> code{runtime::kAccessVersion, static_cast<int64_t>(order.size()),
                            static_cast<int64_t>(used.size()), static_cast<int64_t>(chosen.size())};
  for (int64_t node : order) {
    AccessNode each = nodes[node];
    if (each.op == AccessOp::Variable)
      each.operands[0] = variableNumbers[each.operands[0]];
    for (unsigned i = 0; i < countOperands(each.op); ++i)
      each.operands[i] = nodeNumbers[each.operands[i]];
    llvm::append_values(code, static_cast<int64_t>(each.op), static_cast<int64_t>(each.width), each.operands[0],
                        each.operands[1], each.operands[2]);
  }
  for (int64_t variable : used)
    llvm::append_values(code, static_cast<int64_t>(variables[variable].kind), variables[variable].dimension,
                        nodeNumbers[variables[variable].count]);
  for (const Access *access : chosen) {
    llvm::append_values(code, static_cast<int64_t>(access->kind), static_cast<int64_t>(access->argument),
                        access->elementBytes, access->rank, nodeNumbers[access->offset],
                        static_cast<int64_t>(access->loops.size()), static_cast<int64_t>(access->conditions.size()));
    for (int64_t loop : access->loops)
      code.push_back(variableNumbers[loop]);
    for (int64_t condition : access->conditions)
      code.push_back(nodeNumbers[condition]);
  }
  return code;
}

//===-- Printing ------------------------------------------------------------------------------------------------===//

static StringRef symbolOf(AccessOp op) {
  static constexpr StringRef symbols[] = {"",     "",    "",    "",  "+",  "-",  "*",   "/",     "/u",  "%",
                                          "%u",   "min", "max", "&", "|",  "^",  "<<",  ">>",    ">>u", "zext",
                                          "fits", "==",  "!=",  "<", "<=", "<u", "<=u", "select"};
  static_assert(std::size(symbols) == runtime::kAccessOps);
  return symbols[static_cast<int64_t>(op)];
}

static std::string nameOf(const AccessVariable &variable) {
  switch (variable.kind) {
  case VariableKind::Lane:
    return "lane" + std::to_string(variable.dimension);
  case VariableKind::Program:
    return std::string("program_") + "xyz"[variable.dimension];
  case VariableKind::Loop:
    return "loop" + std::to_string(variable.dimension);
  }
  llvm_unreachable("every variable has a kind");
}

std::string AccessBounds::print(int64_t number) const {
  const AccessNode &node = nodes[number];
  switch (node.op) {
  case AccessOp::Constant:
    return std::to_string(node.operands[0]);
  case AccessOp::Argument:
    return "argument" + std::to_string(node.operands[0]);
  case AccessOp::Grid:
    return std::string("programs_") + "xyz"[node.operands[0]];
  case AccessOp::Variable:
    return nameOf(variables[node.operands[0]]);
  case AccessOp::Fit:
    return "i" + std::to_string(node.width) + "(" + print(node.operands[0]) + ")";
  case AccessOp::ZExt:
    return "unsigned(" + print(node.operands[0]) + ")";
  case AccessOp::Select:
    return "(" + print(node.operands[0]) + " ? " + print(node.operands[1]) + " : " + print(node.operands[2]) + ")";
  default:
    return "(" + print(node.operands[0]) + " " + symbolOf(node.op).str() + " " + print(node.operands[1]) + ")";
  }
}

std::string AccessBounds::print(const Access &access) const {
  if (!access.reason.empty())
    return "unknown: " + access.reason;
  Kept used;
  used.add(access.offset, nodes, variables);
  for (int64_t loop : access.loops)
    used.addVariable(loop, nodes, variables);
  for (int64_t condition : access.conditions)
    used.add(condition, nodes, variables);
  std::string text = "argument" + std::to_string(access.argument) + " at byte " + print(access.offset);
  SmallVector<int64_t> order = used.variables.takeVector();
  llvm::sort(order);
  for (int64_t variable : order)
    text += ", " + nameOf(variables[variable]) + " < " + print(variables[variable].count);
  for (int64_t condition : access.conditions)
    text += ", if " + print(condition);
  return text;
}

} // namespace blockdsl
