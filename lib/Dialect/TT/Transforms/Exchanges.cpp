//===- Exchanges.cpp - Flattening of sorting networks -----------*- C++ -*-===//
// Triton's sorting networks work on blocks of shape [2, 2, ...], with one dimension for each bit of the index: each
// step is a loop nest of that depth. A block of one dimension has the same order of elements.
//===----------------------------------------------------------------------===//
#include "Exchanges.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// The least rank of blocks that are flattened. Loop nests of fewer dimensions are vectorized as they are.
constexpr int64_t kManyDimensions = 5;

static RankedTensorType typeOf(Value block) { return cast<RankedTensorType>(block.getType()); }

/// Returns the axis of extent 2 for which both positions in `sums` hold the xor of the two elements of `block`.
static std::optional<int64_t> axisOfSums(Value sums, Value block) {
  auto broadcast = sums.getDefiningOp<BroadcastOp>();
  auto expand = broadcast ? broadcast.getSrc().getDefiningOp<ExpandDimsOp>() : ExpandDimsOp();
  auto reduce = expand ? expand.getSrc().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || reduce->getNumOperands() != 1 || reduce->getOperand(0) != block)
    return std::nullopt;
  int64_t axis = reduce.getAxis();
  bool isXor = isa_and_nonnull<arith::XOrIOp>(getSimpleCombiner(reduce->getRegion(0)));
  bool isExchange = isXor && static_cast<int64_t>(expand.getAxis()) == axis && typeOf(block).getDimSize(axis) == 2;
  return isExchange ? std::optional(axis) : std::nullopt;
}

std::optional<Exchange> matchExchange(arith::XOrIOp op) {
  for (unsigned side : {0, 1})
    if (std::optional<int64_t> axis = axisOfSums(op->getOperand(1 - side), op->getOperand(side)))
      return Exchange{op->getOperand(side), *axis};
  return std::nullopt;
}

namespace {
/// The flat forms created so far in one block of ops for one shape, and whether they contain an exchange.
struct FlatForms {
  Block *block = nullptr;
  SmallVector<int64_t> shape;
  DenseMap<Value, Value> forms;
  bool hasExchange = false;
};

/// Creates the flat forms of blocks that are broadcast to one shape.
class Flattener {
public:
  Flattener(OpBuilder &builder, Location loc, FlatForms &known) : b(loc, builder), known(known), shape(known.shape) {}

  /// Returns `block`, broadcast to the shape, in one dimension, or null if it has no simple form.
  Value flatten(Value block);

private:
  Value make(Value block);
  Value makeReshaped(Value block, Value source);
  Value makeElementwise(Operation *op);
  Value exchange(const Exchange &exchange);
  Value index() { return MakeRangeOp::create(b, type(b.getI32Type()), 0, size()); }
  Value splat(int64_t number) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type(b.getI32Type()), b.getI32IntegerAttr(static_cast<int32_t>(number))));
  }
  int64_t size() const { return ShapedType::getNumElements(shape); }
  int64_t stride(int64_t axis) const { return ShapedType::getNumElements(shape.drop_front(axis + 1)); }
  RankedTensorType type(Type element) const { return RankedTensorType::get({size()}, element); }

  ImplicitLocOpBuilder b;
  FlatForms &known;
  ArrayRef<int64_t> shape;
};
} // namespace

Value Flattener::flatten(Value block) {
  if (auto found = known.forms.find(block); found != known.forms.end())
    return found->second;
  Value flat = make(block);
  known.forms[block] = flat;
  return flat;
}

Value Flattener::make(Value block) {
  DenseElementsAttr constant;
  if (matchPattern(block, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, constant.resizeSplat(type(constant.getElementType())));
  Operation *op = block.getDefiningOp();
  if (auto splat = dyn_cast_or_null<SplatOp>(op))
    return SplatOp::create(b, type(splat.getSrc().getType()), splat.getSrc());
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    if (Value flat = flatten(broadcast.getSrc()))
      return flat;
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op); reshape && !reshape.getAllowReorder())
    return makeReshaped(block, reshape.getSrc());
  if (auto expand = dyn_cast_or_null<ExpandDimsOp>(op))
    return makeReshaped(block, expand.getSrc());
  if (auto both = dyn_cast_or_null<arith::XOrIOp>(op))
    if (std::optional<Exchange> found = matchExchange(both); found && typeOf(block).getShape() == shape)
      return exchange(*found);
  if (op && op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
      op->hasTrait<mlir::OpTrait::Elementwise>())
    return makeElementwise(op);
  return makeReshaped(block, block);
}

/// Flattens `block`, which is a reshape of `source`: a block of the whole shape, or a range along one axis, which
/// becomes bits of the flat index.
Value Flattener::makeReshaped(Value block, Value source) {
  ArrayRef<int64_t> extents = typeOf(block).getShape();
  if (extents == shape)
    return ReshapeOp::create(b, type(typeOf(block).getElementType()), source, /*allow_reorder=*/false,
                             /*efficient_layout=*/false);
  int64_t axis = llvm::find_if(extents, [](int64_t extent) { return extent != 1; }) - extents.begin();
  while (auto reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getSrc();
  auto range = source.getDefiningOp<MakeRangeOp>();
  if (!range || range.getStart() != 0 || axis == static_cast<int64_t>(extents.size()) ||
      extents.size() != shape.size() || typeOf(range).getNumElements() != shape[axis] || extents[axis] != shape[axis] ||
      !llvm::isPowerOf2_64(shape[axis]) || !llvm::isPowerOf2_64(stride(axis)))
    return {};
  Value bits = arith::ShRUIOp::create(b, index(), splat(llvm::Log2_64(stride(axis))));
  return arith::AndIOp::create(b, bits, splat(shape[axis] - 1));
}

Value Flattener::makeElementwise(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value flat = isa<RankedTensorType>(operand.getType()) ? flatten(operand) : operand;
    if (!flat)
      return {};
    operands.push_back(flat);
  }
  OperationState state(op->getLoc(), op->getName(), operands, type(getElementTypeOrSelf(op->getResult(0))),
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

Value Flattener::exchange(const Exchange &exchange) {
  Value source = flatten(exchange.block);
  if (!source)
    return {};
  known.hasExchange = true;
  Value partner = arith::XOrIOp::create(b, index(), splat(stride(exchange.axis)));
  return GatherOp::create(b, typeOf(source), source, partner, /*axis=*/0, /*efficient_layout=*/false);
}

/// Returns the only user of `value` if it is an `Op`, or null.
template <typename Op> static Op userOf(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// Returns true if the reduction belongs to an exchange.
static bool belongsToExchange(ReduceOp op) {
  auto expand = op->getNumResults() == 1 ? userOf<ExpandDimsOp>(op->getResult(0)) : ExpandDimsOp();
  auto broadcast = expand ? userOf<BroadcastOp>(expand.getResult()) : BroadcastOp();
  auto either = broadcast ? userOf<arith::XOrIOp>(broadcast.getResult()) : arith::XOrIOp();
  return either && matchExchange(either);
}

/// Returns the operands at which networks end: those of reductions, and of reshapes to fewer dimensions.
static SmallVector<OpOperand *> findResults(Operation *root) {
  SmallVector<OpOperand *> results;
  root->walk([&](Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    auto reshape = dyn_cast<ReshapeOp>(op);
    if ((!reduce || belongsToExchange(reduce)) && !reshape)
      return;
    for (OpOperand &operand : op->getOpOperands())
      if (int64_t rank = typeOf(operand.get()).getRank();
          rank >= kManyDimensions && (reduce || reshape.getType().getRank() < rank))
        results.push_back(&operand);
  });
  return results;
}

void flattenExchanges(Operation *root) {
  FlatForms known;
  for (OpOperand *result : findResults(root)) {
    Operation *op = result->getOwner();
    RankedTensorType type = typeOf(result->get());
    // Created directly before their first user, flat forms dominate later users in the same block.
    if (op->getBlock() != known.block || type.getShape() != ArrayRef(known.shape)) {
      known = FlatForms();
      known.block = op->getBlock();
      known.shape.assign(type.getShape().begin(), type.getShape().end());
    }
    OpBuilder builder(op);
    Value flat = Flattener(builder, op->getLoc(), known).flatten(result->get());
    if (!flat || !known.hasExchange)
      continue;
    result->set(isa<ReshapeOp>(op) ? flat
                                   : ReshapeOp::create(builder, op->getLoc(), type, flat, /*allow_reorder=*/false,
                                                       /*efficient_layout=*/false));
  }
}

} // namespace blockdsl
