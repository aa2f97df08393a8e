// --describe: what the program is, as JSON.
#ifndef TRIREME_RUNTIME_CORE_DESCRIBE_H
#define TRIREME_RUNTIME_CORE_DESCRIBE_H

#include "core/manifest.h"

namespace trireme::runtime {

/// The part of the manifest that --describe prints.
json describeProgram(const Manifest &manifest);

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_DESCRIBE_H
