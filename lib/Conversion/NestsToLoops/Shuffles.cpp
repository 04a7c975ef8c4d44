//===- Shuffles.cpp - Interleaving, concatenation and transposition of vectors ===//

#include "Shuffles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// Returns the two halves of `x0 y0 x1 y1 ...`, where `x0` is a piece of lanes, separately for each span of lanes.
static Vectors zip(OpBuilder &b, Location loc, Value x, Value y, int64_t piece, int64_t span) {
  int64_t size = cast<VectorType>(x.getType()).getNumElements();
  Vectors halves;
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> from;
    for (int64_t first = 0; first < size; first += span)
      for (int64_t at = half * span / 2; at < (half + 1) * span / 2; at += piece)
        for (int64_t side : {int64_t(0), size})
          for (int64_t lane = 0; lane < piece; ++lane)
            from.push_back(side + first + at + lane);
    halves.push_back(vector::ShuffleOp::create(b, loc, x, y, from));
  }
  return halves;
}

/// Returns `a0 b0 c0 d0 a1 ...` of two or four vectors as that many vectors, separately for each span of lanes.
static Vectors zipAll(OpBuilder &b, Location loc, Vectors vectors, int64_t piece, int64_t span) {
  if (vectors.size() == 2)
    return zip(b, loc, vectors[0], vectors[1], piece, span);
  Vectors even = zip(b, loc, vectors[0], vectors[2], piece, span);
  Vectors odd = zip(b, loc, vectors[1], vectors[3], piece, span);
  Vectors all;
  for (auto [x, y] : llvm::zip(even, odd))
    all.append(zip(b, loc, x, y, piece, span));
  return all;
}

/// First interleaves elements within segments of 128 bits, then whole segments: CPUs have fast instructions for both.
Vectors interleaveElements(OpBuilder &b, Location loc, Vectors vectors) {
  auto type = cast<VectorType>(vectors[0].getType());
  int64_t size = type.getNumElements(), segment = 128 / type.getElementTypeBitWidth();
  vectors = zipAll(b, loc, std::move(vectors), /*piece=*/1, std::min(segment, size));
  return size <= segment ? vectors : zipAll(b, loc, std::move(vectors), segment, size);
}

Value concatenate(OpBuilder &b, Location loc, Vectors vectors) {
  while (vectors.size() > 1) {
    Vectors longer;
    int64_t size = cast<VectorType>(vectors[0].getType()).getNumElements();
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, 2 * size));
    for (unsigned pair = 0; pair < vectors.size(); pair += 2)
      longer.push_back(vector::ShuffleOp::create(b, loc, vectors[pair], vectors[pair + 1], all));
    vectors = std::move(longer);
  }
  return vectors[0];
}

/// Returns the even pieces of `x` and then of `y`, and the odd ones.
static Vectors unzip(OpBuilder &b, Location loc, Value x, Value y, int64_t piece) {
  int64_t size = cast<VectorType>(x.getType()).getNumElements();
  Vectors halves;
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> from;
    for (int64_t first = half * piece; first < 2 * size; first += 2 * piece)
      llvm::append_range(from, llvm::seq(first, first + piece));
    halves.push_back(vector::ShuffleOp::create(b, loc, x, y, from));
  }
  return halves;
}

/// Exchanges the bits of row and lane numbers. Zipping two rows within segments of 128 bits moves the top bit of the
/// lane within the segment to the row, and a bit of the row to the lowest bit of the lane. Unzipping whole segments
/// moves the lowest bit of the segment to the row, and a bit of the row to the top. CPUs have instructions for both, in
/// half the time of a general shuffle of two vectors.
Vectors transpose(OpBuilder &b, Location loc, Vectors rows) {
  int64_t size = rows.size();
  int64_t segment = 128 / cast<VectorType>(rows[0].getType()).getElementTypeBitWidth();
  int64_t within = std::min(segment, size);
  auto exchange = [&](int64_t bit, auto halvesOf) {
    for (int64_t row = 0; row < size; ++row) {
      if (row & bit)
        continue;
      Vectors halves = halvesOf(rows[row], rows[row | bit]);
      rows[row] = halves[0];
      rows[row | bit] = halves[1];
    }
  };
  for (int64_t bit = within / 2; bit >= 1; bit /= 2)
    exchange(bit, [&](Value x, Value y) { return zip(b, loc, x, y, /*piece=*/1, within); });
  for (int64_t bit = within; bit < size; bit *= 2)
    exchange(bit, [&](Value x, Value y) { return unzip(b, loc, x, y, within); });
  return rows;
}

} // namespace blockdsl
