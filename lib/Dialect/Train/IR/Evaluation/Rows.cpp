//===- Rows.cpp - Kernels on rows in float64 ------------------------------===//
//
// Runs the scalar body of `train.rows` for a strip of elements at once: every
// value of the body is a vector with one double an element of the strip. A
// strip is a whole row, so that a reduction sees all of it, or, where rows have
// no meaning, a piece of the tensor.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace trireme::train;

using Lanes = std::vector<double>;

namespace {
using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);

/// The body's values in one strip.
struct Strip {
  int64_t size = 0, firstColumn = 0;
  DenseMap<Value, Lanes> values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Scalar functions
//===----------------------------------------------------------------------===//

static UnaryFunction getUnaryFunction(Operation *op) {
  return TypeSwitch<Operation *, UnaryFunction>(op)
      // Numbers are held as doubles whatever their type.
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::ExtSIOp,
            arith::TruncIOp, arith::IndexCastOp>(
          [](auto) { return +[](double x) { return x; }; })
      // Truth values and counts are not negative.
      .Case<arith::UIToFPOp, arith::ExtUIOp>(
          [](auto) { return +[](double x) { return x; }; })
      .Case([](arith::FPToSIOp) { return +[](double x) { return trunc(x); }; })
      .Case([](arith::NegFOp) { return +[](double x) { return -x; }; })
      .Case([](math::AbsFOp) { return +[](double x) { return fabs(x); }; })
      .Case([](math::CosOp) { return +[](double x) { return cos(x); }; })
      .Case([](math::ErfOp) { return +[](double x) { return erf(x); }; })
      .Case([](math::ErfcOp) { return +[](double x) { return erfc(x); }; })
      .Case([](math::ExpOp) { return +[](double x) { return exp(x); }; })
      .Case([](math::Exp2Op) { return +[](double x) { return exp2(x); }; })
      .Case([](math::ExpM1Op) { return +[](double x) { return expm1(x); }; })
      .Case([](math::LogOp) { return +[](double x) { return log(x); }; })
      .Case([](math::Log2Op) { return +[](double x) { return log2(x); }; })
      .Case([](math::Log1pOp) { return +[](double x) { return log1p(x); }; })
      .Case([](math::RsqrtOp) { return +[](double x) { return 1 / sqrt(x); }; })
      .Case([](math::SinOp) { return +[](double x) { return sin(x); }; })
      .Case([](math::SqrtOp) { return +[](double x) { return sqrt(x); }; })
      .Case([](math::TanhOp) { return +[](double x) { return tanh(x); }; })
      .Default([](Operation *) { return nullptr; });
}

static BinaryFunction getBinaryFunction(Operation *op) {
  return TypeSwitch<Operation *, BinaryFunction>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) { return +[](double a, double b) { return a + b; }; })
      .Case<arith::SubFOp, arith::SubIOp>(
          [](auto) { return +[](double a, double b) { return a - b; }; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) { return +[](double a, double b) { return a * b; }; })
      .Case([](arith::DivFOp) {
        return +[](double a, double b) { return a / b; };
      })
      .Case([](arith::DivSIOp) {
        return +[](double a, double b) { return trunc(a / b); };
      })
      .Case([](arith::RemSIOp) {
        return +[](double a, double b) { return fmod(a, b); };
      })
      .Case([](math::PowFOp) {
        return +[](double a, double b) { return pow(a, b); };
      })
      // The forms with `num` pass over a NaN, the others keep it.
      .Case<arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) { return +[](double a, double b) { return fmax(a, b); }; })
      .Case<arith::MinNumFOp, arith::MinSIOp>(
          [](auto) { return +[](double a, double b) { return fmin(a, b); }; })
      .Case([](arith::MaximumFOp) {
        return +[](double a, double b) { return a > b || a != a ? a : b; };
      })
      .Case([](arith::MinimumFOp) {
        return +[](double a, double b) { return a < b || a != a ? a : b; };
      })
      // On truth values, and on other integers that are not negative.
      .Case([](arith::AndIOp) {
        return +[](double a, double b) {
          return double(int64_t(a) & int64_t(b));
        };
      })
      .Case([](arith::OrIOp) {
        return +[](double a, double b) {
          return double(int64_t(a) | int64_t(b));
        };
      })
      .Case([](arith::XOrIOp) {
        return +[](double a, double b) {
          return double(int64_t(a) ^ int64_t(b));
        };
      })
      .Default([](Operation *) { return nullptr; });
}

/// Whether `a` stands to `b` as an ordered predicate says; `unordered` is the
/// answer if one of them is a NaN.
static double compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = a != a || b != b;
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::UEQ:
    return unordered || a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::UNE:
    return a != b;
  case P::OLT:
    return a < b;
  case P::ULT:
    return unordered || a < b;
  case P::OLE:
    return a <= b;
  case P::ULE:
    return unordered || a <= b;
  case P::OGT:
    return a > b;
  case P::UGT:
    return unordered || a > b;
  case P::OGE:
    return a >= b;
  case P::UGE:
    return unordered || a >= b;
  }
  return false;
}

/// Integers are held with their signed value; unsigned predicates are those of
/// the two's complement.
static double compare(arith::CmpIPredicate predicate, double a, double b) {
  using P = arith::CmpIPredicate;
  uint64_t ua = uint64_t(int64_t(a)), ub = uint64_t(int64_t(b));
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

/// The number of a scalar constant.
static FailureOr<double> getConstant(arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return number.getValueAsDouble();
  auto integer = dyn_cast<IntegerAttr>(op.getValue());
  if (!integer)
    return op.emitOpError("is no scalar number");
  return integer.getType().isInteger(1)
             ? double(integer.getValue().getZExtValue())
             : double(integer.getValue().getSExtValue());
}

static double reduce(Reduction kind, ArrayRef<double> lanes) {
  double result = kind == Reduction::Sum ? 0 : -HUGE_VAL;
  for (double x : lanes)
    result = kind == Reduction::Sum ? result + x : std::max(result, x);
  return result;
}

/// Evaluates one operation of the body for all elements of a strip.
static LogicalResult evaluateScalar(Operation &op, Strip &strip) {
  SmallVector<const Lanes *, 3> operands;
  for (Value operand : op.getOperands())
    operands.push_back(&strip.values.find(operand)->second);
  if (op.getNumResults() != 1)
    return op.emitOpError("cannot be evaluated in a kernel's body");
  Lanes lanes(strip.size);

  if (isa<arith::SIToFPOp, arith::ExtSIOp>(op) &&
      op.getOperand(0).getType().isInteger(1)) {
    // A signed i1 that is true is -1.
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = -(*operands[0])[i];
  } else if (UnaryFunction f = getUnaryFunction(&op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = f((*operands[0])[i]);
  } else if (BinaryFunction f = getBinaryFunction(&op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = f((*operands[0])[i], (*operands[1])[i]);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<double> value = getConstant(constant);
    if (failed(value))
      return failure();
    lanes.assign(strip.size, *value);
  } else if (auto comparison = dyn_cast<arith::CmpFOp>(op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = compare(comparison.getPredicate(), (*operands[0])[i],
                         (*operands[1])[i]);
  } else if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = compare(comparison.getPredicate(), (*operands[0])[i],
                         (*operands[1])[i]);
  } else if (isa<arith::SelectOp>(op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = (*operands[(*operands[0])[i] != 0 ? 1 : 2])[i];
  } else if (isa<math::FmaOp>(op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] =
          std::fma((*operands[0])[i], (*operands[1])[i], (*operands[2])[i]);
  } else if (auto reduction = dyn_cast<ReduceOp>(op)) {
    lanes.assign(strip.size, reduce(reduction.getKind(), *operands[0]));
  } else if (isa<ColumnOp>(op)) {
    for (int64_t i = 0; i < strip.size; ++i)
      lanes[i] = double(strip.firstColumn + i);
  } else {
    return op.emitOpError("cannot be evaluated in a kernel's body");
  }
  strip.values[op.getResult(0)] = std::move(lanes);
  return success();
}

/// Loads the elements of a strip: `offset` is its first element in full
/// tensors, `row` its row.
static Lanes load(const HostTensor &tensor, RowKind kind, const Strip &strip,
                  int64_t row, int64_t offset) {
  switch (kind) {
  case RowKind::Full:
    return Lanes(tensor.values.begin() + offset,
                 tensor.values.begin() + offset + strip.size);
  case RowKind::Column:
    return Lanes(tensor.values.begin() + strip.firstColumn,
                 tensor.values.begin() + strip.firstColumn + strip.size);
  case RowKind::Row:
    return Lanes(strip.size, tensor.values[row]);
  default:
    return Lanes(strip.size, tensor.values[0]);
  }
}

static void store(HostTensor &tensor, RowKind kind, const Strip &strip,
                  int64_t row, int64_t offset, const Lanes &lanes) {
  switch (kind) {
  case RowKind::Full:
    std::copy(lanes.begin(), lanes.end(), tensor.values.begin() + offset);
    return;
  case RowKind::Row:
    tensor.values[row] = lanes[0];
    return;
  case RowKind::Scalar:
    tensor.values[0] = lanes[0];
    return;
  case RowKind::Column:
  case RowKind::ColumnSum:
    for (int64_t i = 0; i < strip.size; ++i)
      tensor.values[strip.firstColumn + i] += lanes[i];
    return;
  case RowKind::Sum:
    tensor.values[0] += reduce(Reduction::Sum, lanes);
    return;
  }
}

LogicalResult RowsOp::evaluate(Operands operands, Results results, int64_t) {
  // In a flat kernel a strip is some thousand elements, else a row.
  constexpr int64_t kFlatStrip = 4096;
  int64_t elements = getRows() * getColumns();
  Block &body = getBody().front();
  auto operandKinds = getOperandKinds().getAsRange<RowKindAttr>();
  auto resultKinds = getResultKinds().getAsRange<RowKindAttr>();
  Strip strip;
  for (int64_t offset = 0; offset < elements; offset += strip.size) {
    strip.size = getFlat() ? std::min(kFlatStrip, elements - offset)
                           : int64_t(getColumns());
    int64_t row = getFlat() ? 0 : offset / getColumns();
    for (auto [argument, operand, kind] :
         llvm::zip_equal(body.getArguments(), operands, operandKinds))
      strip.values[argument] =
          load(*operand, kind.getValue(), strip, row, offset);
    for (Operation &op : body.without_terminator())
      if (failed(evaluateScalar(op, strip)))
        return failure();
    for (auto [value, result, kind] : llvm::zip_equal(
             body.getTerminator()->getOperands(), results, resultKinds))
      store(result, kind.getValue(), strip, row, offset,
            strip.values.find(value)->second);
  }
  return success();
}
