//===- MathExpansion.h - Functions of single precision ----------*- C++ -*-===//

#ifndef TRIREME_LIB_CONVERSION_ROWSTOLLVM_MATHEXPANSION_H
#define TRIREME_LIB_CONVERSION_ROWSTOLLVM_MATHEXPANSION_H

#include "mlir/IR/Builders.h"

namespace trireme {

/// Emits `op` (a function of one operand of the math dialect) of `operand`, an
/// f32 or a vector of them, by polynomials; scalars and vectors get the same
/// bits. Returns null if `op` has no such form. Errors, against exact values:
///
/// | exp  | 1 ulp, denormals included; 0 and infinity out of range |
/// | log  | 1 ulp; -infinity of 0, NaN of negative numbers         |
/// | tanh | 1e-7 absolute, 2 ulp                                   |
/// | erf  | 1e-7 absolute, 2 ulp                                   |
mlir::Value expandMath(mlir::OpBuilder &builder, mlir::Operation *op,
                       mlir::Value operand);

} // namespace trireme

#endif // TRIREME_LIB_CONVERSION_ROWSTOLLVM_MATHEXPANSION_H
