//===- StepEmitter.h - One step of a kernel's loops -------------*- C++ -*-===//

#ifndef TRIREME_LIB_CONVERSION_ROWSTOLLVM_STEPEMITTER_H
#define TRIREME_LIB_CONVERSION_ROWSTOLLVM_STEPEMITTER_H

#include "BodyAnalysis.h"
#include "mlir/IR/Builders.h"

namespace trireme {

/// Elements of a step, and lanes of a reduction. A power of two.
constexpr int64_t kLanes = 32;

/// An operand, a result, or the partial sums of a result.
struct Buffer {
  train::RowKind kind;
  mlir::Type type;
  mlir::Value pointer;
  unsigned index; // of the operand or result
};

/// Elements [column, column + kLanes) of a row, as vectors.
struct Step {
  mlir::Value column;
  /// One a vector; null if all its elements exist. There are fewer vectors
  /// than usual where the last ones have no element.
  llvm::SmallVector<mlir::Value> masks;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> values;
};

/// The type in memory.
inline mlir::Type storedType(mlir::Type type) {
  return type.isInteger(1) ? mlir::IntegerType::get(type.getContext(), 8)
                           : type;
}

/// Its bytes.
inline unsigned bytesOf(mlir::Type type) {
  return storedType(type).getIntOrFloatBitWidth() / 8;
}

/// Emits what is done to the elements of one step, and scalars.
struct StepEmitter {
  StepEmitter(mlir::OpBuilder &builder, runtime::KernelOp kernel,
              unsigned vectorBytes)
      : builder(builder), kernel(kernel), loc(kernel.getLoc()),
        analysis(kernel), body(&kernel.getBody().front()),
        width(vectorBytes / 4), vectors(kLanes / width) {}

  /// A step of `elements` elements, known when compiling.
  Step makeStep(mlir::Value column, int64_t elements);
  /// A step of fewer than kLanes elements, known when running.
  Step makeTailStep(mlir::Value column, mlir::Value elements);
  /// Computes what `roots` need: first all loads, then all arithmetic.
  void computeStep(Step &step, mlir::ValueRange roots);
  /// Asks for the elements of the next row: a row's last pass finds its own in
  /// cache, and memory would be idle.
  void prefetchNextRow(const Step &step);
  /// The vectors of a value in `step`; those of a uniform value are equal.
  llvm::SmallVector<mlir::Value> getVectors(Step &step, mlir::Value value);

  /// Where a reduction begins: one accumulator a vector of a step.
  llvm::SmallVector<mlir::Value> identities(train::Reduction kind,
                                            mlir::Type type);
  /// Combines `value` of this step into `accumulators`.
  void accumulate(train::Reduction kind, Step &step, mlir::Value value,
                  llvm::MutableArrayRef<mlir::Value> accumulators);
  /// Combines all lanes by halves.
  mlir::Value reduceLanes(train::Reduction kind,
                          llvm::ArrayRef<mlir::Value> accumulators);

  /// Emits the scalar operations that can be computed after `pass` passes.
  void emitUniform(Extent extent, unsigned pass);
  mlir::Value uniform(mlir::Value value) { return uniforms.lookup(value); }

  /// The address of element `index`.
  mlir::Value address(mlir::Value pointer, mlir::Type type, mlir::Value index);
  /// The address of vector `vector` of a step.
  mlir::Value address(const Buffer &buffer, const Step &step, size_t vector);
  mlir::Value load(mlir::Value pointer, mlir::Type type);
  void store(mlir::Value value, mlir::Value pointer);
  mlir::Value loadVector(mlir::Value pointer, mlir::Type type,
                         mlir::Value mask);
  void storeVector(mlir::Value value, mlir::Value pointer, mlir::Value mask);

  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::VectorType vectorOf(mlir::Type type) {
    return mlir::VectorType::get({width}, type);
  }
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::OpBuilder &builder;
  runtime::KernelOp kernel;
  mlir::Location loc;
  BodyAnalysis analysis;
  mlir::Block *body;
  int64_t width;   // elements of a vector, whatever their type
  int64_t vectors; // of a step
  llvm::SmallVector<Buffer> operands, results, partials;
  /// Scalars of the body's values.
  llvm::DenseMap<mlir::Value, mlir::Value> uniforms;
  /// Where the row's elements begin, by the buffer's pointer.
  llvm::DenseMap<mlir::Value, mlir::Value> rowPointers;

private:
  mlir::Value laneNumbers(size_t vector);
  mlir::Value splat(double value, mlir::Type type);
  void emitElementOp(Step &step, mlir::Operation *op);
  void emitColumn(Step &step, mlir::Value result);
  mlir::Value combine(train::Reduction kind, mlir::Value a, mlir::Value b);
};

} // namespace trireme

#endif // TRIREME_LIB_CONVERSION_ROWSTOLLVM_STEPEMITTER_H
