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

class ProgressDisplay {
public:
  /// Steps run from `first` + 1 to `last`; every `every`-th is shown.
  ProgressDisplay(int64_t first, int64_t last, int64_t every);

  /// Shows a step. Allocates nothing.
  void step(const StepLine &line);
  /// Shows a line between steps, without disturbing the bar.
  void note(const std::string &text);
  /// Ends the bar.
  void finish();

private:
  void bar(const StepLine &line);

  int64_t first, last, every;
  bool terminal;
  bool open = false; // a bar stands on the current line
  double begin;      // seconds of the monotonic clock
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_PROGRESS_H
