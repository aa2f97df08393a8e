#include "core/philox.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace trireme::runtime;

std::array<uint32_t, 4>
trireme::runtime::philox(std::array<uint32_t, 4> counter,
                         std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(second >> 32) ^ counter[1] ^ key[0], uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ key[1], uint32_t(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

uint64_t trireme::runtime::hashName(const std::string &name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

void trireme::runtime::normalValues(uint64_t seed, const std::string &name,
                                    double deviation, int64_t begin,
                                    int64_t end, float *target) {
  uint64_t hash = hashName(name);
  std::array<uint32_t, 2> key{uint32_t(seed), uint32_t(seed >> 32)};
  for (int64_t i = begin; i < end; i += 4) {
    uint64_t block = uint64_t(i) / 4;
    auto words = philox({uint32_t(block), uint32_t(block >> 32), uint32_t(hash),
                         uint32_t(hash >> 32)},
                        key);
    float values[4];
    for (int pair = 0; pair < 2; ++pair) {
      // Box-Muller; the first number is in (0, 1], its logarithm is finite.
      double first = (double(words[2 * pair]) + 1.0) * 0x1p-32;
      double second = double(words[2 * pair + 1]) * 0x1p-32;
      double radius = deviation * std::sqrt(-2.0 * std::log(first));
      double angle = 2.0 * std::numbers::pi * second;
      values[2 * pair] = float(radius * std::cos(angle));
      values[2 * pair + 1] = float(radius * std::sin(angle));
    }
    std::copy_n(values, std::min<int64_t>(4, end - i), target + (i - begin));
  }
}
