#include "cpu/onednn.h"

#include "core/error.h"
#include "cpu/library_memory.h"
#include "cpu/parallel.h"

#include <cstdlib>
#include <cstring>

using namespace trireme::runtime;

dnnl::engine &trireme::runtime::cpuEngine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

AlignedBuffer trireme::runtime::alignedBuffer(size_t bytes) {
  size_t rounded = std::max<size_t>((bytes + 63) / 64 * 64, 64);
  void *memory = std::aligned_alloc(64, rounded);
  if (!memory)
    fail(Exit::Lacking, "out of memory: {} bytes of scratch were asked for",
         rounded);
  std::memset(memory, 0, rounded);
  return {static_cast<char *>(memory), std::free};
}

static dnnl::memory::desc describe(const MatrixLayout &layout) {
  return {{layout.rows, layout.columns},
          dnnl::memory::data_type::f32,
          dnnl::memory::dims{layout.rowStride, layout.columnStride}};
}

Matmul::Matmul(const MatrixLayout &lhs, const MatrixLayout &rhs,
               const MatrixLayout &result, bool accumulate, bool bias)
    : hasBias(bias) {
  // threadCount() leaves oneDNN with one thread, so that the primitive is
  // planned for one and never splits K over several.
  static const bool prepared = (reserveLibraryMemory(threadCount()), true);
  (void)prepared;
  int count = threadCount();
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  auto lhsDesc = describe(lhs), rhsDesc = describe(rhs),
       resultDesc = describe(result);
  dnnl::memory::desc biasDesc({1, result.columns}, dnnl::memory::data_type::f32,
                              dnnl::memory::dims{result.columns, 1});
  auto desc = bias ? dnnl::matmul::desc(lhsDesc, rhsDesc, biasDesc, resultDesc)
                   : dnnl::matmul::desc(lhsDesc, rhsDesc, resultDesc);
  dnnl::matmul::primitive_desc chosen(desc, attributes, cpuEngine());
  primitive = dnnl::matmul(chosen);
  scratchSize = chosen.scratchpad_desc().get_size();
  implementationName = chosen.impl_info_str();
  for (int i = 0; i < count; ++i)
    threads.push_back(
        {{lhsDesc, cpuEngine(), DNNL_MEMORY_NONE},
         {rhsDesc, cpuEngine(), DNNL_MEMORY_NONE},
         {biasDesc, cpuEngine(), DNNL_MEMORY_NONE},
         {resultDesc, cpuEngine(), DNNL_MEMORY_NONE},
         {chosen.scratchpad_desc(), cpuEngine(), DNNL_MEMORY_NONE},
         dnnl::stream(cpuEngine())});
}

void trireme::runtime::prepareProducts() {
  constexpr int64_t Size = 64, Stride = 96;
  AlignedBuffer lhs = alignedBuffer(4 * Size * Stride),
                rhs = alignedBuffer(4 * Size * Stride),
                result = alignedBuffer(4 * Size * Stride);
  auto floats = [](const AlignedBuffer &buffer) {
    return reinterpret_cast<float *>(buffer.get());
  };
  MatrixLayout plain{Size, Size, Stride, 1}, transposed{Size, Size, 1, Stride};
  for (bool accumulate : {false, true})
    for (const MatrixLayout &left : {plain, transposed})
      for (const MatrixLayout &right : {plain, transposed}) {
        Matmul product(left, right, plain, accumulate, /*bias=*/false);
        AlignedBuffer scratch = alignedBuffer(product.scratchBytes());
        product.execute(0, floats(lhs), floats(rhs), nullptr, floats(result),
                        scratch.get());
      }
}

void Matmul::run(int thread, const float *lhs, const float *rhs,
                 const float *bias, float *result, void *scratch) const {
  LibraryScope scope(thread);
  execute(thread, lhs, rhs, bias, result, scratch);
}

void Matmul::execute(int thread, const float *lhs, const float *rhs,
                     const float *bias, float *result, void *scratch) const {
  const Handles &own = threads[thread];
  auto bind = [](const dnnl::memory &memory, const void *data) {
    dnnl_memory_set_data_handle(memory.get(), const_cast<void *>(data));
    return memory.get();
  };
  dnnl_exec_arg_t arguments[5] = {
      {DNNL_ARG_SRC, bind(own.lhs, lhs)},
      {DNNL_ARG_WEIGHTS, bind(own.rhs, rhs)},
      {DNNL_ARG_DST, bind(own.result, result)},
      {DNNL_ARG_SCRATCHPAD, bind(own.scratch, scratch)}};
  int count = 4;
  if (hasBias)
    arguments[count++] = {DNNL_ARG_BIAS, bind(own.bias, bias)};
  dnnl_status_t status = dnnl_primitive_execute(
      primitive.get(), own.stream.get(), count, arguments);
  if (status != dnnl_success)
    fail(Exit::Run, "oneDNN's {} failed with status {}", implementationName,
         int(status));
}
