// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/load_error.h"

namespace roofline::sim {

void load_error(ptx::TextPosition at, const std::string& message) {
  LoadError error("PTX line " + std::to_string(at.line) + ": " + message);
  error.at = at;
  throw error;
}

}  // namespace roofline::sim
