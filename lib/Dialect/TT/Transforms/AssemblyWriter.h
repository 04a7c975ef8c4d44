//===- AssemblyWriter.h - Translation of PTX to scalar ops ------*- C++ -*-===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER
#define BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER

#include "Assembly.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace blockdsl {

/// A type suffix of an instruction: `.f16x2` means two lanes, the first in the low bits.
struct LaneType {
  /// A minifloat has 4 or 6 bits; a scale is a power of two of 8 bits; tf32 is an f32 with a short mantissa.
  enum class Kind { Bits, Unsigned, Signed, Float, Minifloat, Scale, TF32 };
  Kind kind = Kind::Bits;
  unsigned width = 0, count = 1;
  mlir::FloatType element;

  unsigned bits() const { return width * count; }
  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
  /// Returns true for floats of at most 8 bits. Conversions to them saturate at the largest number.
  bool isSmall() const { return kind == Kind::Minifloat || (isFloat() && width == 8); }
};

/// Parses a type suffix without its dot.
std::optional<LaneType> parseLaneType(mlir::MLIRContext *context, llvm::StringRef name);

/// Splits a register, which is an integer, into lanes.
llvm::SmallVector<mlir::Value> lanesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value bits, LaneType type);
/// Packs lanes into a register of `whole` bits.
mlir::Value bitsOf(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::Value> lanes, LaneType type, unsigned whole);
/// Truncates an integer to `width`, or extends it with zeros or its sign.
mlir::Value resizeBits(mlir::ImplicitLocOpBuilder &b, mlir::Value bits, unsigned width, bool isSigned = false);
mlir::Value makeBits(mlir::ImplicitLocOpBuilder &b, unsigned width, uint64_t value);

/// Converts a lane like `cvt` with these modifiers; null if they are unsupported. The rounding `rs` uses `random`.
mlir::Value convertLane(mlir::ImplicitLocOpBuilder &b, mlir::Value lane, LaneType to, LaneType from,
                        llvm::ArrayRef<llvm::StringRef> words, mlir::Value random);
/// Returns the 16 random bits, as an i32, that round `lane` of the result; null if `to` has no random rounding.
mlir::Value randomFraction(mlir::ImplicitLocOpBuilder &b, mlir::Value random, LaneType to, unsigned lane);
/// Converts an f32 to a format of at most 16 bits: rounded to nearest, or by random bits.
mlir::Value encodeSmall(mlir::ImplicitLocOpBuilder &b, mlir::Value x, LaneType to, bool isFinite, mlir::Value random);
/// Converts a minifloat to an f16, and a scale to a bf16.
mlir::Value decodeSmall(mlir::ImplicitLocOpBuilder &b, mlir::Value code, LaneType from);
mlir::Value encodeScale(mlir::ImplicitLocOpBuilder &b, mlir::Value x, LaneType from, llvm::StringRef rounding,
                        bool isFinite);
mlir::Value roundToTF32(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::StringRef rounding, bool isFinite);
mlir::Value limitToFinite(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

/// An instruction that computes each lane of its result from the same lane of every source.
struct LaneInstruction {
  /// One letter per source: a lane (x), a lane as wide as the result (z), a number of bits (n), or a predicate (p).
  llvm::StringRef sources;
  /// The modifiers that it accepts besides a type.
  llvm::StringRef words;
  using EmitFn = mlir::Value (*)(mlir::ImplicitLocOpBuilder &, LaneType, llvm::ArrayRef<mlir::Value>,
                                 llvm::ArrayRef<llvm::StringRef> words);
  /// Returns null if the instruction does not exist for the type.
  EmitFn emit;
};
/// Clamps to [0, 1], with 0 for NaN, as `sat` does.
mlir::Value saturate(mlir::ImplicitLocOpBuilder &b, mlir::Value number);
/// Replaces negative numbers by 0 and keeps NaN, as `relu` does.
mlir::Value rectify(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

/// Bit manipulation: shifts, bit fields, byte permutations, and functions of three bits.
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

/// Returns the directed rounding (`rz`, `rm` or `rp`) among the modifiers, or an empty string.
llvm::StringRef findDirection(llvm::ArrayRef<llvm::StringRef> words);
/// Emits arithmetic of f32 with a directed rounding; null for other types.
mlir::Value computeInDirection(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name, LaneType type,
                               llvm::ArrayRef<mlir::Value> x, llvm::ArrayRef<llvm::StringRef> words);

/// Wide products, bit counts, bit reversal, funnel shifts, sums of differences, and sign copies.
mlir::Value multiplyWide(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                         llvm::ArrayRef<llvm::StringRef> words);
mlir::Value countOnes(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                      llvm::ArrayRef<llvm::StringRef> words);
mlir::Value countLeadingZeros(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                              llvm::ArrayRef<llvm::StringRef> words);
mlir::Value findHighestBit(mlir::ImplicitLocOpBuilder &b, LaneType type, llvm::ArrayRef<mlir::Value> x,
                           llvm::ArrayRef<llvm::StringRef> words);
/// Returns the product of the low 24 bits, plus the third source if there is one.
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

/// Emits a comparison of two lanes, such as `lt`; null if the type has no such comparison.
mlir::Value compareLanes(mlir::ImplicitLocOpBuilder &b, llvm::StringRef comparison, LaneType type, mlir::Value x,
                         mlir::Value y);
const LaneInstruction *findLaneInstruction(llvm::StringRef name);

/// Translates the instructions of one text.
class AssemblyWriter {
public:
  AssemblyWriter(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, const Assembly &assembly)
      : b(b), op(op), assembly(assembly) {}

  /// Sets and returns the value of register `$number`.
  void define(unsigned number, mlir::Value bits);
  mlir::Value get(unsigned number) const;

  /// Sets the value of the immediate `$number`.
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
  /// Compares the lanes of the two sources after the first operand. `words` is a comparison, and possibly an operation
  /// that combines it with a predicate. `withNegation` appends the negation for types of one lane. Empty after an
  /// error.
  llvm::SmallVector<mlir::Value> compareSources(const AssemblyInstruction &instruction, LaneType type,
                                                llvm::ArrayRef<llvm::StringRef> words, bool withNegation);
  mlir::LogicalResult refuse(const AssemblyInstruction &instruction);

  /// Returns an operand as an integer of the type's width; null after an error.
  mlir::Value read(llvm::StringRef operand, LaneType type);
  /// Returns the value of `p` or `!p`; null after an error.
  mlir::Value readPredicate(llvm::StringRef name);
  mlir::Value readNumber(llvm::StringRef text, LaneType type);
  mlir::Value readSpecial(llvm::StringRef name);
  mlir::LogicalResult assign(llvm::StringRef name, mlir::Value bits, bool isSigned = false);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *op;
  const Assembly &assembly;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<uint64_t> immediates;
  /// The predicate of the current instruction; null if it has none.
  mlir::Value predicate;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_TRANSFORMS_ASSEMBLYWRITER
