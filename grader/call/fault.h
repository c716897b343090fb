// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/base/error.h"
#include "grader/result/result.h"
#include "simulator/checks/finding.h"
#include "simulator/program/trap.h"
#include "worker/protocol.h"

namespace roofline::grader {

/// The learner's: why a call did not give an output.
struct Fault {
  Class reason = Class::kNone;
  std::string message;
  std::string file;
  unsigned line = 0;
  bool amid_others = false;  ///< a deadline passed, and other programs had most of the processors meanwhile
  explicit operator bool() const { return reason != Class::kNone; }
};

/// A program that did not come up: the learner's fault in a submission, ours in a roof.
struct StartFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the simulated device reported.
Fault fault_of(const sim::Trap& trap);
/// What a check of the simulated device found.
Fault fault_of(const sim::Finding& finding);
/// What the CUDA runtime reported.
Fault fault_of(const worker::Reply& reply);

}  // namespace roofline::grader
