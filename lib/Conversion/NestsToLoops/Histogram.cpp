//===- Histogram.cpp - Histograms of blocks -------------------------------===//

#include "RegionEmitter.h"

#include "ElementEmitter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace blockdsl {

/// Emits a loop over single elements, because two lanes may have the same bin.
void emitHistogram(EmissionContext &context, Operation *op) {
  auto histogram = cast<HistogramOp>(op);
  Location loc = op->getLoc();
  LaneEmitter lanes(context.builder, loc, /*lanes=*/1);
  ElementEmitter elementEmitter(context, lanes);
  const Buffer bins = context.getOrAllocate(histogram.getResult());
  auto loop = [&](int64_t size, function_ref<void(LaneValue)> body) {
    OpBuilder &b = lanes.here();
    Value low = arith::ConstantIndexOp::create(b, loc, 0), high = arith::ConstantIndexOp::create(b, loc, size);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto emitted = scf::ForOp::create(b, loc, low, high, one);
    elementEmitter.enter(emitted.getBody());
    body(lanes.uniform(emitted.getInductionVar(), lanes.depth()));
    elementEmitter.leave();
  };
  auto constant = [&](int64_t value) {
    return lanes.uniform(arith::ConstantOp::create(lanes.at(0), loc, lanes.at(0).getIntegerAttr(bins.element, value)));
  };
  loop(bins.shape[0], [&](LaneValue bin) { elementEmitter.writeBuffer(bins, bin, constant(0), std::nullopt); });
  auto source = cast<RankedTensorType>(histogram.getSrc().getType());
  loop(source.getDimSize(0), [&](LaneValue at) {
    LaneValue value = elementEmitter.get(histogram.getSrc(), at);
    OpBuilder &b = lanes.here();
    Value wide = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value.value);
    Value size = arith::ConstantIndexOp::create(b, loc, bins.shape[0]);
    // Values that have no bin are not counted.
    Value counted = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, wide, size);
    if (histogram.getMask()) {
      LaneValue mask = elementEmitter.get(histogram.getMask(), at);
      counted = arith::AndIOp::create(lanes.here(), loc, counted, mask.value);
    }
    auto branch = scf::IfOp::create(lanes.here(), loc, counted, /*withElseRegion=*/false);
    elementEmitter.enter(branch.thenBlock());
    LaneValue bin = elementEmitter.addressOf(bins, lanes.uniform(wide, lanes.depth()));
    // The load must stay in the loop, even if there is a single bin and the address is invariant.
    bin.level = lanes.depth();
    LaneEmitter::Access access{bins.element};
    lanes.store(bin, lanes.add(lanes.load(bin, access, std::nullopt, std::nullopt), constant(1)), access, std::nullopt);
    elementEmitter.leave();
  });
  lanes.at(0);
}

} // namespace blockdsl
