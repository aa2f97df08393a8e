// The one block of memory that a rank's state lives in.
#ifndef TRIREME_RUNTIME_CORE_ARENA_H
#define TRIREME_RUNTIME_CORE_ARENA_H

#include <cstdint>

namespace trireme::runtime {

/// Owns zeroed memory, aligned to 2 MiB so that the system can back it with
/// huge pages. Fails with exit code 4 when the system has not that much.
class Arena {
public:
  explicit Arena(uint64_t bytes);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  char *data() const { return memory; }
  template <typename Type> Type *at(uint64_t offset) const {
    return reinterpret_cast<Type *>(memory + offset);
  }

private:
  void *mapping;
  uint64_t mappedBytes;
  char *memory;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_ARENA_H
