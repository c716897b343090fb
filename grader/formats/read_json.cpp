// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/read_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>
#include <string>

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr Class kLastClass{63};  // an upper bound: the rest has no name

/// The value of an enumeration with this name.
template <class Enum>
Enum named(const std::string& name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  throw std::runtime_error("\"" + name + "\" is no word of lab/result/v1");
}

/// null is the first one, which has no name.
template <class Enum>
Enum named_or_none(const Json& name, Enum last) {
  return name.is_null() ? Enum{} : named(name.get<std::string>(), last);
}

/// null stands for NaN and the infinities, which JSON does not know.
double number(const Json& json) { return json.is_number() ? json.get<double>() : 0; }

TimeSummary time_of(const Json& json) {
  return {number(json.at("median")), number(json.at("q1")), number(json.at("q3")),
          json.at("n").get<unsigned>()};
}

RoofValue roof_of(const Json& json) {
  RoofValue roof;
  roof.id = json.at("name");
  roof.unit = json.at("unit");
  roof.value = number(json.at("value"));
  return roof;
}

SweepResult sweep_of(const Json& json) {
  SweepResult sweep;
  sweep.id = json.at("id");
  sweep.memory_roof = roof_of(json.at("memory_roof"));
  sweep.compute_roof = roof_of(json.at("compute_roof"));
  sweep.ridge = number(json.at("ridge_flop_per_byte"));
  sweep.knee = number(json.at("knee"));
  for (const Json& point : json.at("points")) {
    // The argument comes first, under its own name.
    sweep.argument = point.items().begin().key();
    sweep.points.push_back({number(point.items().begin().value()),
                            number(point.at("flop_per_byte")),
                            number(point.at("gb_per_s")),
                            number(point.at("tflop_per_s")),
                            number(point.at("fraction")),
                            time_of(point.at("time_us")),
                            {}});
  }
  return sweep;
}

void read_detail(const Json& json, Check& check, Result& result) {
  for (const auto& [key, value] : json.items()) {
    if (key == "sweep" && value.is_object()) {
      result.sweeps.push_back(sweep_of(value));
      result.sweeps.back().title = check.title;
    } else if (key == "file" && value.is_string()) {
      check.file = value;
    } else if (key == "line" && value.is_number_unsigned()) {
      check.line = value;
    } else if (value.is_boolean()) {
      check.detail.emplace_back(key, value.get<bool>());
    } else if (value.is_string()) {
      check.detail.emplace_back(key, value.get<std::string>());
    } else if (value.is_array()) {
      std::vector<double> numbers;
      for (const Json& entry : value) numbers.push_back(number(entry));
      check.detail.emplace_back(key, std::move(numbers));
    } else {
      check.detail.emplace_back(key, number(value));
    }
  }
}

/// What the report draws; results of earlier versions have none of it.
void read_profile(const Json& json, GradeProfile& profile) {
  const auto list = [](const Json& from, const char* key) {
    const auto at = from.find(key);
    return at == from.end() ? Json::array() : *at;
  };
  for (const Json& point : list(json, "points"))
    profile.points.push_back({point.at("id"), number(point.at("flops")), number(point.at("dram_bytes")),
                              number(point.at("us")), point.at("tensor").get<bool>()});
  for (const Json& line : list(json, "lines"))
    profile.lines.push_back({.line = line.at("line").get<unsigned>(),
                             .warps = number(line.at("warps")),
                             .lanes = number(line.at("lanes")),
                             .sectors = number(line.at("sectors")),
                             .ideal_sectors = number(line.at("ideal_sectors")),
                             .wavefronts = number(line.at("wavefronts")),
                             .ideal_wavefronts = number(line.at("ideal_wavefronts")),
                             .local_sectors = number(line.at("local_sectors"))});
  for (const Json& advice : list(json, "advice"))
    profile.advice.push_back({advice.at("line").get<unsigned>(), advice.at("rule"), advice.at("message"),
                              number(advice.at("gain"))});
  for (const Json& lanes : list(json, "lanes")) {
    LaneRequest request{.line = lanes.at("line").get<unsigned>(),
                        .what = lanes.at("what"),
                        .place = lanes.at("place"),
                        .shared = lanes.at("shared").get<bool>(),
                        .width = lanes.at("width").get<unsigned>(),
                        .mask = lanes.at("mask").get<std::uint32_t>(),
                        .offsets = lanes.at("offsets").get<std::vector<std::int64_t>>(),
                        .phase = lanes.at("phase").get<std::int64_t>(),
                        .cost = number(lanes.at("cost")),
                        .ideal = number(lanes.at("ideal"))};
    // A file that somebody changed: what has no picture is left out.
    if (request.offsets.size() == kLanes && request.width >= 1 && request.width <= 64)
      profile.lanes.push_back(std::move(request));
  }
  const auto timeline = json.find("timeline");
  if (timeline == json.end()) return;
  profile.timeline.shown_us = number(timeline->at("shown_us"));
  profile.timeline.whole_us = number(timeline->at("whole_us"));
  for (const Json& span : timeline->at("spans"))
    profile.timeline.spans.push_back({span.at("kind"), span.at("name"), span.at("stream").get<unsigned>(),
                                      number(span.at("start_us")), number(span.at("end_us"))});
}

Check check_of(const Json& json, Result& result) {
  Check check;
  check.id = json.at("id");
  check.title = json.at("title");
  check.kind = named(json.at("kind").get<std::string>(), CheckKind::kPrediction);
  check.verdict = named(json.at("verdict").get<std::string>(), Verdict::kError);
  check.reason = named_or_none(json.at("class"), kLastClass);
  check.message = json.at("message");
  read_detail(json.at("detail"), check, result);
  return check;
}

/// A medal that there was not yet when the result was written is earned with the next better one.
PerMedal thresholds_of(const Json& json) {
  PerMedal thresholds;
  double better = std::numeric_limits<double>::quiet_NaN();  // never reached
  for (const MedalRow& medal : kMedals | std::views::reverse) {
    if (const auto at = json.find(medal.name); at != json.end()) better = number(*at);
    thresholds.*medal.value = better;
  }
  return thresholds;
}

Measurement measurement_of(const Json& json) {
  Measurement measurement;
  measurement.id = json.at("id");
  measurement.roof = roof_of(json.at("roof"));
  measurement.achieved = number(json.at("achieved"));
  measurement.fraction = number(json.at("fraction"));
  measurement.device = json.value("device", std::string());
  measurement.thresholds = thresholds_of(json.at("thresholds"));
  measurement.time = time_of(json.at("time_us"));
  if (measurement.graded()) measurement.medal = medal_for(measurement.fraction, measurement.thresholds);
  return measurement;
}

Result result_of(const Json& json) {
  if (json.at("schema") != "lab/result/v1") throw std::runtime_error("not a lab/result/v1");
  Result result;
  result.lab = json.at("lab");
  result.part = json.at("part");
  result.lab_sha256 = json.at("lab_sha256");
  result.source_path = json.at("source").at("path");
  result.source_sha256 = json.at("source").at("sha256");
  const Json& device = json.at("device");
  result.device.simulated = device.at("kind") == "simulated";
  result.device.id = device.value("id", std::string());
  result.device.name = device.at("name");
  result.device.capability = device.at("compute_capability");
  result.device.driver = device.at("driver");
  result.device.toolkit = device.at("toolkit");
  result.device.model = device.at("model");
  if (const auto sheet = device.find("data_sheet"); sheet != device.end())
    result.device.sheet = {number(sheet->at("gb_per_s")), number(sheet->at("fp32_tflop_per_s")),
                           number(sheet->at("tensor_tflop_per_s"))};
  result.seed = json.at("seed");
  result.started = json.at("started");
  result.wall_s = number(json.at("wall_s"));
  result.verdict = named(json.at("verdict").get<std::string>(), Verdict::kError);
  result.reason = named_or_none(json.at("class"), kLastClass);
  result.medal = named_or_none(json.at("medal"), kBestMedal);
  result.points = number(json.at("score").at("points"));
  result.max_points = number(json.at("score").at("max"));
  for (const Json& line : json.at("score").value("lines", Json::array()))
    result.lines.push_back(
        {line.at("id"), line.at("title"), number(line.at("points")), number(line.at("max"))});
  for (const Json& check : json.at("checks")) result.checks.push_back(check_of(check, result));
  for (const Json& measurement : json.at("measurements"))
    result.measurements.push_back(measurement_of(measurement));
  for (const auto& [what, us] : json.at("one_time_us").items()) result.one_time.push_back({what, number(us)});
  for (const Json& step : json.value("steps", Json::array()))
    result.steps.push_back({.id = step.at("id"),
                            .title = step.at("title"),
                            .how = step.at("how"),
                            .measurement = step.at("measurement"),
                            .reached = step.at("reached").get<bool>(),
                            .fraction = number(step.at("fraction"))});
  for (Measurement& measurement : result.measurements)
    if (const Check* check = result.find(measurement.id)) measurement.title = check->title;
  for (SweepResult& sweep : result.sweeps) {
    sweep.memory_roof.data_sheet = result.device.sheet.gbps;
    sweep.compute_roof.data_sheet = result.device.sheet.fp32_tflops;
  }
  if (const auto profile = json.find("profile"); profile != json.end())
    read_profile(*profile, result.profile);
  result.program_output = json.value("program_output", std::string());
  return result;
}

}  // namespace

std::vector<Result> results_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    std::vector<Result> results;
    if (!json.is_object()) throw std::runtime_error("not a lab/result/v1: no object");
    if (!json.contains("results")) return {result_of(json)};
    for (const Json& one : json.at("results")) results.push_back(result_of(one));
    return results;
  } catch (const Json::parse_error& error) {
    throw std::runtime_error("not JSON, from byte " + std::to_string(error.byte) +
                             " on; wanted is what ./lab grade --json FILE writes");
  } catch (const Json::exception& error) {
    const std::string said = error.what();  // begins with "[json.exception...] "
    throw std::runtime_error("not a lab/result/v1: " + said.substr(said.find("] ") + 2));
  }
}

}  // namespace roofline::grader
