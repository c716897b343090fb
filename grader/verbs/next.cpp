// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "grader/learner/current.h"
#include "grader/text/terminal.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int next_verb(const Paths& paths) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::vector<Lab>& labs = all_labs();
  const ProgressFile progress(paths.state / "progress.json");
  const Chosen part = current_part(labs, progress);
  const LabProgress lab = progress.at(part.id());
  if (lab.passed) {
    std::printf("Every lab is passed. ./lab list shows which medals are left to win.\n");
    return 0;
  }
  std::string text = terminal.paint(Colour::kBold, "Lab " + part.id() + " " + part.lab->name()) + "  " +
                     short_title(part) + " (" + state_of(lab) + ")\n";
  int step = 1;
  const auto add = [&](const std::string& line) {
    text += "  " + std::to_string(step++) + ". " + line + "\n";
  };
  add("read " + paths.shown(part.folder(paths) / part.lab->theory));
  if (!part.part->predictions.empty())
    add("write your prediction into " + paths.shown(part.folder(paths) / part.lab->prediction));
  add("edit " + paths.shown(part.file(paths)));
  add("./lab grade " + part.id());
  text += "Stuck? ./lab hint " + part.id() + "\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace roofline::grader
