// The command line of a compiled program.
#ifndef TRIREME_RUNTIME_CORE_COMMAND_LINE_H
#define TRIREME_RUNTIME_CORE_COMMAND_LINE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trireme::runtime {

struct CommandLine {
  enum class NonFinite { Stop, Skip, Ignore };
  struct EvaluationSet {
    std::string key; // "eval_loss" or "eval_loss/NAME"
    std::vector<std::string> files;
  };

  bool describe = false;
  bool checkArena = false;
  std::vector<std::string> data;
  std::string init = "auto";
  std::optional<int64_t> steps;
  std::vector<EvaluationSet> evaluation;
  int64_t evaluationEvery = 0; // 0: at start and end only
  int64_t evaluationSteps = 0; // 0: the whole file
  std::string save, resume;
  int64_t saveEvery = 0, keep = 0; // 0: at the end only; all
  std::string metrics, trace;
  int64_t logEvery = 1;
  int64_t traceFirst = 1, traceLast = 0; // last 0: to the end
  NonFinite nonFinite = NonFinite::Stop;
  int tokenBytes = 2;
  std::string recipe;
  std::vector<std::string> changes; // "key=value" each
  double maxMinutes = 0;            // 0: no limit
};

/// Reads argv. Prints --help and returns nothing where that is asked for;
/// fails with exit code 2 for a wrong line, 4 for a flag not built yet.
std::optional<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_COMMAND_LINE_H
