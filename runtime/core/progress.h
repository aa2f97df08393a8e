// What a run shows on the terminal: a header, then a progress bar, or a line a
// step where standard output is no terminal.
#ifndef TRIREME_RUNTIME_CORE_PROGRESS_H
#define TRIREME_RUNTIME_CORE_PROGRESS_H

#include <cstdint>
#include <string>

namespace trireme::runtime {

/// What one step shows.
struct StepLine {
  int64_t step;
  double loss, gradNorm, lr, tokensPerSecond;
};

/// `count` of a noun: "1 file", "2 files", "12,345 samples".
std::string counted(int64_t count, const std::string &noun);

class ProgressDisplay {
public:
  /// Steps of `tokens` tokens run from `first` + 1 to `last`; every `every`-th
  /// is shown.
  ProgressDisplay(int64_t first, int64_t last, int64_t every, int64_t tokens);

  /// Shows a step. Allocates nothing.
  void step(const StepLine &line);
  /// Shows a line between steps, without disturbing the bar.
  void note(const std::string &text);
  /// Ends the bar and says how many steps took how long.
  void finish();

private:
  void bar();
  void removeBar();

  int64_t first, last, every, tokens;
  bool terminal;
  bool open = false;   // a bar stands on the current line
  double begin;        // seconds of the monotonic clock
  double drawn = 0;    // when the bar was drawn last
  double stepping = 0; // seconds of all steps, evaluations and saves left out
  double recent = 0;   // seconds of a step, the last ones weighing most
  StepLine latest;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_PROGRESS_H
