// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "grader/profile/finding.h"
#include "grader/profile/profile.h"

/// Sentences that say what to change, from counts. To add a rule: one function and one row of the table in
/// advice_kernels.cpp, advice_memory.cpp or advice_program.cpp.
namespace roofline::grader {

/// Where a rule puts what it has to say.
class Advice {
 public:
  /// About a line of a kernel. `share_left`: what would remain of the kernel's time.
  void line(const KernelProfile& kernel, const LineProfile& line, double share_left, std::string message);
  /// About a kernel; stands at its first line.
  void kernel(const KernelProfile& kernel, double share_left, std::string message);
  void program(double seconds_saved, std::string message);

  std::vector<Finding> found;
};

struct AdviceRule {
  const char* id;     ///< stable: filters and SARIF name it
  const char* title;  ///< one line
  void (*apply)(const ProgramProfile& program, Advice& advice);
};

/// The rules of one chapter; advise() goes through all chapters.
std::vector<AdviceRule> memory_rules();
std::vector<AdviceRule> kernel_rules();
std::vector<AdviceRule> program_rules();
std::vector<AdviceRule> all_advice_rules();

/// What the rules say, the largest estimated gain first; the same sentence about the same line once.
std::vector<Finding> advise(const ProgramProfile& program);

}  // namespace roofline::grader
