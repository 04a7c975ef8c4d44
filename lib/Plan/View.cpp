//===- View.cpp - A block and the loops that index it ----------------------===//

#include "blockdsl/Plan/View.h"

using namespace mlir;

namespace blockdsl {

View viewOf(Value block, ArrayRef<int64_t> shape) {
  View view{block, {}};
  for (auto [dim, size] : llvm::enumerate(shape))
    view.loops.push_back(size == 1 ? -1 : static_cast<int>(dim));
  return view;
}

SmallVector<int, 4> getLoops(linalg::LinalgOp op, const View &view) {
  SmallVector<int, 4> loops(op.getNumLoops(), -1);
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(view.block));
  for (auto [loop, expr] : llvm::zip(view.loops, map.getResults()))
    loops[cast<AffineDimExpr>(expr).getPosition()] = loop;
  return loops;
}

View viewOfOperand(linalg::LinalgOp op, OpOperand *operand, ArrayRef<int> loops) {
  View view{operand->get(), {}};
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    view.loops.push_back(dim ? loops[dim.getPosition()] : -1);
  }
  return view;
}

bool startsAtZero(linalg::LinalgOp op, OpOperand *operand) {
  return llvm::all_of(op.getMatchingIndexingMap(operand).getResults(), [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return !constant || constant.getValue() == 0;
  });
}

/// Returns the innermost of the dimensions `group` with more than one element; null if there is none.
static const int64_t *findInnermost(const ReassociationIndices &group, ArrayRef<int64_t> shape) {
  auto isMany = [&](int64_t dim) { return shape[dim] != 1; };
  auto found = llvm::find_if(llvm::reverse(group), isMany);
  return found == group.rend() ? nullptr : &*found;
}

View viewOfSource(tensor::ExpandShapeOp expand, const View &view) {
  View source{expand.getSrc(), {}};
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    const int64_t *innermost = findInnermost(group, expand.getResultType().getShape());
    source.loops.push_back(innermost ? view.loops[*innermost] : -1);
  }
  return source;
}

View viewOfSource(tensor::CollapseShapeOp collapse, const View &view) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  View source{collapse.getSrc(), SmallVector<int, 4>(shape.size(), -1)};
  for (auto [loop, group] : llvm::zip(view.loops, collapse.getReassociationIndices()))
    if (const int64_t *innermost = findInnermost(group, shape))
      source.loops[*innermost] = loop;
  return source;
}

} // namespace blockdsl
