// Random numbers by counter: element i of a tensor depends on the seed, the
// tensor's name and i only, never on threads, layouts or other tensors.
#ifndef TRIREME_RUNTIME_CORE_PHILOX_H
#define TRIREME_RUNTIME_CORE_PHILOX_H

#include <array>
#include <cstdint>
#include <string>

namespace trireme::runtime {

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
/// 3", 2011): four words for a counter and a key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                               std::array<uint32_t, 2> key);

/// 64-bit FNV-1a.
uint64_t hashName(const std::string &name);

/// Values [begin, end) of the standard normal sequence of (`seed`, `name`),
/// times `deviation`, into target[0 ...]; `begin` is a multiple of 4.
void normalValues(uint64_t seed, const std::string &name, double deviation,
                  int64_t begin, int64_t end, float *target);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_PHILOX_H
