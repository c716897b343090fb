// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

/// One thing that a compiler said.
struct Diagnostic {
  std::string file;   ///< as the compiler was told; may be empty
  unsigned line = 0;  ///< 0: unknown
  std::string message;
  bool error = true;  ///< false: a warning
  /// "file:line: message", without the parts that are unknown.
  std::string text() const;
};

/// Lines of nvcc, gcc, ptxas and ld that say where and what, in their order. Every other line is dropped.
std::vector<Diagnostic> parse_diagnostics(const std::string& output);

}  // namespace roofline::grader
