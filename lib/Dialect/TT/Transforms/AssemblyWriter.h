//===- AssemblyWriter.h - instructions of PTX as scalar ops -----*- C++ -*-===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER

#include "Assembly.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace blockdsl {

/// What a register's bits are taken for: `.f16x2` is two lanes, the first in the low bits.
struct LaneType {
  /// A minifloat has 4 or 6 bits; a scale is a power of two of 8 bits; tf32 is an f32 with a short mantissa.
  enum class Kind { Bits, Unsigned, Signed, Float, Minifloat, Scale, TF32 };
  Kind kind = Kind::Bits;
  unsigned width = 0, count = 1;
  mlir::FloatType element;

  unsigned bits() const { return width * count; }
  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
  /// A float of 8 bits and less, which are kept within its largest number.
  bool isSmall() const { return kind == Kind::Minifloat || (isFloat() && width == 8); }
};

/// `.f16x2` without its dot, or nothing.
std::optional<LaneType> parseLaneType(mlir::MLIRContext *context, llvm::StringRef name);

/// A register is an integer. These take it apart into lanes, and make one of so many bits of them.
llvm::SmallVector<mlir::Value> lanesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value bits, LaneType type);
mlir::Value bitsOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> lanes, LaneType type, unsigned whole);
/// An integer of another width: cut off, or with zeros or its sign before it.
mlir::Value resizeBits(mlir::ImplicitLocOpBuilder &b, mlir::Value bits, unsigned width, bool isSigned = false);
mlir::Value makeBits(mlir::ImplicitLocOpBuilder &b, unsigned width, uint64_t value);

/// Converts a lane as `cvt` with these words does; null where that is not read. `random` is set for the rounding `rs`.
mlir::Value convertLane(mlir::ImplicitLocOpBuilder &b, mlir::Value lane, LaneType to, LaneType from,
                        llvm::ArrayRef<llvm::StringRef> words, mlir::Value random);
/// The 16 bits, as a number of 32, by which `lane` of the result is rounded; null where `to` has none.
mlir::Value randomFraction(mlir::ImplicitLocOpBuilder &b, mlir::Value random, LaneType to, unsigned lane);
/// Converts an f32 to a format of at most 16 bits: to the nearest, or by random bits.
mlir::Value encodeSmall(mlir::ImplicitLocOpBuilder &b, mlir::Value x, LaneType to, bool isFinite, mlir::Value random);
/// Converts a minifloat to an f16, and a scale to a bf16.
mlir::Value decodeSmall(mlir::ImplicitLocOpBuilder &b, mlir::Value code, LaneType from);
mlir::Value encodeScale(mlir::ImplicitLocOpBuilder &b, mlir::Value x, LaneType from, llvm::StringRef rounding,
                        bool isFinite);
mlir::Value roundToTF32(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::StringRef rounding, bool isFinite);
mlir::Value limitToFinite(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

/// An instruction that computes a lane of its result from a lane of each source.
struct LaneInstruction {
  /// What each source is: a lane (x), one as wide as the result (z), a number of bits (n), or a predicate (p).
  llvm::StringRef sources;
  /// The words it may be given besides a type.
  llvm::StringRef words;
  using Meaning = mlir::Value (*)(mlir::ImplicitLocOpBuilder &, LaneType, llvm::ArrayRef<mlir::Value>,
                                  llvm::ArrayRef<llvm::StringRef> words);
  /// Gives null where it is not of the type.
  Meaning meaning;
};
/// `sat`: from 0 to 1, where NaN becomes 0. `relu`: 0 and above, or NaN.
mlir::Value saturate(mlir::ImplicitLocOpBuilder &b, mlir::Value number);
mlir::Value rectify(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

/// What moves bits about: shifts, fields, bytes that are chosen, and functions of three bits.
mlir::Value shiftLeft(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<llvm::StringRef> words);
mlir::Value shiftRight(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                       llvm::ArrayRef<llvm::StringRef> words);
mlir::Value extractField(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                         llvm::ArrayRef<llvm::StringRef> words);
mlir::Value insertField(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                        llvm::ArrayRef<llvm::StringRef> words);
mlir::Value permute(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                    llvm::ArrayRef<llvm::StringRef> words);
mlir::Value lookUp(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                   llvm::ArrayRef<llvm::StringRef> words);

mlir::Value makeMask(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                     llvm::ArrayRef<llvm::StringRef> words);
mlir::Value extendBits(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                       llvm::ArrayRef<llvm::StringRef> words);
mlir::Value invertLogically(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                            llvm::ArrayRef<llvm::StringRef> words);

/// Arithmetic of f32 that rounds by `rz`, `rm` or `rp`; null where it is of another type. `findDirection` returns that
/// word, or an empty one.
llvm::StringRef findDirection(llvm::ArrayRef<llvm::StringRef> words);
mlir::Value computeInDirection(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name, LaneType type,
                               llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<llvm::StringRef> words);

/// Integers' products in twice the width, counts of bits, and sums.
mlir::Value multiplyWide(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                         llvm::ArrayRef<llvm::StringRef> words);
mlir::Value countOnes(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<llvm::StringRef> words);
mlir::Value countLeadingZeros(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                              llvm::ArrayRef<llvm::StringRef> words);
mlir::Value findHighestBit(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                           llvm::ArrayRef<llvm::StringRef> words);
/// The product of the low 24 bits, and the sum of it and a third source if there is one.
mlir::Value multiply24(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                       llvm::ArrayRef<llvm::StringRef> words);
mlir::Value reverseBits(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                        llvm::ArrayRef<llvm::StringRef> words);
mlir::Value funnelShift(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                        llvm::ArrayRef<llvm::StringRef> words);
mlir::Value sumOfDifference(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                            llvm::ArrayRef<llvm::StringRef> words);
mlir::Value copySign(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                     llvm::ArrayRef<llvm::StringRef> words);

/// `lt` and its like of two lanes; null where that is no comparison of the type.
mlir::Value compareLanes(mlir::ImplicitLocOpBuilder &b, llvm::StringRef comparison, LaneType type, mlir::Value x,
                         mlir::Value y);
const LaneInstruction *findLaneInstruction(llvm::StringRef name);

/// Writes the instructions of one text.
class AssemblyWriter {
public:
  AssemblyWriter(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, const Assembly &assembly)
      : b(b), op(op), assembly(assembly) {}

  /// The register `$number`, before and after.
  void define(unsigned number, mlir::Value bits);
  mlir::Value get(unsigned number) const;

  /// The number that `$number` stands for, which is no register.
  void defineImmediate(unsigned number, const llvm::APInt &value);

  mlir::LogicalResult write();

private:
  mlir::LogicalResult write(const AssemblyInstruction &instruction);
  mlir::LogicalResult checkOrderOperands(const AssemblyInstruction &instruction);
  mlir::LogicalResult writeMove(const AssemblyInstruction &instruction, LaneType type);
  mlir::LogicalResult writeConversion(const AssemblyInstruction &instruction, LaneType to, LaneType from,
                                      llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeOfTwoTypes(const AssemblyInstruction &instruction, LaneType first, LaneType second,
                                      llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeByteProducts(const AssemblyInstruction &instruction, LaneType left, LaneType right,
                                        llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeChoiceBySign(const AssemblyInstruction &instruction, LaneType type, LaneType signType,
                                        llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeLanes(const AssemblyInstruction &instruction, LaneType type,
                                 llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeComparison(const AssemblyInstruction &instruction, LaneType type,
                                      llvm::ArrayRef<llvm::StringRef> words);
  mlir::LogicalResult writeComparedNumber(const AssemblyInstruction &instruction, LaneType to, LaneType from,
                                          llvm::ArrayRef<llvm::StringRef> words);
  /// Compares the lanes of the two sources after the first operand, as `words`, a comparison and perhaps how it is
  /// combined with a predicate, say. `withContrary` adds the contrary of one lane. Empty after an error.
  llvm::SmallVector<mlir::Value> compareSources(const AssemblyInstruction &instruction, LaneType type,
                                                llvm::ArrayRef<llvm::StringRef> words, bool withContrary);
  mlir::LogicalResult refuse(const AssemblyInstruction &instruction);

  /// What an operand holds, as an integer of a type's width; null, after an error, if nothing.
  mlir::Value read(llvm::StringRef operand, LaneType type);
  /// `p` or `!p`; null, after an error, if it is none.
  mlir::Value readPredicate(llvm::StringRef name);
  mlir::Value readNumber(llvm::StringRef text, LaneType type);
  mlir::Value readSpecial(llvm::StringRef name);
  mlir::LogicalResult assign(llvm::StringRef name, mlir::Value bits, bool isSigned = false);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *op;
  const Assembly &assembly;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<uint64_t> immediates;
  /// Whether the current instruction writes; null where it always does.
  mlir::Value predicate;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER
