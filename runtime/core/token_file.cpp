#include "core/token_file.h"

#include "core/error.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace trireme::runtime;

MappedFile::MappedFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file < 0 || fstat(file, &info) || !S_ISREG(info.st_mode)) {
    std::string reason = "no ordinary file";
    if (file < 0)
      reason = std::strerror(errno);
    else if (S_ISDIR(info.st_mode))
      reason = "it is a folder, expected a file";
    if (file >= 0)
      close(file);
    fail(Exit::Input, "{}: cannot be read: {}", path, reason);
  }
  size = uint64_t(info.st_size);
  void *mapping = MAP_FAILED;
  if (size)
    mapping = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  int reason = errno;
  close(file);
  if (!size)
    return;
  if (mapping == MAP_FAILED)
    fail(Exit::Input, "{}: cannot be mapped: {}", path, std::strerror(reason));
  memory = static_cast<const uint8_t *>(mapping);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)),
      size(std::exchange(other.size, 0)) {}

MappedFile::~MappedFile() {
  if (memory)
    munmap(const_cast<uint8_t *>(memory), size);
}

template <typename Type> static Type read(const uint8_t *from) {
  Type value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Whether a file of at least a few words holds none of the control bytes that
/// tokens of two or four bytes are full of.
static bool holdsText(const MappedFile &file) {
  constexpr uint64_t Least = 64, Looked = 4096;
  if (file.bytes() < Least)
    return false;
  return std::all_of(file.data(), file.data() + std::min(file.bytes(), Looked),
                     [](uint8_t byte) {
                       return byte >= ' ' || (byte >= '\t' && byte <= '\r');
                     });
}

TokenFile::TokenFile(const std::string &path, int tokenBytes,
                     int64_t vocabulary)
    : name(path), file(path), first(file.data()), width(tokenBytes),
      vocabulary(vocabulary) {
  auto index = std::filesystem::path(path).replace_extension(".idx");
  if (std::filesystem::exists(index) && index != path)
    readIndex(index);
  else
    readHeader();
  openMask();
  constexpr uint64_t CheckedAtOpen = 256 << 20;
  if (file.bytes() > CheckedAtOpen)
    return;
  for (int64_t i = 0; i < count; ++i)
    (void)token(i);
}

void TokenFile::readHeader() {
  // llm.c: 256 int32, of which magic, version, tokens.
  constexpr uint64_t HeaderBytes = 1024;
  uint64_t bytes = file.bytes();
  if (bytes >= HeaderBytes) {
    auto magic = read<uint32_t>(first), version = read<uint32_t>(first + 4);
    bool gpt2 = magic == 20240520 && version == 1;
    bool llama3 = magic == 20240801 && version == 7;
    if (gpt2 || llama3) {
      width = gpt2 ? 2 : 4;
      count = read<uint32_t>(first + 8);
      if (HeaderBytes + uint64_t(count) * uint64_t(width) != bytes)
        fail(Exit::Input,
             "{}: the header tells of {} tokens of {} bytes, which needs {} "
             "bytes, but the file has {}",
             name, count, width, HeaderBytes + uint64_t(count) * width, bytes);
      first += HeaderBytes;
      return;
    }
  }
  if (holdsText(file))
    fail(Exit::Input,
         "{}: holds text, expected tokens: trireme data tokenize {} -o "
         "tokens.bin makes a token of each byte",
         name, name);
  count = int64_t(bytes / uint64_t(width));
  if (bytes % uint64_t(width))
    fail(Exit::Input,
         "{}: has {} bytes, so it ends inside token {}; tokens of {} bytes "
         "were expected (--token-bytes)",
         name, bytes, count, width);
}

void TokenFile::readIndex(const std::string &path) {
  MappedFile index(path);
  constexpr uint64_t HeaderBytes = 34; // magic, version, type, two counts
  if (index.bytes() < HeaderBytes ||
      std::memcmp(index.data(), "MMIDIDX\0\0", 9) ||
      read<uint64_t>(index.data() + 9) != 1)
    fail(Exit::Input, "{}: not a Megatron index of version 1", path);
  uint8_t type = index.data()[17];
  if (type != 4 && type != 8) // int32, uint16
    fail(Exit::Input, "{}: tokens of type {}, expected 4 (int32) or 8 (uint16)",
         path, type);
  width = type == 4 ? 4 : 2;
  auto sequences = read<uint64_t>(index.data() + 18);
  if (sequences > (index.bytes() - HeaderBytes) / sizeof(int32_t))
    fail(Exit::Input, "{}: tells of {} sequences, but has {} bytes", path,
         sequences, index.bytes());
  uint64_t total = 0;
  for (uint64_t i = 0; i < sequences; ++i)
    total += read<uint32_t>(index.data() + HeaderBytes + 4 * i);
  if (total * uint64_t(width) != file.bytes())
    fail(Exit::Input, "{}: tells of {} tokens of {} bytes, but {} has {} bytes",
         path, total, width, name, file.bytes());
  count = int64_t(total);
}

void TokenFile::openMask() {
  std::filesystem::path path(name);
  if (path.extension() == ".bin")
    path.replace_extension();
  path += ".mask.bin";
  if (!std::filesystem::exists(path))
    return;
  maskFile.emplace(path);
  if (maskFile->bytes() != uint64_t(count))
    fail(Exit::Input, "{}: has {} bytes, expected one for each of {} tokens",
         path.string(), maskFile->bytes(), count);
  mask = maskFile->data();
}

void TokenFile::reject(int64_t index, uint32_t value) const {
  fail(Exit::Input,
       "{}: token {} is {}, but the vocabulary has {} entries: was the file "
       "made for another tokenizer or token width?",
       name, index, value, vocabulary);
}
