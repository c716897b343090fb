// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

/// The errors that end a run, or a grade, without a verdict on the submission.
namespace roofline::grader {

/// The user asked for something that cannot be done: exit status 2. The text says what to do next.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Ours or the machine's, never the learner's: something is missing or broken, a device does not start, a
/// roof's program fails. Verdict `error`, exit status 3.
struct InfrastructureError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace roofline::grader
