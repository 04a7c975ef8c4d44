//===- Across.cpp - What lies along another dimension than the lanes run ---===//

#include "Across.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Looks through the ops that a block is made of for as long as it is clear which element of their operands an element
/// needs. What it does not see through stays what it is, and is gathered.
class AcrossFinder {
public:
  AcrossFinder(Kernel &kernel, int laneDim, int dim) : kernel(kernel), laneDim(laneDim), dim(dim) {}

  void visitRoot(const View &view) { join({view}, Runs::Otherwise); }
  SmallVector<View> take() { return std::move(found); }

private:
  enum class Runs {
    Anyhow,    ///< reads nothing, or the same for all lanes
    Across,    ///< along the other dimension
    Otherwise, ///< along the lanes, or nowhere in particular
  };
  Runs visit(const View &view);
  Runs look(const View &view);
  Runs visitOperands(linalg::LinalgOp op, ArrayRef<int> loops);
  Runs join(ArrayRef<View> views, Runs self = Runs::Anyhow);
  Runs judge(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops, int64_t size) const;

  Kernel &kernel;
  int laneDim, dim;
  SmallVector<View> found;
  /// What is used several times is looked at once.
  std::map<std::pair<void *, SmallVector<int, 4>>, Runs> known;
};

AcrossFinder::Runs AcrossFinder::judge(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops,
                                       int64_t size) const {
  std::optional<int64_t> alongLanes = 0, across = 0;
  for (auto [stride, loop] : llvm::zip(strides, loops)) {
    if (loop == laneDim)
      alongLanes = stride;
    else if (loop == dim)
      across = stride;
  }
  if (alongLanes == 0)
    return across == 0 || across == size ? Runs::Anyhow : Runs::Otherwise;
  bool isNear = alongLanes && (std::abs(*alongLanes) == size || LaneEmitter::isReadApart(*alongLanes, size));
  return across == size && !isNear ? Runs::Across : Runs::Otherwise;
}

/// What operands, or a whole, have in common. Those that run across are found where no larger block does.
AcrossFinder::Runs AcrossFinder::join(ArrayRef<View> views, Runs self) {
  SmallVector<View> across;
  bool isWhole = self != Runs::Otherwise;
  for (const View &view : views) {
    Runs runs = visit(view);
    isWhole &= runs != Runs::Otherwise;
    if (runs == Runs::Across)
      across.push_back(view);
  }
  if (isWhole && !(self == Runs::Anyhow && across.empty()))
    return Runs::Across;
  if (isWhole)
    return Runs::Anyhow;
  for (View &view : across)
    if (llvm::none_of(found, [&](const View &other) { return other.block == view.block && other.loops == view.loops; }))
      found.push_back(view);
  return Runs::Otherwise;
}

AcrossFinder::Runs AcrossFinder::visitOperands(linalg::LinalgOp op, ArrayRef<int> loops) {
  Runs self = Runs::Anyhow;
  auto meet = [&](Runs runs) { self = std::max(self, runs); };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto load = dyn_cast<LoadOp>(inner))
      meet(judge(kernel.hints.getBodyStrides(op, load.getPtr()), loops, LaneEmitter::bytes(load.getType())));
    else if (isa<tensor::ExtractOp>(inner))
      return Runs::Otherwise;
  }
  SmallVector<View> views;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    View source{input->get(), {}};
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position && cast<AffineConstantExpr>(expr).getValue() != 0)
        meet(Runs::Otherwise); // a view looks at the first element
      source.loops.push_back(position ? loops[position.getPosition()] : -1);
    }
    views.push_back(source);
  }
  return join(views, self);
}

AcrossFinder::Runs AcrossFinder::visit(const View &view) {
  std::pair key(view.block.getAsOpaquePointer(), view.loops);
  if (auto seen = known.find(key); seen != known.end())
    return seen->second;
  Runs runs = look(view);
  known.try_emplace(std::move(key), runs);
  return runs;
}

AcrossFinder::Runs AcrossFinder::look(const View &view) {
  Operation *op = view.block.getDefiningOp();
  auto type = cast<RankedTensorType>(view.block.getType());
  if (kernel.getBuffer(view.block) || !op || !BufferPlan::isLazy(op)) {
    return judge(getBufferStrides(type), view.loops, 1);
  }
  // Which dimension of a reshaped block is which is clear as long as no two become one.
  auto reshaped = [&](Value source, ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> sizes, bool expands) {
    View result{source, SmallVector<int, 4>(cast<RankedTensorType>(source.getType()).getRank(), -1)};
    for (auto [index, group] : llvm::enumerate(groups)) {
      int64_t last = -1;
      for (int64_t axis : group) {
        if (sizes[axis] == 1)
          continue;
        if (last != -1)
          return Runs::Otherwise;
        last = axis;
      }
      if (last != -1)
        result.loops[expands ? index : last] = view.loops[expands ? last : index];
    }
    return join({result});
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return reshaped(expand.getSrc(), expand.getReassociationIndices(), type.getShape(), /*expands=*/true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return reshaped(collapse.getSrc(), collapse.getReassociationIndices(), collapse.getSrcType().getShape(),
                    /*expands=*/false);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Runs::Anyhow; // a constant
  SmallVector<int, 4> loops(linalgOp.getNumLoops(), -1);
  AffineMap map = linalgOp.getIndexingMapMatchingResult(cast<OpResult>(view.block));
  for (auto [loop, expr] : llvm::zip(view.loops, map.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = loop;
  return visitOperands(linalgOp, loops);
}

} // namespace

SmallVector<View> findAcross(Kernel &kernel, ArrayRef<View> blocks, int laneDim, int dim) {
  AcrossFinder finder(kernel, laneDim, dim);
  for (const View &view : blocks)
    finder.visitRoot(view);
  return finder.take();
}

} // namespace blockdsl
