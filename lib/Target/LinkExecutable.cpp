//===- LinkExecutable.cpp - Objects become executables --------------------===//

#include "trireme/Target/Executable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace trireme;

constexpr StringLiteral kLibrary = "libtrireme-runtime-cpu.a";
constexpr StringLiteral kArguments = "trireme-runtime-cpu.link";

char LinkError::ID = 0;

static Error missing(const Twine &message) {
  return make_error<LinkError>(LinkFailure::Missing, message.str());
}

static Error failed(const Twine &message) {
  return make_error<LinkError>(LinkFailure::Failed, message.str());
}

/// `folder`/`name`.
static std::string inFolder(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

std::string trireme::findRuntimeDirectory() {
  static int anchor;
  std::string program = sys::fs::getMainExecutable("trireme", &anchor);
  std::string folder =
      inFolder(sys::path::parent_path(sys::path::parent_path(program)), "lib");
  if (sys::fs::exists(inFolder(folder, kLibrary)))
    return folder;
  return TRIREME_LIBRARY_DIRECTORY;
}

/// The compiler driver that links: clang of the version we are built with, or
/// any other.
static Expected<std::string> findDriver() {
  for (StringRef name : {"clang++-22", "clang++", "c++"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return missing("no linker: none of clang++-22, clang++ and c++ is on PATH");
}

/// Runs `arguments`; what it prints goes into the error.
static Error runLinker(ArrayRef<StringRef> arguments) {
  SmallString<128> log;
  if (std::error_code code =
          sys::fs::createTemporaryFile("trireme-link", "log", log))
    return failed("cannot make a temporary file: " + code.message());
  scope_exit removeLog([&] { sys::fs::remove(log); });
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int result = sys::ExecuteAndWait(arguments.front(), arguments, std::nullopt,
                                   redirects, 0, 0, &message);
  if (result == 0)
    return Error::success();
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(log))
    message += (*text)->getBuffer().rtrim();
  if (StringRef(message).contains("invalid linker name"))
    return missing("no linker: lld is not installed");
  return failed("the linker failed: " + message);
}

/// Writes the object into a new file beside `output`, so that renaming stays in
/// one file system.
static Error writeObject(StringRef object, StringRef output,
                         SmallVectorImpl<char> &path) {
  int descriptor = -1;
  if (std::error_code code =
          sys::fs::createUniqueFile(output + ".%%%%%%%%.o", descriptor, path))
    return failed("cannot write beside \"" + output + "\": " + code.message());
  sys::RemoveFileOnSignal(StringRef(path.data(), path.size()));
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << object;
  stream.close();
  if (!stream.has_error())
    return Error::success();
  std::error_code code = stream.error();
  stream.clear_error();
  return failed("cannot write beside \"" + output + "\": " + code.message());
}

Error trireme::linkExecutable(StringRef object, StringRef output,
                              StringRef runtimeDirectory) {
  std::string library = inFolder(runtimeDirectory, kLibrary);
  if (!sys::fs::exists(library))
    return missing("no runtime: \"" + library + "\" does not exist");
  std::string file = inFolder(runtimeDirectory, kArguments);
  ErrorOr<std::unique_ptr<MemoryBuffer>> line = MemoryBuffer::getFile(file);
  if (!line)
    return missing("cannot read \"" + file +
                   "\": " + line.getError().message());
  Expected<std::string> driver = findDriver();
  if (!driver)
    return driver.takeError();

  SmallString<128> objectPath;
  scope_exit removeObject([&] {
    if (!objectPath.empty())
      sys::fs::remove(objectPath);
  });
  if (Error error = writeObject(object, output, objectPath))
    return error;
  std::string program = objectPath.str().drop_back(2).str();
  sys::RemoveFileOnSignal(program);
  scope_exit removeProgram([&] { sys::fs::remove(program); });
  SmallVector<StringRef> arguments = {*driver, "-fuse-ld=lld", "-o",
                                      program, objectPath,     library};
  SmallVector<StringRef> more;
  SplitString((*line)->getBuffer(), more);
  append_range(arguments, more);
  if (Error error = runLinker(arguments))
    return error;
  if (std::error_code code = sys::fs::rename(program, output))
    return failed("cannot write \"" + output + "\": " + code.message());
  return Error::success();
}
