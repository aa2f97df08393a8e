// How the runtime reports what stops it: an exception with an exit code and
// one message, caught in main().
#ifndef TRIREME_RUNTIME_CORE_ERROR_H
#define TRIREME_RUNTIME_CORE_ERROR_H

#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace trireme::runtime {

/// Exit codes of every program of Trireme.
enum class Exit {
  Done = 0,
  Input = 1,       // a file, key or value is wrong
  CommandLine = 2, // the command line is wrong
  Run = 3,         // the run failed: a non-finite loss
  Lacking = 4      // this build or machine lacks what was asked for
};

/// Ends the program with `code`; what() is the message without a newline.
class Failure : public std::runtime_error {
public:
  Failure(Exit code, const std::string &message)
      : std::runtime_error(message), code(code) {}
  const Exit code;
};

/// Throws a Failure with a formatted message.
template <typename... Args>
[[noreturn]] void fail(Exit code, fmt::format_string<Args...> format,
                       Args &&...args) {
  throw Failure(code, fmt::format(format, std::forward<Args>(args)...));
}

/// Number of single-character edits that turn `a` into `b`.
size_t editDistance(const std::string &a, const std::string &b);

/// The one of `names` that is fewest edits away; empty if there are none.
template <typename Names>
std::string nearest(const std::string &wrong, const Names &names) {
  std::string best;
  size_t least = ~size_t(0);
  for (const std::string &name : names)
    if (size_t distance = editDistance(wrong, name); distance < least) {
      least = distance;
      best = name;
    }
  return best;
}

} // namespace trireme::runtime

#endif // TRIREME_RUNTIME_CORE_ERROR_H
