// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/own_grade.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "grader/base/units.h"
#include "grader/learner/ask_predictions.h"
#include "grader/learner/attempts.h"
#include "grader/learner/opened.h"
#include "grader/learner/steps.h"
#include "grader/text/keys.h"

namespace roofline::grader {
namespace {

std::string next_for(const Chosen& part, const Result& result, const Paths& paths) {
  if (result.reason == Class::kNotImplemented)
    return "  next    edit " + paths.shown(part.file(paths)) + "; ./lab hint " + part.id() + " helps\n";
  if (result.verdict == Verdict::kFail) return "  next    ./lab hint " + part.id() + "\n";
  if (result.verdict != Verdict::kPass) return {};
  if (result.medal == kBestMedal || result.measurements.empty()) return "  next    ./lab next\n";
  return "  next    ./lab next, or a better medal: ./lab hint " + part.id() + "\n";
}

}  // namespace

std::string expected_time(const std::vector<Chosen>& parts, const Paths& paths,
                          const std::function<DeviceRecord(const Chosen&)>& device_of) {
  double seconds = 0;
  std::string unknown;
  for (const Chosen& part : parts) {
    const std::vector<Attempt> attempts = attempts_of(paths.state, part.id());
    const Attempt* last = last_of(attempts, device_of(part), true);
    if (last == nullptr)
      unknown += (unknown.empty() ? "" : ", ") + part.id();
    else
      seconds += last->result.wall_s;
  }
  std::string text = seconds > 0
                         ? "about " + format_number("%.0f", std::ceil(seconds)) + " s, as the last time"
                         : std::string();
  if (!unknown.empty())
    text += (text.empty() ? "" : "; ") + unknown +
            " is timed here for the first time, and so are its roofs: that takes longer than the next grade";
  return "  time    " + text + "\n";
}

void ask_before_the_first(const Chosen& part, const Paths& paths) {
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return;
  if (has_attempts(paths.state, part.id())) return;
  ask_predictions(
      part.part->predictions, part.folder(paths) / part.lab->prediction,
      [](const std::string& text) { std::fputs(text.c_str(), stdout), std::fflush(stdout); },
      [] { return read_line(STDIN_FILENO); });
}

std::string steps_of_one(const Result& result, const Terminal& terminal) {
  return steps_text(step_states(result.steps, {{result, {}}}, result.device), terminal);
}

std::string after_own_grade(const Chosen& part, const Result& result, std::string_view source, bool quick,
                            ProgressFile& progress, const Paths& paths, const Terminal& terminal) {
  std::string text;
  std::vector<Attempt> attempts = attempts_of(paths.state, result.part);
  if (!quick) text += remember(paths.state, progress, attempts, result, source, terminal);
  text += attempts.empty() ? steps_of_one(result, terminal)
                           : steps_text(step_states(result.steps, attempts, result.device), terminal);
  if (!result.device.changed()) text += opened_by(result.medal, part, paths);
  if (!quick) text += next_for(part, result, paths);
  return text;
}

}  // namespace roofline::grader
