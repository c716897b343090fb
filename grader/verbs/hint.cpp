// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "grader/base/file.h"
#include "grader/lab/hints.h"
#include "grader/learner/current.h"
#include "grader/text/terminal.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int hint_verb(const Paths& paths, const std::string& lab, bool all, const std::string& more) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::vector<Lab>& labs = all_labs();
  ProgressFile progress(paths.state / "progress.json");
  std::vector<Chosen> chosen;
  if (!lab.empty()) chosen = select(labs, {lab});
  const Chosen part = chosen.empty() ? current_part(labs, progress) : chosen.front();
  const std::filesystem::path file = part.folder(paths) / part.lab->hints;
  const std::vector<Hint> hints = hints_of_part(parse_hints(read_file(file)), part.part->letter);
  if (hints.empty()) throw InfrastructureError(paths.shown(file) + " has no section \"## Hint 1\"");

  const size_t before = progress.at(part.id()).hints;
  const size_t shown = all ? hints.size() : std::min(before + 1, hints.size());
  // One more each time; those already seen are not repeated, except the last when there is no other.
  const size_t first = all ? 0 : shown - 1;
  for (size_t i = first; i < shown; ++i) {
    const std::string title = "Hint " + std::to_string(i + 1) + " of " + std::to_string(hints.size()) +
                              (hints[i].title.empty() ? "" : ": " + hints[i].title);
    std::printf("%s\n\n%s\n\n", terminal.paint(Colour::kBold, title).c_str(),
                fitted(hints[i].text, terminal.width).c_str());
  }
  progress.set_hints(part.id(), static_cast<unsigned>(std::max(before, shown)));
  const std::string id = part.id();
  if (shown < hints.size()) {
    std::printf("The next hint: %s\n", (more.empty() ? "./lab hint " + id : more).c_str());
  } else {
    std::printf("That was the last hint. All of them: ./lab hint %s --all\n", id.c_str());
  }
  return 0;
}

}  // namespace roofline::grader
