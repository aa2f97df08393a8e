// What the compiled program's calls work on: the products and attentions of
// its manifest, planned, and one block of scratch. Everything is allocated
// when it is made.
#ifndef TRIREME_RUNTIME_CPU_CONTEXT_H
#define TRIREME_RUNTIME_CPU_CONTEXT_H

#include "core/arena_check.h"
#include "core/manifest.h"
#include "core/trace.h"
#include "cpu/attention.h"
#include "cpu/gemm.h"

#include <memory>
#include <vector>

struct trireme_context {
  /// `trace` may be null; both must outlive the context.
  trireme_context(const trireme::runtime::Manifest &manifest,
                  trireme::runtime::Trace *trace);

  std::vector<trireme::runtime::Gemm> gemms;
  std::vector<trireme::runtime::Attention> attentions;
  /// `scratchStride` bytes a thread, shared by all calls.
  size_t scratchStride;
  trireme::runtime::AlignedBuffer scratch;
  trireme::runtime::Trace *trace;
  trireme::runtime::ArenaCheck *check = nullptr; // of --check-arena

  /// Bytes of scratch of all threads.
  size_t scratchBytes() const;
};

#endif // TRIREME_RUNTIME_CPU_CONTEXT_H
