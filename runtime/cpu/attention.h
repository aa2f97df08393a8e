// Attention forward and backward in tiles: the scores of a whole sequence are
// never held, only those of one tile of queries and one of keys.
#ifndef TRIREME_RUNTIME_CPU_ATTENTION_H
#define TRIREME_RUNTIME_CPU_ATTENTION_H

#include "core/manifest.h"

#include <cstddef>

namespace trireme::runtime {

struct AttentionTiles;

/// Operands of program.h's attention functions, in their layouts.
struct AttentionInputs {
  const float *q, *k, *v;
  const int32_t *qPositions, *kPositions;
};

/// What the backward pass knows of the forward one.
struct AttentionResults {
  const float *output, *logSum, *outputGradient;
};

struct AttentionGradients {
  float *q, *k, *v;
};

class Attention {
public:
  explicit Attention(const AttentionShape &shape);

  /// Scratch bytes that one thread needs, a multiple of 64.
  size_t scratchBytes() const;

  /// `layer` chooses the window; `scratch` holds `stride` >= scratchBytes()
  /// bytes a thread, 64-byte aligned. Called by the main thread only.
  void forward(int64_t layer, const AttentionInputs &inputs, float *output,
               float *logSum, char *scratch, size_t stride) const;
  void backward(int64_t layer, const AttentionInputs &inputs,
                const AttentionResults &results,
                const AttentionGradients &gradients, char *scratch,
                size_t stride) const;

private:
  AttentionShape shape;
  const AttentionTiles *tiles; // of this processor
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_ATTENTION_H
