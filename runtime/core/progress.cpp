#include "core/progress.h"

#include "core/trace.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace trireme::runtime;

ProgressDisplay::ProgressDisplay(int64_t first, int64_t last, int64_t every)
    : first(first), last(last), every(every), terminal(isatty(STDOUT_FILENO)),
      begin(double(nanoseconds()) * 1e-9) {}

void ProgressDisplay::step(const StepLine &line) {
  if (line.step % every && line.step != last)
    return;
  if (terminal)
    return bar(line);
  std::printf("step %lld/%lld  loss %.6f  grad_norm %.4f  lr %.4g  %.0f "
              "tokens/s\n",
              (long long)line.step, (long long)last, line.loss, line.gradNorm,
              line.lr, line.tokensPerSecond);
  std::fflush(stdout);
}

void ProgressDisplay::bar(const StepLine &line) {
  constexpr int Width = 30;
  double elapsed = double(nanoseconds()) * 1e-9 - begin;
  double done = double(line.step - first), all = double(last - first);
  int filled = int(Width * done / std::max(all, 1.0));
  int left = int(elapsed / std::max(done, 1.0) * (all - done));
  char marks[Width + 1] = {};
  for (int i = 0; i < Width; ++i)
    marks[i] = i < filled ? '#' : '.';
  std::printf("\r[%s] step %lld/%lld  loss %.4f  %.0f tokens/s  %d:%02d:%02d "
              "left \033[K",
              marks, (long long)line.step, (long long)last, line.loss,
              line.tokensPerSecond, left / 3600, left / 60 % 60, left % 60);
  std::fflush(stdout);
  open = true;
}

void ProgressDisplay::note(const std::string &text) {
  std::printf("%s%s\n", open ? "\r\033[K" : "", text.c_str());
  std::fflush(stdout);
  open = false;
}

void ProgressDisplay::finish() {
  if (open)
    std::printf("\n");
  open = false;
  std::fflush(stdout);
}
