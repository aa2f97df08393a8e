//===- Sharding.h - meshes and where tensors live ---------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The algebra of all parallelism of tensors: a mesh of ranks, the sharding of
// a tensor over its axes, and which elements a rank then holds. Knows nothing
// of IR.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_SHARDING_SHARDING_H
#define TRIREME_SHARDING_SHARDING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace trireme {

/// An axis of a mesh: "data", "tensor.kv" (a factor of a plan's axis).
struct MeshAxis {
  std::string name;
  int64_t size = 1;

  bool operator==(const MeshAxis &) const = default;
};

/// Indices of mesh axes, major to minor.
using AxisList = llvm::SmallVector<unsigned, 2>;

/// The ranks of a program, numbered by mixed radix over the axes, the last
/// axis fastest. The algebra knows whole axes only; who needs a part of an axis
/// makes a mesh with that factor as an axis.
struct Mesh {
  llvm::SmallVector<MeshAxis> axes;

  int64_t getRanks() const;
  /// Ranks of a group that differs in `list` only.
  int64_t getSize(llvm::ArrayRef<unsigned> list) const;
  /// The place of `rank` in its group: mixed radix of its coordinates in
  /// `list`, the last fastest.
  int64_t getIndex(int64_t rank, llvm::ArrayRef<unsigned> list) const;
  /// The ranks of the group of `rank` over `list`, by their index.
  llvm::SmallVector<int64_t> getGroup(int64_t rank,
                                      llvm::ArrayRef<unsigned> list) const;

  bool operator==(const Mesh &) const = default;
};

/// How values that ranks hold in part make the whole.
enum class PartialKind { Sum, Max };

/// Each rank of `axis` holds one term: the tensor is their sum or maximum.
struct Partial {
  unsigned axis = 0;
  PartialKind kind = PartialKind::Sum;

  bool operator==(const Partial &) const = default;
};

/// The block that the dims' splits leave is flattened row-major except its
/// first `leading` dims, padded at its end to a multiple of the axes' size, and
/// split evenly. Pads are zero.
struct Flat {
  int64_t leading = 0;
  AxisList axes;

  bool operator==(const Flat &) const = default;
};

/// Where the elements of a tensor live. An axis stands at most once in all of
/// dims, flat and partial; over an axis that stands nowhere the tensor is
/// replicated.
struct Sharding {
  llvm::SmallVector<AxisList> dims; ///< One list a dim; splits are even.
  std::optional<Flat> flat;
  llvm::SmallVector<Partial> partial; ///< By ascending axis.

  /// Everything on every rank.
  static Sharding getReplicated(int64_t rank);

  bool operator==(const Sharding &) const = default;

  bool isReplicated() const;
  /// Whether `axis` splits a dim, the flattened block, or is partial.
  bool uses(unsigned axis) const;
  /// The kind with which the tensor is partial over `axis`, none if it isn't.
  std::optional<PartialKind> getPartial(unsigned axis) const;
  /// The sharding of one slice of dim 0, which must not be split.
  Sharding getSlice() const;
};

/// What is wrong with `sharding` for tensors of `shape`; empty if nothing.
/// Names the axis or the dim, with both sizes. Sums and maxima do not commute:
/// a tensor is partial in one way only.
std::string checkSharding(const Mesh &mesh, const Sharding &sharding,
                          llvm::ArrayRef<int64_t> shape);

/// The shape that a rank holds of a tensor of `shape`. With `flat` it has the
/// leading dims and one more, ceil(rest / size).
llvm::SmallVector<int64_t> getLocalShape(const Mesh &mesh,
                                         const Sharding &sharding,
                                         llvm::ArrayRef<int64_t> shape);

/// For each element that `rank` holds, in row-major order of its local shape,
/// the row-major index in the whole tensor; -1 for a pad.
llvm::SmallVector<int64_t> getElements(const Mesh &mesh,
                                       const Sharding &sharding,
                                       llvm::ArrayRef<int64_t> shape,
                                       int64_t rank);

/// As in IR: `[{"data"}, {}], flat 0 {"data"}, partial {"tensor": sum}`.
std::string printSharding(const Mesh &mesh, const Sharding &sharding);

} // namespace trireme

#endif // TRIREME_SHARDING_SHARDING_H
