// The training run of one rank.
#ifndef TRIREME_RUNTIME_CORE_TRAIN_H
#define TRIREME_RUNTIME_CORE_TRAIN_H

#include "core/command_line.h"
#include "core/manifest.h"

namespace trireme::runtime {

/// Trains as the command line says. Throws a Failure where it cannot.
void train(const trireme_program &program, const Manifest &manifest,
           const CommandLine &line);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_TRAIN_H
