#include "cpu/context.h"

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
  scratch = alignedBuffer(scratchBytes());
}

size_t trireme_context::scratchBytes() const {
  return scratchStride * size_t(threadCount());
}
