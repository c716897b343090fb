// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>

#include "grader/result_text.h"
#include "grader/svg.h"
#include "grader/table.h"
#include "grader/verbs/verbs.h"
#include "grader/workbench.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

int roofs_verb(const Paths& paths, const std::string& device) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Workbench workbench(paths, device);
  const DeviceRecord record = workbench.device_record();
  const std::vector<RoofValue> values = workbench.measure_roofs();
  using Align = Column::Align;
  Table table({{"roof"},
               {"what"},
               {record.simulated ? "modelled" : "measured", Align::kRight},
               {"data sheet", Align::kRight},
               {"of data sheet", Align::kRight},
               {""},
               {"us", Align::kRight},
               {"n", Align::kRight}});
  for (const RoofValue& roof : values) {
    const double fraction = roof.data_sheet > 0 ? roof.value / roof.data_sheet : 0;
    table.add({roof.id, roof.title, compact(roof.value, 4) + " " + roof.unit,
               roof.data_sheet > 0 ? compact(roof.data_sheet, 4) + " " + roof.unit : "",
               fraction > 0 ? compact(100 * fraction) + " %" : "",
               fraction > 0 ? terminal.paint(Colour::kBlue, bar(terminal, fraction, 20)) : "",
               compact(roof.time.median_us, 4), std::to_string(roof.time.n)});
  }
  std::printf("%s, compute capability %s\n", terminal.paint(Colour::kBold, device_label(record)).c_str(),
              record.capability.c_str());
  std::fputs(table.render(terminal).c_str(), stdout);
  if (!record.simulated) return 0;
  std::printf("\n  Modelled, not measured. Where the model's numbers come from (devices/%s.toml):\n",
              record.id.c_str());
  for (const std::string& source : sim::load_device(paths.simulator() / "devices", record.id).sources)
    for (const std::string& line : wrap(source, terminal.width - 6)) std::printf("    %s\n", line.c_str());
  return 0;
}

}  // namespace roofline::grader
