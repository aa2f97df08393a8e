//===- ExpandHeads.cpp - Logits in chunks ---------------------------------===//
//
// Picks for each head the smallest number of chunks that divides its tokens
// and keeps the logits of a chunk small, and lets the head expand itself.
//
//===----------------------------------------------------------------------===//

#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Optimizer/Passes.h"

namespace trireme::train {
#define GEN_PASS_DEF_EXPANDHEADS
#include "trireme/Transforms/Optimizer/Passes.h.inc"
} // namespace trireme::train

using namespace mlir;
using namespace trireme::train;

/// The smallest divisor c of `tokens` with tokens / c * vocabulary at most
/// `maxLogits`, or else with at least `minRows` rows a chunk.
static int64_t chooseChunks(int64_t tokens, int64_t vocabulary,
                            int64_t maxLogits, int64_t minRows) {
  int64_t best = 1;
  for (int64_t chunks = 1; chunks <= tokens; ++chunks) {
    if (tokens % chunks)
      continue;
    int64_t rows = tokens / chunks;
    if (chunks > 1 && rows < minRows)
      break;
    best = chunks;
    if (rows * vocabulary <= maxLogits)
      break;
  }
  return best;
}

namespace {
struct ExpandHeads : public trireme::train::impl::ExpandHeadsBase<ExpandHeads> {
  using ExpandHeadsBase::ExpandHeadsBase;
  void runOnOperation() override {
    SmallVector<HeadOpInterface> heads;
    getOperation().walk([&](HeadOpInterface head) { heads.push_back(head); });
    for (HeadOpInterface head : heads) {
      auto [tokens, vocabulary] = head.getLogitsShape();
      OpBuilder builder(head);
      head->replaceAllUsesWith(head.expand(
          builder, chooseChunks(tokens, vocabulary, maxLogits, minRows), {}));
      head->erase();
      ++numHeads;
    }
  }
};
} // namespace
