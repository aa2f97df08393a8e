//===- StoragePlanner.h - Which values share memory -------------*- C++ -*-===//
//
// The decisions of the memory plan for one function: walking each block in
// order, which values share storage: what is updated in place, what a loop
// carries, what is made in the slice of a stack, what may overwrite a dead
// operand. Packing the storages is ArenaLayout's.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_TRANSFORMS_MEMORY_STORAGEPLANNER_H
#define TRIREME_LIB_TRANSFORMS_MEMORY_STORAGEPLANNER_H

#include "ArenaLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "llvm/ADT/StringMap.h"

namespace trireme::train {

/// An affine place in the arena whose root buffer has no offset yet.
struct Where {
  Buffer *root = nullptr;
  llvm::SmallVector<int64_t> strides; ///< By depth of the enclosing loops.

  bool operator==(const Where &other) const {
    return root == other.root && strides == other.strides;
  }
  Where slice(unsigned depth, int64_t stride) const {
    Where result = *this;
    if (result.strides.size() <= depth)
      result.strides.resize(depth + 1, 0);
    result.strides[depth] += stride;
    return result;
  }
};

/// What values of one block share: a location, how long it is in use in this
/// block, and whether a later value may overwrite it.
struct Storage {
  Where location;
  int64_t end = 0;
  bool writable = false;
  bool owned = false; ///< The location's root belongs to this block's frame.
};

/// Bytes of memory by what they hold.
struct Totals {
  int64_t parameters = 0, optimizer = 0, gradients = 0, activations = 0;
};

/// Plans one function. `fixed` is the frame of what functions share, by name in
/// `shared`; a partial sum covers `sumGrain` elements and `sumRows` rows, at
/// least.
class StoragePlanner {
public:
  StoragePlanner(mlir::func::FuncOp function, Frame &fixed,
                 llvm::StringMap<Buffer *> &shared, int64_t sumGrain,
                 int64_t sumRows)
      : function(function), fixed(fixed), shared(shared), sumGrain(sumGrain),
        sumRows(sumRows) {}

  void plan();
  /// Writes places onto ops; call when all frames have their base.
  void attach();

  Frame top;
  Totals totals;

private:
  void planArguments(mlir::Block &block);
  void planOps(mlir::Block &block, unsigned depth, Frame &frame);
  void planLoop(LoopOp loop, int64_t time, unsigned depth, Frame &frame);
  void planResults(mlir::Operation &op, int64_t time, Frame &frame);
  void planSums(RowsOp op, int64_t time, Frame &frame);
  bool planForcedAlias(mlir::OpResult result, int64_t time);
  bool planTarget(mlir::OpResult result, int64_t time);
  bool planOverwrite(mlir::OpResult result, int64_t time);
  void setTarget(mlir::Value value, Where location);
  void attachReleases(mlir::Block &block, const Frame &frame);

  Storage *own(mlir::Type type, int64_t time, Frame &frame) {
    storages.push_back({});
    Storage &storage = storages.back();
    storage.location.root = frame.add(getByteSize(type), time, time);
    storage.owned = storage.writable = true;
    storage.end = time;
    return &storage;
  }
  Storage *borrow(Where location, int64_t end, bool writable) {
    storages.push_back({location, end, writable, false});
    return &storages.back();
  }
  void assign(mlir::Value value, Storage *storage) {
    storageOf[value] = storage;
    extend(storage, lastUse(value));
  }
  void extend(Storage *storage, int64_t time) {
    storage->end = std::max(storage->end, time);
    if (storage->owned)
      storage->location.root->end =
          std::max(storage->location.root->end, storage->end);
  }
  /// Position of the last op in the value's block that reads it.
  int64_t lastUse(mlir::Value value);
  PlaceAttr place(const Where &location) {
    return PlaceAttr::get(function.getContext(), getOffset(*location.root),
                          location.strides);
  }

  mlir::func::FuncOp function;
  Frame &fixed;
  llvm::StringMap<Buffer *> &shared;
  int64_t sumGrain, sumRows;
  std::deque<Storage> storages;
  std::deque<Frame> frames;
  llvm::DenseMap<mlir::Value, Storage *> storageOf;
  llvm::DenseMap<mlir::Value, Where>
      targets; ///< Where a value had best be made.
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Value, mlir::BlockArgument> carryTargets;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Where>> workspaces;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Storage *>> carries;
  llvm::SmallVector<std::pair<unsigned, Where>> outputs;
  llvm::SmallVector<std::pair<mlir::Block *, Frame *>> bodies;
};

} // namespace trireme::train

#endif // TRIREME_LIB_TRANSFORMS_MEMORY_STORAGEPLANNER_H
