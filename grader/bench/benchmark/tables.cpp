// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/benchmark/tables.h"

#include <algorithm>
#include <cstdio>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/bench/recorded.h"
#include "grader/text/svg.h"

namespace roofline::grader {
namespace {

constexpr int kBarCells = 20;

double counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

std::string positive(double value, double scale) { return value > 0 ? compact(value / scale, 4) : ""; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Tables::Tables(const std::vector<Entrant>& entrants, const Terminal& terminal,
               const std::filesystem::path& recorded)
    : terminal_(terminal), recorded_(recorded) {
  for (const Entrant& entrant : entrants) entrants_[entrant.id()] = &entrant;
}

void Tables::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const Entrant& entrant = *entrants_.at(run.run_name.function_name);
    if (entrant.work != work_) {
      flush();
      work_ = entrant.work;
      part_ = entrant.of;
      using Align = Column::Align;
      table_.emplace(std::vector<Column>{{""},
                                         {"version"},
                                         {"us", Align::kRight},
                                         {"GB/s", Align::kRight},
                                         {"TFLOP/s", Align::kRight},
                                         {"of the limit", Align::kRight},
                                         {""},
                                         {"limited by", Align::kWrap}});
    }
    add(entrant, run);
  }
}

void Tables::add(const Entrant& entrant, const Run& run) {
  const Contender& contender = entrant.contender;
  std::string name = contender.name;
  if (entrant.settings.all() != entrant.work->settings.all()) {
    for (const auto& [key, value] : contender.simulated) name += ", " + key + " = " + compact(value, 7);
  }
  std::vector<std::string> row = {std::string(name_of(contender.kind)), name};
  if (run.error_occurred) {
    // What the learner has not written yet, and what needs a GPU, is no fault.
    const bool excused = contender.kind == Contender::Kind::kYours || contender.needs_gpu;
    failed_ = failed_ || !excused;
    row.insert(row.end(), {"-", "", "", "", "", printable(first_line(run.error_message))});
  } else {
    const double fraction = counter(run, "fraction");
    row.insert(row.end(),
               {compact(run.GetAdjustedRealTime(), 4), positive(counter(run, "bytes/s"), 1e9),
                positive(counter(run, "FLOP/s"), 1e12), fraction_text(fraction),
                terminal_.paint(Colour::kBlue, bar(terminal_, fraction, kBarCells)), run.report_label});
  }
  table_->add(std::move(row));
}

bool Tables::has_naive() const {
  return std::ranges::any_of(entrants_, [&](const auto& each) {
    return each.second->of == part_ && each.second->contender.kind == Contender::Kind::kNaive;
  });
}

void Tables::flush() {
  if (!table_) return;
  std::printf("%s  %s; of %s\n%s\n", terminal_.paint(Colour::kBold, part_->chosen.id()).c_str(),
              work_->title.c_str(), work_->limit.c_str(), table_->render(terminal_).c_str());
  const auto naive =
      has_naive() ? std::nullopt : slowest_recorded(recorded_, part_->chosen.id() + "/" + work_->id);
  if (naive)
    std::printf(
        "  simulated, recorded with the course: the naive version %s us, %s of the limit of %s us\n\n",
        compact(naive->us, 4).c_str(), fraction_text(naive->fraction).c_str(),
        compact(naive->limit_us(), 4).c_str());
  std::fflush(stdout);
  table_.reset();
}

}  // namespace roofline::grader
