//===- TrainTypes.td - What operations are declared with ---*- tablegen -*-===//
//
// Types and traits of operations on tensors, for the train dialect and for
// dialects of others that join it.
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAINTYPES
#define TRIREME_DIALECT_TRAIN_IR_TRAINTYPES

include "trireme/Dialect/Train/IR/TrainBase.td"
include "trireme/Dialect/Train/IR/TrainInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

/// Ranked static tensors without empty dims, whose bytes can be counted.
class Train_TensorOf<list<Type> types> : RankedTensorOf<types, [
    HasStaticShapePred,
    CPred<"::trireme::train::isCountable(::llvm::cast<::mlir::ShapedType>($_self).getShape())">],
    "statically shaped tensor of 1 to 2^48 elements">;
def Train_FloatTensor : Train_TensorOf<[AnyFloat]>;
def Train_IndexTensor : Train_TensorOf<[I32]>;
def Train_Tensor : Train_TensorOf<[AnyFloat, I32, I1, I64]>;
def Train_FloatScalar : AnyTypeOf<[0DTensorOf<[AnyFloat]>]>;
def Train_IndexScalar : AnyTypeOf<[0DTensorOf<[I32]>]>;
def Train_BoolScalar : AnyTypeOf<[0DTensorOf<[I1]>]>;

/// InferTypeOpAdaptor that first checks what ODS checks only when the operation
/// exists: types are inferred while parsing, from any operands.
def Train_InferType : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NativeOpTrait<"InferTypeOpAdaptor", [], [{
    static ::llvm::LogicalResult
    inferReturnTypes(::mlir::MLIRContext *context,
                     std::optional<::mlir::Location> location, Adaptor adaptor,
                     ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes) {
      if (failed(::trireme::train::checkOperandTypes(location, operands)))
        return ::mlir::failure();
      $cppClass::Adaptor adaptor(operands, attributes, properties, regions);
      return $cppClass::inferReturnTypes(context, location, adaptor,
                                         inferredReturnTypes);
    }
  }]>
]>;

def Differentiable : DeclareOpInterfaceMethods<DifferentiableOpInterface>;
/// Keys stand at positions [batch, keys], as k's first two dims say.
def Train_KeyPositions : TypesMatchWith<
    "positions of keys have the first two dims of k", "k", "k_positions", [{
      ::mlir::RankedTensorType::get(
          ::llvm::cast<::mlir::RankedTensorType>($_self).getShape().take_front(
              std::min<int64_t>(
                  ::llvm::cast<::mlir::RankedTensorType>($_self).getRank(), 2)),
          ::mlir::IntegerType::get($_self.getContext(), 32))}]>;

def Evaluatable : DeclareOpInterfaceMethods<EvaluatableOpInterface>;
def Accumulating : DeclareOpInterfaceMethods<AccumulatingOpInterface>;
def RowOp : DeclareOpInterfaceMethods<RowOpInterface, ["emitRow"]>;
class RowOpWith<list<string> methods>
    : DeclareOpInterfaceMethods<RowOpInterface, !listconcat(["emitRow"], methods)>;

#endif // TRIREME_DIALECT_TRAIN_IR_TRAINTYPES
