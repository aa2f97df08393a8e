#include "core/safetensors.h"

#include "core/error.h"
#include "core/manifest.h"

#include <bit>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace trireme::runtime;

/// A JSON value as a whole number >= 0; fails otherwise.
static uint64_t wholeNumber(const json &value, const std::string &where) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
    fail(Exit::Input, "{}: found {}, expected a whole number", where,
         value.dump());
  return value.get<uint64_t>();
}

/// Elements of `shape`; fails where the product overflows.
static uint64_t elementsOf(const json &shape, const std::string &where,
                           std::vector<int64_t> &sizes) {
  if (!shape.is_array())
    fail(Exit::Input, "{}: found no shape", where);
  uint64_t elements = 1;
  for (const json &size : shape) {
    sizes.push_back(int64_t(wholeNumber(size, where + ", shape")));
    if (__builtin_mul_overflow(elements, uint64_t(sizes.back()), &elements) ||
        elements > INT64_MAX)
      fail(Exit::Input, "{}: the shape {} is too large", where, shape.dump());
  }
  return elements;
}

/// Bytes of the data that `entry` claims, checked to lie inside `data`.
static std::span<const uint8_t> dataOf(const json &entry,
                                       std::span<const uint8_t> data,
                                       const std::string &where) {
  auto offsets = entry.find("data_offsets");
  if (offsets == entry.end() || !offsets->is_array() || offsets->size() != 2)
    fail(Exit::Input, "{}: found no data_offsets of two numbers", where);
  uint64_t begin = wholeNumber((*offsets)[0], where + ", data_offsets");
  uint64_t end = wholeNumber((*offsets)[1], where + ", data_offsets");
  if (begin > end || end > data.size())
    fail(Exit::Input,
         "{}: data_offsets {} lie outside the file's {} bytes of data; is the "
         "file truncated?",
         where, offsets->dump(), data.size());
  return data.subspan(begin, end - begin);
}

static StoredTensor parseTensor(const json &entry, const std::string &type,
                                std::span<const uint8_t> data,
                                const std::string &where) {
  StoredTensor tensor;
  tensor.type = type == "F32"    ? ElementType::F32
                : type == "BF16" ? ElementType::BF16
                                 : ElementType::F16;
  auto shape = entry.find("shape");
  uint64_t elements =
      elementsOf(shape == entry.end() ? json() : *shape, where, tensor.shape);
  tensor.elements = int64_t(elements);
  tensor.data = dataOf(entry, data, where);
  uint64_t width = tensor.type == ElementType::F32 ? 4 : 2;
  if (tensor.data.size() / width != elements || tensor.data.size() % width)
    fail(Exit::Input, "{}: has {} bytes, but its shape and type {} need {}",
         where, tensor.data.size(), type, elements * width);
  return tensor;
}

/// The parsed header and the data after it.
static json parseHeader(std::span<const uint8_t> bytes, const std::string &path,
                        std::span<const uint8_t> &data) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length)
    fail(Exit::Input, "{}: not a safetensors file: has {} bytes only", path,
         bytes.size());
  std::memcpy(&length, bytes.data(), sizeof length);
  auto rest = bytes.subspan(sizeof length);
  if (length > rest.size())
    fail(Exit::Input,
         "{}: not a safetensors file, or truncated: its header claims {} "
         "bytes, {} are left in the file",
         path, length, rest.size());
  auto text = rest.first(length);
  // Nesting beyond what the format has would only cost stack.
  int depth = 0;
  auto shallow = [&](int level, json::parse_event_t, json &) {
    depth = std::max(depth, level);
    return level < 8;
  };
  json header = json::parse(text.begin(), text.end(), shallow,
                            /*allow_exceptions=*/false);
  if (!header.is_object() || depth >= 8)
    fail(Exit::Input, "{}: the header is not the JSON of a safetensors file",
         path);
  data = rest.subspan(length);
  return header;
}

std::map<std::string, StoredTensor>
trireme::runtime::parseSafetensors(std::span<const uint8_t> bytes,
                                   const std::string &path,
                                   std::map<std::string, std::string> *others) {
  std::span<const uint8_t> data;
  json header = parseHeader(bytes, path, data);
  std::map<std::string, StoredTensor> tensors;
  for (const auto &[name, entry] : header.items()) {
    if (name == "__metadata__")
      continue;
    std::string where =
        path + ": tensor " +
        json(name).dump(-1, ' ', false, json::error_handler_t::replace);
    if (!entry.is_object())
      fail(Exit::Input, "{}: is not an object", where);
    auto type = entry.find("dtype");
    if (type == entry.end() || !type->is_string())
      fail(Exit::Input, "{}: found no dtype", where);
    auto dtype = type->get<std::string>();
    if (dtype != "F32" && dtype != "BF16" && dtype != "F16") {
      if (!others)
        fail(Exit::Input, "{}: has dtype {}, expected F32, BF16 or F16", where,
             dtype);
      (*others)[name] = dtype;
      continue;
    }
    tensors.emplace(name, parseTensor(entry, dtype, data, where));
  }
  return tensors;
}

static float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    float value = float(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

void trireme::runtime::convertToFloat(const StoredTensor &tensor,
                                      float *target) {
  if (tensor.type == ElementType::F32) {
    std::memcpy(target, tensor.data.data(), tensor.data.size());
    return;
  }
  for (int64_t i = 0; i < tensor.elements; ++i) {
    uint16_t value;
    std::memcpy(&value, tensor.data.data() + 2 * i, sizeof value);
    target[i] = tensor.type == ElementType::BF16
                    ? std::bit_cast<float>(uint32_t(value) << 16)
                    : halfToFloat(value);
  }
}

namespace {
/// A file being written; closed without a sync if it is left early.
class Output {
public:
  explicit Output(const std::string &path)
      : path(path), file(open(path.c_str(),
                              O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file < 0)
      fail(Exit::Input, "{}: cannot be created: {}", path,
           std::strerror(errno));
  }
  ~Output() { close(file); }

  void append(const void *data, uint64_t bytes) {
    auto *from = static_cast<const char *>(data);
    while (bytes) {
      ssize_t written = ::write(file, from, std::min<uint64_t>(bytes, 1 << 30));
      if (written < 0 && errno == EINTR)
        continue;
      check(written > 0);
      from += written;
      bytes -= uint64_t(written);
    }
  }

  void sync() { check(fsync(file) == 0); }

private:
  void check(bool good) {
    if (!good)
      fail(Exit::Run, "{}: cannot be written: {}", path, std::strerror(errno));
  }
  const std::string &path;
  int file;
};
} // namespace

void trireme::runtime::writeSafetensors(
    const std::string &path, const std::vector<TensorToWrite> &tensors) {
  json header;
  header["__metadata__"] = {{"format", "pt"}};
  uint64_t offset = 0;
  for (const TensorToWrite &tensor : tensors) {
    uint64_t end = offset + uint64_t(tensor.elements) * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  uint64_t length = text.size();
  Output output(path);
  output.append(&length, sizeof length);
  output.append(text.data(), text.size());
  for (const TensorToWrite &tensor : tensors)
    output.append(tensor.data, uint64_t(tensor.elements) * sizeof(float));
  output.sync();
}

void trireme::runtime::writeSynced(const std::string &path,
                                   const std::string &text) {
  Output output(path);
  output.append(text.data(), text.size());
  output.sync();
}
