// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "grader/learner/current.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int status_verb(const Paths& paths) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::vector<Lab> labs = all_labs();
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
            paths.shown(current.file(paths)) + "\n";
  }
  text += "\n  ./lab watch " + id + "   check your file whenever you save it\n  ./lab grade " + id +
          "   grade it\n  ./lab hint " + id + "    when you are stuck\n  ./lab list       every lab\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace roofline::grader
