// A region ends when all blocks are done, not when all threads have come: a
// worker that gets no processor in time (other processes use it) is not waited
// for, and the others do its blocks. libgomp's barriers cannot do that: beside
// other work a step of two threads took up to ten times as long.
//
// Each range of blocks has one word, (region, blocks left), from which threads
// claim blocks. A claim succeeds only if that word has not changed since it was
// read, so the region was running all the time and the job's fields, which are
// written between regions only, belong to it.

#include "cpu/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>

extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}

using namespace trireme::runtime;

namespace {

constexpr int MaximumThreads = 256;

/// Blocks [first, first + size) of which the last `left` are unclaimed.
struct alignas(64) Range {
  std::atomic<uint64_t> state{0}; // region << 32 | left

  void open(uint32_t region, int64_t blocks) {
    state.store(uint64_t(region) << 32 | uint64_t(blocks),
                std::memory_order_release);
  }
};

/// What the running region does; read and written by its number's rules above.
struct Job {
  std::atomic<BlockFunction> function{nullptr};
  std::atomic<void *> data{nullptr};
  std::atomic<int64_t> count{0}, grain{1}, blocks{0};
  std::atomic<int> ranges{1};
};

class Pool {
public:
  explicit Pool(int threads) : threads(threads) {
    for (int thread = 1; thread < threads; ++thread)
      std::thread([this, thread] { work(thread); }).detach();
  }
  void run(int64_t count, int64_t grain, int64_t blocks, int ranges,
           BlockFunction function, void *data);

private:
  void work(int thread);
  void takePart(int thread);
  int64_t drain(int range, int thread);

  int threads;
  Job job;
  Range ranges[MaximumThreads];
  alignas(64) std::atomic<uint32_t> region{0};
  alignas(64) std::atomic<uint32_t> unfinished{0}; // blocks
};

} // namespace

constexpr auto Relaxed = std::memory_order_relaxed;

/// Spins for some tens of microseconds; whether `done` came true.
template <typename Condition> static bool spin(Condition &&done) {
  for (int i = 0; i < 1000; ++i) {
    if (done())
      return true;
    __builtin_ia32_pause();
  }
  return false;
}

/// The first block of a range.
static int64_t firstBlock(int64_t blocks, int range, int ranges) {
  return blocks * range / ranges;
}

/// Does blocks of a range until none is left; how many.
int64_t Pool::drain(int range, int thread) {
  std::atomic<uint64_t> &state = ranges[range].state;
  int64_t done = 0;
  uint64_t seen = state.load(std::memory_order_acquire);
  while (auto left = uint32_t(seen)) {
    BlockFunction function = job.function.load(Relaxed);
    void *data = job.data.load(Relaxed);
    int64_t count = job.count.load(Relaxed), grain = job.grain.load(Relaxed);
    int64_t end = firstBlock(job.blocks.load(Relaxed), range + 1,
                             job.ranges.load(Relaxed));
    if (!state.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      continue;
    int64_t begin = (end - left) * grain;
    function(data, begin, std::min(begin + grain, count), thread);
    ++done;
    seen = state.load(std::memory_order_acquire);
  }
  return done;
}

/// Works on the running region, if any: on the thread's own range first.
void Pool::takePart(int thread) {
  int64_t done = 0;
  for (int i = 0; i < threads; ++i)
    done += drain((thread + i) % threads, thread);
  if (done && unfinished.fetch_sub(uint32_t(done), std::memory_order_acq_rel) ==
                  uint32_t(done))
    unfinished.notify_one();
}

void Pool::work(int thread) {
  omp_set_num_threads(1); // for this thread; see threadCount()
  while (true) {
    uint32_t seen = region.load(std::memory_order_acquire);
    takePart(thread);
    if (!spin([&] { return region.load(Relaxed) != seen; }))
      region.wait(seen, std::memory_order_acquire);
  }
}

void Pool::run(int64_t count, int64_t grain, int64_t blocks, int parts,
               BlockFunction function, void *data) {
  job.function.store(function, Relaxed);
  job.data.store(data, Relaxed);
  job.count.store(count, Relaxed);
  job.grain.store(grain, Relaxed);
  job.blocks.store(blocks, Relaxed);
  job.ranges.store(parts, Relaxed);
  unfinished.store(uint32_t(blocks), Relaxed);
  uint32_t number = region.load(Relaxed) + 1;
  for (int i = 0; i < parts; ++i)
    ranges[i].open(number, firstBlock(blocks, i + 1, parts) -
                               firstBlock(blocks, i, parts));
  region.store(number, std::memory_order_seq_cst);
  region.notify_all();
  takePart(/*thread=*/0);
  auto finished = [&] {
    return unfinished.load(std::memory_order_acquire) == 0;
  };
  if (!spin(finished))
    while (uint32_t left = unfinished.load(std::memory_order_acquire))
      unfinished.wait(left, std::memory_order_acquire);
}

int trireme::runtime::threadCount() {
  static const int threads = [] {
    int found = std::clamp(omp_get_max_threads(), 1, MaximumThreads);
    omp_set_num_threads(1);
    return found;
  }();
  return threads;
}

void trireme::runtime::parallelBlocks(int64_t count, int64_t grain,
                                      Assignment assignment,
                                      BlockFunction function, void *data) {
  if (count <= 0)
    return;
  int threads = threadCount();
  int64_t blocks = (count + grain - 1) / grain;
  if (threads == 1 || blocks == 1) {
    for (int64_t begin = 0; begin < count; begin += grain)
      function(data, begin, std::min(begin + grain, count), /*thread=*/0);
    return;
  }
  // Never destroyed: its threads wait until the process ends.
  static Pool &pool = *new Pool(threads);
  pool.run(count, grain, blocks, assignment == Assignment::Static ? threads : 1,
           function, data);
}
