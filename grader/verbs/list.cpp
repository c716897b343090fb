// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "grader/base/units.h"
#include "grader/learner/current.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int list_verb(const Paths& paths) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const std::vector<Lab>& labs = all_labs();
  const ProgressFile progress(paths.state / "progress.json");
  using Align = Column::Align;
  Table table({{"lab"},
               {"name", Align::kLeft, Column::Narrow::kGoes},
               {"title", Align::kWrap},
               {"state", Align::kWrap},
               {"of roof", Align::kRight},
               {"points", Align::kRight},
               {"attempts", Align::kRight, Column::Narrow::kGoes}});
  for (const Chosen& part : all_parts(labs)) {
    const LabProgress lab = progress.at(part.id());
    const Colour colour = lab.passed ? Colour::kGreen : lab.attempts ? Colour::kYellow : Colour::kDim;
    table.add({part.id(), part.lab->name(), short_title(part), terminal.paint(colour, state_of(lab)),
               lab.fraction > 0 ? compact(100 * lab.fraction) + " %" : "",
               lab.attempts ? compact(lab.points) : "", lab.attempts ? std::to_string(lab.attempts) : ""});
  }
  std::fputs(table.render(terminal).c_str(), stdout);
  return 0;
}

}  // namespace roofline::grader
