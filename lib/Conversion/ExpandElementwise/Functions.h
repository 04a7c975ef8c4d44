//===- Functions.h - Table of expandable functions ------------------------===//
//
// The table maps C names of functions to formulas, for the ops of `math` and the `__nv_*` symbols of
// `tt.extern_elementwise`. Each family adds its rows.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H
#define BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H

#include "Emitter.h"
#include "llvm/ADT/StringMap.h"

namespace blockdsl {

/// Computes a function of f32 or f64 lanes, with integer arguments (ldexp, powi) in the same positions as in C.
using Formula = Lanes (*)(Emitter &, llvm::ArrayRef<Lanes>);

struct Function {
  Formula formula;
  /// One letter per operand: `f` for a float, all of the same type; `i` for an integer.
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

/// Functions that several families share.
Lanes exponential(Emitter &e, Lanes x);
/// exp(x) / 2, which only overflows where sinh and cosh do.
Lanes halfExponential(Emitter &e, Lanes x);
Lanes exponentialMinusOne(Emitter &e, Lanes x);
/// 1 - exp(-x) for f32 lanes from 0 to 80, and NaN.
Lanes oneMinusExponential(Emitter &e, Lanes x);
Lanes naturalLogarithm(Emitter &e, Lanes x);
Lanes logarithmOfOnePlus(Emitter &e, Lanes x);
/// log2 and 2^x of f64 lanes for f32 functions that need higher precision: errors of 2^-37 and 2^-34, without special
/// values of the logarithm.
Lanes logarithm2forF32(Emitter &e, Lanes x);
Lanes exponential2forF32(Emitter &e, Lanes x);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_EXPANDELEMENTWISE_FUNCTIONS_H
