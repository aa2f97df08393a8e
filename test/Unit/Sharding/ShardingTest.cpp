//===- ShardingTest.cpp - which elements a rank holds ---------------------===//

#include "trireme/Sharding/Sharding.h"

#include <gtest/gtest.h>

using namespace trireme;
using llvm::SmallVector;

/// data 2, context 3, tensor 2: 12 ranks.
static const Mesh mesh{{{"data", 2}, {"context", 3}, {"tensor", 2}}};

static Sharding split(std::initializer_list<AxisList> dims) {
  Sharding sharding;
  sharding.dims.assign(dims.begin(), dims.end());
  return sharding;
}

TEST(Mesh, RanksAreMixedRadixWithTheLastAxisFastest) {
  EXPECT_EQ(mesh.getRanks(), 12);
  EXPECT_EQ(mesh.getIndex(7, {0}), 1);
  EXPECT_EQ(mesh.getIndex(7, {1}), 0);
  EXPECT_EQ(mesh.getIndex(7, {2}), 1);
  EXPECT_EQ(mesh.getIndex(11, {1, 2}), 5);
  EXPECT_EQ(mesh.getIndex(9, {2, 1}), 4); // tensor 1, context 1 of 3
}

TEST(Mesh, AGroupListsItsRanksByTheirIndex) {
  EXPECT_EQ(mesh.getGroup(7, {0}), (SmallVector<int64_t>{1, 7}));
  EXPECT_EQ(mesh.getGroup(7, {1}), (SmallVector<int64_t>{7, 9, 11}));
  for (int64_t rank = 0; rank < mesh.getRanks(); ++rank) {
    SmallVector<int64_t> group = mesh.getGroup(rank, {2, 0});
    EXPECT_EQ(group[mesh.getIndex(rank, {2, 0})], rank);
  }
}

TEST(Sharding, SplitsDimsEvenly) {
  Sharding sharding = split({{0}, {1, 2}});
  EXPECT_EQ(checkSharding(mesh, sharding, {4, 12}), "");
  EXPECT_EQ(getLocalShape(mesh, sharding, {4, 12}),
            (SmallVector<int64_t>{2, 2}));
  // Rank 7: data 1, context 0, tensor 1: rows 2 and 3, columns 2 and 3.
  EXPECT_EQ(getElements(mesh, sharding, {4, 12}, 7),
            (SmallVector<int64_t>{26, 27, 38, 39}));
}

TEST(Sharding, FlatShardsHaveAnySizeAndPads) {
  Sharding sharding = split({{}, {2}, {}});
  sharding.flat = Flat{1, {1}};
  EXPECT_EQ(checkSharding(mesh, sharding, {2, 4, 5}), "");
  // A block of 2 x 5 = 10 elements a layer: 4, 4 and 2 with two pads.
  EXPECT_EQ(getLocalShape(mesh, sharding, {2, 4, 5}),
            (SmallVector<int64_t>{2, 4}));
  EXPECT_EQ(getElements(mesh, sharding, {2, 4, 5}, 5),
            (SmallVector<int64_t>{18, 19, -1, -1, 38, 39, -1, -1}));
}

TEST(Sharding, ASliceLosesItsFirstDim) {
  Sharding sharding = split({{}, {2}, {}});
  sharding.flat = Flat{1, {0}};
  Sharding slice = split({{2}, {}});
  slice.flat = Flat{0, {0}};
  EXPECT_EQ(sharding.getSlice(), slice);
}

TEST(Sharding, SaysWhatIsWrong) {
  EXPECT_EQ(checkSharding(mesh, split({{0}}), {4, 4}),
            "has 1 dims for a tensor of 2");
  EXPECT_EQ(checkSharding(mesh, split({{1}, {}}), {4, 4}),
            "splits dim 0 of size 4 into 3 blocks");
  EXPECT_EQ(checkSharding(mesh, split({{0}, {0}}), {4, 4}),
            "uses the axis \"data\" twice");
  EXPECT_EQ(checkSharding(mesh, split({{3}}), {4}),
            "has axis 3 of a mesh of 3");
  Sharding flat = split({{0}});
  flat.flat = Flat{2, {1}};
  EXPECT_EQ(checkSharding(mesh, flat, {4}),
            "is flat behind 2 dims of a tensor of 1");
  flat.flat = Flat{0, {}};
  EXPECT_EQ(checkSharding(mesh, flat, {4}), "is flat over no axis");
  Sharding partial = split({{0}});
  partial.partial = {{1, PartialKind::Max}, {2, PartialKind::Sum}};
  EXPECT_EQ(checkSharding(mesh, partial, {4}),
            "is a sum over \"tensor\" and a maximum over \"context\"");
  partial.partial = {{0, PartialKind::Sum}};
  EXPECT_EQ(checkSharding(mesh, partial, {4}), "uses the axis \"data\" twice");
}

TEST(Sharding, PrintsAsInIR) {
  Sharding sharding = split({{}, {1, 2}});
  sharding.flat = Flat{1, {0}};
  EXPECT_EQ(printSharding(mesh, sharding),
            "[{}, {\"context\", \"tensor\"}], flat 1 {\"data\"}");
  sharding.flat.reset();
  sharding.partial = {{0, PartialKind::Sum}};
  EXPECT_EQ(printSharding(mesh, sharding),
            "[{}, {\"context\", \"tensor\"}], partial {\"data\": sum}");
}
