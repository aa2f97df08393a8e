//===- ArenaLayout.cpp - Buffers packed by their lives --------------------===//

#include "ArenaLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace trireme::train;

void Frame::pack() {
  llvm::SmallVector<Buffer *> order, placed;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  // Ties in the order of birth, so that the plan does not depend on addresses.
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->index < b->index;
  });
  bytes = 0;
  for (Buffer *buffer : order) {
    llvm::SmallVector<Buffer *> busy;
    for (Buffer *other : placed)
      if (other->begin <= buffer->end && buffer->begin <= other->end)
        busy.push_back(other);
    llvm::sort(busy,
               [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
    int64_t offset = 0, size = alignUp(buffer->bytes) + kGap;
    for (Buffer *other : busy) {
      if (offset + size <= other->offset)
        break;
      offset = std::max(offset, other->offset + alignUp(other->bytes) + kGap);
    }
    buffer->offset = offset;
    bytes = std::max(bytes, offset + size);
    placed.push_back(buffer);
  }
}

int64_t trireme::train::getOffset(const Buffer &buffer) {
  const Frame *frame = buffer.frame;
  int64_t base = frame->within ? getOffset(*frame->within) : frame->base;
  return base + buffer.offset;
}
