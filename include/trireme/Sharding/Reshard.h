//===- Reshard.h - from one sharding to another -----------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which collectives take a tensor from one sharding to another, in which order,
// and what each of them moves.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SHARDING_RESHARD_H
#define TRIREME_SHARDING_RESHARD_H

#include "trireme/Sharding/Sharding.h"

namespace trireme {

enum class StepKind {
  Slice,         ///< Own block along a dim; no communication.
  KeepFirst,     ///< Whole to partial: kept on index 0, zero elsewhere; none.
  AllReduce,     ///< Partial to whole.
  ReduceScatter, ///< Partial to own block.
  AllGather,     ///< Blocks side by side.
  AllToAll       ///< Axes move from one dim to another.
};

/// One step. Local tensors are dense; with n ranks in the group, index i:
/// - Slice, ReduceScatter: [outer, limit], padded to [outer, n * inner] with
///   zeros, to block i, [outer, inner];
/// - AllGather: [outer, inner] to [outer, limit], limit <= n * inner: the n
///   blocks side by side, cut at the limit;
/// - AllToAll: block j of [splitOuter, n, splitInner] goes to index j; what
///   comes from j becomes block j of [outer, n, inner];
/// - AllReduce, KeepFirst: `inner` elements.
struct ReshardStep {
  StepKind kind;
  AxisList axes; ///< The group, major to minor.
  PartialKind reduction = PartialKind::Sum;
  Sharding after; ///< The sharding when the step is done.
  int64_t outer = 1, inner = 1, limit = 1;
  int64_t splitOuter = 1, splitInner = 1;

  bool communicates() const {
    return kind != StepKind::Slice && kind != StepKind::KeepFirst;
  }
};

/// The elements of the unsharded side of one call, which volumes are counted
/// by: the buffer of an all-reduce, the result of an all-gather, the source of
/// a reduce-scatter or all-to-all; 0 without communication.
int64_t getUnshardedElements(const Mesh &mesh, const ReshardStep &step);

/// The steps from `from` to `to` for a tensor of `shape`; both must be valid
/// for it. What makes tensors smaller comes first: slices, then
/// reduce-scatters, moves of axes, all-reduces of what is left, and gathers
/// last. Fails with none where the tensor is partial in different ways over one
/// axis.
std::optional<llvm::SmallVector<ReshardStep>>
planReshard(const Mesh &mesh, llvm::ArrayRef<int64_t> shape,
            const Sharding &from, const Sharding &to);

} // namespace trireme

#endif // TRIREME_SHARDING_RESHARD_H
