// The compiled program's manifest (docs/program-manifest.md), parsed.
#ifndef TRIREME_RUNTIME_CORE_MANIFEST_H
#define TRIREME_RUNTIME_CORE_MANIFEST_H

#include "trireme/runtime/program.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace trireme::runtime {

using json = nlohmann::ordered_json;

struct GemmShape {
  int64_t m, n, k;
  bool lhsTransposed, rhsTransposed, accumulate, bias;
};

struct AttentionShape {
  int64_t batch, sequence, keys, kvHeads, group, headDim; // sequence: queries
  double scale, softcap;                                  // softcap 0: none
  std::vector<int64_t> windows; // a layer; 0: no window
};

/// One tensor as Hugging Face names it: a parameter of the manifest, or one
/// layer of a stacked one. Offsets are bytes from the start of the arena.
struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  int64_t elements;
  int64_t layer; // -1 if it is of no layer
  uint64_t parameter, firstMoment, secondMoment;
  // Where the last step's gradient is, if it is still there.
  std::optional<uint64_t> gradient;
  bool normal;  // drawn from a normal distribution, else constant
  double value; // its standard deviation, or the constant
};

struct Manifest {
  json document;
  int64_t globalBatch, microBatches, microBatchSize, sequence, vocabulary;
  uint64_t arenaBytes;
  int64_t workspaceMib = 64; // budget of library scratch
  // What lies below lives always; behind each of its buffers is a gap.
  uint64_t fixedBytes;
  std::vector<uint64_t> canaries; // offsets of those gaps
  struct {
    uint64_t tokens, targets, positions;
  } inputs; // offsets of int32 buffers
  struct {
    uint64_t lr, beta1, beta2, eps, weightDecay, maxNorm, step, updateNonFinite;
  } scalars; // offsets of doubles
  struct {
    uint64_t loss, gradNorm, evalSum, evalCount;
  } outputs; // offsets of floats
  std::vector<Tensor> tensors;
  std::vector<std::string> kernels;
  std::vector<GemmShape> gemms;
  std::vector<AttentionShape> attentions;

  /// Tokens of one optimizer step.
  int64_t stepTokens() const { return globalBatch * sequence; }
};

/// Parses and checks the manifest of `program`; fails with exit code 4 where
/// the program and this runtime do not belong together.
Manifest parseManifest(const trireme_program &program);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_MANIFEST_H
