//===- Harness.cpp - Functions of the train dialect in tests --------------===//

#include "Harness.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "trireme/Transforms/Autodiff/Passes.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace trireme;
using namespace trireme::test;
using namespace trireme::train;

MLIRContext &trireme::test::getContext() {
  static MLIRContext &context = *[] {
    auto *created = new MLIRContext(MLIRContext::Threading::DISABLED);
    created->loadDialect<TrainDialect, arith::ArithDialect, func::FuncDialect,
                         math::MathDialect>();
    return created;
  }();
  return context;
}

OwningOpRef<ModuleOp> trireme::test::parse(StringRef text) {
  auto module = parseSourceString<ModuleOp>(text, &getContext());
  EXPECT_TRUE(module) << "does not parse:\n" << text.str();
  return module;
}

HostTensor trireme::test::tensor(ArrayRef<int64_t> shape,
                                 ArrayRef<double> values) {
  HostTensor result(shape);
  EXPECT_EQ(result.size(), int64_t(values.size()));
  result.values.assign(values.begin(), values.end());
  return result;
}

static func::FuncOp getFirstFunction(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

SmallVector<HostTensor>
trireme::test::evaluate(StringRef text, ArrayRef<HostTensor> arguments) {
  SmallVector<HostTensor> results;
  OwningOpRef<ModuleOp> module = parse(text);
  if (module)
    EXPECT_TRUE(succeeded(
        evaluateFunction(getFirstFunction(*module), arguments, results)));
  return results;
}

std::string trireme::test::evaluateError(StringRef text,
                                         ArrayRef<HostTensor> arguments) {
  OwningOpRef<ModuleOp> module = parse(text);
  std::string messages;
  ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    messages += diagnostic.str();
    return success();
  });
  SmallVector<HostTensor> results;
  bool failed = llvm::failed(
      evaluateFunction(getFirstFunction(*module), arguments, results));
  EXPECT_EQ(failed, !messages.empty());
  return messages;
}

void trireme::test::expectNear(ArrayRef<double> found,
                               ArrayRef<double> expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    bool same = found[i] == expected[i] || // infinite ones
                (std::isnan(found[i]) && std::isnan(expected[i]));
    EXPECT_TRUE(same || std::abs(found[i] - expected[i]) <= tolerance)
        << found[i] << " against " << expected[i] << " at element " << i;
  }
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

static bool isFloat(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

static int64_t tensorRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// Marks a float argument as a parameter of its own.
static void makeParameter(func::FuncOp function, unsigned index) {
  Builder builder(function.getContext());
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto param = ParamAttr::get(builder.getContext(), ("p" + Twine(index)).str(),
                              type.getShape(), Initializer::Normal,
                              builder.getF64FloatAttr(1));
  function.setArgAttr(index, kRoleName,
                      RoleAttr::get(builder.getContext(), Role::Parameter));
  function.setArgAttr(index, kParamName, param);
}

/// Makes `function` return one scalar: the sum of its float results, each in
/// the inner product with a further argument.
static void contractResults(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  Location loc = function.getLoc();
  Value loss;
  // A single scalar is the loss as it stands, as a head's is.
  SmallVector<Value> results(terminator->getOperands());
  if (results.size() == 1 && tensorRank(results[0]) == 0)
    std::swap(loss, results[0]);
  for (Value result : results) {
    if (!result || !isFloat(result.getType()))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    unsigned index = function.getNumArguments();
    ASSERT_TRUE(succeeded(function.insertArgument(index, type, {}, loc)));
    Value weight = function.getArgument(index);
    // A row times a column.
    auto shaped = [&](Value value, ArrayRef<int64_t> shape) -> Value {
      return ReshapeOp::create(
          builder, loc, RankedTensorType::get(shape, type.getElementType()),
          value);
    };
    int64_t size = type.getNumElements();
    Value product = LinearOp::create(
        builder, loc, shaped(result, {1, size}), shaped(weight, {size, 1}),
        /*accumulator=*/Value(), /*contract=*/uint64_t(1),
        /*lhs_transposed=*/false, /*rhs_transposed=*/false);
    product = shaped(product, {});
    loss = loss ? AddOp::create(builder, loc, loss, product) : product;
  }
  ASSERT_TRUE(loss);
  terminator->setOperands(loss);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(),
                                                   TypeRange(loss.getType())));
  function.setName("forward");
}

static double evaluateScalar(func::FuncOp function,
                             ArrayRef<HostTensor> arguments) {
  SmallVector<HostTensor> results;
  EXPECT_TRUE(succeeded(evaluateFunction(function, arguments, results)));
  return results.empty() ? NAN : results[0].values[0];
}

/// Central differences of `function` in every element of argument `index`.
static std::vector<double> differentiate(func::FuncOp function,
                                         SmallVectorImpl<HostTensor> &arguments,
                                         unsigned index) {
  constexpr double kStep = 1e-5;
  std::vector<double> result;
  for (double &value : arguments[index].values) {
    double middle = value;
    value = middle + kStep;
    double above = evaluateScalar(function, arguments);
    value = middle - kStep;
    double below = evaluateScalar(function, arguments);
    value = middle;
    result.push_back((above - below) / (2 * kStep));
  }
  return result;
}

void trireme::test::checkDerivative(StringRef text,
                                    const DerivativeOptions &options) {
  SCOPED_TRACE(text.str());
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  func::FuncOp forward = getFirstFunction(*module);
  SmallVector<unsigned> parameters;
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    if (isFloat(forward.getArgumentTypes()[i]) &&
        !llvm::is_contained(options.constants, i)) {
      makeParameter(forward, i);
      parameters.push_back(i);
    }
  contractResults(forward);

  PassManager passes(&getContext());
  passes.addPass(createDifferentiate());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  ASSERT_TRUE(succeeded(verify(*module)));
  auto gradient = module->lookupSymbol<func::FuncOp>("gradient");
  ASSERT_TRUE(gradient);
  if (!options.contains.empty()) {
    bool found = false;
    gradient.walk([&](Operation *op) {
      found |= op->getName().getStringRef() == options.contains;
    });
    EXPECT_TRUE(found) << "no " << options.contains.str();
  }

  // Parameters have init 1 and so are wide; the seed is the gradient's last.
  SmallVector<HostTensor> arguments = makeRandomArguments(gradient, 1);
  for (auto &[index, value] : options.values)
    arguments[index] = value;
  SmallVector<HostTensor> results;
  ASSERT_TRUE(succeeded(evaluateFunction(gradient, arguments, results)));
  ASSERT_EQ(results.size(), parameters.size() + 1);
  double seed = arguments.back().values[0];
  arguments.pop_back();
  EXPECT_NEAR(results[0].values[0], evaluateScalar(forward, arguments), 1e-10);

  for (auto [place, index] : llvm::enumerate(parameters)) {
    std::vector<double> numeric = differentiate(forward, arguments, index);
    double largest = 1;
    for (double &value : numeric)
      largest = std::max(largest, std::abs(value *= seed));
    SCOPED_TRACE("argument " + std::to_string(index));
    expectNear(results[place + 1].values, numeric, 2e-8 * largest);
  }
}
