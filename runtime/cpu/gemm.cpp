#include "cpu/gemm.h"

#include "cpu/parallel.h"

#include <algorithm>

using namespace trireme::runtime;

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Cuts `size` into equal parts of at most about `target`, each a multiple of
/// `unit` (the last one may be smaller).
static int64_t evenPart(int64_t size, int64_t target, int64_t unit) {
  int64_t parts = std::max<int64_t>(1, (size + target / 2) / target);
  return std::min(size, divideUp(divideUp(size, parts), unit) * unit);
}

GemmBlocking trireme::runtime::chooseBlocking(const GemmShape &shape) {
  // Below this much work a block costs more to hand out than to compute.
  constexpr double LeastWork = 1 << 20;
  // oneDNN's AVX-512 kernel computes 8 rows by 48 columns.
  constexpr int64_t RowUnit = 8, ColumnUnit = 48;
  // Fewer blocks than this are cut further, for the sake of many cores.
  constexpr int64_t LeastBlocks = 8;
  double work = double(shape.m) * double(shape.n) * double(shape.k);
  if (work < 2 * LeastWork)
    return {shape.m, shape.n};
  // A transposed right operand is repacked for every block of rows, which the
  // implementation for dense results does best: keep whole rows if they fit
  // and leave enough blocks.
  bool wholeRows =
      shape.rhsTransposed && shape.n <= 1024 && shape.m >= LeastBlocks * 128;
  GemmBlocking blocking{evenPart(shape.m, 256, RowUnit),
                        wholeRows ? shape.n
                                  : evenPart(shape.n, 480, ColumnUnit)};
  auto small = [&] {
    int64_t blocks =
        divideUp(shape.m, blocking.rows) * divideUp(shape.n, blocking.columns);
    return blocks < LeastBlocks &&
           double(blocking.rows) * double(blocking.columns) * double(shape.k) >=
               2 * LeastWork;
  };
  while (small()) {
    if (!wholeRows && blocking.columns > 2 * blocking.rows &&
        blocking.columns > ColumnUnit)
      blocking.columns =
          divideUp(divideUp(blocking.columns, 2), ColumnUnit) * ColumnUnit;
    else if (blocking.rows > RowUnit)
      blocking.rows = divideUp(divideUp(blocking.rows, 2), RowUnit) * RowUnit;
    else
      break;
  }
  return blocking;
}

Gemm::Gemm(const GemmShape &shape, GemmBlocking blocking)
    : gemm(shape), blocking(blocking),
      rowBlocks(divideUp(shape.m, blocking.rows)),
      columnBlocks(divideUp(shape.n, blocking.columns)) {
  int64_t rows[2] = {blocking.rows, shape.m - (rowBlocks - 1) * blocking.rows};
  int64_t columns[2] = {blocking.columns,
                        shape.n - (columnBlocks - 1) * blocking.columns};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      if (i && rows[1] == rows[0]) {
        products[1][j] = products[0][j];
        continue;
      }
      if (j && columns[1] == columns[0]) {
        products[i][1] = products[i][0];
        continue;
      }
      MatrixLayout lhs{rows[i], shape.k, shape.lhsTransposed ? 1 : shape.k,
                       shape.lhsTransposed ? shape.m : 1};
      MatrixLayout rhs{shape.k, columns[j], shape.rhsTransposed ? 1 : shape.n,
                       shape.rhsTransposed ? shape.k : 1};
      MatrixLayout result{rows[i], columns[j], shape.n, 1};
      products[i][j] = std::make_shared<Matmul>(lhs, rhs, result,
                                                shape.accumulate, shape.bias);
    }
}

size_t Gemm::scratchBytes() const {
  size_t bytes = 0;
  for (const auto &row : products)
    for (const auto &product : row)
      bytes = std::max(bytes, product->scratchBytes());
  return (bytes + 63) / 64 * 64;
}

const std::string &Gemm::implementation() const {
  return products[0][0]->implementation();
}

void Gemm::run(const float *lhs, const float *rhs, const float *bias,
               float *result, char *scratch, size_t stride) const {
  int64_t lhsStep = gemm.lhsTransposed ? 1 : gemm.k;
  int64_t rhsStep = gemm.rhsTransposed ? gemm.k : 1;
  parallelFor(rowBlocks * columnBlocks, /*grain=*/1, Assignment::Dynamic,
              [&](int64_t block, int64_t, int thread) {
                int64_t i = block / columnBlocks, j = block % columnBlocks;
                int64_t row = i * blocking.rows, column = j * blocking.columns;
                const Matmul &product =
                    *products[i == rowBlocks - 1][j == columnBlocks - 1];
                product.run(thread, lhs + row * lhsStep, rhs + column * rhsStep,
                            bias ? bias + column : nullptr,
                            result + row * gemm.n + column,
                            scratch + thread * stride);
              });
}
