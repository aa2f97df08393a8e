// The parallel-for of the CPU runtime, on threads of its own. oneDNN's threads
// are libgomp's, so oneDNN is kept to the thread that calls it and the cores
// are never oversubscribed.
//
// Work is cut into blocks whose borders depend on `grain` only; which thread
// runs a block never changes what the block computes, so the number of threads
// changes no bit of a result. Nothing here allocates after the first call.
#ifndef TRIREME_RUNTIME_CPU_PARALLEL_H
#define TRIREME_RUNTIME_CPU_PARALLEL_H

#include <cstdint>
#include <memory>

namespace trireme::runtime {

/// Number of threads in the pool: OMP_NUM_THREADS, else the cores this process
/// may use. Read once; later calls of the library see one thread only, so that
/// oneDNN never opens a team of its own.
int threadCount();

/// One block: iterations [begin, end), run by `thread` < threadCount().
using BlockFunction = void (*)(void *data, int64_t begin, int64_t end,
                               int thread);

enum class Assignment {
  /// A contiguous run of blocks a thread, of which others help with the rest
  /// when they are done: neighbours stay in one cache.
  Static,
  /// Threads take the next block when they are free: uneven blocks.
  Dynamic
};

/// Calls `function` for the blocks of [0, count) and returns when all are
/// done. `grain` > 0. Only the main thread calls this, never from a block.
void parallelBlocks(int64_t count, int64_t grain, Assignment assignment,
                    BlockFunction function, void *data);

/// The same for a callable body(begin, end, thread).
template <typename Body>
void parallelFor(int64_t count, int64_t grain, Assignment assignment,
                 Body &&body) {
  using Type = std::remove_reference_t<Body>;
  parallelBlocks(
      count, grain, assignment,
      [](void *data, int64_t begin, int64_t end, int thread) {
        (*static_cast<Type *>(data))(begin, end, thread);
      },
      const_cast<void *>(static_cast<const void *>(std::addressof(body))));
}

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CPU_PARALLEL_H
