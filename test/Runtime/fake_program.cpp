// A compiled program written by hand, so that the runtime's main() can be
// tried without the compiler: a bigram model, logits = table[token] * head^T,
// with cross-entropy, accumulation, clipping and AdamW. It uses the embedding,
// the products and a launched kernel.

#include "trireme/runtime/program.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

using json = nlohmann::ordered_json;

static constexpr int64_t Vocabulary = 512, Width = 48, MicroBatches = 2,
                         MicroBatchSize = 4, Sequence = 64,
                         Rows = MicroBatchSize * Sequence,
                         Elements = Vocabulary * Width;
static constexpr int32_t firstRow = 0; // of the table, which is whole

namespace {
/// Hands out offsets of the arena.
struct Layout {
  uint64_t bytes = 0;
  uint64_t take(uint64_t size) {
    uint64_t offset = bytes;
    bytes += (size + 63) / 64 * 64;
    return offset;
  }
};

struct Places {
  Layout layout;
  uint64_t tokens = layout.take(MicroBatches * Rows * 4),
           targets = layout.take(MicroBatches * Rows * 4),
           positions = layout.take(MicroBatches * Rows * 4),
           scalars = layout.take(8 * 8), outputs = layout.take(4 * 4),
           parameters = layout.take(2 * Elements * 4),
           firstMoments = layout.take(2 * Elements * 4),
           secondMoments = layout.take(2 * Elements * 4),
           gradients = layout.take(2 * Elements * 4),
           hidden = layout.take(Rows * Width * 4),
           hiddenGradient = layout.take(Rows * Width * 4),
           logits = layout.take(Rows * Vocabulary * 4),
           losses = layout.take(Rows * 4);
};
} // namespace

static const Places places;

static json parameter(const char *name, int index) {
  uint64_t offset = uint64_t(index) * Elements * 4;
  return {{"name", name},
          {"shape", {Vocabulary, Width}},
          {"stack", 0},
          {"decay", true},
          {"init", {{"kind", "normal"}, {"value", 0.02}}},
          {"parameter", places.parameters + offset},
          {"first_moment", places.firstMoments + offset},
          {"second_moment", places.secondMoments + offset},
          {"gradient", places.gradients + offset}};
}

static json gemm(int64_t m, int64_t n, int64_t k, bool lhs, bool rhs,
                 bool accumulate) {
  return {{"m", m},
          {"n", n},
          {"k", k},
          {"lhs_transposed", lhs},
          {"rhs_transposed", rhs},
          {"accumulate", accumulate},
          {"bias", false}};
}

static std::string makeManifest() {
  json manifest;
  manifest["abi"] = TRIREME_PROGRAM_ABI;
  manifest["model"] = {
      {"name", "bigram"}, {"family", "bigram"}, {"parameters", 2 * Elements}};
  manifest["target"] = "cpu";
  manifest["ranks"] = 1;
  manifest["plan"] = {{"data", 1}, {"micro_batch_size", MicroBatchSize}};
  manifest["recipe"] = {
      {"global_batch_size", MicroBatches * MicroBatchSize},
      {"sequence_length", Sequence},
      {"steps", 20},
      {"seed", 1},
      {"precision", "fp32"},
      {"optimizer",
       {{"name", "adamw"},
        {"lr", 0.01},
        {"beta1", 0.9},
        {"beta2", 0.95},
        {"eps", 1e-8},
        {"weight_decay", 0.1}}},
      {"schedule", {{"name", "constant"}, {"warmup_steps", 5}}},
      {"clip_grad_norm", 1.0}};
  manifest["entry_points"] = {"train", "evaluate"};
  manifest["stages"] =
      json::array({{{"stage", 0},
                    {"parameters", 2 * Elements},
                    {"memory", {{"total", places.layout.bytes}}},
                    {"collectives", json::array()}}});
  manifest["program_hash"] = "0000000000000000";
  manifest["versions"] = {{"trireme", "0.1.0"}};
  manifest["source"] = {{"folder", nullptr}, {"config", json::object()}};
  manifest["vocabulary"] = Vocabulary;
  manifest["micro_batches"] = MicroBatches;
  manifest["micro_batch_size"] = MicroBatchSize;
  manifest["sequence_length"] = Sequence;
  manifest["workspace_mib"] = 64;
  manifest["arena"] = {{"bytes", places.layout.bytes},
                       {"fixed", places.layout.bytes},
                       {"canaries", json::array()}};
  manifest["inputs"] = {{"tokens", places.tokens},
                        {"targets", places.targets},
                        {"positions", places.positions}};
  int index = 0;
  for (const char *name : {"lr", "beta1", "beta2", "eps", "weight_decay",
                           "max_norm", "step", "update_nonfinite"})
    manifest["scalars"][name] = places.scalars + 8 * uint64_t(index++);
  index = 0;
  for (const char *name : {"loss", "grad_norm", "eval_sum", "eval_count"})
    manifest["outputs"][name] = places.outputs + 4 * uint64_t(index++);
  manifest["parameters"] = {parameter("table.weight", 0),
                            parameter("head.weight", 1)};
  manifest["kernels"] = {{{"name", "cross_entropy"}, {"bytes", 0}}};
  manifest["gemms"] = {gemm(Rows, Vocabulary, Width, false, true, false),
                       gemm(Vocabulary, Width, Rows, true, false, true),
                       gemm(Rows, Width, Vocabulary, false, false, false)};
  manifest["attentions"] = json::array();
  return manifest.dump();
}

template <typename Type> static Type *at(char *arena, uint64_t offset) {
  return reinterpret_cast<Type *>(arena + offset);
}

/// Buffers: logits, targets, losses. Logits become their gradients of the sum.
static void crossEntropy(char *const *buffers, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    float *logits = reinterpret_cast<float *>(buffers[0]) + row * Vocabulary;
    int32_t target = reinterpret_cast<int32_t *>(buffers[1])[row];
    float &loss = reinterpret_cast<float *>(buffers[2])[row];
    loss = 0;
    if (target < 0) {
      std::fill_n(logits, Vocabulary, 0.0f);
      continue;
    }
    double largest = *std::max_element(logits, logits + Vocabulary), sum = 0;
    for (int64_t i = 0; i < Vocabulary; ++i)
      sum += std::exp(double(logits[i]) - largest);
    double logSum = largest + std::log(sum);
    loss = float(logSum - double(logits[target]));
    for (int64_t i = 0; i < Vocabulary; ++i)
      logits[i] = float(std::exp(double(logits[i]) - logSum));
    logits[target] -= 1;
  }
}

/// Forward of one micro-batch; returns the loss sum.
static double forward(trireme_context *context, char *arena, int64_t micro) {
  auto *tokens = at<int32_t>(arena, places.tokens) + micro * Rows;
  auto *table = at<float>(arena, places.parameters);
  auto *hidden = at<float>(arena, places.hidden);
  auto *logits = at<float>(arena, places.logits);
  auto *losses = at<float>(arena, places.losses);
  trireme_embedding(context, table, tokens, &firstRow, hidden, Rows, Width,
                    Vocabulary);
  trireme_gemm(context, 0, hidden, table + Elements, nullptr, logits);
  char *buffers[] = {reinterpret_cast<char *>(logits),
                     arena + places.targets + uint64_t(micro * Rows) * 4,
                     reinterpret_cast<char *>(losses)};
  trireme_launch(context, 0, crossEntropy, buffers, Rows, 16);
  double sum = 0;
  for (int64_t i = 0; i < Rows; ++i)
    sum += double(losses[i]);
  return sum;
}

static double countTargets(char *arena) {
  auto *targets = at<int32_t>(arena, places.targets);
  return double(std::count_if(targets, targets + MicroBatches * Rows,
                              [](int32_t target) { return target >= 0; }));
}

static void update(char *arena, double scale) {
  auto *scalars = at<double>(arena, places.scalars);
  double lr = scalars[0], beta1 = scalars[1], beta2 = scalars[2],
         eps = scalars[3], decay = scalars[4], step = scalars[6];
  auto *parameters = at<float>(arena, places.parameters);
  auto *first = at<float>(arena, places.firstMoments);
  auto *second = at<float>(arena, places.secondMoments);
  auto *gradients = at<float>(arena, places.gradients);
  for (int64_t i = 0; i < 2 * Elements; ++i) {
    double gradient = scale * double(gradients[i]);
    first[i] = float(beta1 * first[i] + (1 - beta1) * gradient);
    second[i] = float(beta2 * second[i] + (1 - beta2) * gradient * gradient);
    double mean = first[i] / (1 - std::pow(beta1, step));
    double square = second[i] / (1 - std::pow(beta2, step));
    parameters[i] = float(parameters[i] * (1 - lr * decay) -
                          lr * mean / (std::sqrt(square) + eps));
  }
}

static void train(trireme_context *context, char *arena) {
  auto *gradients = at<float>(arena, places.gradients);
  auto *head = at<float>(arena, places.parameters) + Elements;
  auto *hiddenGradient = at<float>(arena, places.hiddenGradient);
  auto *outputs = at<float>(arena, places.outputs);
  trireme_zero(context, reinterpret_cast<char *>(gradients), 2 * Elements * 4);
  double sum = 0, count = countTargets(arena);
  for (int64_t micro = 0; micro < MicroBatches; ++micro) {
    sum += forward(context, arena, micro);
    auto *logits = at<float>(arena, places.logits);
    trireme_gemm(context, 1, logits, at<float>(arena, places.hidden), nullptr,
                 gradients + Elements);
    trireme_gemm(context, 2, logits, head, nullptr, hiddenGradient);
    trireme_embedding_gradient(
        context, at<int32_t>(arena, places.tokens) + micro * Rows,
        hiddenGradient, &firstRow, gradients, Rows, Width, Vocabulary);
  }
  outputs[0] = outputs[1] = 0;
  if (count == 0)
    return;
  double square = 0;
  for (int64_t i = 0; i < 2 * Elements; ++i)
    square += double(gradients[i]) * double(gradients[i]);
  double norm = std::sqrt(square) / count;
  double maxNorm = at<double>(arena, places.scalars)[5];
  double clip = maxNorm > 0 ? std::min(1.0, maxNorm / (norm + 1e-6)) : 1.0;
  outputs[0] = float(sum / count);
  outputs[1] = float(norm);
  bool finite = std::isfinite(outputs[0]) && std::isfinite(outputs[1]);
  if (finite || at<double>(arena, places.scalars)[7] > 0)
    update(arena, clip / count);
}

static void evaluate(trireme_context *context, char *arena) {
  double sum = 0;
  for (int64_t micro = 0; micro < MicroBatches; ++micro)
    sum += forward(context, arena, micro);
  auto *outputs = at<float>(arena, places.outputs);
  outputs[2] = float(sum);
  outputs[3] = float(countTargets(arena));
}

static const std::string manifest = makeManifest();

const trireme_program trireme_compiled_program = {
    TRIREME_PROGRAM_ABI, 0, manifest.data(), manifest.size(), train, evaluate};
