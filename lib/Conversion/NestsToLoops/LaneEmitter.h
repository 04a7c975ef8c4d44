//===- LaneEmitter.h - Scalar code, for all lanes of a vector at once ------===//
//
// The vectorizer writes the scalar code of a linalg body once for all lanes of a vector. How a value looks across
// the lanes is a small lattice (one value for all, a base plus a constant stride, anything), carried along while
// code is emitted: an address stays a base with a stride through additions and extensions, so a load knows whether
// it is one vector, one scalar or a gather. Code lands in the outermost loop that has its operands.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LANEEMITTER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LANEEMITTER_H

#include "blockdsl/Analysis/MemoryTypes.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace blockdsl {

/// A scalar of a linalg body across the lanes of one vector step.
struct LaneValue {
  enum class Kind {
    Uniform, ///< `value` for every lane
    Strided, ///< `value + lane * stride`; integers and indices count in units, pointers in bytes
    Vector,  ///< `value` is a rank-1 vector with one element a lane
  };
  Kind kind = Kind::Uniform;
  mlir::Value value;
  /// As the integers were computed, before they wrapped: 200 in a type of 8 bits, not -56.
  int64_t stride = 0;
  /// The loop depth the value is available at; 0 is before the loops.
  unsigned level = 0;
  /// Of a strided value: lane `lane` has the number of lane `lane ^ exchange`.
  int64_t exchange = 0;

  bool isUniform() const { return kind == Kind::Uniform; }
  bool isStrided() const { return kind == Kind::Strided; }
  bool isVector() const { return kind == Kind::Vector; }
};

class LaneEmitter {
public:
  LaneEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes), base(builder.saveInsertionPoint()) {}

  int64_t getLanes() const { return lanes; }
  void setLanes(int64_t count) { lanes = count; }
  mlir::Location getLoc() const { return loc; }
  void setLoc(mlir::Location newLoc) { loc = newLoc; }
  unsigned depth() const { return levels.size(); }

  /// Opens one more level whose code goes to the end of `block`; its parent op anchors the level below.
  void enter(mlir::Block *block);
  void leave();
  /// Moves the place of level-0 code off `op`, which is about to be erased.
  void forget(mlir::Operation *op);
  /// The builder, set to where code of `level` goes.
  mlir::OpBuilder &at(unsigned level);
  mlir::OpBuilder &here() { return at(depth()); }

  LaneValue uniform(mlir::Value value, unsigned level = 0) const { return {LaneValue::Kind::Uniform, value, 0, level}; }
  LaneValue constantIndex(int64_t value);
  /// One vector with all lanes of `value`.
  mlir::Value vector(const LaneValue &value);
  /// A whole-vector or scalar value: what op results are made of.
  LaneValue wrap(mlir::Value value, unsigned level) const;

  /// Writes the scalar op `op` for all lanes. Fails for ops that have no vector form (regions, side effects).
  mlir::FailureOr<LaneValue> apply(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);

  /// Whether lanes at `value`, a constant stride of one apart, are between the same two multiples of `divisor`, as
  /// those of a vector are that starts at a multiple of its length.
  bool staysInOneMultiple(const LaneValue &value, const LaneValue &divisor) const;

  LaneValue add(LaneValue lhs, LaneValue rhs);
  /// The value in a wider type of the same kind, or unchanged in its own.
  LaneValue extend(LaneValue value, mlir::Type element);
  LaneValue scale(LaneValue value, int64_t factor);
  LaneValue offsetPointer(LaneValue pointer, LaneValue offset, mlir::Type element);

  /// Keeps loads and stores to the lanes of `mask`: the others are beyond what their nest is bound to, whatever an
  /// access's own mask says there. Null for all. Gives what they were kept to.
  std::optional<LaneValue> keepTo(std::optional<LaneValue> mask) { return std::exchange(inside, std::move(mask)); }

  struct Access {
    mlir::Type element;
    bool isVolatile = false;
    bool streaming = false;
    int64_t alignment = 0;
  };
  /// Reads `element` at every lane where `mask` holds and gives `other`, or zero, elsewhere.
  LaneValue load(LaneValue pointer, Access access, std::optional<LaneValue> mask, std::optional<LaneValue> other);
  void store(LaneValue pointer, LaneValue value, Access access, std::optional<LaneValue> mask);

  /// The value as memory holds it.
  LaneValue toMemory(LaneValue value, mlir::Type element);

  /// How a scalar type is held in registers.
  static mlir::Type registerType(mlir::Type type);
  mlir::Type vectorOf(mlir::Type element) const;

private:
  LaneValue fromMemory(LaneValue value, mlir::Type element);
  std::optional<LaneValue> foldStrided(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);
  std::optional<LaneValue> invertBits(const LaneValue &value, int64_t bits);
  LaneValue zero(mlir::Type type);
  std::optional<LaneValue> keptInside(std::optional<LaneValue> mask, bool isSame);
  mlir::Value exchangeLanes(mlir::Value vector, int64_t exchange, unsigned level);
  mlir::Value loadApart(LaneValue pointer, mlir::Type memory, int64_t step, unsigned level);
  mlir::Value emitScalarLoad(LaneValue pointer, Access access, std::optional<LaneValue> mask, LaneValue other,
                             unsigned level);

  struct Level {
    mlir::Block *block;
    mlir::Operation *anchor = nullptr;
  };
  mlir::OpBuilder &builder;
  mlir::Location loc;
  int64_t lanes;
  mlir::OpBuilder::InsertPoint base;
  mlir::Operation *baseAnchor = nullptr;
  llvm::SmallVector<Level> levels;
  std::optional<LaneValue> inside;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_LANEEMITTER_H
