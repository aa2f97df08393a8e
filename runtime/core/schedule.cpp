#include "core/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace trireme::runtime;

/// The rate after the fraction `f` of a decay from `lr` to `min`.
static double decayed(double lr, double min, double f, Schedule::Decay decay) {
  switch (decay) {
  case Schedule::Decay::Linear:
    return min + (lr - min) * (1 - f);
  case Schedule::Decay::Cosine:
    return min + 0.5 * (lr - min) * (1 + std::cos(std::numbers::pi * f));
  case Schedule::Decay::SquareRoot:
    return min + (lr - min) * (1 - std::sqrt(f));
  }
  return lr;
}

double Schedule::rate(int64_t step) const {
  if (step < warmupSteps)
    return lr * double(step + 1) / double(warmupSteps);
  auto fraction = [&](int64_t begin) {
    if (steps <= begin)
      return 1.0;
    return std::min(1.0, double(step + 1 - begin) / double(steps - begin));
  };
  switch (kind) {
  case Kind::Constant:
    return lr;
  case Kind::Linear:
    return decayed(lr, minLr, fraction(warmupSteps), Decay::Linear);
  case Kind::Cosine:
    return decayed(lr, minLr, fraction(warmupSteps), Decay::Cosine);
  case Kind::WarmupStableDecay:
    if (step < steps - decaySteps)
      return lr;
    return decayed(lr, minLr, fraction(steps - decaySteps), decay);
  }
  return lr;
}
