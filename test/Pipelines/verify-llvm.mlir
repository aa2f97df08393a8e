// RUN: trireme-opt %s --trireme-verify-stage="stage=llvm" --split-input-file --verify-diagnostics

// expected-error @below {{is not of the LLVM dialect}}
func.func private @train()

// -----

llvm.func @train()
