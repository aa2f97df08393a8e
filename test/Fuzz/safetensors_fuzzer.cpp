// Feeds arbitrary bytes to the safetensors reader: it either refuses them or
// returns tensors whose data can be read. Build with -DTRIREME_RUNTIME_FUZZ=ON
// and run build/bin/safetensors-fuzzer.

#include "core/error.h"
#include "core/safetensors.h"

using namespace trireme::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    std::map<std::string, std::string> others;
    for (const auto &[name, tensor] :
         parseSafetensors({data, size}, "input", &others)) {
      std::vector<float> values(tensor.elements);
      convertToFloat(tensor, values.data());
    }
  } catch (const Failure &) {
  }
  return 0;
}
