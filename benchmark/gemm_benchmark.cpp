// Compares the runtime's blocked matrix products with one oneDNN primitive on
// the whole matrix and all threads. Prints a line a shape.
//
//   OMP_NUM_THREADS=2 gemm-benchmark [M N K lhs_transposed rhs_transposed]
//   gemm-benchmark --list
//
// With a shape it tries other blockings of it. With --list it reads lines of
// M N K lhs_transposed rhs_transposed accumulate and prints the bandwidth of a
// triad in GB/s, then a line a product: seconds of oneDNN, and of ours.

#include "cpu/gemm.h"
#include "cpu/parallel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

extern "C" void omp_set_num_threads(int threads);

using namespace trireme::runtime;

/// Elapsed time; of one thread processor time, which other work changes little.
static double seconds() {
  timespec now;
  clock_gettime(threadCount() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC,
                &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Matrices {
  AlignedBuffer lhs, rhs, result;
  explicit Matrices(const GemmShape &s)
      : lhs(alignedBuffer(4 * s.m * s.k)), rhs(alignedBuffer(4 * s.k * s.n)),
        result(alignedBuffer(4 * s.m * s.n)) {}
  float *data(const AlignedBuffer &buffer) const {
    return reinterpret_cast<float *>(buffer.get());
  }
};

/// Best of several times of `function`, in seconds.
template <typename Function> static double best(Function &&function) {
  double least = 1e30, spent = 0;
  function();
  for (int i = 0; i < 100 && spent < 1.0; ++i) {
    double begin = seconds();
    function();
    double taken = seconds() - begin;
    least = std::min(least, taken);
    spent += taken;
  }
  return least;
}

static double ours(const GemmShape &shape, GemmBlocking blocking,
                   const Matrices &data) {
  Gemm gemm(shape, blocking);
  size_t stride = gemm.scratchBytes();
  AlignedBuffer scratch = alignedBuffer(stride * threadCount());
  return best([&] {
    gemm.run(data.data(data.lhs), data.data(data.rhs), nullptr,
             data.data(data.result), scratch.get(), stride);
  });
}

static double whole(const GemmShape &shape, const Matrices &data,
                    std::string &implementation) {
  int threads = threadCount();
  omp_set_num_threads(threads);
  MatrixLayout lhs{shape.m, shape.k, shape.lhsTransposed ? 1 : shape.k,
                   shape.lhsTransposed ? shape.m : 1};
  MatrixLayout rhs{shape.k, shape.n, shape.rhsTransposed ? 1 : shape.n,
                   shape.rhsTransposed ? shape.k : 1};
  Matmul product(lhs, rhs, {shape.m, shape.n, shape.n, 1}, shape.accumulate,
                 false);
  implementation = product.implementation();
  AlignedBuffer scratch = alignedBuffer(product.scratchBytes());
  double time = best([&] {
    product.run(0, data.data(data.lhs), data.data(data.rhs), nullptr,
                data.data(data.result), scratch.get());
  });
  omp_set_num_threads(1);
  return time;
}

static void compare(const GemmShape &shape) {
  Matrices data(shape);
  std::string implementation;
  double work = 2e-9 * double(shape.m) * double(shape.n) * double(shape.k);
  GemmBlocking blocking = chooseBlocking(shape);
  double theirs = work / whole(shape, data, implementation);
  double mine = work / ours(shape, blocking, data);
  std::printf("%6ld x %6ld x %6ld %s%s  %4ld x %4ld %-16s %8.1f %8.1f  %.3f\n",
              long(shape.m), long(shape.n), long(shape.k),
              shape.lhsTransposed ? "T" : "N", shape.rhsTransposed ? "T" : "N",
              long(blocking.rows), long(blocking.columns),
              Gemm(shape, blocking).implementation().c_str(), mine, theirs,
              mine / theirs);
  std::fflush(stdout);
}

static void explore(const GemmShape &shape) {
  Matrices data(shape);
  double work = 2e-9 * double(shape.m) * double(shape.n) * double(shape.k);
  for (int64_t rows : {32, 64, 128, 192, 256, 512, 1024})
    for (int64_t columns : {48, 96, 192, 384, 480, 768, 1536})
      if (rows <= shape.m && columns <= shape.n)
        std::printf("%4ld x %4ld  %8.1f\n", long(rows), long(columns),
                    work / ours(shape, {rows, columns}, data));
}

/// Reads two arrays, writes a third; GB/s without the lines that a store reads.
static double triad() {
  constexpr int64_t Count = 32 << 20;
  AlignedBuffer memory = alignedBuffer(3 * sizeof(float) * Count);
  auto *a = reinterpret_cast<float *>(memory.get()), *b = a + Count,
       *c = b + Count;
  double taken = best([&] {
    parallelFor(Count, /*grain=*/1 << 16, Assignment::Static,
                [=](int64_t begin, int64_t end, int) {
                  for (int64_t i = begin; i < end; ++i)
                    a[i] = b[i] + 2 * c[i];
                });
  });
  return 3e-9 * sizeof(float) * Count / taken;
}

static int list() {
  prepareProducts();
  std::printf("triad %.2f\n", triad());
  long m, n, k;
  int lhs, rhs, accumulate;
  while (std::scanf("%ld %ld %ld %d %d %d", &m, &n, &k, &lhs, &rhs,
                    &accumulate) == 6) {
    GemmShape shape{m, n, k, lhs != 0, rhs != 0, accumulate != 0, false};
    Matrices data(shape);
    std::string implementation;
    double theirs = whole(shape, data, implementation);
    double mine = ours(shape, chooseBlocking(shape), data);
    std::printf("%.9f %.9f\n", theirs, mine);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && !std::strcmp(argv[1], "--list"))
    return list();
  std::printf("%d threads; GFLOP/s of ours, of oneDNN's whole matrix, ratio\n",
              threadCount());
  if (argc == 6) {
    explore({std::atol(argv[1]), std::atol(argv[2]), std::atol(argv[3]),
             argv[4][0] == '1', argv[5][0] == '1', false, false});
    return 0;
  }
  const struct {
    int64_t m, n, k;
    bool lhs, rhs;
  } shapes[] = {{1024, 768, 3072, false, true}, {1024, 768, 3072, false, false},
                {1024, 3072, 768, false, true}, {1024, 3072, 768, false, false},
                {768, 1024, 3072, true, false}, {768, 3072, 1024, true, false},
                {256, 50257, 768, false, true}, {256, 768, 50257, false, false},
                {50257, 768, 256, true, false}, {4096, 512, 1408, false, true},
                {512, 64, 64, false, true},     {512, 64, 64, false, false},
                {64, 64, 512, true, false},     {512, 176, 64, false, true},
                {128, 64, 64, false, true},     {512, 64, 8, false, true},
                {257, 257, 257, false, true},   {1, 257, 64, false, true}};
  for (const auto &s : shapes)
    compare({s.m, s.n, s.k, s.lhs, s.rhs, false, false});
}
