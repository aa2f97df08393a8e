// The main function of every compiled CPU program.

#include "core/command_line.h"
#include "core/describe.h"
#include "core/error.h"
#include "core/manifest.h"
#include "core/train.h"

#include <cstdio>
#include <cstdlib>

using namespace trireme::runtime;

/// Fails where a launcher says that more ranks were started than one.
static void checkRanks(const Manifest &manifest) {
  auto planned = manifest.document.at("ranks").get<int64_t>();
  for (const char *name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "WORLD_SIZE", "SLURM_NTASKS"}) {
    const char *text = std::getenv(name);
    if (!text)
      continue;
    int64_t started = std::strtoll(text, nullptr, 10);
    if (started > 1 && started != planned)
      fail(Exit::Input,
           "this program is compiled for {} rank, but {} were started ({}={})",
           planned, started, name, text);
  }
  if (planned != 1)
    fail(Exit::Lacking,
         "this program is compiled for {} ranks; this runtime runs 1 rank",
         planned);
}

static void checkProcessor() {
  if (!__builtin_cpu_supports("x86-64-v3"))
    fail(Exit::Lacking, "this program needs a processor of level x86-64-v3 "
                        "(AVX2 and FMA) at least");
}

static int run(int argc, char **argv) {
  std::optional<CommandLine> line = parseCommandLine(argc, argv);
  if (!line)
    return int(Exit::Done);
  Manifest manifest = parseManifest(trireme_compiled_program);
  if (line->describe) {
    fmt::print("{}\n", describeProgram(manifest).dump(2));
    return int(Exit::Done);
  }
  checkRanks(manifest);
  checkProcessor();
  train(trireme_compiled_program, manifest, *line);
  return int(Exit::Done);
}

int main(int argc, char **argv) {
  Exit code = Exit::Run;
  std::string message;
  try {
    return run(argc, argv);
  } catch (const Failure &failure) {
    code = failure.code;
    message = failure.what();
  } catch (const std::bad_alloc &) {
    code = Exit::Lacking;
    message = "out of memory";
  } catch (const std::exception &error) {
    message = error.what();
  }
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", message);
  return int(code);
}
