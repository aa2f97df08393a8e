#include "core/train.h"

#include "core/arena.h"
#include "core/arena_check.h"
#include "core/checkpoint.h"
#include "core/data_loader.h"
#include "core/error.h"
#include "core/evaluation.h"
#include "core/initialise.h"
#include "core/metrics.h"
#include "core/progress.h"
#include "core/settings.h"
#include "core/trace.h"
#include "cpu/context.h"
#include "cpu/parallel.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>

using namespace trireme::runtime;

static volatile std::sig_atomic_t stopAsked = 0;

static void askToStop(int) { stopAsked = 1; }

static void watchSignals() {
  struct sigaction action = {};
  action.sa_handler = askToStop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

static double seconds() { return double(nanoseconds()) * 1e-9; }

namespace {
/// When the parts of a step began, in seconds.
struct Times {
  double begin, loaded, computing, end;
};

/// The state of a run between steps.
class Run {
public:
  Run(const trireme_program &program, const Manifest &manifest,
      const CommandLine &line);
  void steps();

private:
  std::string start();
  void header(const std::string &initialisation) const;
  void writeScalars();
  void oneStep(Prefetcher &data);
  void evaluate(bool ownObject);
  void report(const Times &times, StepLine shown);
  void call(void (*function)(trireme_context *, char *));
  [[noreturn]] void failNonFinite(double loss, double gradNorm);
  void save();
  bool isLast() const;

  const trireme_program &program;
  const Manifest &manifest;
  const CommandLine &line;
  Settings settings;
  Samples samples;
  Evaluation evaluation;
  Trace trace;
  Arena arena;
  trireme_context context;
  std::optional<ArenaCheck> check;
  Progress progress;
  int64_t lastStep;
  int64_t savedStep = -1;
  bool ending = false; // decided once a step: signals may come at any time
  double beginning = seconds();
  double reporting = 0; // seconds after the last step's computation
  int64_t peakBytes;
  std::optional<Metrics> metrics;
  std::optional<ProgressDisplay> display;
  ResidentMemory resident;
};
} // namespace

/// The bytes that --describe tells as this rank's total.
static int64_t totalBytes(const Manifest &manifest) {
  const json &stages = manifest.document.at("stages");
  auto total = json::json_pointer("/0/memory/total");
  return stages.contains(total) ? stages.at(total).get<int64_t>()
                                : int64_t(manifest.arenaBytes);
}

/// The parts of `total` bytes that are there, in MiB.
static std::string describeMemory(const Manifest &manifest, int64_t total) {
  auto mib = [](double bytes) { return bytes / (1 << 20); };
  std::string text = fmt::format("{:.1f} MiB", mib(double(total)));
  auto place = json::json_pointer("/0/memory");
  const json &stages = manifest.document.at("stages");
  if (!stages.contains(place))
    return text;
  const char *separator = ": ";
  for (const char *part : {"parameters", "gradients", "optimizer",
                           "activations", "workspace", "communication"}) {
    double bytes = stages.at(place).value(part, 0.0);
    if (bytes <= 0)
      continue;
    text += fmt::format("{}{} {:.1f}", separator, part, mib(bytes));
    separator = ", ";
  }
  return text;
}

/// Room for the events of some steps of a large model.
static size_t traceCapacity(const CommandLine &line) {
  return line.trace.empty() ? 0 : 1 << 20;
}

Run::Run(const trireme_program &program, const Manifest &manifest,
         const CommandLine &line)
    : program(program), manifest(manifest), line(line),
      settings(readSettings(manifest, line.recipe, line.changes)),
      samples(line.data, line.tokenBytes, manifest.vocabulary,
              manifest.sequence),
      evaluation(manifest, line.evaluation, line.tokenBytes,
                 line.evaluationSteps),
      trace(traceCapacity(line)), arena(manifest.arenaBytes),
      context(manifest, &trace), peakBytes(totalBytes(manifest)) {
  if (!line.save.empty())
    prepareFolder(line.save);
  if (line.checkArena)
    context.check = &check.emplace(manifest, arena);
  std::string initialisation = start();
  lastStep = line.steps.value_or(settings.schedule.steps);
  header(initialisation);
  metrics.emplace(line.metrics, progress.step);
  display.emplace(progress.step, lastStep, line.logEvery,
                  manifest.stepTokens());
}

/// Fills the state from a checkpoint or anew; says which.
std::string Run::start() {
  std::optional<std::string> checkpoint;
  if (!line.resume.empty())
    checkpoint = findCheckpoint(line.resume, line.save);
  if (!checkpoint)
    return initialise(manifest, line.init, settings.seed, arena);
  progress = loadCheckpoint(manifest, *checkpoint, arena);
  return fmt::format("initialisation: checkpoint {} (step {})", *checkpoint,
                     progress.step);
}

void Run::header(const std::string &initialisation) const {
  const json &model = manifest.document.at("model");
  fmt::print("{}\n", initialisation);
  // A program written by hand has no family.
  const json &family = model.at("family");
  fmt::print(
      "model: {}{}, {}\n", model.at("name").get<std::string>(),
      family.is_string() ? fmt::format(" ({})", family.get<std::string>()) : "",
      counted(model.at("parameters").get<int64_t>(), "parameter"));
  fmt::print("layout: 1 rank, {}; {} of {} x {} tokens a step\n",
             counted(threadCount(), "thread"),
             counted(manifest.microBatches, "micro-batch"),
             manifest.microBatchSize, manifest.sequence);
  fmt::print("memory: {}\n", describeMemory(manifest, peakBytes));
  fmt::print("data: {} of {} tokens in {}, in order from sample {}\n",
             counted(samples.count(), "sample"), manifest.sequence,
             counted(int64_t(samples.files().size()), "file"),
             progress.samples % samples.count());
  std::fflush(stdout);
}

void Run::writeScalars() {
  auto write = [&](uint64_t offset, double value) {
    *arena.at<double>(offset) = value;
  };
  write(manifest.scalars.lr, settings.schedule.rate(progress.step));
  write(manifest.scalars.beta1, settings.beta1);
  write(manifest.scalars.beta2, settings.beta2);
  write(manifest.scalars.eps, settings.eps);
  write(manifest.scalars.weightDecay, settings.weightDecay);
  write(manifest.scalars.maxNorm, settings.maxNorm);
  write(manifest.scalars.step, double(progress.step + 1));
  bool ignore = line.nonFinite == CommandLine::NonFinite::Ignore;
  write(manifest.scalars.updateNonFinite, ignore ? 1 : 0);
}

/// Calls an entry point of the program.
void Run::call(void (*function)(trireme_context *, char *)) {
  if (check)
    check->begin();
  function(&context, arena.data());
  if (check)
    check->end();
}

/// A number for a message. The sign of a NaN says nothing: it is not shown.
static std::string text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

/// Describes the first value of `tensor` that is not finite; empty if all are.
static std::string describeNonFinite(const Tensor &tensor,
                                     const float *values) {
  for (int64_t i = 0; i < tensor.elements; ++i)
    if (!std::isfinite(values[i]))
      return fmt::format(
          "\"{}\" ({}element {} is {})", tensor.name,
          tensor.layer < 0 ? "" : fmt::format("layer {}, ", tensor.layer), i,
          text(values[i]));
  return {};
}

/// The tensors in the order in which the backward pass makes their gradients:
/// what stands behind the layers, the layers from the last, the rest, each
/// against the order of the forward pass.
static std::vector<const Tensor *> backwardOrder(const Manifest &manifest) {
  std::multimap<int64_t, const Tensor *, std::greater<>> order;
  bool layersSeen = false;
  for (const Tensor &tensor : manifest.tensors) {
    layersSeen |= tensor.layer >= 0;
    bool behind = tensor.layer < 0 && layersSeen;
    int64_t key = behind ? INT64_MAX : tensor.layer;
    order.emplace_hint(order.lower_bound(key), key, &tensor); // latest first
  }
  std::vector<const Tensor *> tensors;
  for (auto &[layer, tensor] : order)
    tensors.push_back(tensor);
  return tensors;
}

/// Fails with exit code 3 naming the parameter, else the gradient, that is not
/// finite; the step has not touched the parameters.
void Run::failNonFinite(double loss, double gradNorm) {
  display->finish();
  std::string what = std::isfinite(loss)
                         ? "the gradient norm is " + text(gradNorm)
                         : "the loss is " + text(loss);
  std::string where, found;
  for (const Tensor &tensor : manifest.tensors) {
    found = describeNonFinite(tensor, arena.at<float>(tensor.parameter));
    if (!found.empty())
      break;
  }
  if (!found.empty())
    where = "the first parameter that is not finite is " + found;
  else {
    for (const Tensor *tensor : backwardOrder(manifest)) {
      if (tensor->gradient)
        found = describeNonFinite(*tensor, arena.at<float>(*tensor->gradient));
      if (!found.empty())
        break;
    }
    where = found.empty()
                ? "all parameters and their gradients are finite"
                : "all parameters are finite; the first gradient of the "
                  "backward pass that is not is that of " +
                      found;
  }
  fail(Exit::Run,
       "step {}, rank 0: {}; {}. The parameters are those before the step",
       progress.step, what, where);
}

void Run::evaluate(bool ownObject) {
  if (!evaluation.size())
    return;
  if (ownObject)
    metrics->begin(progress.step);
  std::string text = fmt::format("step {}", progress.step);
  for (size_t i = 0; i < evaluation.size(); ++i) {
    double loss = evaluation.run(i, arena, [&] { call(program.evaluate); });
    metrics->add(evaluation.key(i), loss);
    text += fmt::format("  {} {:.6f}", evaluation.key(i), loss);
  }
  if (ownObject)
    metrics->end();
  display->note(text);
}

void Run::save() {
  if (line.save.empty() || savedStep == progress.step)
    return;
  std::string folder = saveCheckpoint(manifest, arena, line.save, progress,
                                      settings.recipe, line.keep);
  savedStep = progress.step;
  display->note("saved " + folder);
}

bool Run::isLast() const {
  return progress.step >= lastStep || stopAsked ||
         (line.maxMinutes > 0 && seconds() - beginning >= 60 * line.maxMinutes);
}

void Run::oneStep(Prefetcher &data) {
  int64_t number = progress.step + 1;
  trace.record(!line.trace.empty() && number >= line.traceFirst &&
               (!line.traceLast || number <= line.traceLast));
  Times times = {};
  times.begin = seconds();
  {
    TraceScope scope(&trace, TraceEvent::Kind::Named, 0, "data");
    loadInputs(manifest, arena, data.next());
  }
  times.loaded = seconds();
  writeScalars();
  double lr = *arena.at<double>(manifest.scalars.lr);
  times.computing = seconds();
  call(program.train);
  times.end = seconds();
  progress.step = number;
  progress.samples += manifest.globalBatch;
  progress.tokens += manifest.stepTokens();
  double loss = double(*arena.at<float>(manifest.outputs.loss));
  double gradNorm = double(*arena.at<float>(manifest.outputs.gradNorm));
  bool finite = std::isfinite(loss) && std::isfinite(gradNorm);
  if (!finite && line.nonFinite == CommandLine::NonFinite::Skip)
    gradNorm = std::numeric_limits<double>::quiet_NaN(); // null in the metrics
  report(times, {number, loss, gradNorm, lr, /*tokensPerSecond=*/0});

  ending = isLast();
  bool stopping = !finite && line.nonFinite == CommandLine::NonFinite::Stop;
  if (line.nonFinite == CommandLine::NonFinite::Skip)
    metrics->add("skipped", !finite);
  bool due = line.evaluationEvery && number % line.evaluationEvery == 0;
  // A run that is told to end early has no time for evaluations.
  if (!stopping && (due || number >= lastStep))
    evaluate(/*ownObject=*/false);
  metrics->end();
  if (stopping)
    failNonFinite(loss, gradNorm);
}

/// Starts the step's metrics object and shows the step. What this takes counts
/// as the next step's time on the host.
void Run::report(const Times &times, StepLine shown) {
  double host = reporting + (times.computing - times.loaded);
  double step = reporting + (times.end - times.begin);
  shown.tokensPerSecond = double(manifest.stepTokens()) / std::max(step, 1e-9);
  metrics->begin(shown.step);
  metrics->add("loss", shown.loss);
  metrics->add("grad_norm", shown.gradNorm);
  metrics->add("lr", shown.lr);
  metrics->add("tokens", progress.tokens);
  metrics->add("tokens_per_second", shown.tokensPerSecond);
  metrics->add("step_seconds", step);
  metrics->add("compute_seconds", times.end - times.computing);
  metrics->add("communication_seconds", 0.0);
  metrics->add("data_seconds", times.loaded - times.begin);
  metrics->add("host_seconds", host);
  metrics->add("peak_bytes", peakBytes);
  metrics->add("rss_bytes", resident.bytes());
  display->step(shown);
  reporting = seconds() - times.end;
}

void Run::steps() {
  if (progress.step == 0)
    evaluate(/*ownObject=*/true);
  Prefetcher data(samples, manifest.globalBatch, progress.samples);
  ending = isLast();
  // A run of no step may be for its evaluation.
  if (progress.step >= lastStep && (progress.step || !evaluation.size()))
    display->note(fmt::format("nothing to do: the run ends after step {}, and "
                              "step {} is done",
                              lastStep, progress.step));
  while (!ending) {
    oneStep(data);
    if (line.saveEvery && progress.step % line.saveEvery == 0)
      save();
  }
  save();
  display->finish();
  if (!line.trace.empty())
    trace.write(line.trace, manifest);
}

void trireme::runtime::train(const trireme_program &program,
                             const Manifest &manifest,
                             const CommandLine &line) {
  watchSignals();
  Run run(program, manifest, line);
  run.steps();
}
