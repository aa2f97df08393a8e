//===- Safetensors.cpp - Reading tensors of Hugging Face files ------------===//
//
// A file is the header's length (8 bytes, little-endian), a JSON header with
// type, shape and place of each tensor, and the data. Every number of it is
// checked against the file's size before use.
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"
#include "InputFile.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace trireme;
using trireme::train::HostTensor;

/// Bytes of an element, 0 for a type that is not read.
static uint64_t getElementBytes(StringRef type) {
  if (type == "F64")
    return 8;
  if (type == "F32")
    return 4;
  return type == "F16" || type == "BF16" ? 2 : 0;
}

static std::string formatShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  raw_string_ostream os(text);
  interleaveComma(shape, os);
  os << ']';
  return text;
}

/// The list of non-negative numbers of a key; false if it is none.
static bool getNumbers(const json::Object &object, StringRef key,
                       SmallVectorImpl<int64_t> &numbers) {
  const json::Array *array = object.getArray(key);
  if (!array)
    return false;
  for (const json::Value &value : *array) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < 0)
      return false;
    numbers.push_back(*number);
  }
  return true;
}

/// The product of a shape and `unit`, none if it does not fit `limit`.
static std::optional<uint64_t> multiplyShape(ArrayRef<int64_t> shape,
                                             uint64_t unit, uint64_t limit) {
  uint64_t product = unit;
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(product, uint64_t(dim), &product))
      return std::nullopt;
  return product <= limit ? std::optional<uint64_t>(product) : std::nullopt;
}

Error TensorFiles::addFile(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = openFile(path);
  if (!buffer)
    return buffer.takeError();
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() < 8)
    return fail(path, ": has ", bytes.size(),
                " bytes, too few for a safetensors file");
  uint64_t headerBytes = support::endian::read64le(bytes.data());
  if (headerBytes > bytes.size() - 8)
    return fail(path, ": its header claims ", headerBytes,
                " bytes, but the file has ", bytes.size(),
                "; it is truncated or no safetensors file");
  Expected<json::Value> header = json::parse(bytes.substr(8, headerBytes));
  if (!header) {
    std::string reason = toString(header.takeError());
    return fail(path, ": its header is no JSON: ", reason);
  }
  const json::Object *tensors = header->getAsObject();
  if (!tensors)
    return fail(path, ": its header is no JSON object");
  StringRef data = bytes.drop_front(8 + headerBytes);

  for (const auto &[key, value] : *tensors) {
    StringRef name = key;
    if (name == "__metadata__")
      continue;
    const json::Object *object = value.getAsObject();
    Entry entry;
    entry.file = path.str();
    SmallVector<int64_t> offsets;
    std::optional<StringRef> type =
        object ? object->getString("dtype") : std::nullopt;
    if (!type || !getNumbers(*object, "shape", entry.shape) ||
        !getNumbers(*object, "data_offsets", offsets) || offsets.size() != 2)
      return fail(path, ": tensor \"", name,
                  "\" lacks a valid dtype, shape or data_offsets");
    entry.type = type->str();
    uint64_t begin = offsets[0], end = offsets[1];
    if (begin > end || end > data.size())
      return fail(path, ": tensor \"", name, "\" lies at bytes ", begin, " to ",
                  end, ", but the file has ", data.size(),
                  " bytes of data; it is truncated");
    entry.data = data.slice(begin, end);
    uint64_t unit = getElementBytes(entry.type);
    if (unit && multiplyShape(entry.shape, unit, end - begin) != end - begin)
      return fail(path, ": tensor \"", name, "\" of shape ",
                  formatShape(entry.shape), " and type ", entry.type, " has ",
                  end - begin, " bytes");
    if (!entries.try_emplace(name, std::move(entry)).second)
      return fail(path, ": tensor \"", name, "\" stands in two files");
  }
  buffers.push_back(std::move(*buffer));
  return Error::success();
}

Expected<TensorFiles> TensorFiles::open(StringRef path) {
  TensorFiles files;
  files.source = path.str();
  if (!sys::fs::is_directory(path)) {
    if (Error error = files.addFile(path))
      return std::move(error);
    return std::move(files);
  }
  SmallString<128> whole(path), index(path);
  sys::path::append(whole, "model.safetensors");
  sys::path::append(index, "model.safetensors.index.json");
  if (!sys::fs::exists(index)) {
    if (Error error = files.addFile(whole))
      return std::move(error);
    return std::move(files);
  }
  Expected<std::unique_ptr<MemoryBuffer>> buffer = openFile(index);
  if (!buffer)
    return buffer.takeError();
  Expected<json::Value> root = json::parse((*buffer)->getBuffer());
  if (!root) {
    std::string reason = toString(root.takeError());
    return fail(index, ": is no JSON: ", reason);
  }
  const json::Object *object = root->getAsObject();
  const json::Object *map = object ? object->getObject("weight_map") : nullptr;
  if (!map)
    return fail(index, ": has no object \"weight_map\"");
  StringSet<> seen;
  for (const auto &[name, value] : *map) {
    std::optional<StringRef> file = value.getAsString();
    if (!file || sys::path::has_parent_path(*file))
      return fail(index, ": \"", StringRef(name), "\" names no file");
    if (!seen.insert(*file).second)
      continue;
    SmallString<128> part(path);
    sys::path::append(part, *file);
    if (Error error = files.addFile(part))
      return std::move(error);
  }
  return std::move(files);
}

const StringMapEntry<TensorFiles::Entry> *
TensorFiles::find(StringRef name) const {
  auto found = entries.find(name);
  if (found == entries.end()) {
    StringRef prefix = "transformer.";
    found = name.starts_with(prefix)
                ? entries.find(name.drop_front(prefix.size()))
                : entries.find((prefix + name).str());
  }
  return found == entries.end() ? nullptr : &*found;
}

StringRef TensorFiles::getStoredName(StringRef name) const {
  return find(name)->first();
}

std::vector<std::string> TensorFiles::getNames() const {
  std::vector<std::string> names;
  for (const auto &entry : entries)
    names.push_back(entry.first().str());
  llvm::sort(names);
  return names;
}

/// The name with the fewest edits to `name`.
static StringRef findNearest(StringRef name, ArrayRef<std::string> names) {
  StringRef nearest;
  unsigned least = ~0u;
  for (StringRef candidate : names) {
    unsigned distance = name.edit_distance(candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

static double decodeElement(StringRef type, const char *bytes) {
  if (type == "F64")
    return bit_cast<double>(support::endian::read64le(bytes));
  if (type == "F32")
    return bit_cast<float>(support::endian::read32le(bytes));
  uint16_t half = support::endian::read16le(bytes);
  if (type == "BF16")
    return bit_cast<float>(uint32_t(half) << 16);
  APFloat number(APFloat::IEEEhalf(), APInt(16, half));
  return number.convertToDouble();
}

Expected<HostTensor> TensorFiles::read(StringRef name,
                                       ArrayRef<int64_t> shape) const {
  const StringMapEntry<Entry> *found = find(name);
  if (!found) {
    std::vector<std::string> names = getNames();
    return fail(source, ": has no tensor \"", name, "\"; the nearest is \"",
                findNearest(name, names), "\"");
  }
  const Entry *entry = &found->second;
  if (shape != ArrayRef<int64_t>(entry->shape))
    return fail(entry->file, ": tensor \"", name, "\" has shape ",
                formatShape(entry->shape), ", expected ", formatShape(shape));
  uint64_t unit = getElementBytes(entry->type);
  if (!unit)
    return fail(entry->file, ": tensor \"", name, "\" has type ", entry->type,
                ", expected F64, F32, F16 or BF16");
  HostTensor tensor(shape);
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.values[i] =
        decodeElement(entry->type, entry->data.data() + i * unit);
  return tensor;
}
