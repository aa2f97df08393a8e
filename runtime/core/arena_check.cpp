#include "core/arena_check.h"

#include "core/error.h"

#include <algorithm>

using namespace trireme::runtime;

// A NaN as a float and, twice, as a double.
static constexpr uint32_t Pattern = 0x7fffaa55;
static constexpr uint64_t Gap = 64;

static uint64_t alignUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Fills whole words; buffers start at multiples of 64.
static void fill(char *begin, uint64_t bytes) {
  std::fill_n(reinterpret_cast<uint32_t *>(begin), bytes / sizeof(Pattern),
              Pattern);
}

ArenaCheck::ArenaCheck(const Manifest &manifest, const Arena &arena)
    : arena(arena), fixed(manifest.fixedBytes), size(manifest.arenaBytes),
      canaries(manifest.canaries) {
  for (uint64_t offset : canaries)
    fill(arena.data() + offset, Gap);
}

void ArenaCheck::begin() { fill(arena.data() + fixed, size - fixed); }

/// Remembers the first byte of [offset, offset + bytes) that is not of the
/// pattern.
void ArenaCheck::look(uint64_t offset, uint64_t bytes, uint64_t buffer) {
  for (uint64_t i = offset; !broken && i < offset + bytes; ++i)
    if (uint8_t(arena.data()[i]) != uint8_t(Pattern >> 8 * (i % 4))) {
      broken = true;
      place = i;
      owner = buffer;
    }
}

void ArenaCheck::release(char *buffer, int64_t bytes) {
  uint64_t offset = uint64_t(buffer - arena.data());
  uint64_t end = offset + alignUp(uint64_t(bytes)) + Gap;
  look(offset + uint64_t(bytes), end - offset - uint64_t(bytes), offset);
  fill(buffer, end - offset);
}

void ArenaCheck::end() {
  for (uint64_t offset : canaries)
    look(offset, Gap, offset);
  if (!broken)
    return;
  fail(Exit::Run,
       "--check-arena: byte {} of the arena, behind the buffer at {}, was "
       "written though no buffer lies there: a fault of the memory plan or of "
       "a kernel",
       place, owner);
}
