// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/static_runtime/jump_code.h"

namespace roofline::sim::static_runtime {

/// Appends the `n` low bytes of `value`, the lowest first.
inline void append(Code& code, std::uint64_t value, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) code.push_back(static_cast<std::byte>(value >> (8 * i)));
}

}  // namespace roofline::sim::static_runtime
