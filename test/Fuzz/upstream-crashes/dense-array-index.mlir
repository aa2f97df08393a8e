// MLIR 22's parser takes `index` for a dense array and asks it for its width.
// stack: parseDenseArrayAttr
"train.yield"() <{operandSegmentSizes = array<index: 0, 0>}> : () -> ()
