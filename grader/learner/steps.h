// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/learner/attempts.h"
#include "grader/text/terminal.h"

namespace roofline::grader {

/// A step of a part over all attempts on one device.
struct StepState {
  StepResult step;          ///< as the first attempt that reached it left it
  std::size_t attempt = 0;  ///< that attempt, from 1; 0: not reached yet
  double gain = 0;  ///< how many times what its measurement was at the step before; 0: nothing to compare
  bool simulated = true;    ///< the device of the attempts
  bool told_later = false;  ///< the same attempt reached a later step with the same measurement
};

/// What became of `asked` in the attempts on the device of `like`.
std::vector<StepState> step_states(const std::vector<StepResult>& asked, const std::vector<Attempt>& attempts,
                                   const DeviceRecord& like);

/// "simulated 1.4 % of the roof, 216 times the step before"; empty where nothing was timed.
std::string gain_text(const StepState& state);

/// A line a step, and how to reach the first that is missing; empty without steps.
std::string steps_text(const std::vector<StepState>& states, const Terminal& terminal);

}  // namespace roofline::grader
