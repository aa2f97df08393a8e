// Batches from token files, in order, and the thread that prepares them ahead.
#ifndef TRIREME_RUNTIME_CORE_DATA_LOADER_H
#define TRIREME_RUNTIME_CORE_DATA_LOADER_H

#include "core/token_file.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace trireme::runtime {

/// The samples of several files, one after another: sample i of a file of n
/// tokens is tokens [i S, i S + S + 1), S the sequence length.
class Samples {
public:
  /// Fails with exit code 1 for an unreadable file or one shorter than one
  /// sample.
  Samples(const std::vector<std::string> &paths, int tokenBytes,
          int64_t vocabulary, int64_t sequence);

  int64_t count() const { return ends.back(); }
  int64_t sequence() const { return length; }
  const std::vector<TokenFile> &files() const { return tokenFiles; }

  /// Writes sample `index` < count() as `sequence` inputs and their next
  /// tokens (-100 where the mask says no).
  void read(int64_t index, int32_t *tokens, int32_t *targets) const;

private:
  std::vector<TokenFile> tokenFiles;
  std::vector<int64_t> ends; // samples up to and with each file
  int64_t length;
};

/// One global batch, rows x sequence each, owned.
struct Batch {
  std::vector<int32_t> tokens, targets;
  Batch(int64_t rows, int64_t sequence)
      : tokens(rows * sequence), targets(rows * sequence) {}
};

/// Fills `batch` with the samples from `first` on, wrapping; where `wrap` is
/// false, rows beyond the last sample have no targets.
void readBatch(const Samples &samples, int64_t first, bool wrap, Batch &batch);

/// Prepares the next batch on a thread of its own while the current one is
/// used. Allocates nothing after it is made.
class Prefetcher {
public:
  /// Batches of `rows` samples from sample `first` on; `samples` outlives it.
  Prefetcher(const Samples &samples, int64_t rows, int64_t first);
  ~Prefetcher();

  /// Waits for the next batch. It stays valid until the next call. Throws
  /// what went wrong while reading.
  const Batch &next();

private:
  void work();

  const Samples &samples;
  int64_t rows, first;
  Batch batches[2];
  int64_t filled = 0, taken = 0; // batches so far
  bool stopping = false;
  std::exception_ptr error;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
};

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_DATA_LOADER_H
