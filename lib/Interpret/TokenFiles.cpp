//===- TokenFiles.cpp - Samples of flat token files -----------------------===//

#include "TokenFiles.h"
#include "InputFile.h"
#include "trireme/Dialect/Train/IR/Train.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace trireme;

Expected<TokenFiles> TokenFiles::open(ArrayRef<std::string> paths,
                                      unsigned tokenBytes,
                                      int64_t sequenceLength) {
  TokenFiles result;
  result.tokenBytes = tokenBytes;
  result.sequenceLength = sequenceLength;
  for (StringRef path : paths) {
    auto tokens = openFile(path);
    if (!tokens)
      return tokens.takeError();
    uint64_t bytes = (*tokens)->getBufferSize();
    if (bytes % tokenBytes)
      return fail(path, ": has ", bytes, " bytes, no multiple of ", tokenBytes,
                  " bytes a token");
    int64_t count = int64_t(bytes / tokenBytes);
    if (count < sequenceLength + 1)
      return fail(path, ": has ", count, " tokens, fewer than a sample of ",
                  sequenceLength + 1);

    SmallString<128> maskPath(path);
    sys::path::replace_extension(maskPath, ".mask.bin");
    std::unique_ptr<MemoryBuffer> mask;
    if (sys::fs::exists(maskPath)) {
      auto buffer = openFile(maskPath);
      if (!buffer)
        return buffer.takeError();
      if (int64_t((*buffer)->getBufferSize()) != count)
        return fail(maskPath, ": has ", (*buffer)->getBufferSize(),
                    " bytes, expected ", count, ", one a token of ", path);
      mask = std::move(*buffer);
    }
    int64_t samples = (count - 1) / sequenceLength;
    result.files.push_back(
        {path.str(), std::move(*tokens), std::move(mask), samples});
    result.sampleCount += samples;
  }
  if (result.files.empty())
    return fail("no token file is given");
  return std::move(result);
}

Error TokenFiles::getSample(int64_t index, int64_t vocabulary, double *tokens,
                            double *targets) const {
  index %= sampleCount;
  const File *file = files.data();
  for (; index >= file->samples; ++file)
    index -= file->samples;
  const char *bytes = file->tokens->getBufferStart();
  int64_t first = index * sequenceLength;
  for (int64_t j = 0; j <= sequenceLength; ++j) {
    int64_t place = first + j;
    int64_t token = tokenBytes == 2
                        ? support::endian::read16le(bytes + 2 * place)
                        : support::endian::read32le(bytes + 4 * place);
    if (vocabulary && token >= vocabulary)
      return fail(file->path, ": token ", place, " is ", token,
                  ", but the vocabulary has ", vocabulary, " tokens");
    if (j < sequenceLength)
      tokens[j] = double(token);
    bool counts = !file->mask || file->mask->getBufferStart()[place];
    if (j > 0)
      targets[j - 1] = double(counts ? token : train::kIgnoredTarget);
  }
  return Error::success();
}
