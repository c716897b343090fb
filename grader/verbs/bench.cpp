// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <regex>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/bench/bench_figure.h"
#include "grader/box/child.h"
#include "grader/judge/workbench.h"
#include "grader/learner/current.h"
#include "grader/learner/progress_file.h"
#include "grader/profile/trace_file.h"
#include "grader/result/result_text.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Doubling the work for less than this much more time: the machine was waiting, not working.
constexpr double kDoublingLimit = 0.10;

std::vector<Chosen> chosen_parts(const std::vector<Lab>& labs, const BenchRequest& request,
                                 const Paths& paths) {
  std::vector<Chosen> chosen = select(labs, request.labs);
  if (!chosen.empty()) return chosen;
  ProgressFile progress(paths.state / "progress.json");
  return {current_part(labs, progress)};
}

/// The tables of all versions are the work of another program (grader/benchmark/), which needs Google
/// Benchmark.
int versions(const std::vector<Chosen>& chosen, const BenchRequest& request, const Paths& paths) {
  const fs::path program = paths.build / "bin" / "lab-bench";
  std::error_code none;
  try {
    const std::regex expression(request.only);
  } catch (const std::regex_error& error) {
    throw UsageError("--only " + request.only + " is no regular expression: " + error.what());
  }
  if (!fs::exists(program, none))
    throw InfrastructureError(
        "this build has no Google Benchmark, which compares the versions: install libbenchmark-dev, remove " +
        paths.shown(paths.build) + " and run ./lab setup");
  std::vector<std::string> words = {program.string(), "--device", request.device};
  if (!request.json.empty()) words.insert(words.end(), {"--json", fs::absolute(request.json).string()});
  if (!request.only.empty()) words.insert(words.end(), {"--only", request.only});
  for (const Chosen& part : chosen) words.push_back(part.id());
  const Child child = start_child({.arguments = std::move(words), .environment = environment_with({})});
  const int status = wait_for_child(child.pid);
  if (child.error != 0) throw InfrastructureError("cannot start " + paths.shown(program));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

/// The time, and behind it what the last doubling cost.
std::string cell(const BenchCurve& curve, std::size_t i) {
  if (i >= curve.us.size()) return "-";
  std::string text = significant(curve.us[i]);
  if (i == 0) return text;
  return text + format_number(" %+5.0f %%", 100 * (curve.us[i] / curve.us[i - 1] - 1));
}

std::string times_table(const Bench& bench, const std::vector<BenchCurve>& curves, const Terminal& terminal) {
  std::vector<Column> columns = {{bench.argument, Column::Align::kRight}};
  for (const BenchCurve& curve : curves) columns.push_back({curve.name, Column::Align::kRight});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < bench.values.size(); ++i) {
    std::vector<std::string> row = {compact(bench.values[i], 7)};
    for (const BenchCurve& curve : curves) row.push_back(cell(curve, i));
    table.add(std::move(row));
  }
  return table.render(terminal);
}

std::string doubling_line(const Bench& bench, const BenchCurve& curve) {
  if (!curve.problem.empty()) return curve.name + ": " + printable(curve.problem);
  const Doubling found = first_costly_doubling(bench, curve, kDoublingLimit);
  const std::string at = bench.argument + " = " + compact(found.value, 7);
  if (found.growth == 0) return curve.name + ": overhead-bound up to " + at + ", the last one tried";
  return curve.name + ": overhead-bound up to " + at + "; doubling that costs " +
         compact(100 * found.growth, 2) + " % more time";
}

std::string file_name(std::string name) {
  for (char& c : name)
    if (c == ' ') c = '-';
  return name;
}

void write_traces(const std::vector<BenchCurve>& curves, const BenchRequest& request, const Paths& paths,
                  const DeviceRecord& device) {
  const sim::DeviceDescription description = sim::load_device(paths.simulator() / "devices", device.id);
  for (const BenchCurve& curve : curves) {
    if (curve.timeline.spans.empty()) continue;
    const fs::path file = request.trace / (file_name(curve.name) + ".json");
    write_file(file, trace_json(curve.timeline, curve.timed, description, curve.name));
    std::printf("  trace   %s\n", paths.shown(file).c_str());
  }
}

/// The doubling test of a part that has one: curves, figures, timelines.
int doubling(const Chosen& chosen, const BenchRequest& request, const Paths& paths) {
  const Bench& bench = *chosen.part->bench;
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  Workbench workbench(paths, request.device);
  const DeviceRecord device = workbench.device_record();
  const std::vector<BenchCurve> curves = bench_versions(workbench, chosen, paths);
  std::printf("%s  %s\n  %s; behind a time, what doubling %s cost\n\n",
              terminal.paint(Colour::kBold, bench.title).c_str(), device_label(device).c_str(),
              bench.unit.c_str(), bench.argument.c_str());
  std::fputs(times_table(bench, curves, terminal).c_str(), stdout);
  std::printf("\n");
  for (const BenchCurve& curve : curves) std::printf("  %s\n", doubling_line(bench, curve).c_str());
  const std::string which = device.simulated ? "-sim-" + device.id : "-gpu";
  const auto write = [&](const std::string& name, const std::string& figure) {
    if (figure.empty()) return;
    const fs::path file = request.figures.empty()
                              ? paths.results() / (chosen.lab->folder + "-" + name + which + ".svg")
                              : request.figures / (name + ".svg");
    write_file(file, figure);
    std::printf("  figure  %s\n", paths.shown(file).c_str());
  };
  write("times", bench_svg(bench, curves, device));
  write("timelines", timeline_svg(bench, curves, device));
  if (!request.trace.empty() && device.simulated) write_traces(curves, request, paths, device);
  // What the learner has not written yet is no fault.
  for (const BenchCurve& curve : curves)
    if (!curve.problem.empty() && !curve.yours) return 1;
  return 0;
}

}  // namespace

int bench_verb(const Paths& paths, const BenchRequest& request) {
  const std::vector<Lab>& labs = all_labs();
  const std::vector<Chosen> chosen = chosen_parts(labs, request, paths);
  const int status = versions(chosen, request, paths);
  // A lab by itself is shown with all that it has to show.
  if (status > 1 || chosen.size() > 1 || !chosen[0].part->bench || !request.only.empty() || request.table)
    return status;
  return std::max(status, doubling(chosen[0], request, paths));
}

}  // namespace roofline::grader
