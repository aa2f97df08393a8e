// --check-arena: finds faults of the memory plan. What no buffer uses is filled
// with NaNs of one pattern, and so is the gap behind every buffer; a read of
// freed memory shows as a NaN, a write past a buffer's end as a broken gap.
#ifndef TRIREME_RUNTIME_CORE_ARENA_CHECK_H
#define TRIREME_RUNTIME_CORE_ARENA_CHECK_H

#include "core/arena.h"
#include "core/manifest.h"

#include <cstdint>
#include <vector>

namespace trireme::runtime {

class ArenaCheck {
public:
  /// Fills the gaps of the part of the arena that always lives. Both must
  /// outlive the check.
  ArenaCheck(const Manifest &manifest, const Arena &arena);

  /// Before a function of the program is called: frees all temporary buffers.
  void begin();
  /// A buffer's life ends: looks at its gap, fills both.
  void release(char *buffer, int64_t bytes);
  /// After the call: fails with exit code 3 for the first broken gap.
  void end();

private:
  void look(uint64_t offset, uint64_t bytes, uint64_t buffer);

  const Arena &arena;
  uint64_t fixed, size;
  std::vector<uint64_t> canaries;
  // Of the first fault; fail() would have to unwind through the program.
  bool broken = false;
  uint64_t place = 0, owner = 0;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_ARENA_CHECK_H
