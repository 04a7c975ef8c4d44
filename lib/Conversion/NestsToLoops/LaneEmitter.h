//===- LaneEmitter.h - Scalar ops for all lanes of a vector ----------------===//
//
// Emits the scalar ops of a linalg body once for all lanes of a vector. Each value has one of three forms: uniform,
// strided (a base plus a constant stride), or a vector. Additions and extensions keep the form of addresses, which
// decides whether a load becomes a scalar load, a vector load or a gather. Code is placed in the outermost loop in
// which its operands are available.
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
    Strided, ///< `value + lane * stride`; pointers count in bytes
    Vector,  ///< `value` is a rank-1 vector with one element per lane
  };
  Kind kind = Kind::Uniform;
  mlir::Value value;
  /// Not wrapped to the width of the type: 200 in a type of 8 bits, not -56.
  int64_t stride = 0;
  /// The loop depth at which the value is available; 0 is before the loops.
  unsigned level = 0;
  /// For a strided value: lane `lane` has the value `value + (lane ^ exchange) * stride`.
  int64_t exchange = 0;
  /// For a vector: the likely distance of neighboring lanes, without its sign; -1 if it is unknown.
  int64_t run = -1;

  bool isUniform() const { return kind == Kind::Uniform; }
  bool isStrided() const { return kind == Kind::Strided; }
  bool isVector() const { return kind == Kind::Vector; }
};

/// Returns the `run` of a vector that `op` computes.
int64_t getLikelyRun(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands, int64_t lanes);

class LaneEmitter {
public:
  LaneEmitter(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes), base(builder.saveInsertionPoint()) {}

  int64_t getLanes() const { return lanes; }
  void setLanes(int64_t count) { lanes = count; }
  mlir::Location getLoc() const { return loc; }
  void setLoc(mlir::Location newLoc) { loc = newLoc; }
  unsigned depth() const { return levels.size(); }

  /// Opens a level whose code is placed at the end of `block`; its parent op anchors the level below.
  void enter(mlir::Block *block);
  void leave();
  /// Moves the insertion point of level 0 off `op`, which is about to be erased.
  void forget(mlir::Operation *op);
  /// Returns the builder at the insertion point of `level`.
  mlir::OpBuilder &at(unsigned level);
  mlir::OpBuilder &here() { return at(depth()); }

  LaneValue uniform(mlir::Value value, unsigned level = 0) const { return {LaneValue::Kind::Uniform, value, 0, level}; }
  LaneValue constantIndex(int64_t value);
  /// Returns a vector with all lanes of `value`.
  mlir::Value vector(const LaneValue &value);
  /// Returns a vector or a scalar as a lane value.
  LaneValue wrap(mlir::Value value, unsigned level) const;

  /// Emits the scalar op `op` for all lanes. Fails for ops that have no vector form (regions, side effects).
  mlir::FailureOr<LaneValue> apply(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);

  /// Returns true if consecutive lanes from `value` on are known to lie between the same two multiples of `divisor`,
  /// like the lanes of a vector that starts at a multiple of its length.
  bool staysInOneMultiple(const LaneValue &value, const LaneValue &divisor) const;

  LaneValue add(LaneValue lhs, LaneValue rhs);
  /// Returns the value in a wider type of the same kind, or unchanged if it already has the type.
  LaneValue extend(LaneValue value, mlir::Type element);
  LaneValue scale(LaneValue value, int64_t factor);
  LaneValue offsetPointer(LaneValue pointer, LaneValue offset, mlir::Type element);

  /// Restricts loads and stores to the lanes of `mask`, in addition to the masks of the accesses: the other lanes are
  /// beyond the bounds of the nest. Null for all lanes. Returns the previous restriction.
  std::optional<LaneValue> restrictTo(std::optional<LaneValue> mask) { return std::exchange(inside, std::move(mask)); }

  struct Access {
    mlir::Type element;
    bool isVolatile = false;
    bool streaming = false;
    int64_t alignment = 0;
  };
  /// Loads `element` in every lane where `mask` holds; other lanes get `other`, or zero.
  LaneValue load(LaneValue pointer, Access access, std::optional<LaneValue> mask, std::optional<LaneValue> other);
  void store(LaneValue pointer, LaneValue value, Access access, std::optional<LaneValue> mask);

  /// Converts the value to the type that memory holds.
  LaneValue toMemory(LaneValue value, mlir::Type element);
  /// Converts the value from the type that memory holds.
  LaneValue fromMemory(LaneValue value, mlir::Type element);

  /// Returns the type of a scalar in registers.
  static mlir::Type registerType(mlir::Type type);
  mlir::Type vectorOf(mlir::Type element) const;

private:
  std::optional<LaneValue> foldStrided(mlir::Operation *op, llvm::ArrayRef<LaneValue> operands);
  std::optional<LaneValue> invertBits(const LaneValue &value, int64_t bits);
  LaneValue zero(mlir::Type type);
  std::optional<LaneValue> restrictMask(std::optional<LaneValue> mask, bool isUniform);
  mlir::Value exchangeLanes(mlir::Value vector, int64_t exchange, unsigned level);
  mlir::Value loadStrided(LaneValue pointer, mlir::Type memory, int64_t step, unsigned level);
  /// Loads the lanes where `mask` holds, one by one unless they turn out to be consecutive.
  mlir::Value gather(LaneValue pointer, mlir::Type memory, mlir::Value mask, mlir::Value fill, bool isMasked,
                     unsigned level);
  void storeApart(LaneValue pointer, mlir::Value values, int64_t size, bool isVolatile);
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
