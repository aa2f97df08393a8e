//===- ReshardTest.cpp - steps executed on simulated ranks ----------------===//
//
// Every plan is carried out on the blocks of all ranks by what each step's
// numbers say, and must give the blocks of the wanted sharding, for random
// meshes, shapes and shardings. Counts of steps are pinned for the cases that
// training meets.
//
//===----------------------------------------------------------------------===//

#include "trireme/Sharding/Reshard.h"

#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace trireme;
using llvm::ArrayRef;
using llvm::SmallVector;

using Block = std::vector<double>;

static double combine(PartialKind kind, double a, double b) {
  return kind == PartialKind::Sum ? a + b : std::max(a, b);
}

//===----------------------------------------------------------------------===//
// Collectives on all ranks
//===----------------------------------------------------------------------===//

namespace {
/// What one rank sees of a step: the blocks of its group and its index.
struct View {
  const ReshardStep &step;
  SmallVector<const Block *> group;
  int64_t index;

  int64_t size() const { return group.size(); }
  Block reduce() const;
  Block scatter(const Block &whole) const;
  Block gather() const;
  Block exchange() const;
  Block run() const;
};
} // namespace

Block View::reduce() const {
  Block sum = *group[0];
  for (const Block *other : ArrayRef(group).drop_front())
    for (auto [a, b] : llvm::zip_equal(sum, *other))
      a = combine(step.reduction, a, b);
  return sum;
}

/// Own block of [outer, limit] padded to [outer, n * inner].
Block View::scatter(const Block &whole) const {
  Block own;
  EXPECT_EQ(int64_t(whole.size()), step.outer * step.limit);
  for (int64_t row = 0; row < step.outer; ++row)
    for (int64_t i = 0; i < step.inner; ++i) {
      int64_t column = index * step.inner + i;
      own.push_back(column < step.limit ? whole[row * step.limit + column] : 0);
    }
  return own;
}

Block View::gather() const {
  Block whole;
  for (int64_t row = 0; row < step.outer; ++row)
    for (int64_t column = 0; column < step.limit; ++column)
      whole.push_back((
          *group[column / step.inner])[row * step.inner + column % step.inner]);
  return whole;
}

Block View::exchange() const {
  Block result(group[0]->size());
  int64_t n = size(), part = step.splitOuter * step.splitInner;
  EXPECT_EQ(part, step.outer * step.inner);
  for (int64_t from = 0; from < n; ++from)
    for (int64_t i = 0; i < part; ++i) {
      int64_t source = (i / step.splitInner * n + index) * step.splitInner +
                       i % step.splitInner;
      int64_t target =
          (i / step.inner * n + from) * step.inner + i % step.inner;
      result[target] = (*group[from])[source];
    }
  return result;
}

Block View::run() const {
  const Block &own = *group[index];
  switch (step.kind) {
  case StepKind::Slice:
    return scatter(own);
  case StepKind::KeepFirst:
    return index ? Block(own.size()) : own;
  case StepKind::AllReduce:
    EXPECT_EQ(step.inner, int64_t(own.size()));
    return reduce();
  case StepKind::ReduceScatter:
    return scatter(reduce());
  case StepKind::AllGather:
    return gather();
  case StepKind::AllToAll:
    return exchange();
  }
  return {};
}

static std::vector<Block> runStep(const Mesh &mesh, const ReshardStep &step,
                                  const std::vector<Block> &blocks) {
  std::vector<Block> results;
  for (int64_t rank = 0; rank < mesh.getRanks(); ++rank) {
    View view{step, {}, mesh.getIndex(rank, step.axes)};
    for (int64_t member : mesh.getGroup(rank, step.axes))
      view.group.push_back(&blocks[member]);
    results.push_back(view.run());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Random cases
//===----------------------------------------------------------------------===//

namespace {
struct Case {
  std::mt19937 random;
  Mesh mesh;
  SmallVector<int64_t> shape;

  explicit Case(unsigned seed) : random(seed) {
    constexpr const char *names[] = {"a", "b", "c", "d"};
    for (unsigned i = 0, count = 1 + below(4); i < count; ++i)
      mesh.axes.push_back({names[i], 1 + below(3)});
    constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 6, 12};
    for (unsigned i = 0, count = below(4); i < count; ++i)
      shape.push_back(sizes[below(7)]);
  }

  int64_t below(int64_t bound) { return random() % bound; }
  Sharding draw();
  std::vector<Block> distribute(const Sharding &sharding);
  Block collect(const Sharding &sharding, const std::vector<Block> &blocks);
};
} // namespace

/// A valid sharding: axes that do not fit where they are drawn are left out.
Sharding Case::draw() {
  Sharding sharding = Sharding::getReplicated(shape.size());
  PartialKind kind = below(8) ? PartialKind::Sum : PartialKind::Max;
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, mesh.axes.size()));
  std::shuffle(order.begin(), order.end(), random);
  bool flat = below(3) == 0;
  for (unsigned axis : order) {
    Sharding next = sharding;
    int64_t place = below(shape.size() + 3);
    if (place < int64_t(shape.size()))
      next.dims[place].push_back(axis);
    else if (place == int64_t(shape.size()))
      next.partial.push_back({axis, kind});
    else if (flat && place == int64_t(shape.size()) + 1) {
      if (!next.flat)
        next.flat = Flat{below(shape.size() + 1), {}};
      next.flat->axes.push_back(axis);
    }
    llvm::sort(next.partial, [](const Partial &a, const Partial &b) {
      return a.axis < b.axis;
    });
    if (checkSharding(mesh, next, shape).empty())
      sharding = next;
  }
  return sharding;
}

/// Random blocks that agree where they are replicated.
std::vector<Block> Case::distribute(const Sharding &sharding) {
  AxisList terms;
  for (const Partial &entry : sharding.partial)
    terms.push_back(entry.axis);
  std::vector<Block> wholes(mesh.getSize(terms));
  for (Block &whole : wholes)
    for (int64_t i = 0; i < llvm::product_of(shape); ++i)
      whole.push_back(double(1 + below(1000)));
  std::vector<Block> blocks;
  for (int64_t rank = 0; rank < mesh.getRanks(); ++rank) {
    const Block &whole = wholes[mesh.getIndex(rank, terms)];
    Block &block = blocks.emplace_back();
    for (int64_t element : getElements(mesh, sharding, shape, rank))
      block.push_back(element < 0 ? 0 : whole[element]);
  }
  return blocks;
}

/// The whole tensor; checks that replicas agree and pads are zero.
Block Case::collect(const Sharding &sharding,
                    const std::vector<Block> &blocks) {
  AxisList terms;
  for (const Partial &entry : sharding.partial)
    terms.push_back(entry.axis);
  int64_t count = llvm::product_of(shape);
  double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<Block> wholes(mesh.getSize(terms), Block(count, none));
  for (int64_t rank = 0; rank < mesh.getRanks(); ++rank) {
    Block &whole = wholes[mesh.getIndex(rank, terms)];
    SmallVector<int64_t> elements = getElements(mesh, sharding, shape, rank);
    EXPECT_EQ(elements.size(), blocks[rank].size());
    for (auto [element, value] : llvm::zip(elements, blocks[rank])) {
      if (element < 0) {
        EXPECT_EQ(value, 0);
        continue;
      }
      EXPECT_TRUE(std::isnan(whole[element]) || whole[element] == value);
      whole[element] = value;
    }
  }
  Block sum = wholes[0];
  for (const Block &term : ArrayRef(wholes).drop_front())
    for (auto [a, b] : llvm::zip_equal(sum, term))
      a = combine(sharding.partial[0].kind, a, b);
  return sum;
}

TEST(Reshard, StepsGiveTheWantedBlocks) {
  int planned = 0, refused = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Case drawn(seed);
    Sharding from = drawn.draw(), to = drawn.draw();
    auto steps = planReshard(drawn.mesh, drawn.shape, from, to);
    if (!steps) {
      // Only what is to become a maximum of parts cannot be made.
      ASSERT_FALSE(to.partial.empty());
      ASSERT_EQ(to.partial[0].kind, PartialKind::Max);
      ++refused;
      continue;
    }
    std::vector<Block> blocks = drawn.distribute(from);
    Block before = drawn.collect(from, blocks);
    for (const ReshardStep &step : *steps) {
      ASSERT_EQ(checkSharding(drawn.mesh, step.after, drawn.shape), "");
      blocks = runStep(drawn.mesh, step, blocks);
    }
    ASSERT_EQ(before, drawn.collect(to, blocks))
        << "seed " << seed << ": " << printSharding(drawn.mesh, from) << " to "
        << printSharding(drawn.mesh, to);
    ++planned;
  }
  EXPECT_GT(planned, 9 * refused);
}

//===----------------------------------------------------------------------===//
// The cases that training meets
//===----------------------------------------------------------------------===//

/// data 2, context 2, tensor 4.
static const Mesh ranks{{{"data", 2}, {"context", 2}, {"tensor", 4}}};

static Sharding split(std::initializer_list<AxisList> dims,
                      std::initializer_list<unsigned> sums = {}) {
  Sharding sharding;
  sharding.dims.assign(dims.begin(), dims.end());
  for (unsigned axis : sums)
    sharding.partial.push_back({axis, PartialKind::Sum});
  return sharding;
}

static SmallVector<StepKind> kinds(const Sharding &from, const Sharding &to) {
  SmallVector<StepKind> result;
  auto steps = *planReshard(ranks, {8, 16, 32}, from, to);
  for (const ReshardStep &step : steps)
    result.push_back(step.kind);
  return result;
}

using Kinds = SmallVector<StepKind>;

TEST(Reshard, ASumThatIsSplitIsReduceScattered) {
  EXPECT_EQ(kinds(split({{0}, {1}, {}}, {2}), split({{0}, {1, 2}, {}})),
            Kinds{StepKind::ReduceScatter});
}

TEST(Reshard, AnAxisMovesByAllToAll) {
  EXPECT_EQ(kinds(split({{0}, {1}, {2}}), split({{0}, {}, {2, 1}})),
            Kinds{StepKind::AllToAll});
}

TEST(Reshard, AxesOfADimAreGatheredAtOnce) {
  EXPECT_EQ(kinds(split({{}, {1, 2}, {}}), split({{}, {}, {}})),
            Kinds{StepKind::AllGather});
}

TEST(Reshard, ASliceComesBeforeAGather) {
  EXPECT_EQ(kinds(split({{0}, {}, {}}), split({{}, {1}, {}})),
            (Kinds{StepKind::Slice, StepKind::AllGather}));
}

TEST(Reshard, FlatShardsAreScatteredBeforeTheRestIsReduced) {
  Sharding state = split({{}, {}, {}});
  state.flat = Flat{1, {0, 1}};
  auto steps =
      *planReshard(ranks, {8, 16, 32}, split({{}, {}, {}}, {0, 1, 2}), state);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, StepKind::ReduceScatter);
  EXPECT_EQ(steps[1].kind, StepKind::AllReduce);
  EXPECT_EQ(getUnshardedElements(ranks, steps[0]), 8 * 16 * 32);
  EXPECT_EQ(getUnshardedElements(ranks, steps[1]), 8 * 16 * 32 / 4);
}

TEST(Reshard, AWholeValueJoinsASumOnIndexZero) {
  EXPECT_EQ(kinds(split({{}, {}, {}}), split({{}, {}, {}}, {2})),
            Kinds{StepKind::KeepFirst});
}

TEST(Reshard, NothingIsDoneForTheSameSharding) {
  EXPECT_EQ(kinds(split({{0}, {}, {}}, {2}), split({{0}, {}, {}}, {2})),
            Kinds{});
}
