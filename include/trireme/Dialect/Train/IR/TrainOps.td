//===- TrainOps.td - Operations of the train dialect -------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAINOPS
#define TRIREME_DIALECT_TRAIN_IR_TRAINOPS

include "trireme/Dialect/Train/IR/TrainBase.td"
include "trireme/Dialect/Train/IR/TrainInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

/// Results are called after the module that the op comes from (its location).
class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>])> {
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(
        ::llvm::function_ref<void(::mlir::Value, ::llvm::StringRef)> setName) {
      ::trireme::train::nameResults(*this, setName);
    }
  }];
}

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
def Evaluatable : DeclareOpInterfaceMethods<EvaluatableOpInterface>;
def Accumulating : DeclareOpInterfaceMethods<AccumulatingOpInterface>;
def RowOp : DeclareOpInterfaceMethods<RowOpInterface, ["emitRow"]>;
class RowOpWith<list<string> methods>
    : DeclareOpInterfaceMethods<RowOpInterface, !listconcat(["emitRow"], methods)>;


include "trireme/Dialect/Train/IR/StructureOps.td"
include "trireme/Dialect/Train/IR/ModelOps.td"
include "trireme/Dialect/Train/IR/GradientOps.td"
include "trireme/Dialect/Train/IR/StepOps.td"
include "trireme/Dialect/Train/IR/RowsOps.td"

#endif // TRIREME_DIALECT_TRAIN_IR_TRAINOPS
