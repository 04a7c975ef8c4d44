//===- TransposedAccess.cpp - Accesses that are contiguous along another dimension ---===//

#include "blockdsl/Plan/TransposedAccess.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MemoryTypes.h"

#include "blockdsl/Dialect/TT/IR/TT.h"

using namespace mlir;

namespace blockdsl {
namespace {

/// Visits the ops that a block is computed from, as long as the element of their operands that is needed is known.
/// Reads beyond that are not transposed but gathered.
class TransposedAccessFinder {
public:
  TransposedAccessFinder(PointerAnalysis &hints, IsInMemoryFn isInMemory, int laneDim, int dim)
      : hints(hints), isInMemory(isInMemory), laneDim(laneDim), dim(dim) {}

  void visitRoot(const View &view) { join({view}, Runs::Otherwise); }
  SmallVector<View> take() { return std::move(found); }

private:
  enum class Runs {
    Anyhow,    ///< no reads, or reads that are the same for all lanes
    Across,    ///< reads that are contiguous along `dim` and strided along the lanes
    Otherwise, ///< other reads
  };
  Runs visit(const View &view);
  Runs look(const View &view);
  Runs visitOperands(linalg::LinalgOp op, ArrayRef<int> loops);
  Runs join(ArrayRef<View> views, Runs self = Runs::Anyhow);
  Runs visitReshaped(const View &view, Value source, ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> sizes,
                     bool expands);
  std::optional<int> getMergedLoop(ArrayRef<int64_t> sizes, ArrayRef<int> loops) const;
  Runs judge(ArrayRef<std::optional<int64_t>> strides, ArrayRef<int> loops, int64_t size) const;

  /// The loop of a merged dimension whose inner part runs along `dim` and whose outer part runs along the lanes.
  static constexpr int dimOfParts = -2;
  /// The elements of an inner part from which on lanes are too far apart to be read together.
  static constexpr int64_t kApart = 8;

  PointerAnalysis &hints;
  IsInMemoryFn isInMemory;
  int laneDim, dim;
  /// Set below a reshape that merges or splits dimensions of the nest: blocks there are not found themselves.
  bool isReshaped = false;
  SmallVector<View> found;
  /// Results for views that have been visited.
  std::map<std::pair<void *, SmallVector<int, 4>>, Runs> known;
};

TransposedAccessFinder::Runs TransposedAccessFinder::judge(ArrayRef<std::optional<int64_t>> strides,
                                                           ArrayRef<int> loops, int64_t size) const {
  std::optional<int64_t> across = 0;
  bool isApart = false, isNear = false;
  for (auto [stride, loop] : llvm::zip(strides, loops)) {
    if (stride == 0)
      continue;
    isApart |= loop == laneDim || loop == dimOfParts;
    isNear |= loop == laneDim && stride && (std::abs(*stride) == size || isLoadedStrided(*stride, size));
    if (loop != dim && loop != dimOfParts)
      continue;
    if (across != 0)
      return Runs::Otherwise;
    across = stride;
  }
  if (!isApart)
    return across == 0 || across == size ? Runs::Anyhow : Runs::Otherwise;
  return across == size && !isNear ? Runs::Across : Runs::Otherwise;
}

/// Returns the common direction of the reads of `views` and of an op on them. Views that run across are added to
/// `found` if the op as a whole does not.
TransposedAccessFinder::Runs TransposedAccessFinder::join(ArrayRef<View> views, Runs self) {
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
    if (!isReshaped &&
        llvm::none_of(found, [&](const View &other) { return other.block == view.block && other.loops == view.loops; }))
      found.push_back(view);
  return Runs::Otherwise;
}

TransposedAccessFinder::Runs TransposedAccessFinder::visitOperands(linalg::LinalgOp op, ArrayRef<int> loops) {
  Runs self = Runs::Anyhow;
  auto meet = [&](Runs runs) { self = std::max(self, runs); };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto load = dyn_cast<LoadOp>(inner))
      meet(judge(hints.getBodyStrides(op, load.getPtr()), loops, getByteSize(load.getType())));
    else if (isa<tensor::ExtractOp>(inner))
      return Runs::Otherwise;
  }
  SmallVector<View> views;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    if (!startsAtZero(op, input))
      meet(Runs::Otherwise);
    views.push_back(viewOfOperand(op, input, loops));
  }
  return join(views, self);
}

/// Returns the loop of a dimension of the source that a reshape splits into dimensions of the given sizes and loops.
std::optional<int> TransposedAccessFinder::getMergedLoop(ArrayRef<int64_t> sizes, ArrayRef<int> loops) const {
  int inner = loops.back();
  bool hasLanes = false;
  for (int loop : loops.drop_back()) {
    if (loop == dim || loop == dimOfParts)
      return std::nullopt;
    hasLanes |= loop == laneDim;
  }
  if (!hasLanes)
    return inner;
  return inner == dim && sizes.back() >= kApart ? std::optional(dimOfParts) : std::nullopt;
}

TransposedAccessFinder::Runs TransposedAccessFinder::visitReshaped(const View &view, Value source,
                                                                   ArrayRef<ReassociationIndices> groups,
                                                                   ArrayRef<int64_t> sizes, bool expands) {
  View result{source, SmallVector<int, 4>(cast<RankedTensorType>(source.getType()).getRank(), -1)};
  bool merges = false;
  for (auto [index, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> axes = llvm::filter_to_vector(group, [&](int64_t axis) { return sizes[axis] != 1; });
    merges |= axes.size() > 1;
    if (axes.empty())
      continue;
    if (expands) {
      std::optional<int> loop =
          getMergedLoop(llvm::map_to_vector(axes, [&](int64_t axis) { return sizes[axis]; }),
                        llvm::map_to_vector(axes, [&](int64_t axis) { return view.loops[axis]; }));
      if (!loop)
        return Runs::Otherwise;
      result.loops[index] = *loop;
      continue;
    }
    // A step along `dim` is contiguous only until the end of the innermost axis.
    int loop = view.loops[index];
    if (axes.size() > 1 && (loop == dim || loop == dimOfParts))
      return Runs::Otherwise;
    for (int64_t axis : axes)
      result.loops[axis] = loop;
  }
  if (!merges)
    return join({result});
  // The loops of a view of the reshaped source do not determine its index.
  bool was = std::exchange(isReshaped, true);
  Runs runs = visit(result);
  isReshaped = was;
  return runs;
}

TransposedAccessFinder::Runs TransposedAccessFinder::visit(const View &view) {
  std::pair key(view.block.getAsOpaquePointer(), view.loops);
  if (auto seen = known.find(key); seen != known.end())
    return seen->second;
  Runs runs = look(view);
  known.try_emplace(std::move(key), runs);
  return runs;
}

TransposedAccessFinder::Runs TransposedAccessFinder::look(const View &view) {
  Operation *op = view.block.getDefiningOp();
  auto type = cast<RankedTensorType>(view.block.getType());
  if (isInMemory(view.block) || !op || !isFusible(op)) {
    return judge(getBufferStrides(type), view.loops, 1);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return visitReshaped(view, expand.getSrc(), expand.getReassociationIndices(), type.getShape(), /*expands=*/true);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return visitReshaped(view, collapse.getSrc(), collapse.getReassociationIndices(), collapse.getSrcType().getShape(),
                         /*expands=*/false);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return Runs::Anyhow; // a constant
  return visitOperands(linalgOp, getLoops(linalgOp, view));
}

} // namespace

SmallVector<View> findTransposed(PointerAnalysis &hints, IsInMemoryFn isInMemory, ArrayRef<View> blocks, int laneDim,
                                 int dim) {
  TransposedAccessFinder finder(hints, isInMemory, laneDim, dim);
  for (const View &view : blocks)
    finder.visitRoot(view);
  return finder.take();
}

} // namespace blockdsl
