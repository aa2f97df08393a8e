#include "cpu/context.h"

#include "core/error.h"
#include "cpu/parallel.h"

#include <algorithm>

using namespace trireme::runtime;

trireme_context::trireme_context(const Manifest &manifest, Trace *trace)
    : scratchStride(64), scratch(nullptr, std::free), trace(trace) {
  prepareProducts();
  for (const GemmShape &shape : manifest.gemms) {
    gemms.emplace_back(shape);
    scratchStride = std::max(scratchStride, gemms.back().scratchBytes());
  }
  for (const AttentionShape &shape : manifest.attentions) {
    attentions.emplace_back(shape);
    scratchStride = std::max(scratchStride, attentions.back().scratchBytes());
  }
  // The budget is what --describe counts: nothing beyond it is taken.
  size_t budget = size_t(manifest.workspaceMib) << 20;
  if (scratchBytes() > budget)
    fail(Exit::Lacking,
         "library scratch of {} threads needs {} MiB, but the program was "
         "compiled with a budget of {} MiB: set OMP_NUM_THREADS to at most {}, "
         "or compile with --workspace-mib {}",
         threadCount(), (scratchBytes() >> 20) + 1, manifest.workspaceMib,
         std::max<size_t>(1, budget / scratchStride),
         (scratchBytes() >> 20) + 1);
  scratch = alignedBuffer(scratchBytes());
}

size_t trireme_context::scratchBytes() const {
  return scratchStride * size_t(threadCount());
}
