#include "core/evaluation.h"

#include <algorithm>

using namespace trireme::runtime;

void trireme::runtime::loadInputs(const Manifest &manifest, const Arena &arena,
                                  const Batch &batch) {
  std::copy(batch.tokens.begin(), batch.tokens.end(),
            arena.at<int32_t>(manifest.inputs.tokens));
  std::copy(batch.targets.begin(), batch.targets.end(),
            arena.at<int32_t>(manifest.inputs.targets));
  auto *positions = arena.at<int32_t>(manifest.inputs.positions);
  for (int64_t i = 0, column = 0; i < manifest.stepTokens(); ++i) {
    positions[i] = int32_t(column);
    column = column + 1 == manifest.sequence ? 0 : column + 1;
  }
}

Evaluation::Evaluation(const Manifest &manifest,
                       const std::vector<CommandLine::EvaluationSet> &wanted,
                       int tokenBytes, int64_t steps)
    : manifest(manifest), steps(steps),
      batch(manifest.globalBatch, manifest.sequence) {
  for (const auto &set : wanted)
    sets.push_back({set.key, Samples(set.files, tokenBytes, manifest.vocabulary,
                                     manifest.sequence)});
}

double Evaluation::run(size_t set, const Arena &arena,
                       const std::function<void()> &evaluate) {
  const Samples &samples = sets[set].samples;
  int64_t rows = manifest.globalBatch;
  int64_t batches = (samples.count() + rows - 1) / rows;
  if (steps)
    batches = std::min(batches, steps);
  double sum = 0, count = 0;
  for (int64_t i = 0; i < batches; ++i) {
    readBatch(samples, i * rows, /*wrap=*/false, batch);
    loadInputs(manifest, arena, batch);
    evaluate();
    sum += double(*arena.at<float>(manifest.outputs.evalSum));
    count += double(*arena.at<float>(manifest.outputs.evalCount));
  }
  return count > 0 ? sum / count : 0;
}
