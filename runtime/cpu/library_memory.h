// Memory for what oneDNN allocates while it executes: its argument maps (a few
// small objects a call) and the packing buffers of some implementations, for
// which its interface has no user-managed scratch. A step must not allocate, so
// inside a LibraryScope these requests are served from slots that are reserved
// at start.
//
// The program replaces C++'s operator new and delete and, as libdnnl takes its
// packing buffers from the C library, posix_memalign and free. Outside of a
// scope all of them forward to the next definition, so that tools that
// interpose on malloc see every allocation.
#ifndef TRIREME_RUNTIME_CPU_LIBRARY_MEMORY_H
#define TRIREME_RUNTIME_CPU_LIBRARY_MEMORY_H

#include <cstddef>

namespace trireme::runtime {

/// Reserves the slots of `threads` threads, of which only what is used becomes
/// resident. The first call counts; no later one may ask for more threads.
void reserveLibraryMemory(int threads);

/// While it lives, the calling thread's allocations use the slots of `thread`.
/// What finds no slot (too large, or all taken) comes from the system.
class LibraryScope {
public:
  explicit LibraryScope(int thread);
  ~LibraryScope();
  LibraryScope(const LibraryScope &) = delete;
  LibraryScope &operator=(const LibraryScope &) = delete;
};

/// Slots of `thread` that are taken; 0 outside of its scopes unless the library
/// keeps something.
int takenLibrarySlots(int thread);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_LIBRARY_MEMORY_H
