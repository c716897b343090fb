// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/types.h"

namespace roofline::sim::ptx {

/// A floating-point literal: 0f3F800000, 0d3FF0000000000000, 1.5 or 1e-3.
struct FloatLiteral {
  bool is_valid = false;
  bool is_single = false;  ///< written as 0f
  double value = 0;
  u64 bits = 0;  ///< image: of the f32 for 0f, of the f64 otherwise
};

FloatLiteral float_literal(std::string_view text);

}  // namespace roofline::sim::ptx
