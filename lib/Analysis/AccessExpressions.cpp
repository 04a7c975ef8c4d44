//===- AccessExpressions.cpp - Integers and pointers of a kernel as formulas -------------------------------------===//

#include "AccessExpressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using blockdsl::runtime::AccessOp;
using blockdsl::runtime::VariableKind;

namespace blockdsl {

/// Limits compile time. AccessBounds::encode keeps far fewer nodes.
static constexpr size_t kMaxNodes = 20000;

unsigned AccessExpressions::widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<IndexType>(element))
    return 64;
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

//===-- Nodes ---------------------------------------------------------------------------------------------------===//

std::optional<int64_t> AccessExpressions::constantOf(int64_t node) const {
  return nodes[node].op == AccessOp::Constant ? std::optional(nodes[node].operands[0]) : std::nullopt;
}

/// Folds an operation to one of its operands or a constant; kUnknown if it does not fold.
int64_t AccessExpressions::fold(AccessOp op, unsigned width, int64_t a, int64_t b, int64_t c) {
  if (op == AccessOp::Select) {
    std::optional<int64_t> condition = constantOf(a);
    return condition ? (*condition ? b : c) : b == c ? b : kUnknown;
  }
  std::optional<int64_t> left = constantOf(a), right = op == AccessOp::Fit ? std::nullopt : constantOf(b);
  int64_t value = 0;
  bool isExact = false;
  if (left && right) {
    if (op == AccessOp::Add)
      isExact = !llvm::AddOverflow(*left, *right, value);
    else if (op == AccessOp::Sub)
      isExact = !llvm::SubOverflow(*left, *right, value);
    else if (op == AccessOp::Mul)
      isExact = !llvm::MulOverflow(*left, *right, value);
    if (isExact && (width == 64 || llvm::isIntN(width, value)))
      return constant(width, value);
    return kUnknown;
  }
  if (width == 1 && (op == AccessOp::And || op == AccessOp::Or) && (left || right)) {
    int64_t known = left ? *left : *right, other = left ? b : a;
    bool isOther = (op == AccessOp::And) == (known == 1);
    return isOther ? other : constant(1, known);
  }
  if (width == 1 && op == AccessOp::Xor && (left || right)) {
    int64_t other = left ? b : a;
    return (left ? *left : *right) == 0 ? other : inverse(other);
  }
  bool adds = op == AccessOp::Add, multiplies = op == AccessOp::Mul;
  if ((adds && left == 0) || (multiplies && left == 1))
    return b;
  if (((adds || op == AccessOp::Sub) && right == 0) || (multiplies && right == 1))
    return a;
  if (multiplies && (left == 0 || right == 0))
    return constant(width, 0);
  return kUnknown;
}

/// Returns the negation of a comparison, disjunction or negation as a simpler condition; kUnknown for other bits.
int64_t AccessExpressions::inverse(int64_t bit) {
  const AccessNode node = nodes[bit];
  auto [a, b, c] = node.operands;
  switch (node.op) {
  case AccessOp::Constant:
    return constant(1, 1 - a);
  case AccessOp::Less:
    return make(AccessOp::LessEqual, 1, b, a);
  case AccessOp::LessEqual:
    return make(AccessOp::Less, 1, b, a);
  case AccessOp::ULess:
    return make(AccessOp::ULessEqual, 1, b, a);
  case AccessOp::ULessEqual:
    return make(AccessOp::ULess, 1, b, a);
  case AccessOp::Equal:
    return make(AccessOp::NotEqual, 1, a, b);
  case AccessOp::NotEqual:
    return make(AccessOp::Equal, 1, a, b);
  case AccessOp::Or:
    return make(AccessOp::And, 1, negate(a), negate(b));
  case AccessOp::Xor:
    return nodes[b].op == AccessOp::Constant && nodes[b].operands[0] == 1 ? a : kUnknown;
  default:
    return kUnknown;
  }
}

static bool isLeaf(AccessOp op) { return op <= AccessOp::Variable; }

int64_t AccessExpressions::make(AccessOp op, unsigned width, int64_t a, int64_t b, int64_t c) {
  if (!isLeaf(op)) {
    if (a == kUnknown || b == kUnknown || c == kUnknown || nodes.size() >= kMaxNodes)
      return kUnknown;
    if (op != AccessOp::ZExt)
      if (int64_t folded = fold(op, width, a, b, c); folded != kUnknown)
        return folded;
  }
  AccessNode node{op, width, {a, b, c}};
  auto [found, isNew] = known.try_emplace(node, static_cast<int64_t>(nodes.size()));
  if (isNew)
    nodes.push_back(node);
  return found->second;
}

int64_t AccessExpressions::variable(VariableKind kind, int64_t dimension, int64_t count, unsigned width) {
  if (count == kUnknown)
    return kUnknown;
  auto isSame = [&](const AccessVariable &other) {
    return other.kind == kind && other.dimension == dimension && other.count == count;
  };
  auto found = llvm::find_if(variables, isSame);
  int64_t number = found - variables.begin();
  if (found == variables.end())
    variables.push_back({kind, dimension, count});
  return make(AccessOp::Variable, width, number);
}

/// Narrows a node to `width` bits; the result has no value where it does not fit.
int64_t AccessExpressions::fit(int64_t node, unsigned width) {
  if (node == kUnknown || nodes[node].width <= width)
    return node;
  return make(AccessOp::Fit, width, node);
}

int64_t AccessExpressions::negate(int64_t bit) { return make(AccessOp::Xor, 1, bit, constant(1, 1)); }

AccessExpressions::Index AccessExpressions::lanes(ArrayRef<int64_t> shape) {
  Index index;
  for (auto [dimension, size] : llvm::enumerate(shape))
    index.push_back(size == 1 ? constant(32, 0)
                              : variable(VariableKind::Lane, static_cast<int64_t>(dimension), constant(32, size), 32));
  return index;
}

bool AccessExpressions::dependsOn(int64_t node, int64_t variable) const {
  SmallVector<int64_t> open{node};
  llvm::SmallDenseSet<int64_t> seen;
  while (!open.empty()) {
    int64_t next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    const AccessNode &each = nodes[next];
    if (each.op == AccessOp::Variable) {
      if (each.operands[0] == variable)
        return true;
      open.push_back(variables[each.operands[0]].count);
    }
    if (isLeaf(each.op))
      continue;
    open.push_back(each.operands[0]);
    if (each.op != AccessOp::Fit && each.op != AccessOp::ZExt)
      open.push_back(each.operands[1]);
    if (each.op == AccessOp::Select)
      open.push_back(each.operands[2]);
  }
  return false;
}

//===-- Integers ------------------------------------------------------------------------------------------------===//

int64_t AccessExpressions::integer(Value value, const Index &index) {
  if (widthOf(value.getType()) == 0 || depth > kMaxDepth || llvm::is_contained(index, kUnknown))
    return kUnknown;
  Key key(value.getAsOpaquePointer(), index);
  if (auto found = integers.find(key); found != integers.end())
    return found->second;
  Depth guard(depth);
  // Unknown during the recursion: a loop-carried value may be computed from itself.
  integers[key] = kUnknown;
  int64_t node = compute(value, index);
  integers[key] = node;
  return node;
}

std::optional<AccessExpressions::Index> AccessExpressions::sourceIndex(Operation *op, const Index &index) {
  int64_t zero = constant(32, 0);
  Index source;
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  if (isa<SplatOp>(op))
    return source;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type)
    return std::nullopt;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    source = index;
    source.erase(source.begin() + expand.getAxis());
  } else if (isa<BroadcastOp>(op)) {
    for (auto [size, node] : llvm::zip_equal(type.getShape(), index))
      source.push_back(size == 1 ? zero : node);
  } else if (auto trans = dyn_cast<TransOp>(op)) {
    source.assign(index.size(), zero);
    for (auto [result, from] : llvm::enumerate(trans.getOrder()))
      source[from] = index[result];
  } else if (isa<UnsplatOp>(op)) {
    source.assign(type.getRank(), zero);
  } else if (auto reshape = dyn_cast<ReshapeOp>(op); reshape && !reshape.getAllowReorder()) {
    // Only a reshape that adds or drops dimensions of size 1 is supported.
    SmallVector<int64_t> wide;
    SmallVector<int64_t> sizes;
    for (auto [dimension, size] : llvm::enumerate(cast<RankedTensorType>(reshape.getType()).getShape()))
      if (size != 1) {
        wide.push_back(index[dimension]);
        sizes.push_back(size);
      }
    size_t next = 0;
    for (int64_t size : type.getShape()) {
      if (size != 1 && (next == wide.size() || sizes[next] != size))
        return std::nullopt;
      source.push_back(size == 1 ? zero : wide[next++]);
    }
    if (next != wide.size())
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  return source;
}

int64_t AccessExpressions::compute(Value value, const Index &index) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, index);
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_Constant()))
    return ofConstant(value);
  if (auto id = dyn_cast<GetProgramIdOp>(op)) {
    auto axis = static_cast<int64_t>(id.getAxis());
    return variable(VariableKind::Program, axis, make(AccessOp::Grid, 32, axis), 32);
  }
  if (auto count = dyn_cast<GetNumProgramsOp>(op))
    return make(AccessOp::Grid, 32, static_cast<int64_t>(count.getAxis()));
  if (auto range = dyn_cast<MakeRangeOp>(op))
    return make(AccessOp::Add, 32, index[0], constant(32, static_cast<int64_t>(range.getStart())));
  if (std::optional<Index> source = sourceIndex(op, index))
    return integer(op->getOperand(0), *source);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carried(loop, cast<OpResult>(value).getResultNumber(), index, iterations(loop));
  if (isa<scf::IfOp>(op))
    return ofBranch(cast<OpResult>(value), index);
  if (isa<arith::CmpIOp>(op))
    return ofComparison(op, index);
  return isa<arith::ArithDialect>(op->getDialect()) ? ofArithmetic(op, index) : kUnknown;
}

int64_t AccessExpressions::ofConstant(Value value) {
  APInt scalar;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat() && isa<IntegerType>(elements.getElementType()))
    scalar = elements.getSplatValue<APInt>();
  else if (!matchPattern(value, m_ConstantInt(&scalar)))
    return kUnknown;
  unsigned width = widthOf(value.getType());
  return constant(width, width == 1 ? scalar.getZExtValue() : scalar.getSExtValue());
}

int64_t AccessExpressions::ofArgument(BlockArgument argument, const Index &index) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<FuncOp>(parent))
    return make(AccessOp::Argument, widthOf(argument.getType()), argument.getArgNumber());
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return kUnknown;
  int64_t turn = loopVariable(loop);
  if (argument != loop.getInductionVar())
    return carried(loop, argument.getArgNumber() - loop.getNumInductionVars(), index, turn);
  int64_t moved = make(AccessOp::Mul, 64, turn, integer(loop.getStep(), {}));
  return fit(make(AccessOp::Add, 64, integer(loop.getLowerBound(), {}), moved), widthOf(argument.getType()));
}

int64_t AccessExpressions::ofBranch(OpResult result, const Index &index) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  unsigned number = result.getResultNumber();
  return make(AccessOp::Select, widthOf(result.getType()), integer(branch.getCondition(), {}),
              integer(branch.thenYield().getOperand(number), index),
              integer(branch.elseYield().getOperand(number), index));
}

static std::optional<AccessOp> binary(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AccessOp>>(op)
      .Case<arith::AddIOp>([](auto) { return AccessOp::Add; })
      .Case<arith::SubIOp>([](auto) { return AccessOp::Sub; })
      .Case<arith::MulIOp>([](auto) { return AccessOp::Mul; })
      .Case<arith::DivSIOp>([](auto) { return AccessOp::DivS; })
      .Case<arith::DivUIOp>([](auto) { return AccessOp::DivU; })
      .Case<arith::RemSIOp>([](auto) { return AccessOp::RemS; })
      .Case<arith::RemUIOp>([](auto) { return AccessOp::RemU; })
      .Case<arith::MinSIOp>([](auto) { return AccessOp::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return AccessOp::MaxS; })
      .Case<arith::AndIOp>([](auto) { return AccessOp::And; })
      .Case<arith::OrIOp>([](auto) { return AccessOp::Or; })
      .Case<arith::XOrIOp>([](auto) { return AccessOp::Xor; })
      .Case<arith::ShLIOp>([](auto) { return AccessOp::Shl; })
      .Case<arith::ShRSIOp>([](auto) { return AccessOp::ShrS; })
      .Case<arith::ShRUIOp>([](auto) { return AccessOp::ShrU; })
      .Default([](auto) { return std::nullopt; });
}

int64_t AccessExpressions::ofArithmetic(Operation *op, const Index &index) {
  unsigned width = widthOf(op->getResult(0).getType());
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool isScalar = !isa<RankedTensorType>(select.getCondition().getType());
    return make(AccessOp::Select, width, integer(select.getCondition(), isScalar ? Index() : index),
                integer(select.getTrueValue(), index), integer(select.getFalseValue(), index));
  }
  int64_t first = integer(op->getOperand(0), index);
  if (first == kUnknown)
    return kUnknown;
  unsigned from = widthOf(op->getOperand(0).getType());
  // Nodes of one bit are 0 or 1.
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return from == 1 ? make(AccessOp::Sub, width, constant(width, 0), first) : fit(first, width);
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return from == 1 ? first : from < width ? make(AccessOp::ZExt, width, first, from) : fit(first, width);
  if (isa<arith::TruncIOp>(op))
    return width == 1 ? kUnknown : fit(first, width);
  std::optional<AccessOp> known = binary(op);
  bool isLogic = known == AccessOp::And || known == AccessOp::Or || known == AccessOp::Xor;
  if (!known || (width == 1 && !isLogic))
    return kUnknown;
  return make(*known, width, first, integer(op->getOperand(1), index));
}

int64_t AccessExpressions::ofComparison(Operation *op, const Index &index) {
  auto compare = cast<arith::CmpIOp>(op);
  // A signed i1 is 0 or -1, while nodes of one bit are 0 or 1.
  if (widthOf(compare.getLhs().getType()) == 1)
    return kUnknown;
  int64_t lhs = integer(compare.getLhs(), index), rhs = integer(compare.getRhs(), index);
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return make(AccessOp::Equal, 1, lhs, rhs);
  case arith::CmpIPredicate::ne:
    return make(AccessOp::NotEqual, 1, lhs, rhs);
  case arith::CmpIPredicate::slt:
    return make(AccessOp::Less, 1, lhs, rhs);
  case arith::CmpIPredicate::sle:
    return make(AccessOp::LessEqual, 1, lhs, rhs);
  case arith::CmpIPredicate::sgt:
    return make(AccessOp::Less, 1, rhs, lhs);
  case arith::CmpIPredicate::sge:
    return make(AccessOp::LessEqual, 1, rhs, lhs);
  case arith::CmpIPredicate::ult:
    return make(AccessOp::ULess, 1, lhs, rhs);
  case arith::CmpIPredicate::ule:
    return make(AccessOp::ULessEqual, 1, lhs, rhs);
  case arith::CmpIPredicate::ugt:
    return make(AccessOp::ULess, 1, rhs, lhs);
  case arith::CmpIPredicate::uge:
    return make(AccessOp::ULessEqual, 1, rhs, lhs);
  }
  llvm_unreachable("every predicate compares");
}

} // namespace blockdsl
