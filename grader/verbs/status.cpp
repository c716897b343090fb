// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "grader/judge/steps.h"
#include "grader/learner/current.h"
#include "grader/learner/steps.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

namespace {

/// The steps of a part, over the attempts on the device of the last one.
std::string steps_of(const Chosen& part, const Paths& paths, const Terminal& terminal) {
  const std::vector<Attempt> attempts = attempts_of(paths.state, part.id());
  const DeviceRecord device = attempts.empty() ? DeviceRecord() : attempts.back().result.device;
  return steps_text(step_states(steps_asked(*part.part), attempts, device), terminal);
}

}  // namespace

int status_verb(const Paths& paths) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::vector<Lab>& labs = all_labs();
  const ProgressFile progress(paths.state / "progress.json");
  const std::vector<Chosen> parts = all_parts(labs);
  const Chosen current = current_part(labs, progress);
  size_t passed = 0;
  for (const Chosen& part : parts) passed += progress.at(part.id()).passed;
  const std::string id = current.id();
  std::string text = terminal.paint(Colour::kBold, "Roofline Labs") + "  " +
                     bar(terminal, static_cast<double>(passed) / static_cast<double>(parts.size()), 20) +
                     "  " + std::to_string(passed) + " of " + std::to_string(parts.size()) + " passed\n\n";
  if (passed == parts.size()) {
    text += "Every lab is passed. ./lab list shows the medals.\n";
  } else {
    text += "Lab " + id + " " + current.lab->name() + ": " + short_title(current) + " (" +
            state_of(progress.at(id)) + ")\n  read  " +
            paths.shown(current.folder(paths) / current.lab->theory) + "\n  edit  " +
            paths.shown(current.file(paths)) + "\n" + steps_of(current, paths, terminal);
  }
  text += "\n  ./lab watch " + id + "   check your file whenever you save it\n  ./lab grade " + id +
          "   grade it\n  ./lab hint " + id + "    when you are stuck\n  ./lab list       every lab\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace roofline::grader
