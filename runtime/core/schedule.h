// Learning rate schedules, in double as the recipe defines them.
#ifndef TRIREME_RUNTIME_CORE_SCHEDULE_H
#define TRIREME_RUNTIME_CORE_SCHEDULE_H

#include <cstdint>

namespace trireme::runtime {

struct Schedule {
  enum class Kind { Constant, Linear, Cosine, WarmupStableDecay };
  enum class Decay { Linear, Cosine, SquareRoot };

  Kind kind = Kind::Constant;
  double lr = 0, minLr = 0;
  int64_t steps = 1, warmupSteps = 0;
  int64_t decaySteps = 0; // of WarmupStableDecay
  Decay decay = Decay::Linear;

  /// The rate of `step`, counted from 0. After the schedule's end: its last.
  double rate(int64_t step) const;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_SCHEDULE_H
