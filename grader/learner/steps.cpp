// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/steps.h"

#include <algorithm>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"

namespace roofline::grader {

namespace {

StepState state_of(const StepResult& asked, const std::vector<Attempt>& attempts, const DeviceRecord& like) {
  StepState state{.step = asked, .simulated = like.simulated};
  state.step.reached = false;
  state.step.fraction = 0;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const Result& result = attempts[i].result;
    if (result.device.simulated != like.simulated || result.device.name != like.name) continue;
    const auto found = std::ranges::find(result.steps, asked.id, &StepResult::id);
    if (found == result.steps.end() || !found->reached) continue;
    state.step = *found;
    state.attempt = i + 1;
    break;
  }
  return state;
}

/// What a measurement came to in an attempt, be it from its largest case (judge/steps.h); 0: not timed.
double fraction_in(const Result& result, const std::string& measurement) {
  const auto line = std::ranges::find(result.measurements, measurement, &Measurement::id);
  if (line != result.measurements.end() && line->roof.value > 0) return line->fraction;
  const auto step = std::ranges::find(result.steps, measurement, &StepResult::measurement);
  return step == result.steps.end() ? 0 : step->fraction;
}

}  // namespace

std::vector<StepState> step_states(const std::vector<StepResult>& asked, const std::vector<Attempt>& attempts,
                                   const DeviceRecord& like) {
  std::vector<StepState> states;
  for (const StepResult& each : asked) states.push_back(state_of(each, attempts, like));
  std::size_t before = 0;  // the attempt that reached the step before, from 1
  for (std::size_t i = 0; i < states.size() && states[i].attempt != 0; ++i) {
    StepState& state = states[i];
    const double then = before == 0 ? 0 : fraction_in(attempts[before - 1].result, state.step.measurement);
    if (then > 0) state.gain = state.step.fraction / then;
    const bool last = i + 1 == states.size() || states[i + 1].attempt != state.attempt;
    state.told_later = !last && states[i + 1].step.fraction == state.step.fraction;
    if (last) before = state.attempt;
  }
  return states;
}

std::string gain_text(const StepState& state) {
  if (!state.step.reached || state.told_later || !(state.step.fraction > 0)) return {};
  constexpr double kTelling = 1.02;  // less is no gain that anybody would call one
  std::string text =
      (state.simulated ? "simulated " : "") + compact(100 * state.step.fraction, 2) + " % of the roof";
  if (state.gain >= kTelling) text += ", " + compact(state.gain, 2) + " times the step before";
  return text;
}

std::string steps_text(const std::vector<StepState>& states, const Terminal& terminal) {
  std::string text;
  bool next_said = false;
  for (const StepState& state : states) {
    const bool reached = state.step.reached;
    const std::string mark(reached ? terminal.either("✓", "+") : terminal.either("–", "-"));
    const std::string gain = gain_text(state);
    std::string line = mark + " " + printable(state.step.title) + (gain.empty() ? "" : ": " + gain);
    if (!reached && !next_said) {
      next_said = true;
      if (!state.step.how.empty()) line += ". " + printable(state.step.how);
    }
    const std::vector<std::string> lines = wrap(line, terminal.width - 12);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += (text.empty() ? "  steps   " : "          ") + std::string(i ? "  " : "");
      text += (reached ? terminal.paint(Colour::kGreen, lines[i]) : lines[i]) + "\n";
    }
  }
  return text;
}

}  // namespace roofline::grader
