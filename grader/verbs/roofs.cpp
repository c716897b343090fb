// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/base/units.h"
#include "grader/judge/workbench.h"
#include "grader/result/result_text.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

namespace {

std::string json_text(const std::vector<RoofValue>& values, const DeviceRecord& device) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RoofValue& roof : values)
    list.push_back({{"id", roof.id},
                    {"title", roof.title},
                    {"unit", roof.unit},
                    {"value", roof.value},
                    {"data_sheet", roof.data_sheet},
                    {"median_us", roof.time.median_us},
                    {"q1_us", roof.time.q1_us},
                    {"q3_us", roof.time.q3_us},
                    {"n", roof.time.n}});
  const nlohmann::ordered_json all = {{"context",
                                       {{"device", device.simulated ? "sim:" + device.id : device.name},
                                        {"kind", device.simulated ? "simulated" : "gpu"},
                                        {"compute_capability", device.capability},
                                        {"driver", device.driver},
                                        {"toolkit", device.toolkit}}},
                                      {"roofs", list}};
  return all.dump(2) + "\n";
}

}  // namespace

int roofs_verb(const Paths& paths, const RoofsRequest& request) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Workbench workbench(paths, request.device);
  const DeviceRecord record = workbench.device_record();
  const std::vector<RoofValue> values = workbench.measure_roofs();
  using Align = Column::Align;
  using enum Column::Narrow;
  Table table({{"roof"},
               {"what", Align::kWrap},
               {record.simulated ? "modelled" : "measured", Align::kRight},
               {"data sheet", Align::kRight, kGoesBelow},
               {"of data sheet", Align::kRight, kGoesBelow},
               {"", Align::kLeft, kGoes},
               {"us", Align::kRight, kGoes},
               {"n", Align::kRight, kGoes}});
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
  if (!request.json.empty()) write_file(request.json, json_text(values, record));
  if (!record.simulated) return 0;
  std::printf("\n");
  const std::string from =
      "Modelled, not measured. Where the model's numbers come from (devices/" + record.id + ".toml):";
  for (const std::string& line : wrap(from, terminal.width - 2)) std::printf("  %s\n", line.c_str());
  for (const std::string& source : sim::load_device(paths.simulator() / "devices", record.id).sources)
    for (const std::string& line : wrap(source, terminal.width - 6)) std::printf("    %s\n", line.c_str());
  return 0;
}

}  // namespace roofline::grader
