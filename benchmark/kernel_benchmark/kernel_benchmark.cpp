//===- kernel_benchmark.cpp - Rates of generated kernels ------------------===//
//
// kernel-benchmark [ROWS [COLUMNS]]: bytes that a kernel must move over the
// time that it takes on one thread, beside memcpy of as many bytes. Each buffer
// is counted once, a buffer that is read and written twice.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace trireme::test;

namespace {
struct Benchmark {
  const char *name;
  const char *header; // kinds and types, `flat` included
  const char *body;
  int full;     // operands and results of rows x columns elements
  int accesses; // of these in memory: in-place updates count twice
  bool flat;
  const char *buffers; // f: full, r: row, c: column, s: scalar, p: partial
};
} // namespace

static const Benchmark benchmarks[] = {
    {"copy", "in [#full] [f32] out [#full] [f32]", R"(
     ^bb0(%x: f32):
       train.rows_yield %x : f32)",
     2, 2, true, "ff"},
    {"silu_mul", "in [#full, #full] [f32, f32] out [#full] [f32]", R"(
     ^bb0(%x: f32, %y: f32):
       %m = arith.constant -1.0 : f32
       %one = arith.constant 1.0 : f32
       %0 = arith.mulf %x, %m : f32
       %1 = math.exp %0 : f32
       %2 = arith.addf %1, %one : f32
       %3 = arith.divf %one, %2 : f32
       %4 = arith.mulf %x, %3 : f32
       %5 = arith.mulf %4, %y : f32
       train.rows_yield %5 : f32)",
     3, 3, true, "fff"},
    {"gelu", "in [#full] [f32] out [#full] [f32]", R"(
     ^bb0(%x: f32):
       %h = arith.constant 0.5 : f32
       %one = arith.constant 1.0 : f32
       %c = arith.constant 0.70710678 : f32
       %0 = arith.mulf %x, %c : f32
       %1 = math.erf %0 : f32
       %2 = arith.addf %1, %one : f32
       %3 = arith.mulf %2, %h : f32
       %4 = arith.mulf %x, %3 : f32
       train.rows_yield %4 : f32)",
     2, 2, true, "ff"},
    {"adamw",
     "in [#full, #full, #full, #full, #scalar] [f32, f32, f32, f32, f32] "
     "out [#full, #full, #full] [f32, f32, f32]",
     R"(
     ^bb0(%p: f32, %g: f32, %m: f32, %v: f32, %b: f32):
       %one = arith.constant 1.0 : f32
       %eps = arith.constant 1.0e-8 : f32
       %rest = arith.subf %one, %b : f32
       %6 = arith.mulf %m, %b : f32
       %7 = arith.mulf %g, %rest : f32
       %newM = arith.addf %6, %7 : f32
       %8 = arith.mulf %v, %b : f32
       %9 = arith.mulf %g, %g : f32
       %10 = arith.mulf %9, %rest : f32
       %newV = arith.addf %8, %10 : f32
       %11 = math.sqrt %newV : f32
       %13 = arith.addf %11, %eps : f32
       %14 = arith.mulf %newM, %b : f32
       %15 = arith.divf %14, %13 : f32
       %16 = arith.mulf %p, %b : f32
       %newP = arith.subf %16, %15 : f32
       train.rows_yield %newP, %newM, %newV : f32, f32, f32)",
     4, 7, true, "0123s023"},
    {"rms_norm", "in [#full, #column] [f32, f32] out [#full, #row] [f32, f32]",
     R"(
     ^bb0(%x: f32, %g: f32):
       %0 = arith.mulf %x, %x : f32
       %1 = train.reduce sum %0 : f32
       %eps = arith.constant 1.0e-5 : f32
       %2 = arith.addf %1, %eps : f32
       %3 = math.rsqrt %2 : f32
       %4 = arith.mulf %x, %3 : f32
       %5 = arith.mulf %4, %g : f32
       train.rows_yield %5, %3 : f32, f32)",
     2, 2, false, "fcfr"},
    {"norm_grad",
     "in [#full, #column, #row, #full] [f32, f32, f32, f32] "
     "out [#full, #column_sum] [f32, f32]",
     R"(
     ^bb0(%x: f32, %g: f32, %rstd: f32, %dy: f32):
       %n = arith.mulf %x, %rstd : f32
       %h = arith.mulf %dy, %g : f32
       %0 = arith.mulf %h, %n : f32
       %1 = train.reduce sum %0 : f32
       %2 = arith.mulf %n, %1 : f32
       %3 = arith.subf %h, %2 : f32
       %4 = arith.mulf %3, %rstd : f32
       %5 = arith.mulf %dy, %n : f32
       train.rows_yield %4, %5 : f32, f32)",
     3, 3, false, "fcrffcp"},
    {"cross_entropy", "in [#full, #row] [f32, i32] out [#row, #row] [f32, f32]",
     R"(
     ^bb0(%x: f32, %target: i32):
       %zero = arith.constant 0.0 : f32
       %max = train.reduce max %x : f32
       %0 = arith.subf %x, %max : f32
       %1 = math.exp %0 : f32
       %2 = train.reduce sum %1 : f32
       %3 = math.log %2 : f32
       %lse = arith.addf %max, %3 : f32
       %column = train.column : i32
       %is = arith.cmpi eq, %column, %target : i32
       %4 = arith.select %is, %x, %zero : f32
       %chosen = train.reduce sum %4 : f32
       %loss = arith.subf %lse, %chosen : f32
       train.rows_yield %loss, %lse : f32, f32)",
     1, 1, false, "frrr"},
    {"cross_entropy_grad",
     "in [#full, #row, #row] [f32, i32, f32] out [#full] [f32]", R"(
     ^bb0(%x: f32, %target: i32, %lse: f32):
       %zero = arith.constant 0.0 : f32
       %one = arith.constant 1.0 : f32
       %0 = arith.subf %x, %lse : f32
       %1 = math.exp %0 : f32
       %column = train.column : i32
       %is = arith.cmpi eq, %column, %target : i32
       %2 = arith.select %is, %one, %zero : f32
       %3 = arith.subf %1, %2 : f32
       train.rows_yield %3 : f32)",
     1, 2, false, "0rr0"},
    {"sum_squares", "in [#full] [f32] out [#sum] [f32]", R"(
     ^bb0(%x: f32):
       %0 = arith.mulf %x, %x : f32
       train.rows_yield %0 : f32)",
     1, 1, true, "fsp"}};

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The least time of a call, of calls for a quarter of a second.
template <typename Function> static double measure(Function function) {
  double least = 1e9, first = now();
  do {
    double start = now();
    function();
    least = std::min(least, now() - start);
  } while (now() - first < 0.25);
  return least;
}

int main(int argc, char **argv) {
  int64_t rows = argc > 1 ? std::atoll(argv[1]) : 8192;
  int64_t columns = argc > 2 ? std::atoll(argv[2]) : 4096;
  int64_t elements = rows * columns;
  std::vector<std::vector<float>> pool(8);
  for (auto &buffer : pool)
    buffer = makeNumbers(elements, 0, 1);
  std::vector<float> small = makeNumbers(elements, 0, 1), sums(elements);
  double copy =
      2.0 * elements * sizeof(float) / measure([&] {
        std::memcpy(pool[0].data(), pool[1].data(), elements * sizeof(float));
      });
  std::printf("%-20s %-10s %8.2f GB/s\n", "memcpy", "", copy * 1e-9);
  for (const KernelTarget &target : getRunnableTargets())
    for (const Benchmark &benchmark : benchmarks) {
      std::string text =
          withNumbers(
              benchmark.flat ? "runtime.kernel @k rows $elements columns 1 "
                               "grain 16384 flat "
                             : "runtime.kernel @k rows $rows columns $columns "
                               "grain 16 ",
              {{"elements", elements}, {"rows", rows}, {"columns", columns}}) +
          benchmark.header + " {" + benchmark.body + "\n}";
      CompiledKernels kernels(text, target);
      Kernel kernel = kernels.get("k");
      // Earlier kernels have written here; denormal numbers are slow.
      for (auto &buffer : pool)
        buffer = makeNumbers(elements, 0, 1);
      small = pool[7];
      std::vector<char *> buffers;
      size_t next = 0;
      for (char kind : std::string(benchmark.buffers)) {
        bool full = kind == 'f' || (kind >= '0' && kind <= '9');
        size_t number = kind == 'f' ? next++ : size_t(kind - '0');
        buffers.push_back(reinterpret_cast<char *>((full          ? pool[number]
                                                    : kind == 'p' ? sums
                                                                  : small)
                                                       .data()));
      }
      int64_t count = benchmark.flat ? elements : rows;
      double time = measure([&] { kernel(buffers.data(), 0, count); });
      double bytes = double(benchmark.accesses) * elements * sizeof(float);
      std::printf("%-20s %-10s %8.2f GB/s %6.2f of memcpy, compiled in %.0f "
                  "+ %.0f ms\n",
                  benchmark.name, target.cpu.c_str(), bytes / time * 1e-9,
                  bytes / time / copy, kernels.passSeconds * 1e3,
                  kernels.codeSeconds * 1e3);
    }
}
