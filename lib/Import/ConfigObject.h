//===- ConfigObject.h - typed reads of a JSON object ------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_IMPORT_CONFIGOBJECT_H
#define TRIREME_LIB_IMPORT_CONFIGOBJECT_H

#include "trireme/Support/Error.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"

#include <optional>

namespace trireme {

/// Reads the keys of a JSON object as values of a type and within bounds. The
/// first fault is kept and later reads give harmless values, so that a reader
/// is a list of reads and asks once, at the end, whether all was well. Null
/// counts as missing.
class ConfigObject {
public:
  ConfigObject(const llvm::json::Object &object, llvm::StringRef file)
      : object(object), file(file) {}

  bool has(llvm::StringRef key) const;
  /// Whether the key is there with the value null.
  bool isNull(llvm::StringRef key) const;
  const llvm::json::Value *get(llvm::StringRef key) const;

  /// A positive integer of at most `most`; without a default it must be there.
  int64_t getSize(llvm::StringRef key, int64_t most,
                  std::optional<int64_t> otherwise = std::nullopt);
  /// A number above 0.
  double getPositive(llvm::StringRef key, double otherwise);
  /// A number above 0, or nothing for null; `otherwise` where it is missing.
  std::optional<double> getPositiveOrNull(llvm::StringRef key,
                                          std::optional<double> otherwise);
  /// A number from `least` to `most`.
  double getNumber(llvm::StringRef key, double otherwise, double least,
                   double most);
  bool getBoolean(llvm::StringRef key, bool otherwise);
  llvm::StringRef getText(llvm::StringRef key, llvm::StringRef otherwise);

  /// Refuses a boolean that is not `supported`.
  void requireBoolean(llvm::StringRef key, bool supported, bool otherwise,
                      llvm::StringRef why);

  /// Keeps `key: found ..., expected ...` if it is the first fault. `found`
  /// is taken from the object.
  void fail(llvm::StringRef key, const llvm::Twine &expected);
  /// Keeps a whole message if it is the first fault.
  void failWith(const llvm::Twine &message);
  bool hasFailed() const { return !message.empty(); }
  llvm::Error takeError();

private:
  const llvm::json::Object &object;
  llvm::StringRef file;
  std::string message;
};

/// What a message says was found: JSON's text, shortened.
std::string describeValue(const llvm::json::Value *value);

} // namespace trireme

#endif // TRIREME_LIB_IMPORT_CONFIGOBJECT_H
