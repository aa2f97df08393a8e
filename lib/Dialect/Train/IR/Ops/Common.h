//===- Common.h - Small helpers of the ops' files ---------------*- C++ -*-===//

#ifndef TRIREME_LIB_DIALECT_TRAIN_IR_OPS_COMMON_H
#define TRIREME_LIB_DIALECT_TRAIN_IR_OPS_COMMON_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "trireme/Dialect/Train/IR/Train.h"

namespace trireme::train {

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorType(value).getShape();
}

/// `value`'s type with another shape.
inline mlir::RankedTensorType withShape(mlir::Value value,
                                        llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, tensorType(value).getElementType());
}

/// Emits scalar arithmetic for row forms; `c(x, like)` is a constant of the
/// type of `like`.
struct RowEmitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value c(double x, mlir::Value like) {
    return mlir::arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(like.getType(), x));
  }
  mlir::Value integer(int64_t x, mlir::Value like) {
    return mlir::arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(like.getType(), x));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddFOp::create(builder, loc, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubFOp::create(builder, loc, a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulFOp::create(builder, loc, a, b);
  }
  mlir::Value mul(mlir::Value a, double x) { return mul(a, c(x, a)); }
  mlir::Value add(mlir::Value a, double x) { return add(a, c(x, a)); }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return mlir::arith::DivFOp::create(builder, loc, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return mlir::arith::SelectOp::create(builder, loc, condition, a, b);
  }
  mlir::Value equal(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc,
                                       mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value greater(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpFOp::create(builder, loc,
                                       mlir::arith::CmpFPredicate::OGT, a, b);
  }
  mlir::Value sum(mlir::Value a) {
    return ReduceOp::create(builder, loc, a.getType(), Reduction::Sum, a);
  }
  mlir::Value max(mlir::Value a) {
    return ReduceOp::create(builder, loc, a.getType(), Reduction::Max, a);
  }
  template <typename Op> mlir::Value unary(mlir::Value a) {
    return Op::create(builder, loc, a);
  }
  /// `a` as a float of `type`.
  mlir::Value cast(mlir::Value a, mlir::Type type) {
    unsigned from = a.getType().getIntOrFloatBitWidth();
    unsigned to = type.getIntOrFloatBitWidth();
    if (from == to)
      return a;
    if (from > to)
      return mlir::arith::TruncFOp::create(builder, loc, type, a);
    return mlir::arith::ExtFOp::create(builder, loc, type, a);
  }
};

} // namespace trireme::train

#endif // TRIREME_LIB_DIALECT_TRAIN_IR_OPS_COMMON_H
