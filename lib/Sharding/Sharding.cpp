//===- Sharding.cpp - meshes and where tensors live -----------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "trireme/Sharding/Sharding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace trireme;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

int64_t Mesh::getRanks() const {
  int64_t ranks = 1;
  for (const MeshAxis &axis : axes)
    ranks *= axis.size;
  return ranks;
}

int64_t Mesh::getSize(ArrayRef<unsigned> list) const {
  int64_t size = 1;
  for (unsigned axis : list)
    size *= axes[axis].size;
  return size;
}

/// The ranks between neighbours along `axis`.
static int64_t getStride(const Mesh &mesh, unsigned axis) {
  int64_t stride = 1;
  for (const MeshAxis &minor : ArrayRef(mesh.axes).drop_front(axis + 1))
    stride *= minor.size;
  return stride;
}

int64_t Mesh::getIndex(int64_t rank, ArrayRef<unsigned> list) const {
  int64_t index = 0;
  for (unsigned axis : list)
    index = index * axes[axis].size +
            rank / getStride(*this, axis) % axes[axis].size;
  return index;
}

SmallVector<int64_t> Mesh::getGroup(int64_t rank,
                                    ArrayRef<unsigned> list) const {
  int64_t first = rank;
  for (unsigned axis : list)
    first -= getIndex(rank, axis) * getStride(*this, axis);
  SmallVector<int64_t> group{first};
  for (unsigned axis : list) {
    SmallVector<int64_t> longer;
    for (int64_t member : group)
      for (int64_t i = 0; i < axes[axis].size; ++i)
        longer.push_back(member + i * getStride(*this, axis));
    group = std::move(longer);
  }
  return group;
}

//===----------------------------------------------------------------------===//
// Sharding
//===----------------------------------------------------------------------===//

Sharding Sharding::getReplicated(int64_t rank) {
  Sharding sharding;
  sharding.dims.resize(rank);
  return sharding;
}

bool Sharding::isReplicated() const {
  return !flat && partial.empty() &&
         llvm::all_of(dims, [](const AxisList &list) { return list.empty(); });
}

std::optional<PartialKind> Sharding::getPartial(unsigned axis) const {
  for (const Partial &entry : partial)
    if (entry.axis == axis)
      return entry.kind;
  return std::nullopt;
}

bool Sharding::uses(unsigned axis) const {
  return (flat && llvm::is_contained(flat->axes, axis)) || getPartial(axis) ||
         llvm::any_of(dims, [&](const AxisList &list) {
           return llvm::is_contained(list, axis);
         });
}

Sharding Sharding::getSlice() const {
  Sharding slice = *this;
  slice.dims.erase(slice.dims.begin());
  if (slice.flat)
    --slice.flat->leading;
  return slice;
}

/// The axes in the order in which they stand in the sharding.
static AxisList getAxes(const Sharding &sharding) {
  AxisList axes;
  for (const AxisList &list : sharding.dims)
    llvm::append_range(axes, list);
  if (sharding.flat)
    llvm::append_range(axes, sharding.flat->axes);
  for (const Partial &entry : sharding.partial)
    axes.push_back(entry.axis);
  return axes;
}

/// The first axis over which the tensor is partial with `kind`, which is there.
static unsigned getFirst(const Sharding &sharding, PartialKind kind) {
  return llvm::find_if(sharding.partial,
                       [&](const Partial &entry) { return entry.kind == kind; })
      ->axis;
}

std::string trireme::checkSharding(const Mesh &mesh, const Sharding &sharding,
                                   ArrayRef<int64_t> shape) {
  if (sharding.dims.size() != shape.size())
    return llvm::formatv("has {0} dims for a tensor of {1}",
                         sharding.dims.size(), shape.size());
  SmallVector<bool> seen(mesh.axes.size());
  for (unsigned axis : getAxes(sharding)) {
    if (axis >= mesh.axes.size())
      return llvm::formatv("has axis {0} of a mesh of {1}", axis,
                           mesh.axes.size());
    if (std::exchange(seen[axis], true))
      return llvm::formatv("uses the axis \"{0}\" twice", mesh.axes[axis].name);
  }
  for (auto [dim, list] : llvm::enumerate(sharding.dims))
    if (int64_t size = mesh.getSize(list); shape[dim] % size)
      return llvm::formatv("splits dim {0} of size {1} into {2} blocks", dim,
                           shape[dim], size);
  for (const Partial &entry : sharding.partial)
    if (entry.kind != sharding.partial[0].kind)
      return llvm::formatv(
          "is a sum over \"{0}\" and a maximum over \"{1}\"",
          mesh.axes[getFirst(sharding, PartialKind::Sum)].name,
          mesh.axes[getFirst(sharding, PartialKind::Max)].name);
  if (!sharding.flat)
    return {};
  int64_t leading = sharding.flat->leading;
  if (leading < 0 || leading > int64_t(shape.size()))
    return llvm::formatv("is flat behind {0} dims of a tensor of {1}", leading,
                         shape.size());
  if (sharding.flat->axes.empty())
    return "is flat over no axis";
  return {};
}

/// The shape that the dims' splits leave.
static SmallVector<int64_t> getBlockShape(const Mesh &mesh,
                                          const Sharding &sharding,
                                          ArrayRef<int64_t> shape) {
  SmallVector<int64_t> block(shape);
  for (auto [size, list] : llvm::zip_equal(block, sharding.dims))
    size /= mesh.getSize(list);
  return block;
}

SmallVector<int64_t> trireme::getLocalShape(const Mesh &mesh,
                                            const Sharding &sharding,
                                            ArrayRef<int64_t> shape) {
  SmallVector<int64_t> block = getBlockShape(mesh, sharding, shape);
  if (!sharding.flat)
    return block;
  int64_t leading = sharding.flat->leading;
  int64_t rest = llvm::product_of(ArrayRef(block).drop_front(leading));
  block.truncate(leading);
  block.push_back(llvm::divideCeil(rest, mesh.getSize(sharding.flat->axes)));
  return block;
}

/// The row-major index in the whole tensor of element `place` of a block.
static int64_t getWholeIndex(const Mesh &mesh, const Sharding &sharding,
                             ArrayRef<int64_t> shape, ArrayRef<int64_t> block,
                             int64_t rank, int64_t place) {
  int64_t index = 0, stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    int64_t origin = mesh.getIndex(rank, sharding.dims[dim]) * block[dim];
    index += (origin + place % block[dim]) * stride;
    place /= block[dim];
    stride *= shape[dim];
  }
  return index;
}

SmallVector<int64_t> trireme::getElements(const Mesh &mesh,
                                          const Sharding &sharding,
                                          ArrayRef<int64_t> shape,
                                          int64_t rank) {
  SmallVector<int64_t> block = getBlockShape(mesh, sharding, shape);
  SmallVector<int64_t> local = getLocalShape(mesh, sharding, shape);
  int64_t count = llvm::product_of(local);
  SmallVector<int64_t> elements;
  elements.reserve(count);
  auto find = [&](int64_t place) {
    return getWholeIndex(mesh, sharding, shape, block, rank, place);
  };
  if (!sharding.flat) {
    for (int64_t place = 0; place < count; ++place)
      elements.push_back(find(place));
    return elements;
  }
  ArrayRef<int64_t> rests = ArrayRef(block).drop_front(sharding.flat->leading);
  int64_t rest = llvm::product_of(rests), width = local.back();
  int64_t begin = mesh.getIndex(rank, sharding.flat->axes) * width;
  for (int64_t place = 0; place < count; ++place) {
    int64_t row = place / width, column = begin + place % width;
    elements.push_back(column < rest ? find(row * rest + column) : -1);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printAxes(const Mesh &mesh, ArrayRef<unsigned> list,
                      llvm::raw_ostream &stream) {
  stream << '{';
  llvm::interleaveComma(list, stream, [&](unsigned axis) {
    stream << '"' << mesh.axes[axis].name << '"';
  });
  stream << '}';
}

std::string trireme::printSharding(const Mesh &mesh, const Sharding &sharding) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(sharding.dims, stream, [&](const AxisList &list) {
    printAxes(mesh, list, stream);
  });
  stream << ']';
  if (sharding.flat) {
    stream << ", flat " << sharding.flat->leading << ' ';
    printAxes(mesh, sharding.flat->axes, stream);
  }
  if (sharding.partial.empty())
    return text;
  stream << ", partial {";
  llvm::interleaveComma(sharding.partial, stream, [&](const Partial &entry) {
    stream << '"' << mesh.axes[entry.axis].name
           << "\": " << (entry.kind == PartialKind::Sum ? "sum" : "max");
  });
  stream << '}';
  return text;
}
