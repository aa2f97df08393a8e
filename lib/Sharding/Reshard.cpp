//===- Reshard.cpp - from one sharding to another -------------------------===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step after another is tried, the ones that make the tensor smaller first,
// until the sharding is the wanted one. Gathers take away what is wrong from
// the minor end of a dim, so the search ends.
//
//===----------------------------------------------------------------------===//

#include "trireme/Sharding/Reshard.h"

#include "llvm/ADT/STLExtras.h"

using namespace trireme;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
class Planner {
public:
  Planner(const Mesh &mesh, ArrayRef<int64_t> shape, const Sharding &from,
          const Sharding &to)
      : mesh(mesh), shape(shape), to(to), now(from) {}

  std::optional<SmallVector<ReshardStep>> run();

private:
  bool gatherFlat();
  bool slice();
  bool reduceScatter();
  bool allToAll();
  bool allReduce();
  bool allGather();
  bool splitFlat();
  bool keepFirst();

  AxisList getNext(size_t dim, llvm::function_ref<bool(unsigned)> may) const;
  size_t getCommon(size_t dim) const;
  int64_t product(const Sharding &sharding, size_t begin, size_t end) const;
  void addBlocks(StepKind kind, const AxisList &axes, size_t dim,
                 Sharding after);
  void addFlat(StepKind kind, const Flat &flat, Sharding after);
  void addWhole(StepKind kind, const AxisList &axes, Sharding after);
  void add(ReshardStep step);

  const Mesh &mesh;
  ArrayRef<int64_t> shape;
  const Sharding &to;
  Sharding now;
  PartialKind reduction = PartialKind::Sum;
  SmallVector<ReshardStep> steps;
};
} // namespace

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// The product of a block's dims [begin, end), without regard to flat.
int64_t Planner::product(const Sharding &sharding, size_t begin,
                         size_t end) const {
  int64_t elements = 1;
  for (size_t dim = begin; dim < end; ++dim)
    elements *= shape[dim] / mesh.getSize(sharding.dims[dim]);
  return elements;
}

void Planner::add(ReshardStep step) {
  now = step.after;
  steps.push_back(std::move(step));
}

/// A step whose blocks lie side by side along `dim`; the smaller side is the
/// one where `axes` split it.
void Planner::addBlocks(StepKind kind, const AxisList &axes, size_t dim,
                        Sharding after) {
  const Sharding &split = kind == StepKind::AllGather ? now : after;
  ReshardStep step{kind, axes, reduction, after};
  step.outer = product(split, 0, dim);
  step.inner = product(split, dim, shape.size());
  step.limit = step.inner * mesh.getSize(axes);
  add(std::move(step));
}

/// A step between a block and its flat shards.
void Planner::addFlat(StepKind kind, const Flat &flat, Sharding after) {
  ReshardStep step{kind, flat.axes, reduction, after};
  step.outer = product(now, 0, flat.leading);
  step.limit = product(now, flat.leading, shape.size());
  int64_t size = mesh.getSize(flat.axes);
  step.inner = (step.limit + size - 1) / size;
  add(std::move(step));
}

/// A step that does not change the local shape.
void Planner::addWhole(StepKind kind, const AxisList &axes, Sharding after) {
  ReshardStep step{kind, axes, reduction, after};
  step.inner = llvm::product_of(getLocalShape(mesh, now, shape));
  add(std::move(step));
}

static void removePartial(Sharding &sharding, ArrayRef<unsigned> axes) {
  llvm::erase_if(sharding.partial, [&](const Partial &entry) {
    return llvm::is_contained(axes, entry.axis);
  });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// How many axes of `dim` are as wanted.
size_t Planner::getCommon(size_t dim) const {
  size_t common = 0;
  while (common < std::min(now.dims[dim].size(), to.dims[dim].size()) &&
         now.dims[dim][common] == to.dims[dim][common])
    ++common;
  return common;
}

/// The axes that `dim` wants next, as long as each `may` come; none where an
/// axis that it has is not wanted.
AxisList Planner::getNext(size_t dim,
                          llvm::function_ref<bool(unsigned)> may) const {
  AxisList next;
  if (getCommon(dim) < now.dims[dim].size())
    return next;
  for (unsigned axis : ArrayRef(to.dims[dim]).drop_front(getCommon(dim))) {
    if (!may(axis))
      break;
    next.push_back(axis);
  }
  return next;
}

bool Planner::gatherFlat() {
  if (!now.flat || (now.flat == to.flat && now.dims == to.dims))
    return false;
  Flat flat = *now.flat;
  Sharding after = now;
  after.flat.reset();
  addFlat(StepKind::AllGather, flat, after);
  return true;
}

bool Planner::slice() {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    AxisList next =
        getNext(dim, [&](unsigned axis) { return !now.uses(axis); });
    if (next.empty())
      continue;
    Sharding after = now;
    llvm::append_range(after.dims[dim], next);
    addBlocks(StepKind::Slice, next, dim, after);
    return true;
  }
  return false;
}

bool Planner::reduceScatter() {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    for (PartialKind kind : {PartialKind::Sum, PartialKind::Max}) {
      AxisList next = getNext(
          dim, [&](unsigned axis) { return now.getPartial(axis) == kind; });
      if (next.empty())
        continue;
      Sharding after = now;
      llvm::append_range(after.dims[dim], next);
      removePartial(after, next);
      reduction = kind;
      addBlocks(StepKind::ReduceScatter, next, dim, after);
      return true;
    }
  return false;
}

/// Moves the minor axes of a dim to another that wants them next.
bool Planner::allToAll() {
  for (size_t source = 0; source < shape.size(); ++source) {
    ArrayRef<unsigned> wrong =
        ArrayRef(now.dims[source]).drop_front(getCommon(source));
    for (size_t target = 0; target < shape.size(); ++target) {
      if (source == target)
        continue;
      AxisList next = getNext(target, [&](unsigned axis) {
        return llvm::is_contained(wrong, axis);
      });
      while (!next.empty() && wrong.take_back(next.size()) != ArrayRef(next))
        next.pop_back();
      if (next.empty())
        continue;
      Sharding after = now;
      after.dims[source].truncate(after.dims[source].size() - next.size());
      llvm::append_range(after.dims[target], next);
      ReshardStep step{StepKind::AllToAll, next, reduction, after};
      step.splitOuter = product(now, 0, target);
      step.splitInner = product(now, target, shape.size()) / mesh.getSize(next);
      step.outer = product(after, 0, source);
      step.inner = product(after, source, shape.size()) / mesh.getSize(next);
      add(std::move(step));
      return true;
    }
  }
  return false;
}

/// Reduces over all axes that are not to stay partial in the same way.
bool Planner::allReduce() {
  for (PartialKind kind : {PartialKind::Sum, PartialKind::Max}) {
    AxisList axes;
    for (const Partial &entry : now.partial)
      if (entry.kind == kind && to.getPartial(entry.axis) != kind)
        axes.push_back(entry.axis);
    if (axes.empty())
      continue;
    Sharding after = now;
    removePartial(after, axes);
    reduction = kind;
    addWhole(StepKind::AllReduce, axes, after);
    return true;
  }
  return false;
}

bool Planner::allGather() {
  for (size_t dim = shape.size(); dim-- > 0;) {
    ArrayRef<unsigned> wrong =
        ArrayRef(now.dims[dim]).drop_front(getCommon(dim));
    if (wrong.empty())
      continue;
    AxisList axes(wrong);
    Sharding after = now;
    after.dims[dim].truncate(getCommon(dim));
    addBlocks(StepKind::AllGather, axes, dim, after);
    return true;
  }
  return false;
}

/// Makes flat shards of a block that is as wanted: by a reduce-scatter where
/// it is partial over all their axes in one way, by a slice where over none.
bool Planner::splitFlat() {
  if (!to.flat || now.flat || now.dims != to.dims)
    return false;
  ArrayRef<unsigned> axes = to.flat->axes;
  std::optional<PartialKind> kind = now.getPartial(axes[0]);
  if (llvm::any_of(axes,
                   [&](unsigned axis) { return now.getPartial(axis) != kind; }))
    return false;
  Sharding after = now;
  after.flat = to.flat;
  removePartial(after, axes);
  reduction = kind.value_or(PartialKind::Sum);
  addFlat(kind ? StepKind::ReduceScatter : StepKind::Slice, *to.flat, after);
  return true;
}

bool Planner::keepFirst() {
  for (PartialKind kind : {PartialKind::Sum, PartialKind::Max}) {
    AxisList axes;
    for (const Partial &entry : to.partial)
      if (entry.kind == kind && !now.uses(entry.axis))
        axes.push_back(entry.axis);
    // Whoever is not first would have to hold the least of all numbers.
    if (axes.empty() || kind == PartialKind::Max)
      continue;
    Sharding after = now;
    for (unsigned axis : axes)
      after.partial.push_back({axis, kind});
    llvm::sort(after.partial, [](const Partial &a, const Partial &b) {
      return a.axis < b.axis;
    });
    addWhole(StepKind::KeepFirst, axes, after);
    return true;
  }
  return false;
}

std::optional<SmallVector<ReshardStep>> Planner::run() {
  while (now != to) {
    bool moved = gatherFlat() || slice() || reduceScatter() || splitFlat() ||
                 allToAll() || allReduce() || allGather() || keepFirst();
    if (!moved)
      return std::nullopt;
  }
  return std::move(steps);
}

std::optional<SmallVector<ReshardStep>>
trireme::planReshard(const Mesh &mesh, ArrayRef<int64_t> shape,
                     const Sharding &from, const Sharding &to) {
  return Planner(mesh, shape, from, to).run();
}

int64_t trireme::getUnshardedElements(const Mesh &mesh,
                                      const ReshardStep &step) {
  switch (step.kind) {
  case StepKind::Slice:
  case StepKind::KeepFirst:
    return 0;
  case StepKind::AllReduce:
    return step.inner;
  case StepKind::AllGather:
  case StepKind::ReduceScatter:
  case StepKind::AllToAll:
    // What the library carries: pads included.
    return step.outer * step.inner * mesh.getSize(step.axes);
  }
  return 0;
}
