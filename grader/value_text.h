// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "simulator/machine/thread_record.h"

namespace roofline::grader {

/// Shows registers as what they hold. PTX registers are often just bits; what they mean follows from the
/// instructions that use them: a register that an add.f32 reads is a float.
class ValueText {
 public:
  explicit ValueText(const sim::ThreadRecord& record);
  /// "%f1=1.5"
  std::string named(const sim::ThreadRecord::Value& value) const;
  std::string value(const sim::ThreadRecord::Value& value) const;

 private:
  enum class View { kBits, kSigned, kUnsigned, kAddress, kHalf, kHalves, kBFloat, kFloat, kDouble };
  void learn(const sim::ThreadRecord::Instruction& instruction);
  void learn(const std::string& name, const std::string& type);

  const sim::ThreadRecord& record_;
  std::map<std::string, View> views_;  ///< by function and register
  std::string function_;
  std::vector<std::string> functions_;  ///< of each register
};

}  // namespace roofline::grader
