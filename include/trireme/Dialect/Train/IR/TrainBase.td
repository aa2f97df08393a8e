//===- TrainBase.td - The train dialect and its attributes -*- tablegen -*-===//

#ifndef TRIREME_DIALECT_TRAIN_IR_TRAINBASE
#define TRIREME_DIALECT_TRAIN_IR_TRAINBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::trireme::train";
  let summary = "Transformer training as tensor programs";
  let description = [{
    Tensors with value semantics and operations at the level at which an author
    of transformers speaks: `embedding`, `linear`, `rms_norm`, `attention`.
    Layers and micro-batches are one region operation, `train.loop`, whose body
    exists once whatever the number of iterations.

    All tensors are ranked and static. Mathematical attributes (epsilons,
    scales, caps) are f64, as written in the model's config. Whatever depends
    on a place in the sequence takes a `positions` operand; no operation
    computes its place from an index.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Train_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Train_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// What a function's argument is
//===----------------------------------------------------------------------===//

def Train_Role : I32EnumAttr<"Role", "what an argument of a step holds", [
    I32EnumAttrCase<"Tokens", 0, "tokens">,
    I32EnumAttrCase<"Targets", 1, "targets">,
    I32EnumAttrCase<"Positions", 2, "positions">,
    I32EnumAttrCase<"Parameter", 3, "parameter">,
    I32EnumAttrCase<"FirstMoment", 4, "first_moment">,
    I32EnumAttrCase<"SecondMoment", 5, "second_moment">,
    I32EnumAttrCase<"Hyper", 6, "hyper">,
    I32EnumAttrCase<"Seed", 7, "seed">]> {
  let cppNamespace = "::trireme::train";
  let genSpecializedAttr = 0;
}

def Train_RoleAttr : EnumAttr<Train_Dialect, Train_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
  let description = [{
    Stands as `train.role` on the arguments of a step's functions. Token ids
    are int32 below the vocabulary's size; targets may be -100 (no loss);
    second moments are not negative; `hyper` is a double scalar whose name is
    in `train.hyper` (`lr`, `beta1`, `beta2`, `eps`, `weight_decay`,
    `max_norm`, `step`); `seed` is the cotangent of the loss sum.
  }];
}

def Train_Initializer : I32EnumAttr<"Initializer", "how a parameter starts", [
    I32EnumAttrCase<"Normal", 0, "normal">,
    I32EnumAttrCase<"Constant", 1, "constant">]> {
  let cppNamespace = "::trireme::train";
}

def Train_ParamAttr : Train_Attr<"Param", "param"> {
  let summary = "a trained tensor as Hugging Face stores it";
  let description = [{
    Stands as `train.param` on a function's argument. `name` is the tensor's
    name in files, with `{}` for the layer where the argument stacks one tensor
    a layer in its first dim; `shape` is one tensor's shape in files, of which
    the argument's type is a reshape. It decays if `shape` has two or more
    dims. `init` with `value`: `normal` (mean 0, standard deviation `value`)
    or `constant`.

    ```mlir
    #train.param<"model.layers.{}.mlp.up_proj.weight", [176, 64], normal 2.0e-02>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
                        ArrayRefParameter<"int64_t">:$shape,
                        EnumParameter<Train_Initializer>:$init,
                        "::mlir::FloatAttr":$value);
  let assemblyFormat =
      "`<` $name `,` `[` $shape `]` `,` $init $value `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the argument stacks one tensor a layer.
    bool isStacked() const { return getName().contains("{}"); }
    /// Whether weight decay applies (two or more dims in files).
    bool decays() const { return getShape().size() >= 2; }
  }];
}

//===----------------------------------------------------------------------===//
// Attributes of operations
//===----------------------------------------------------------------------===//

def Train_PerLayerAttr : Train_Attr<"PerLayer", "per_layer"> {
  let summary = "an integer that differs from layer to layer";
  let description = [{
    `#train.per_layer<[16, 0, 16, 0]>` on an operation inside a
    `train.loop "layers"`: iteration i has the value at index first + i. Layers
    that differ in such a value only share one body.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$values);
  let assemblyFormat = "`<` `[` $values `]` `>`";
}

def Train_RopeAttr : Train_Attr<"Rope", "rope"> {
  let summary = "the frequencies of rotary position embedding";
  let description = [{
    `dims` elements of a head rotate; pair j (of dims / 2) has the frequency
    theta^(-2j/dims), then scaled. `scaling` is `none`; `linear`: divided by
    `factor`; `llama3` (Llama 3.1): wave lengths above original / low are
    divided by `factor`, below original / high kept, between interpolated.
  }];
  let parameters = (ins "int64_t":$dims, "::mlir::FloatAttr":$theta,
                        StringRefParameter<>:$scaling,
                        "::mlir::FloatAttr":$factor,
                        "::mlir::FloatAttr":$low, "::mlir::FloatAttr":$high,
                        "int64_t":$original);
  let assemblyFormat = [{
    `<` `dims` `=` $dims `,` `theta` `=` $theta `,` `scaling` `=` $scaling
    `,` `factor` `=` $factor `,` `low` `=` $low `,` `high` `=` $high
    `,` `original` `=` $original `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The dims / 2 angular frequencies, in radians a position.
    ::llvm::SmallVector<double> getFrequencies() const;
  }];
}

def Train_PlaceAttr : Train_Attr<"Place", "place"> {
  let summary = "where a tensor stands in the arena";
  let description = [{
    offset + sum of strides[d] x (iteration of the enclosing loop at depth d,
    outermost first), in bytes from the arena's start. Given by
    `train-plan-memory`.

    ```mlir
    #train.place<4096, [0, 65536]>
    ```
  }];
  let parameters = (ins "int64_t":$offset,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $offset `,` `[` (`]`) : ($strides^ `]`)? `>`";
  let extraClassDeclaration = [{
    /// The place of one slice: `stride` bytes an iteration of the loop at
    /// `depth`.
    PlaceAttr getSlice(unsigned depth, int64_t stride) const;
  }];
}

#endif // TRIREME_DIALECT_TRAIN_IR_TRAINBASE
