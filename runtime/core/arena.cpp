#include "core/arena.h"

#include "core/error.h"

#include <cstring>
#include <sys/mman.h>

using namespace trireme::runtime;

Arena::Arena(uint64_t bytes) {
  constexpr uint64_t Alignment = 2 << 20;
  mappedBytes = bytes + Alignment;
  mapping = mappedBytes < bytes
                ? MAP_FAILED
                : mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    fail(Exit::Lacking,
         "this machine cannot give the {} bytes of memory that the program "
         "needs: {}",
         bytes, std::strerror(errno));
  auto address = reinterpret_cast<uint64_t>(mapping);
  memory = reinterpret_cast<char *>((address + Alignment - 1) / Alignment *
                                    Alignment);
  madvise(memory, bytes, MADV_HUGEPAGE); // only a hint
}

Arena::~Arena() { munmap(mapping, mappedBytes); }
