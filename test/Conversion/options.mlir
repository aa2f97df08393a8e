// RUN: not trireme-opt %s --convert-rows-to-llvm="vector-bytes=24" 2>&1 | FileCheck %s
// CHECK: option vector-bytes is 24, expected 16, 32 or 64
module {}
