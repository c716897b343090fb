// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/json.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

/// JSON knows neither NaN nor infinity.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json name_or_null(std::string_view name) { return name.empty() ? Json(nullptr) : Json(name); }

Json time_json(const TimeSummary& time) {
  return {{"median", number_or_null(time.median_us)},
          {"q1", number_or_null(time.q1_us)},
          {"q3", number_or_null(time.q3_us)},
          {"n", time.n}};
}

Json detail_json(const Check& check) {
  Json json = Json::object();
  for (const auto& [key, value] : check.detail) {
    if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
      json[key] = Json::array();
      for (const double entry : *numbers) json[key].push_back(number_or_null(entry));
    } else if (const auto* real = std::get_if<double>(&value)) {
      json[key] = number_or_null(*real);
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      json[key] = *flag;
    } else {
      json[key] = std::get<std::string>(value);
    }
  }
  if (!check.file.empty()) json["file"] = check.file;
  if (check.line) json["line"] = check.line;
  return json;
}

Json check_json(const Check& check) {
  return {{"id", check.id},
          {"title", check.title},
          {"kind", name_of(check.kind)},
          {"verdict", name_of(check.verdict)},
          {"class", name_or_null(name_of(check.reason))},
          {"message", check.message},
          {"detail", detail_json(check)}};
}

Json roof_json(const RoofValue& roof) {
  return {{"name", roof.id}, {"value", number_or_null(roof.value)}, {"unit", roof.unit}};
}

Json measurement_json(const Measurement& measurement) {
  Json thresholds;
  for (const MedalRow& medal : kMedals) thresholds[medal.name] = measurement.thresholds.*medal.value;
  Json json = {{"id", measurement.id},
               {"roof", roof_json(measurement.roof)},
               {"achieved", number_or_null(measurement.achieved)},
               {"fraction", number_or_null(measurement.fraction)},
               {"thresholds", thresholds},
               {"time_us", time_json(measurement.time)}};
  if (!measurement.device.empty()) json["device"] = measurement.device;
  return json;
}

/// A sweep is the detail of the check that it decided.
Json sweep_json(const SweepResult& sweep) {
  Json points = Json::array();
  for (const SweepPoint& point : sweep.points)
    points.push_back({{sweep.argument.empty() ? "argument" : sweep.argument, number_or_null(point.argument)},
                      {"flop_per_byte", number_or_null(point.intensity)},
                      {"gb_per_s", number_or_null(point.gbps)},
                      {"tflop_per_s", number_or_null(point.tflops)},
                      {"fraction", number_or_null(point.roof_fraction)},
                      {"time_us", time_json(point.time)}});
  return {{"id", sweep.id},
          {"memory_roof", roof_json(sweep.memory_roof)},
          {"compute_roof", roof_json(sweep.compute_roof)},
          {"ridge_flop_per_byte", number_or_null(sweep.ridge)},
          {"knee", number_or_null(sweep.knee)},
          {"points", std::move(points)}};
}

/// The total, and the lines that it is made of.
Json score_json(const Result& result) {
  Json json = {{"points", number_or_null(result.points)},
               {"max", number_or_null(result.max_points)},
               {"lines", Json::array()}};
  for (const ScoreLine& line : result.lines)
    json["lines"].push_back({{"id", line.id},
                             {"title", line.title},
                             {"points", number_or_null(line.points)},
                             {"max", number_or_null(line.max)}});
  return json;
}

Json sheet_json(const DataSheet& sheet) {
  return {{"gb_per_s", number_or_null(sheet.gbps)},
          {"fp32_tflop_per_s", number_or_null(sheet.fp32_tflops)},
          {"tensor_tflop_per_s", number_or_null(sheet.tensor_tflops)}};
}

Json device_json(const DeviceRecord& device) {
  Json json = {{"kind", device.simulated ? "simulated" : "gpu"},
               {"id", device.id},
               {"name", device.name},
               {"compute_capability", device.capability},
               {"driver", device.driver},
               {"toolkit", device.toolkit},
               {"model", device.model},
               {"data_sheet", sheet_json(device.sheet)}};
  for (const auto& [key, value] : device.changes())
    json["changes"][key] = number_or_null(std::atof(value.c_str()));
  return json;
}

Json timeline_json(const Timeline& timeline) {
  Json spans = Json::array();
  for (const TimelineSpan& span : timeline.spans)
    spans.push_back({{"kind", span.kind},
                     {"name", span.name},
                     {"stream", span.stream},
                     {"start_us", number_or_null(span.start_us)},
                     {"end_us", number_or_null(span.end_us)}});
  return {{"shown_us", number_or_null(timeline.shown_us)},
          {"whole_us", number_or_null(timeline.whole_us)},
          {"spans", std::move(spans)}};
}

/// What `./lab report` draws beside the verdict; what is not there is left out.
Json profile_json(const GradeProfile& profile) {
  Json json = Json::object();
  for (const RooflinePoint& point : profile.points)
    json["points"].push_back({{"id", point.id},
                              {"flops", number_or_null(point.flops)},
                              {"dram_bytes", number_or_null(point.dram_bytes)},
                              {"us", number_or_null(point.us)},
                              {"tensor", point.tensor}});
  for (const LineCounts& line : profile.lines)
    json["lines"].push_back({{"line", line.line},
                             {"warps", number_or_null(line.warps)},
                             {"lanes", number_or_null(line.lanes)},
                             {"sectors", number_or_null(line.sectors)},
                             {"ideal_sectors", number_or_null(line.ideal_sectors)},
                             {"wavefronts", number_or_null(line.wavefronts)},
                             {"ideal_wavefronts", number_or_null(line.ideal_wavefronts)},
                             {"local_sectors", number_or_null(line.local_sectors)}});
  for (const LineAdvice& advice : profile.advice)
    json["advice"].push_back({{"line", advice.line},
                              {"rule", advice.rule},
                              {"message", advice.message},
                              {"gain", number_or_null(advice.gain)}});
  for (const LaneRequest& request : profile.lanes)
    json["lanes"].push_back({{"line", request.line},
                             {"what", request.what},
                             {"place", request.place},
                             {"shared", request.shared},
                             {"width", request.width},
                             {"mask", request.mask},
                             {"offsets", request.offsets},
                             {"phase", request.phase},
                             {"cost", number_or_null(request.cost)},
                             {"ideal", number_or_null(request.ideal)}});
  if (!profile.timeline.spans.empty()) json["timeline"] = timeline_json(profile.timeline);
  return json;
}

/// Enough to see what a program had to say, in a file that is kept.
constexpr size_t kKeptOutput = 8 * 1024;

/// The check that a sweep belongs to: the first whose id begins with the sweep's, else the first of
/// performance.
size_t check_of(const SweepResult& sweep, const std::vector<Check>& checks) {
  for (size_t i = 0; i < checks.size(); ++i)
    if (checks[i].id.starts_with(sweep.id)) return i;
  for (size_t i = 0; i < checks.size(); ++i)
    if (checks[i].kind == CheckKind::kPerformance) return i;
  return checks.size();
}

Json result_json(const Result& result) {
  Json checks = Json::array(), measurements = Json::array();
  for (const Check& check : result.checks) checks.push_back(check_json(check));
  for (const SweepResult& sweep : result.sweeps)
    if (const size_t at = check_of(sweep, result.checks); at < result.checks.size())
      checks[at]["detail"]["sweep"] = sweep_json(sweep);
  for (const Measurement& measurement : result.measurements)
    measurements.push_back(measurement_json(measurement));
  Json one_time = Json::object();
  for (const OneTime& cost : result.one_time) one_time[cost.what] = number_or_null(cost.us);
  Json json = {{"schema", "lab/result/v1"},
               {"lab", result.lab},
               {"part", result.part},
               {"lab_sha256", result.lab_sha256},
               {"source", {{"path", result.source_path}, {"sha256", result.source_sha256}}},
               {"device", device_json(result.device)},
               {"seed", result.seed},
               {"started", result.started},
               {"wall_s", number_or_null(result.wall_s)},
               {"verdict", name_of(result.verdict)},
               {"class", name_or_null(name_of(result.reason))},
               {"medal", name_or_null(name_of(result.medal))},
               {"score", score_json(result)},
               {"checks", std::move(checks)},
               {"measurements", std::move(measurements)},
               {"one_time_us", std::move(one_time)}};
  for (const StepResult& step : result.steps)
    json["steps"].push_back({{"id", step.id},
                             {"title", step.title},
                             {"how", step.how},
                             {"measurement", step.measurement},
                             {"reached", step.reached},
                             {"fraction", number_or_null(step.fraction)}});
  if (!result.profile.empty()) json["profile"] = profile_json(result.profile);
  if (!result.program_output.empty()) json["program_output"] = result.program_output.substr(0, kKeptOutput);
  return json;
}

}  // namespace

std::string to_json(const std::vector<Result>& results) {
  Json json;
  if (results.size() == 1) {
    json = result_json(results[0]);
  } else {
    json["results"] = Json::array();
    for (const Result& result : results) json["results"].push_back(result_json(result));
  }
  // A message may hold what a learner's program wrote: never fail on its bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const Graded& graded) {
  Json json = {{"schema", "lab/graded/v1"},
               {"id", graded.id},
               {"name", graded.name},
               {"email", graded.email},
               {"section", graded.section},
               {"points", number_or_null(graded.points())},
               {"max", number_or_null(graded.max_points())},
               {"raw_points", number_or_null(std::round(graded.raw_points() * 100) / 100)},
               {"factor", number_or_null(graded.factor)},
               {"handed_in", graded.handed_in},
               {"days_late", number_or_null(graded.days_late)},
               {"submissions", graded.submissions},
               {"remark", graded.remark},
               {"comment", graded.comment},
               {"set", graded.set ? number_or_null(*graded.set) : Json()},
               {"held", graded.held},
               {"in_roster", graded.in_roster},
               {"results", Json::array()}};
  for (const Result& result : graded.results) json["results"].push_back(result_json(result));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Format json_format() {
  return {.name = "json",
          .what = "our own: lab/result/v1, of a class lab/graded/v1 with who it was",
          .file = "results.json",
          .text = [](const std::vector<Graded>& all, const FormatOptions&) {
            return all.at(0).id.empty() ? to_json(all[0].results) : to_json(all[0]);
          }};
}

}  // namespace roofline::grader
