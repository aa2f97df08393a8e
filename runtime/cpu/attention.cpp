#include "cpu/attention.h"

#include "cpu/attention_tiles.h"
#include "cpu/parallel.h"

#include <algorithm>

using namespace trireme::runtime;

int64_t trireme::runtime::tilePositions(int64_t group) {
  constexpr int64_t Rows = 64;
  return std::max<int64_t>(1, Rows / group);
}

int64_t trireme::runtime::tileRows(int64_t group) {
  constexpr int64_t Lanes = 16;
  return (tilePositions(group) * group + Lanes - 1) / Lanes * Lanes;
}

Attention::Attention(const AttentionShape &shape)
    : shape(shape),
      tiles(__builtin_cpu_supports("x86-64-v4") ? &attentionTilesV4
                                                : &attentionTilesV3) {}

size_t Attention::scratchBytes() const {
  int64_t floats =
      std::max(forwardScratch(shape.group, shape.headDim),
               backwardScratch(shape.keys, shape.group, shape.headDim));
  return size_t(floats + 15) / 16 * 64;
}

/// The part of the operands that (batch, key head) number `index` has.
static AttentionHead headOf(const AttentionShape &shape, int64_t layer,
                            const AttentionInputs &inputs, int64_t index) {
  int64_t batch = index / shape.kvHeads, kvHead = index % shape.kvHeads;
  int64_t kStride = shape.kvHeads * shape.headDim;
  int64_t qStride = kStride * shape.group;
  int64_t kOffset = batch * shape.keys * kStride + kvHead * shape.headDim;
  int64_t qOffset =
      batch * shape.sequence * qStride + kvHead * shape.group * shape.headDim;
  AttentionHead head = {};
  head.sequence = shape.sequence;
  head.keys = shape.keys;
  head.group = shape.group;
  head.headDim = shape.headDim;
  head.qStride = qStride;
  head.kStride = kStride;
  head.scale = float(shape.scale);
  head.softcap = float(shape.softcap);
  head.window = shape.windows[layer];
  head.q = inputs.q + qOffset;
  head.k = inputs.k + kOffset;
  head.v = inputs.v + kOffset;
  head.qPositions = inputs.qPositions + batch * shape.sequence;
  head.kPositions = inputs.kPositions + batch * shape.keys;
  return head;
}

void Attention::forward(int64_t layer, const AttentionInputs &inputs,
                        float *output, float *logSum, char *scratch,
                        size_t stride) const {
  int64_t step = tilePositions(shape.group);
  int64_t tilesOfHead = (shape.sequence + step - 1) / step;
  int64_t count = shape.batch * shape.kvHeads * tilesOfHead;
  parallelFor(count, /*grain=*/1, Assignment::Dynamic,
              [&](int64_t item, int64_t, int thread) {
                int64_t index = item / tilesOfHead;
                // Later queries see more keys: the longest tiles are handed out
                // first.
                int64_t tile = tilesOfHead - 1 - item % tilesOfHead;
                AttentionHead head = headOf(shape, layer, inputs, index);
                tiles->forward(
                    head, tile * step, output + (head.q - inputs.q),
                    logSum + index * shape.group * shape.sequence,
                    reinterpret_cast<float *>(scratch + thread * stride));
              });
}

void Attention::backward(int64_t layer, const AttentionInputs &inputs,
                         const AttentionResults &results,
                         const AttentionGradients &gradients, char *scratch,
                         size_t stride) const {
  parallelFor(
      shape.batch * shape.kvHeads, /*grain=*/1, Assignment::Dynamic,
      [&](int64_t index, int64_t, int thread) {
        AttentionHead head = headOf(shape, layer, inputs, index);
        int64_t qOffset = head.q - inputs.q, kOffset = head.k - inputs.k;
        head.output = results.output + qOffset;
        head.logSum = results.logSum + index * shape.group * shape.sequence;
        head.outputGradient = results.outputGradient + qOffset;
        tiles->backward(head, gradients.q + qOffset, gradients.k + kOffset,
                        gradients.v + kOffset,
                        reinterpret_cast<float *>(scratch + thread * stride));
      });
}
