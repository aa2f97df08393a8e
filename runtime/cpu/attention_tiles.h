// The inner part of attention: one tile of queries against all tiles of keys.
// Compiled once for each level of x86-64 that it uses.
//
// A tile of queries is `rows` (position, query head of the group) pairs that
// share their key head. Scores lie transposed, [key][row]: vector lanes are
// rows, so the softmax over keys needs no reduction inside a vector, and keys
// and values are read where they lie, element by element.
#ifndef TRIREME_RUNTIME_CPU_ATTENTION_TILES_H
#define TRIREME_RUNTIME_CPU_ATTENTION_TILES_H

#include <cstdint>

namespace trireme::runtime {

/// Shapes of one attention and pointers to one (batch, key head) of it. Rows
/// of a sequence are `qStride` or `kStride` floats apart.
struct AttentionHead {
  int64_t sequence, keys, group, headDim; // sequence: queries
  int64_t qStride, kStride;
  float scale, softcap; // softcap 0: none
  int64_t window;       // 0: none
  const float *q, *k, *v;
  const int32_t *qPositions, *kPositions;
  const float *output, *logSum, *outputGradient; // backward only
};

/// Positions of a tile of queries.
int64_t tilePositions(int64_t group);
/// Rows of a tile, padded to whole vectors.
int64_t tileRows(int64_t group);
/// Floats of scratch of a forward tile, and of the backward of one head.
int64_t forwardScratch(int64_t group, int64_t headDim);
int64_t backwardScratch(int64_t keys, int64_t group, int64_t headDim);

struct AttentionTiles {
  /// Queries [first, first + tilePositions) of a head; writes their part of
  /// `output` (as q) and of `logSum` ([group, sequence] of the head).
  void (*forward)(const AttentionHead &head, int64_t first, float *output,
                  float *logSum, float *scratch);
  /// The whole head; overwrites the gradients.
  void (*backward)(const AttentionHead &head, float *qGradient,
                   float *kGradient, float *vGradient, float *scratch);
};

extern const AttentionTiles attentionTilesV3, attentionTilesV4;

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_ATTENTION_TILES_H
