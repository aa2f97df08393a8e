#include "cpu/library_memory.h"

#include "core/error.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <sys/mman.h>

using namespace trireme::runtime;

namespace {

/// Equal slots; a set bit is a free one. Any thread may release a slot.
struct Slots {
  std::atomic<uint64_t> free;
  char *first;
  size_t size;

  void *take() {
    uint64_t seen = free.load(std::memory_order_relaxed);
    while (seen)
      // Only the owner takes, so the lowest bit stays set.
      if (free.compare_exchange_weak(seen, seen & (seen - 1),
                                     std::memory_order_acquire))
        return first + size_t(__builtin_ctzll(seen)) * size;
    return nullptr;
  }
  void release(const void *place) {
    size_t index = size_t(static_cast<const char *>(place) - first) / size;
    free.fetch_or(uint64_t(1) << index, std::memory_order_release);
  }
};

/// The slots of one thread, at the head of its part of the reservation.
struct Pool {
  Slots small, large;
};

constexpr size_t SmallSize = 256, SmallCount = 64;
// oneDNN 2.6 packs at most about 1.2 MiB for the blocks of gemm.cpp.
constexpr size_t LargeSize = 4 << 20, LargeCount = 4;
constexpr size_t LargeOffset = 1 << 20;
constexpr size_t PoolBytes = LargeOffset + LargeCount * LargeSize;
constexpr size_t Alignment = 4096; // of large slots; small ones have 256

} // namespace

static char *reserved = nullptr, *reservedEnd = nullptr;
static thread_local Pool *current = nullptr;

void trireme::runtime::reserveLibraryMemory(int threads) {
  if (reserved)
    return;
  size_t bytes = PoolBytes * size_t(threads);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    fail(Exit::Lacking, "out of memory: {} bytes were asked for", bytes);
  auto *begin = static_cast<char *>(memory);
  for (int i = 0; i < threads; ++i) {
    char *base = begin + PoolBytes * size_t(i);
    auto *pool = new (base) Pool;
    pool->small.first = base + Alignment;
    pool->small.size = SmallSize;
    pool->small.free = ~uint64_t(0) >> (64 - SmallCount);
    pool->large.first = base + LargeOffset;
    pool->large.size = LargeSize;
    pool->large.free = (uint64_t(1) << LargeCount) - 1;
  }
  reservedEnd = begin + bytes;
  reserved = begin;
}

static Pool *poolOf(int thread) {
  return reinterpret_cast<Pool *>(reserved + PoolBytes * size_t(thread));
}

int trireme::runtime::takenLibrarySlots(int thread) {
  const Pool *pool = poolOf(thread);
  return int(SmallCount + LargeCount) -
         __builtin_popcountll(pool->small.free.load()) -
         __builtin_popcountll(pool->large.free.load());
}

LibraryScope::LibraryScope(int thread) { current = poolOf(thread); }

LibraryScope::~LibraryScope() { current = nullptr; }

/// A slot of this thread for `bytes`, or null.
static void *takeSlot(size_t bytes, size_t alignment) {
  if (!current)
    return nullptr;
  if (bytes <= SmallSize && alignment <= SmallSize)
    return current->small.take();
  return bytes <= LargeSize && alignment <= Alignment ? current->large.take()
                                                      : nullptr;
}

/// Gives a slot back; false if `memory` is none.
static bool releaseSlot(void *memory) {
  auto *place = static_cast<char *>(memory);
  if (place < reserved || place >= reservedEnd)
    return false;
  size_t offset = size_t(place - reserved);
  auto *pool =
      reinterpret_cast<Pool *>(reserved + offset / PoolBytes * PoolBytes);
  (offset % PoolBytes < LargeOffset ? pool->small : pool->large).release(place);
  return true;
}

/// The definition that this program's hides.
template <typename Function>
static Function *nextDefinition(const char *name, Function *) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

extern "C" void free(void *memory) noexcept {
  if (releaseSlot(memory))
    return;
  static constinit std::atomic<void (*)(void *)> next{nullptr};
  auto *function = next.load(std::memory_order_relaxed);
  if (!function) {
    function = nextDefinition("free", function);
    next.store(function, std::memory_order_relaxed);
  }
  function(memory);
}

extern "C" int posix_memalign(void **result, size_t alignment,
                              size_t bytes) noexcept {
  if (void *slot = takeSlot(bytes, alignment)) {
    *result = slot;
    return 0;
  }
  static constinit std::atomic<int (*)(void **, size_t, size_t)> next{nullptr};
  auto *function = next.load(std::memory_order_relaxed);
  if (!function) {
    function = nextDefinition("posix_memalign", function);
    next.store(function, std::memory_order_relaxed);
  }
  return function(result, alignment, bytes);
}

void *operator new(size_t bytes) {
  if (void *slot = takeSlot(bytes, alignof(std::max_align_t)))
    return slot;
  while (true) {
    if (void *memory = std::malloc(bytes ? bytes : 1))
      return memory;
    std::new_handler handler = std::get_new_handler();
    if (!handler)
      throw std::bad_alloc();
    handler();
  }
}

void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
