#include "core/progress.h"

#include "core/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace trireme::runtime;

static double now() { return double(nanoseconds()) * 1e-9; }

static int digits(int64_t value) {
  return std::snprintf(nullptr, 0, "%lld", (long long)value);
}

namespace {
/// A duration as text, e.g. "1:02:03" or "2:03".
struct Clock {
  char text[32];

  explicit Clock(double seconds) {
    auto all = (long long)std::clamp(seconds, 0.0, 1e15);
    if (all >= 3600)
      std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", all / 3600,
                    all / 60 % 60, all % 60);
    else
      std::snprintf(text, sizeof text, "%lld:%02lld", all / 60, all % 60);
  }
};
} // namespace

std::string trireme::runtime::counted(int64_t count, const std::string &noun) {
  std::string text = std::to_string(count);
  for (size_t place = text.size(); place > 3;)
    text.insert(place -= 3, ",");
  const char *ending = noun.ends_with("ch") ? "es" : "s";
  return text + " " + noun + (count == 1 ? "" : ending);
}

ProgressDisplay::ProgressDisplay(int64_t first, int64_t last, int64_t every,
                                 int64_t tokens)
    : first(first), last(last), every(every), tokens(tokens),
      terminal(isatty(STDOUT_FILENO)), begin(now()),
      latest{first, NAN, NAN, 0, 0} {}

void ProgressDisplay::step(const StepLine &line) {
  double seconds = double(tokens) / std::max(line.tokensPerSecond, 1e-9);
  constexpr double Weight = 0.1; // of the newest step
  recent = stepping > 0 ? recent + Weight * (seconds - recent) : seconds;
  stepping += seconds;
  latest = line;
  if (terminal)
    return bar();
  if (line.step % every && line.step != last)
    return;
  std::printf("step %*lld/%lld  loss %.6f  grad_norm %.4f  lr %.4g  %.0f "
              "tokens/s\n",
              digits(last), (long long)line.step, (long long)last, line.loss,
              line.gradNorm, line.lr, line.tokensPerSecond);
  std::fflush(stdout);
}

/// Draws the latest step, at most ten times a second.
void ProgressDisplay::bar() {
  double time = now();
  constexpr double Interval = 0.1;
  if (open && time - drawn < Interval && latest.step != last)
    return;
  drawn = time;
  double done = double(latest.step - first), all = double(last - first);
  // Evaluations and saves take time as well: their share stays what it was.
  double left = (time - begin) / std::max(stepping, 1e-9) * recent *
                std::max(all - done, 0.0);
  char words[160];
  std::snprintf(
      words, sizeof words, "step %*lld/%lld  loss %.4f  %.0f tokens/s  %s left",
      digits(last), (long long)latest.step, (long long)last, latest.loss,
      double(tokens) / std::max(recent, 1e-9), Clock(left).text);
  winsize window = {};
  int columns = 80;
  if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) && window.ws_col > 0)
    columns = window.ws_col;
  constexpr int Most = 40, Frame = 4; // the longest bar; "[] " and a margin
  char marks[Most + 1] = {};
  int room = columns - int(std::string_view(words).size()) - Frame;
  int width = std::clamp(room, 0, Most);
  int filled = int(width * done / std::max(all, 1.0));
  for (int i = 0; i < width; ++i)
    marks[i] = i < filled ? '#' : '.';
  if (width >= 5)
    std::printf("\r[%s] %s\033[K", marks, words);
  else
    std::printf("\r%.*s\033[K", std::max(columns - 1, 1), words);
  std::fflush(stdout);
  open = true;
}

void ProgressDisplay::removeBar() {
  if (open)
    std::printf("\r\033[K");
  open = false;
}

void ProgressDisplay::note(const std::string &text) {
  bool wasOpen = open;
  removeBar();
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  if (!wasOpen || latest.step >= last)
    return;
  drawn = 0;
  bar();
}

void ProgressDisplay::finish() {
  removeBar();
  int64_t steps = latest.step - first;
  if (steps > 0)
    std::printf("%s in %s (%.0f tokens/s while stepping), the last loss %.6f\n",
                counted(steps, "step").c_str(), Clock(now() - begin).text,
                double(steps) * double(tokens) / std::max(stepping, 1e-9),
                latest.loss);
  std::fflush(stdout);
}
