#include "core/data_loader.h"

#include "core/error.h"

#include <algorithm>

using namespace trireme::runtime;

Samples::Samples(const std::vector<std::string> &paths, int tokenBytes,
                 int64_t vocabulary, int64_t sequence)
    : length(sequence) {
  for (const std::string &path : paths) {
    const TokenFile &file =
        tokenFiles.emplace_back(path, tokenBytes, vocabulary);
    if (file.tokens() < sequence + 1)
      fail(Exit::Input,
           "{}: ends at token {}, but one sample needs {} tokens (the "
           "sequence length {} and the last target)",
           path, file.tokens(), sequence + 1, sequence);
    int64_t before = ends.empty() ? 0 : ends.back();
    ends.push_back(before + (file.tokens() - 1) / sequence);
  }
}

void Samples::read(int64_t index, int32_t *tokens, int32_t *targets) const {
  size_t file =
      std::upper_bound(ends.begin(), ends.end(), index) - ends.begin();
  const TokenFile &source = tokenFiles[file];
  int64_t begin = (index - (file ? ends[file - 1] : 0)) * length;
  for (int64_t i = 0; i < length; ++i) {
    tokens[i] = source.token(begin + i);
    int32_t next = source.token(begin + i + 1);
    targets[i] = source.isTarget(begin + i + 1) ? next : -100;
  }
}

void trireme::runtime::readBatch(const Samples &samples, int64_t first,
                                 bool wrap, Batch &batch) {
  int64_t length = samples.sequence();
  int64_t rows = int64_t(batch.tokens.size()) / length;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t sample = first + row;
    int32_t *targets = batch.targets.data() + row * length;
    samples.read(sample % samples.count(), batch.tokens.data() + row * length,
                 targets);
    if (!wrap && sample >= samples.count())
      std::fill_n(targets, length, -100);
  }
}

Prefetcher::Prefetcher(const Samples &samples, int64_t rows, int64_t first)
    : samples(samples), rows(rows), first(first),
      batches{{rows, samples.sequence()}, {rows, samples.sequence()}},
      thread([this] { work(); }) {}

Prefetcher::~Prefetcher() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

void Prefetcher::work() {
  std::unique_lock lock(mutex);
  while (true) {
    // Batch `taken - 1` is in use; the other buffer is free.
    changed.wait(lock, [&] { return stopping || filled < taken + 1; });
    if (stopping)
      return;
    int64_t number = filled;
    lock.unlock();
    try {
      readBatch(samples, first + number * rows, /*wrap=*/true,
                batches[number % 2]);
    } catch (...) {
      lock.lock();
      error = std::current_exception();
      changed.notify_all();
      return;
    }
    lock.lock();
    ++filled;
    changed.notify_all();
  }
}

const Batch &Prefetcher::next() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return error || filled > taken; });
  if (filled <= taken)
    std::rethrow_exception(error);
  int64_t number = taken++;
  changed.notify_all();
  return batches[number % 2];
}
