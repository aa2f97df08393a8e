/* The contract between a compiled program and the CPU runtime.
 *
 * `trireme compile` emits one object that defines `trireme_compiled_program`
 * and calls the functions below; it is linked with the runtime into an
 * executable. The runtime knows nothing of MLIR: all it learns about the
 * program stands in the manifest (JSON, see docs/program-manifest.md) and in
 * this header.
 *
 * Memory: one arena of `manifest.arena.bytes`, 64-byte aligned and zero at
 * start, holds everything a rank needs: state (parameters, moments), inputs,
 * results, activations. Offsets in the manifest are bytes from its start.
 * No function below allocates. All are called from the main thread and return
 * when the work is done; inside they use the runtime's parallel-for, and no
 * result bit depends on the number of threads. */
#ifndef TRIREME_RUNTIME_PROGRAM_H
#define TRIREME_RUNTIME_PROGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRIREME_PROGRAM_ABI 1

/* One rank's execution state; owned by the runtime, opaque to the program. */
typedef struct trireme_context trireme_context;

typedef struct trireme_program {
  uint32_t abi_version; /* TRIREME_PROGRAM_ABI */
  uint32_t reserved;    /* 0 */
  const char *manifest; /* JSON text, not zero-terminated */
  uint64_t manifest_bytes;
  /* One optimizer step: reads inputs and scalars, updates the state in place,
   * writes the outputs named in the manifest. */
  void (*train)(trireme_context *context, char *arena);
  /* Loss sum and target count of one global batch; the state is only read. */
  void (*evaluate)(trireme_context *context, char *arena);
} trireme_program;

/* Defined by the compiled object. */
extern const trireme_program trireme_compiled_program;

/* A generated kernel: does iterations [begin, end) of its outermost dim.
 * `buffers` are its operands in the order of the kernel. */
typedef void (*trireme_kernel)(char *const *buffers, int64_t begin,
                               int64_t end);

/* Runs `function` over [0, count) in blocks of `grain` iterations; block
 * borders are multiples of `grain` whatever the number of threads. `kernel`
 * is the index into manifest.kernels (names for traces). */
void trireme_launch(trireme_context *context, int32_t kernel,
                    trireme_kernel function, char *const *buffers,
                    int64_t count, int64_t grain);

/* result = op(lhs) * op(rhs) [+ bias] [+ result], row-major, as
 * manifest.gemms[gemm] says. `bias` (one value a column) may be NULL. */
void trireme_gemm(trireme_context *context, int32_t gemm, const float *lhs,
                  const float *rhs, const float *bias, float *result);

/* Attention forward: q [batch, sequence, kv_heads, group, head_dim], k and v
 * [batch, keys, kv_heads, head_dim], positions int32 [batch, sequence] and
 * [batch, keys].
 * Query i sees key j iff pos[j] <= pos[i] and, where the window w of this
 * layer is above 0, pos[i] - pos[j] < w. Scores are
 * scale * q.k, then cap * tanh(scores / cap) where softcap > 0. Writes
 * output (shape of q) and the log-sum-exp
 * [batch, kv_heads, group, sequence] of the scores; a query that sees no key
 * gets output 0 and log-sum-exp minus infinity. `layer` indexes
 * manifest.attentions[attention].windows. */
void trireme_attention_forward(trireme_context *context, int32_t attention,
                               int64_t layer, const float *q, const float *k,
                               const float *v, const int32_t *q_positions,
                               const int32_t *k_positions, float *output,
                               float *log_sum);

/* Attention backward; gradients are overwritten, not added to. `output` and
 * `log_sum` may be those over more keys than these; where `log_sum` is minus
 * infinity the query has no part in any gradient. */
void trireme_attention_backward(trireme_context *context, int32_t attention,
                                int64_t layer, const float *q, const float *k,
                                const float *v, const int32_t *q_positions,
                                const int32_t *k_positions, const float *output,
                                const float *log_sum,
                                const float *output_gradient, float *q_gradient,
                                float *k_gradient, float *v_gradient);

/* Output and log-sum-exp of the same queries over two sets of keys become those
 * over all keys: l = log(exp l1 + exp l2), o = o1 exp(l1 - l) + o2 exp(l2 - l);
 * minus infinity and 0 where both logs are minus infinity. Outputs are [batch,
 * sequence, heads, head_dim], log-sums [batch, heads, sequence]. Results may be
 * the first or second operands. */
void trireme_merge_attention(trireme_context *context, const float *lhs,
                             const float *lhs_log_sum, const float *rhs,
                             const float *rhs_log_sum, float *result,
                             float *log_sum, int64_t batch, int64_t sequence,
                             int64_t heads, int64_t head_dim);

/* result[i] = table[ids[i] - *start] for i < rows, zeros where that is none of
 * the table's rows (another rank has it). */
void trireme_embedding(trireme_context *context, const float *table,
                       const int32_t *ids, const int32_t *start, float *result,
                       int64_t rows, int64_t width, int64_t table_rows);

/* table[ids[i] - *start] += gradient[i], i ascending for each table row; passes
 * over ids that are none of the table's rows. */
void trireme_embedding_gradient(trireme_context *context, const int32_t *ids,
                                const float *gradient, const int32_t *start,
                                float *table, int64_t rows, int64_t width,
                                int64_t table_rows);

/* table[i] = {cos(p f_0) ..., sin(p f_0) ...}, p = positions[i]: rows of
 * 2 * count floats; angles and functions are taken in double. */
void trireme_rotary_table(trireme_context *context, const int32_t *positions,
                          const double *frequencies, float *table, int64_t rows,
                          int64_t count);

/* Rotates the first 2 * count elements of each head of `head_dim` floats by the
 * angles of its token, pairing element j with j + count: source and result are
 * [tokens, heads, head_dim] (may be one buffer), table rows are those of
 * trireme_rotary_table. `inverse` (0 or 1) rotates back. */
void trireme_rotary(trireme_context *context, const float *source,
                    const float *table, float *result, int64_t tokens,
                    int64_t heads, int64_t head_dim, int64_t count,
                    int64_t inverse);

/* result[c] = sum over b of partials[b * columns + c], b ascending, in double:
 * the second stage of sums over rows, in an order that depends on the shape
 * only. */
void trireme_sum_partials(trireme_context *context, const float *partials,
                          float *result, int64_t blocks, int64_t columns);

/* Copies `rows` rows of `bytes` bytes between strided places. */
void trireme_copy(trireme_context *context, const char *source, char *target,
                  int64_t source_stride, int64_t target_stride, int64_t rows,
                  int64_t bytes);

/* The life of a temporary buffer has ended. Does nothing but under
 * --check-arena, which fills it with NaN. */
void trireme_release(trireme_context *context, char *buffer, int64_t bytes);

/* Zeroes `bytes` bytes. */
void trireme_zero(trireme_context *context, char *target, int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif /* TRIREME_RUNTIME_PROGRAM_H */
