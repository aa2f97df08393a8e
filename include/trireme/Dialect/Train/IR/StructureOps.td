//===- StructureOps.td - Loops, constants, shapes ----------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_STRUCTUREOPS
#define TRIREME_DIALECT_TRAIN_IR_STRUCTUREOPS

def Train_LoopOp : Train_Op<"loop", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlock]> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(
        ::llvm::function_ref<void(::mlir::Value, ::llvm::StringRef)> setName) {
      ::trireme::train::nameResults(*this, setName);
    }
    /// Slices are called after the parameters that they are of.
    void $cppClass::getAsmBlockArgumentNames(
        ::mlir::Region &region,
        ::llvm::function_ref<void(::mlir::Value, ::llvm::StringRef)> setName) {
      for (::mlir::BlockArgument argument : region.getArguments())
        ::trireme::train::nameAfterLocation(argument, setName);
    }
  }];
  let summary = "a loop in scan form over layers, micro-batches or chunks";
  let description = [{
    Runs its body `count` times. Body arguments are, in order: the iteration's
    carries, one slice (dim 0 dropped) of each `each` operand, the invariant
    `with` operands. The body ends in `train.yield`, which gives the next
    carries and one slice of each stacked result. Results are the last carries,
    then the stacked results, whose dim 0 is the iteration.

    A `reverse` loop runs i from count - 1 to 0 and indexes `each`, `stacked`
    and per-layer attributes by the same i; nothing is flipped. Per-layer
    attributes are indexed by first + i.

    Created by import (`layers`), `train-add-optimizer` (`micro_batches`) and
    `train-expand-heads` (`chunks`); lowered by `convert-train-to-runtime`.

    - (C1) `count` is at least 1 and `first` not negative.
    - (C2) dim 0 of every `each` operand is `count`.
    - (C3) body arguments have the types of carries, slices and invariants.
    - (C4) `train.yield` gives one value a carry, of its type, and one slice a
      stacked result; results are typed so.

    ```mlir
    func.func @sum(%x: tensor<4x8xf32>, %zero: tensor<8xf32>) -> tensor<8xf32> {
      %sum = train.loop "layers" count 4 carry(%c = %zero : tensor<8xf32>)
          each(%s = %x : tensor<4x8xf32>) {
        %next = train.add %c, %s : tensor<8xf32>
        train.yield carry(%next : tensor<8xf32>)
      }
      return %sum : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$label, I64Attr:$count,
                       DefaultValuedAttr<I64Attr, "0">:$first,
                       UnitAttr:$reverse,
                       Variadic<Train_Tensor>:$carries,
                       Variadic<Train_Tensor>:$eaches,
                       Variadic<Train_Tensor>:$withs);
  let results = (outs Variadic<Train_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Results are typed from the carries and `stackedTypes`; the body's block
    // has its arguments and no terminator.
    OpBuilder<(ins "::llvm::StringRef":$label, "int64_t":$count,
                   "int64_t":$first, "bool":$reverse,
                   "::mlir::ValueRange":$carries, "::mlir::ValueRange":$eaches,
                   "::mlir::ValueRange":$withs,
                   "::mlir::TypeRange":$stackedTypes)>
  ];
  let extraClassDeclaration = [{
    void getAsmBlockArgumentNames(
        ::mlir::Region &region,
        ::llvm::function_ref<void(::mlir::Value, ::llvm::StringRef)> setName);
    ::mlir::Block *getLoopBody() { return &getBody().front(); }
    ::trireme::train::YieldOp getYield();
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getCarryArguments();
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getEachArguments();
    ::llvm::MutableArrayRef<::mlir::BlockArgument> getWithArguments();
    /// The last values of the carries.
    ::mlir::ResultRange getCarryResults();
    /// The stacked results.
    ::mlir::ResultRange getStackedResults();
    /// The type of one slice of a stack.
    static ::mlir::RankedTensorType getSliceType(::mlir::Type stack);
    /// The type of `count` stacked slices.
    static ::mlir::RankedTensorType getStackType(::mlir::Type slice,
                                                 int64_t count);
    /// Types results again after body or operands changed their types.
    void inferResultTypes();
  }];
}

def Train_YieldOp : Train_Op<"yield", [
    AttrSizedOperandSegments, HasParent<"LoopOp">, Pure, ReturnLike,
    Terminator]> {
  let summary = "ends an iteration of a loop";
  let description = [{
    Gives the next carries and this iteration's slices of the stacked results
    of the enclosing `train.loop`, which checks them.
  }];
  let arguments = (ins Variadic<Train_Tensor>:$carries,
                       Variadic<Train_Tensor>:$stacked);
  let assemblyFormat = [{
    (`carry` `(` $carries^ `:` type($carries) `)`)?
    (`stacked` `(` $stacked^ `:` type($stacked) `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}, ::mlir::ValueRange{}); }]>];
}

def Train_FillOp : Train_Op<"fill", [Pure, Evaluatable]> {
  let summary = "a tensor with one value everywhere";
  let description = [{
    On every rank the same. Created by import (`start` operands) and by
    `train-add-optimizer` (accumulators).

    ```mlir
    func.func @zero() -> tensor<4x8xf32> {
      %0 = train.fill 0.000000e+00 : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Train_ReshapeOp : Train_Op<"reshape", [Pure, Differentiable, Evaluatable]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    - (C1) source and result have as many elements of one type.
  }];
  let arguments = (ins Train_Tensor:$source);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat =
      "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Train_UnstackOp : Train_Op<"unstack", [
    Pure, Differentiable, Evaluatable, Train_InferType]> {
  let summary = "the slices of a tensor along a dim";
  let description = [{
    One result for each index of dim `dim`, which is dropped: a fused q, k, v
    projection taken apart.

    - (C1) `dim` is a dim of the source.
    - (C2) there are at most 4096 slices.
  }];
  let arguments = (ins Train_Tensor:$source, I64Attr:$dim);
  let results = (outs Variadic<Train_Tensor>:$slices);
  let assemblyFormat = "$source `dim` $dim attr-dict `:` type($source)";
}

def Train_StackOp : Train_Op<"stack", [
    Pure, Differentiable, Evaluatable, Train_InferType]> {
  let summary = "tensors side by side along a new dim";
  let description = [{
    The inverse of `train.unstack`.

    - (C1) there is a slice, and all have one type.
    - (C2) `dim` is at most a slice's rank.
  }];
  let arguments = (ins Variadic<Train_Tensor>:$slices, I64Attr:$dim);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "$slices `dim` $dim attr-dict `:` type($slices)";
}

#endif // TRIREME_DIALECT_TRAIN_IR_STRUCTUREOPS
