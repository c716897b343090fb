// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace roofline::worker {

/// Thrown by what a lab hands to the learner (an arena with a budget) when it is used wrongly: ends the call
/// with a verdict of that name instead of a crash.
struct Refusal {
  enum class Reason : std::uint8_t {
    kBudgetExceeded,  ///< more memory asked for than there is
    kDoubleFree,      ///< memory given back twice
    kWrongPointer,    ///< given back, but never handed out
    kNotReleased,     ///< streams, events, graphs or memory outlive the call that should destroy them
    kMisused          ///< asked for something that there is not
  };
  Reason reason;
  std::string text;  ///< what was asked for, and what there was
};

}  // namespace roofline::worker
