#include "core/command_line.h"

#include "core/error.h"

#include <CLI/CLI.hpp>
#include <cstring>

using namespace trireme::runtime;

/// Flags of the interface that this runtime does not have yet.
static const char *const UnbuiltFlags[] = {"--timeout", "--shuffle-seed",
                                           "--tensorboard"};

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

static void check(const CommandLine &line) {
  if (line.describe)
    return;
  if (line.data.empty())
    fail(Exit::CommandLine,
         "--data FILE is missing, the tokens to train on; trireme data "
         "tokenize makes them of text, and --help lists all flags");
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

namespace {
/// Values that are read further.
struct Text {
  std::vector<std::string> evaluation;
  std::string traceSteps, nonFinite = "stop", seed;
};
} // namespace

static void addFlags(CLI::App &app, CommandLine &line, Text &text) {
  constexpr size_t Column = 34;
  app.get_formatter()->column_width(Column);
  app.footer(
      "\nExit codes: 0 done; 1 a file or a value is wrong; 2 the command "
      "line is wrong;\n3 the run failed; 4 this build or machine lacks "
      "what was asked for.\nSIGTERM and SIGUSR1 end the run at the end "
      "of a step, with a checkpoint.");
  // The descriptions of the checks would tell of types and bounds.
  auto natural = CLI::Range(int64_t(0), int64_t(1) << 53).description("");
  auto positive = CLI::Range(int64_t(1), int64_t(1) << 53).description("");
  auto add = [&](const char *name, auto &value, const char *type,
                 const char *help) {
    return app.add_option(name, value, help)->type_name(type);
  };

  app.set_help_flag("--help,-h", "print this and end");
  app.add_flag("--describe", line.describe,
               "print what the program is (memory, recipe, plan) as JSON, end");

  add("--data", line.data, "FILE",
      "token files to train on, read one after another")
      ->group("Data");
  add("--token-bytes", line.tokenBytes, "2|4",
      "bytes of a token in flat files (default: 2)")
      ->check(CLI::IsMember({2, 4}).description(""))
      ->group("Data");
  add("--eval-data", text.evaluation, "[NAME=]FILE",
      "token files to evaluate on: before the first step and after the last")
      ->group("Data");
  add("--eval-every", line.evaluationEvery, "N",
      "evaluate after every N steps as well")
      ->check(positive)
      ->group("Data");
  add("--eval-steps", line.evaluationSteps, "K",
      "batches of an evaluation at most (default: all)")
      ->check(positive)
      ->group("Data");

  add("--init", line.init, "WHERE",
      "auto (the model's weights, else random; the default), random, a "
      "safetensors file, or a Hugging Face folder")
      ->group("Training");
  add("--steps", line.steps, "N",
      "end after optimizer step N (default: the recipe's steps, which stay the "
      "length of the schedule)")
      ->check(natural)
      ->group("Training");
  add("--max-minutes", line.maxMinutes, "M",
      "end at the first end of a step after M minutes")
      ->check(CLI::PositiveNumber.description(""))
      ->group("Training");
  add("--set", line.changes, "KEY=VALUE",
      "change a key of the recipe that is not fixed when compiling, e.g. "
      "optimizer.lr=3e-4")
      ->allow_extra_args(false)
      ->group("Training");
  add("--recipe", line.recipe, "FILE", "the same from a recipe in JSON")
      ->group("Training");
  add("--seed", text.seed, "N", "seed of the random initialisation")
      ->check(CLI::NonNegativeNumber.description(""))
      ->group("Training");
  add("--on-nonfinite", text.nonFinite, "stop|skip|ignore",
      "on a NaN or infinite loss or gradient: end with exit code 3, skip the "
      "update, or update all the same (default: stop)")
      ->check(CLI::IsMember({"stop", "skip", "ignore"}).description(""))
      ->group("Training");

  add("--save", line.save, "DIR",
      "write checkpoints there; the last step is always saved")
      ->group("Checkpoints");
  add("--save-every", line.saveEvery, "N", "save after every N steps as well")
      ->check(positive)
      ->group("Checkpoints");
  add("--keep", line.keep, "K", "keep the newest K checkpoints (default: all)")
      ->check(positive)
      ->group("Checkpoints");
  add("--resume", line.resume, "DIR|auto",
      "go on from the newest checkpoint in DIR, or from DIR itself; auto: "
      "from the newest in --save, else from the start")
      ->group("Checkpoints");

  add("--log-every", line.logEvery, "N",
      "print every N steps where the output is no terminal (default: 1)")
      ->check(positive)
      ->group("Output");
  add("--metrics", line.metrics, "FILE", "write JSON Lines, an object a step")
      ->group("Output");
  add("--trace", line.trace, "FILE",
      "write a Chrome trace of what was done when (see ui.perfetto.dev)")
      ->group("Output");
  add("--trace-steps", text.traceSteps, "A:B", "steps to trace (default: all)")
      ->group("Output");
  app.add_flag("--check-arena", line.checkArena,
               "debugging: fill freed memory with NaN, check the gaps between "
               "buffers")
      ->group("Output");
}

/// Fails naming the first flag that there is not, and the nearest one.
[[noreturn]] static void failUnknown(const CLI::App &app, const char *other) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    names.push_back(option->get_name());
  for (std::string word : app.remaining())
    if (word.starts_with("--")) {
      word = word.substr(0, word.find('='));
      fail(Exit::CommandLine,
           "unknown flag {}; the nearest is {}, --help lists all", word,
           nearest(word, names));
    }
  fail(Exit::CommandLine, "{}; --help lists the flags", other);
}

std::optional<CommandLine> trireme::runtime::parseCommandLine(int argc,
                                                              char **argv) {
  refuseUnbuilt(argc, argv);
  CommandLine line;
  Text text;
  CLI::App app{"Trains the model that this program was compiled from, on this "
               "machine.\n"};
  addFlags(app, line, text);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    fmt::print("{}", app.help());
    return std::nullopt;
  } catch (const CLI::ExtrasError &error) {
    failUnknown(app, error.what());
  } catch (const CLI::ParseError &error) {
    fail(Exit::CommandLine, "{}; --help lists the flags", error.what());
  }
  if (text.nonFinite == "skip")
    line.nonFinite = CommandLine::NonFinite::Skip;
  if (text.nonFinite == "ignore")
    line.nonFinite = CommandLine::NonFinite::Ignore;
  if (!text.seed.empty())
    line.changes.push_back("seed=" + text.seed);
  addEvaluation(text.evaluation, line);
  if (!text.traceSteps.empty())
    readTraceSteps(text.traceSteps, line);
  check(line);
  return line;
}
