// The C functions of program.h.

#include "cpu/context.h"
#include "cpu/parallel.h"

#include <cmath>
#include <cstring>

using namespace trireme::runtime;
using Kind = TraceEvent::Kind;

/// Iterations of `bytes` bytes each that are worth handing to a thread.
static int64_t grainFor(int64_t bytes) {
  constexpr int64_t BlockBytes = 64 << 10;
  return std::max<int64_t>(1, BlockBytes / std::max<int64_t>(bytes, 1));
}

void trireme_launch(trireme_context *context, int32_t kernel,
                    trireme_kernel function, char *const *buffers,
                    int64_t count, int64_t grain) {
  TraceScope scope(context->trace, Kind::Kernel, kernel, nullptr);
  parallelFor(
      count, std::max<int64_t>(grain, 1), Assignment::Dynamic,
      [&](int64_t begin, int64_t end, int) { function(buffers, begin, end); });
}

void trireme_gemm(trireme_context *context, int32_t gemm, const float *lhs,
                  const float *rhs, const float *bias, float *result) {
  TraceScope scope(context->trace, Kind::Gemm, gemm, nullptr);
  context->gemms[gemm].run(lhs, rhs, bias, result, context->scratch.get(),
                           context->scratchStride);
}

void trireme_attention_forward(trireme_context *context, int32_t attention,
                               int64_t layer, const float *q, const float *k,
                               const float *v, const int32_t *q_positions,
                               const int32_t *k_positions, float *output,
                               float *log_sum) {
  TraceScope scope(context->trace, Kind::Attention, attention,
                   "attention_forward");
  context->attentions[attention].forward(
      layer, {q, k, v, q_positions, k_positions}, output, log_sum,
      context->scratch.get(), context->scratchStride);
}

void trireme_attention_backward(trireme_context *context, int32_t attention,
                                int64_t layer, const float *q, const float *k,
                                const float *v, const int32_t *q_positions,
                                const int32_t *k_positions, const float *output,
                                const float *log_sum,
                                const float *output_gradient, float *q_gradient,
                                float *k_gradient, float *v_gradient) {
  TraceScope scope(context->trace, Kind::Attention, attention,
                   "attention_backward");
  context->attentions[attention].backward(
      layer, {q, k, v, q_positions, k_positions},
      {output, log_sum, output_gradient}, {q_gradient, k_gradient, v_gradient},
      context->scratch.get(), context->scratchStride);
}

void trireme_merge_attention(trireme_context *context, const float *lhs,
                             const float *lhs_log_sum, const float *rhs,
                             const float *rhs_log_sum, float *result,
                             float *log_sum, int64_t batch, int64_t sequence,
                             int64_t heads, int64_t head_dim) {
  TraceScope scope(context->trace, Kind::Named, 0, "merge_attention");
  auto mergeRow = [&](int64_t row) {
    int64_t head = row % heads, token = row / heads;
    int64_t place =
        (token / sequence * heads + head) * sequence + token % sequence;
    float first = lhs_log_sum[place], second = rhs_log_sum[place];
    float largest = std::max(first, second);
    bool none = largest == -INFINITY;
    float weight = none ? 0.0f : std::exp(first - largest);
    float other = none ? 0.0f : std::exp(second - largest);
    log_sum[place] = none ? largest : largest + std::log(weight + other);
    float scale = none ? 0.0f : 1.0f / (weight + other);
    const float *from = lhs + row * head_dim, *and_from = rhs + row * head_dim;
    float *to = result + row * head_dim;
    // `to` may be an operand, but no iteration touches another one's elements.
#pragma clang loop vectorize(assume_safety)
    for (int64_t j = 0; j < head_dim; ++j)
      to[j] = (from[j] * weight + and_from[j] * other) * scale;
  };
  parallelFor(batch * sequence * heads,
              grainFor(head_dim * int64_t(sizeof(float))), Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t row = begin; row < end; ++row)
                  mergeRow(row);
              });
}

void trireme_embedding(trireme_context *context, const float *table,
                       const int32_t *ids, const int32_t *start, float *result,
                       int64_t rows, int64_t width, int64_t table_rows) {
  TraceScope scope(context->trace, Kind::Named, 0, "embedding");
  int64_t bytes = width * int64_t(sizeof(float)), first = *start;
  parallelFor(rows, grainFor(bytes), Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) {
                  int64_t row = ids[i] - first;
                  if (row >= 0 && row < table_rows)
                    std::memcpy(result + i * width, table + row * width, bytes);
                  else
                    std::memset(result + i * width, 0, bytes);
                }
              });
}

void trireme_embedding_gradient(trireme_context *context, const int32_t *ids,
                                const float *gradient, const int32_t *start,
                                float *table, int64_t rows, int64_t width,
                                int64_t table_rows) {
  TraceScope scope(context->trace, Kind::Named, 0, "embedding_gradient");
  // Each block owns a range of columns and adds all rows in order, so that
  // every element is summed in the same order whatever the threads. Sixteen
  // floats are a cache line: no two blocks write the same one.
  constexpr int64_t Line = 16;
  int64_t first = *start;
  int64_t grain = std::max<int64_t>(
      Line, (width / (2 * threadCount()) + Line - 1) / Line * Line);
  parallelFor(width, grain, Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = 0; i < rows; ++i) {
                  int64_t row = ids[i] - first;
                  if (row < 0 || row >= table_rows)
                    continue;
                  float *target = table + row * width;
                  const float *source = gradient + i * width;
                  for (int64_t j = begin; j < end; ++j)
                    target[j] += source[j];
                }
              });
}

void trireme_rotary_table(trireme_context *context, const int32_t *positions,
                          const double *frequencies, float *table, int64_t rows,
                          int64_t count) {
  TraceScope scope(context->trace, Kind::Named, 0, "rotary_table");
  parallelFor(rows, /*grain=*/8, Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i)
                  for (int64_t j = 0; j < count; ++j) {
                    double angle = positions[i] * frequencies[j];
                    float *row = table + i * 2 * count;
                    row[j] = float(std::cos(angle));
                    row[count + j] = float(std::sin(angle));
                  }
              });
}

void trireme_rotary(trireme_context *context, const float *source,
                    const float *table, float *result, int64_t tokens,
                    int64_t heads, int64_t head_dim, int64_t count,
                    int64_t inverse) {
  TraceScope scope(context->trace, Kind::Named, 0, "rotary");
  int64_t width = heads * head_dim, rest = head_dim - 2 * count;
  float direction = inverse ? -1.0f : 1.0f;
  auto rotate = [&](const float *from, const float *cosines, float *to) {
    const float *sines = cosines + count;
    // `to` may be `from`, but no iteration touches another one's elements.
#pragma clang loop vectorize(assume_safety)
    for (int64_t j = 0; j < count; ++j) {
      float first = from[j], second = from[j + count];
      float sine = direction * sines[j];
      to[j] = first * cosines[j] - second * sine;
      to[j + count] = second * cosines[j] + first * sine;
    }
    if (rest && from != to)
      std::memcpy(to + 2 * count, from + 2 * count, rest * sizeof(float));
  };
  parallelFor(tokens, grainFor(width * int64_t(sizeof(float))),
              Assignment::Static, [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i)
                  for (int64_t head = 0; head < heads; ++head) {
                    int64_t place = i * width + head * head_dim;
                    rotate(source + place, table + i * 2 * count,
                           result + place);
                  }
              });
}

void trireme_sum_partials(trireme_context *context, const float *partials,
                          float *result, int64_t blocks, int64_t columns) {
  TraceScope scope(context->trace, Kind::Named, 0, "sum_partials");
  constexpr int64_t Columns = 64; // sums of a block of columns
  parallelFor(columns, Columns, Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                double sums[Columns] = {};
                for (int64_t b = 0; b < blocks; ++b)
                  for (int64_t j = begin; j < end; ++j)
                    sums[j - begin] += double(partials[b * columns + j]);
                for (int64_t j = begin; j < end; ++j)
                  result[j] = float(sums[j - begin]);
              });
}

void trireme_copy(trireme_context *context, const char *source, char *target,
                  int64_t source_stride, int64_t target_stride, int64_t rows,
                  int64_t bytes) {
  TraceScope scope(context->trace, Kind::Named, 0, "copy");
  parallelFor(rows, grainFor(bytes), Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i)
                  std::memcpy(target + i * target_stride,
                              source + i * source_stride, bytes);
              });
}

void trireme_release(trireme_context *context, char *buffer, int64_t bytes) {
  if (context->check)
    context->check->release(buffer, bytes);
}

void trireme_zero(trireme_context *context, char *target, int64_t bytes) {
  TraceScope scope(context->trace, Kind::Named, 0, "zero");
  parallelFor(bytes, grainFor(1), Assignment::Static,
              [&](int64_t begin, int64_t end, int) {
                std::memset(target + begin, 0, end - begin);
              });
}
