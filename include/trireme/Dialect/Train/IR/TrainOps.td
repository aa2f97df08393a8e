//===- TrainOps.td - Operations of the train dialect -------*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAINOPS
#define TRIREME_DIALECT_TRAIN_IR_TRAINOPS

include "trireme/Dialect/Train/IR/TrainTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

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

include "trireme/Dialect/Train/IR/StructureOps.td"
include "trireme/Dialect/Train/IR/ModelOps.td"
include "trireme/Dialect/Train/IR/GradientOps.td"
include "trireme/Dialect/Train/IR/StepOps.td"
include "trireme/Dialect/Train/IR/RowsOps.td"

#endif // TRIREME_DIALECT_TRAIN_IR_TRAINOPS
