//===- Functions.h - The functions that can be expanded -------------------===//
//
// One table from a function's C name to the formula that computes it. The ops of `math` and the `__nv_*` symbols of
// `tt.extern_elementwise` are looked up in the same table. Each family adds its rows.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H
#define BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H

#include "Emitter.h"
#include "llvm/ADT/StringMap.h"

namespace blockdsl {

/// Computes a function of f32 or f64 lanes. Integer arguments (ldexp, powi) stand where C has them.
using Formula = Lanes (*)(Emitter &, llvm::ArrayRef<Lanes>);

struct Function {
  Formula formula;
  /// One letter an operand: `f` for a float, all of one type; `i` for an integer.
  llvm::StringRef operands = "f";
};
using FunctionTable = llvm::StringMap<Function>;

void addExponentials(FunctionTable &table);
void addLogarithms(FunctionTable &table);
void addTrigonometry(FunctionTable &table);
void addInverseTrigonometry(FunctionTable &table);
void addHyperbolics(FunctionTable &table);
void addErrorFunctions(FunctionTable &table);
void addPowers(FunctionTable &table);
void addBesselFunctions(FunctionTable &table);
void addRounding(FunctionTable &table);
void addFloatingPointParts(FunctionTable &table);
void addIntegerFunctions(FunctionTable &table);
void addDeviceCasts(FunctionTable &table);

/// Building blocks that several families share.
Lanes exponential(Emitter &e, Lanes x);
/// exp(x) / 2, which does not overflow where sinh and cosh do not.
Lanes halfExponential(Emitter &e, Lanes x);
Lanes exponentialMinusOne(Emitter &e, Lanes x);
/// 1 - exp(-x) for f32 lanes from 0 to 80, and NaN.
Lanes oneMinusExponential(Emitter &e, Lanes x);
Lanes naturalLogarithm(Emitter &e, Lanes x);
Lanes logarithmOfOnePlus(Emitter &e, Lanes x);
/// log2 and 2^x of f64 lanes for f32 functions that need more bits than f32 has: errors of 2^-37 and 2^-34, and no
/// special values of the logarithm.
Lanes logarithm2forF32(Emitter &e, Lanes x);
Lanes exponential2forF32(Emitter &e, Lanes x);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H
