#include "core/command_line.h"

#include "core/error.h"

#include <CLI/CLI.hpp>
#include <cstring>

using namespace trireme::runtime;

/// Flags of the interface that this runtime does not have yet.
static const char *const UnbuiltFlags[] = {"--timeout", "--shuffle-seed",
                                           "--tensorboard", "--check-arena"};

static void refuseUnbuilt(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    for (const char *flag : UnbuiltFlags) {
      size_t length = std::strlen(flag);
      if (!std::strncmp(argv[i], flag, length) &&
          (argv[i][length] == 0 || argv[i][length] == '='))
        fail(Exit::Lacking, "{} is not built yet", flag);
    }
}

/// Sorts "[NAME=]FILE" into sets; unnamed files are one set.
static void addEvaluation(const std::vector<std::string> &files,
                          CommandLine &line) {
  auto setOf = [&](const std::string &key) -> auto & {
    for (auto &set : line.evaluation)
      if (set.key == key)
        return set;
    return line.evaluation.emplace_back(key, std::vector<std::string>());
  };
  for (const std::string &file : files) {
    size_t equals = file.find('='), slash = file.find('/');
    bool named = equals != std::string::npos && equals > 0 && equals < slash;
    setOf(named ? "eval_loss/" + file.substr(0, equals) : "eval_loss")
        .files.push_back(named ? file.substr(equals + 1) : file);
  }
}

/// Reads "A:B", "A:" or "A".
static void readTraceSteps(const std::string &text, CommandLine &line) {
  auto number = [&](const std::string &part) {
    if (part.empty() || part.size() > 18 ||
        part.find_first_not_of("0123456789") != std::string::npos)
      fail(Exit::CommandLine,
           "--trace-steps: is \"{}\", expected FIRST:LAST, steps from 1", text);
    return std::stoll(part);
  };
  size_t colon = text.find(':');
  line.traceFirst = number(text.substr(0, colon));
  if (colon == std::string::npos)
    line.traceLast = line.traceFirst;
  else if (colon + 1 < text.size())
    line.traceLast = number(text.substr(colon + 1));
}

static void check(const CommandLine &line, const std::string &usage) {
  if (line.describe)
    return;
  if (line.data.empty())
    fail(Exit::CommandLine, "--data is missing: which tokens to train on\n{}",
         usage);
  if (line.resume == "auto" && line.save.empty())
    fail(Exit::CommandLine,
         "--resume auto looks under the folder of --save, which is missing");
  if (line.save.empty() && (line.saveEvery || line.keep))
    fail(Exit::CommandLine, "--save-every and --keep need --save");
  for (const std::string &change : line.changes)
    if (size_t equals = change.find('=');
        equals == std::string::npos || equals == 0)
      fail(Exit::CommandLine, "--set: is \"{}\", expected KEY=VALUE", change);
}

std::optional<CommandLine> trireme::runtime::parseCommandLine(int argc,
                                                              char **argv) {
  refuseUnbuilt(argc, argv);
  CommandLine line;
  std::vector<std::string> evaluation;
  std::string traceSteps, nonFinite = "stop", seed;
  CLI::App app{"Trains the model that this program was compiled from."};
  app.set_help_flag("--help,-h", "Prints this and ends");
  auto positive = CLI::Range(int64_t(1), int64_t(1) << 53);
  app.add_flag("--describe", line.describe,
               "Prints the program as JSON and ends");
  app.add_option("--data", line.data, "Token files, read one after another")
      ->type_name("FILE");
  app.add_option("--init", line.init,
                 "auto (the model's weights, else random), random, or a "
                 "safetensors file or Hugging Face folder");
  app.add_option("--steps", line.steps, "End after this optimizer step")
      ->check(CLI::Range(int64_t(0), int64_t(1) << 53));
  app.add_option("--eval-data", evaluation,
                 "Token files to evaluate on, [NAME=]FILE");
  app.add_option("--eval-every", line.evaluationEvery,
                 "Evaluate after every so many steps")
      ->check(positive);
  app.add_option("--eval-steps", line.evaluationSteps,
                 "Batches of an evaluation at most")
      ->check(positive);
  app.add_option("--save", line.save, "Folder for checkpoints");
  app.add_option("--save-every", line.saveEvery,
                 "Save after every so many steps")
      ->check(positive);
  app.add_option("--keep", line.keep, "Keep the newest so many checkpoints")
      ->check(positive);
  app.add_option("--resume", line.resume,
                 "auto, the folder given to --save, or one checkpoint");
  app.add_option("--metrics", line.metrics, "JSON Lines file, a line a step");
  app.add_option("--log-every", line.logEvery, "Print every so many steps")
      ->check(positive);
  app.add_option("--trace", line.trace, "Chrome trace file");
  app.add_option("--trace-steps", traceSteps, "Steps to trace, FIRST:LAST");
  app.add_option("--on-nonfinite", nonFinite,
                 "On a NaN or infinite loss or gradient: stop or ignore")
      ->check(CLI::IsMember({"stop", "ignore", "skip"}))
      ->type_name("stop|ignore");
  app.add_option("--seed", seed, "The recipe's seed")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--token-bytes", line.tokenBytes, "Bytes of a token in files")
      ->check(CLI::IsMember({2, 4}))
      ->type_name("2|4");
  app.add_option("--recipe", line.recipe, "Recipe file in JSON");
  app.add_option("--set", line.changes, "A key of the recipe, KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--max-minutes", line.maxMinutes,
                 "End at the first step border after so many minutes")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    fmt::print("{}", app.help());
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    fail(Exit::CommandLine, "{}\nRun with --help for the flags.", error.what());
  }
  if (nonFinite == "skip")
    fail(Exit::Lacking, "--on-nonfinite skip is not built yet");
  if (nonFinite == "ignore")
    line.nonFinite = CommandLine::NonFinite::Ignore;
  if (!seed.empty())
    line.changes.push_back("seed=" + seed);
  addEvaluation(evaluation, line);
  if (!traceSteps.empty())
    readTraceSteps(traceSteps, line);
  check(line, app.help());
  return line;
}
