// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "simulator/program/thread_record.h"

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
  static View view_of(const sim::HeldType& held);
  void learn(const std::string& function, const sim::HeldType& held);

  const sim::ThreadRecord& record_;
  std::map<std::string, View> views_;   ///< by function and register
  std::vector<std::string> functions_;  ///< of each register
};

}  // namespace roofline::grader
