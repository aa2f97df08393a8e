// Calls libgomp's entry points directly: clang compiles `#pragma omp` for
// LLVM's libomp only, and a second pool in the process would oversubscribe the
// cores.

#include "cpu/parallel.h"

#include <algorithm>
#include <atomic>

extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
void omp_set_num_threads(int threads);
}

using namespace trireme::runtime;

int trireme::runtime::threadCount() {
  static const int threads = [] {
    int found = std::max(1, omp_get_max_threads());
    omp_set_num_threads(1);
    return found;
  }();
  return threads;
}

namespace {
struct Work {
  int64_t count, grain, blocks;
  BlockFunction function;
  void *data;
  Assignment assignment;
  int threads;
  std::atomic<int64_t> next{0};

  void run(int64_t block, int thread) const {
    int64_t begin = block * grain;
    function(data, begin, std::min(begin + grain, count), thread);
  }
};
} // namespace

static void worker(void *opaque) {
  auto &work = *static_cast<Work *>(opaque);
  int thread = omp_get_thread_num();
  if (work.assignment == Assignment::Static) {
    int64_t first = work.blocks * thread / work.threads;
    int64_t last = work.blocks * (thread + 1) / work.threads;
    for (int64_t block = first; block < last; ++block)
      work.run(block, thread);
    return;
  }
  for (int64_t block; (block = work.next.fetch_add(
                           1, std::memory_order_relaxed)) < work.blocks;)
    work.run(block, thread);
}

void trireme::runtime::parallelBlocks(int64_t count, int64_t grain,
                                      Assignment assignment,
                                      BlockFunction function, void *data) {
  if (count <= 0)
    return;
  Work work{count,        grain, (count + grain - 1) / grain,
            function,     data,  assignment,
            threadCount()};
  // Always the whole team or none: libgomp ends the threads that a smaller
  // team does not need, and starting them again is slow and allocates.
  if (work.threads == 1 || work.blocks == 1) {
    for (int64_t block = 0; block < work.blocks; ++block)
      work.run(block, 0);
    return;
  }
  GOMP_parallel(worker, &work, work.threads, 0);
}
