//===- Values.h - typed values of keys --------------------------*- C++ -*-===//
//
// Part of Trireme, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TRIREME_LIB_CONFIG_VALUES_H
#define TRIREME_LIB_CONFIG_VALUES_H

#include "trireme/Config/Keys.h"
#include "trireme/Support/Document.h"

namespace trireme {

/// Stores `node` as the value of `key`. Returns false, with `config`
/// unchanged, if the key may not have this value.
bool storeValue(const Key &key, const DocumentNode &node, Config &config);

} // namespace trireme

#endif // TRIREME_LIB_CONFIG_VALUES_H
