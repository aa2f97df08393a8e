// The product of attention's tiles, for operands that lie in the caches.
// Static throughout, as vector_math.h.
#ifndef TRIREME_RUNTIME_CPU_TILE_PRODUCT_H
#define TRIREME_RUNTIME_CPU_TILE_PRODUCT_H

#include "cpu/vector_math.h"

namespace trireme::runtime {
namespace {

/// Element (i, k) of the left operand lies at data[i * rowStride + k *
/// innerStride].
struct LeftOperand {
  const float *data;
  int64_t rowStride, innerStride;
};

/// A row-major matrix.
struct TileMatrix {
  float *data;
  int64_t stride; // floats from row to row
};

/// Rows x Columns vectors of the result, kept in registers.
template <int Rows, int Columns>
inline void productBlock(LeftOperand left, const float *right,
                         int64_t rightStride, int64_t inner, TileMatrix result,
                         bool accumulate) {
  Vector sums[Rows][Columns];
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j)
      sums[i][j] = accumulate
                       ? load(result.data + i * result.stride + j * VectorLanes)
                       : Vector{};
  for (int64_t k = 0; k < inner; ++k) {
    Vector row[Columns];
    for (int j = 0; j < Columns; ++j)
      row[j] = load(right + k * rightStride + j * VectorLanes);
    const float *column = left.data + k * left.innerStride;
    for (int i = 0; i < Rows; ++i) {
      Vector factor = splat(column[i * left.rowStride]);
      for (int j = 0; j < Columns; ++j)
        sums[i][j] = factor * row[j] + sums[i][j];
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j)
      store(result.data + i * result.stride + j * VectorLanes, sums[i][j]);
}

template <int Columns>
inline void productColumns(LeftOperand left, const float *right,
                           int64_t rightStride, int64_t rows, int64_t inner,
                           TileMatrix result, bool accumulate) {
  auto block = [&]<int Rows>() {
    productBlock<Rows, Columns>(left, right, rightStride, inner, result,
                                accumulate);
    left.data += Rows * left.rowStride;
    result.data += Rows * result.stride;
    rows -= Rows;
  };
  while (rows >= 6)
    block.template operator()<6>();
  switch (rows) {
  case 5:
    return block.template operator()<5>();
  case 4:
    return block.template operator()<4>();
  case 3:
    return block.template operator()<3>();
  case 2:
    return block.template operator()<2>();
  case 1:
    return block.template operator()<1>();
  }
}

/// result[rows x columns] = left[rows x inner] * right[inner x columns]
/// [+ result]; `columns` is a multiple of 16.
inline void tileProduct(LeftOperand left, TileMatrix right, int64_t rows,
                        int64_t columns, int64_t inner, TileMatrix result,
                        bool accumulate) {
  // As many accumulators as the registers hold: 6 x 4 of 32, or 6 x 2 of 16.
  constexpr int Columns = VectorLanes == 16 ? 4 : 2;
  int64_t j = 0;
  for (; j + Columns * VectorLanes <= columns; j += Columns * VectorLanes)
    productColumns<Columns>(left, right.data + j, right.stride, rows, inner,
                            {result.data + j, result.stride}, accumulate);
  for (; j < columns; j += VectorLanes)
    productColumns<1>(left, right.data + j, right.stride, rows, inner,
                      {result.data + j, result.stride}, accumulate);
}

} // namespace
} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_TILE_PRODUCT_H
