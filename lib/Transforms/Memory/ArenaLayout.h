//===- ArenaLayout.h - Buffers packed by their lives ------------*- C++ -*-===//
//
// The packing problem of the memory plan, without IR: buffers with sizes and
// lives (first and last position in a block) get offsets so that two that live
// at the same time do not overlap. A body's frame is one buffer of its parent.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_TRANSFORMS_MEMORY_ARENALAYOUT_H
#define TRIREME_LIB_TRANSFORMS_MEMORY_ARENALAYOUT_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <deque>
#include <memory>

namespace trireme::train {

struct Frame;

/// Bytes that live from position `begin` to position `end` of a block.
struct Buffer {
  Frame *frame = nullptr;
  int64_t bytes = 0;
  int64_t begin = 0, end = 0;
  int64_t offset = 0; ///< In its frame, after packing.
  size_t index = 0;   ///< In the frame's list.
};

/// The buffers of one block.
struct Frame {
  std::deque<Buffer> buffers;
  Buffer *within = nullptr; ///< Of the parent's frame; null at the top.
  int64_t base = 0;         ///< Of a frame at the top.
  int64_t bytes = 0;        ///< After packing.

  Buffer *add(int64_t bytes, int64_t begin, int64_t end) {
    buffers.push_back({this, bytes, begin, end, 0, buffers.size()});
    return &buffers.back();
  }
  /// Gives every buffer an offset: largest first, each at the lowest place
  /// that is free during its life (first fit decreasing).
  void pack();
};

/// Offset from the arena's start.
int64_t getOffset(const Buffer &buffer);

/// Bytes that stay unused behind every buffer, so that a write past its end can
/// be found (--check-arena).
inline constexpr int64_t kGap = 64;

inline int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace trireme::train

#endif // TRIREME_LIB_TRANSFORMS_MEMORY_ARENALAYOUT_H
