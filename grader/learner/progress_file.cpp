// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/progress_file.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "grader/base/file.h"
#include "grader/result/deciding.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "lab/progress/v1";

Medal medal_named(const std::string& name) {
  for (const MedalRow& row : kMedals)
    if (name == row.name) return row.medal;
  return Medal::kNone;
}

LabProgress from_json(const Json& json) {
  LabProgress lab;
  lab.attempts = json.value("attempts", 0U);
  lab.passed = json.value("passed", false);
  lab.medal = medal_named(json.value("medal", std::string()));
  lab.points = json.value("points", 0.0);
  lab.fraction = json.value("fraction", 0.0);
  lab.device = json.value("device", std::string());
  lab.last = json.value("last", std::string());
  lab.when = json.value("when", std::string());
  lab.hints = json.value("hints", 0U);
  return lab;
}

Json to_json(const LabProgress& lab) {
  return {{"attempts", lab.attempts}, {"passed", lab.passed},     {"medal", name_of(lab.medal)},
          {"points", lab.points},     {"fraction", lab.fraction}, {"device", lab.device},
          {"last", lab.last},         {"when", lab.when},         {"hints", lab.hints}};
}

}  // namespace

ProgressFile::ProgressFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return;
  try {
    const Json json = Json::parse(read_file(path_));
    if (json.at("schema") != kSchema) throw std::runtime_error("of another version");
    for (const auto& [id, lab] : json.at("labs").items()) labs_[id] = from_json(lab);
  } catch (const std::exception&) {
    labs_.clear();
    const std::filesystem::path aside = path_.string() + ".bad";
    std::filesystem::rename(path_, aside, error);
    std::fprintf(stderr, "lab: %s could not be read; it is now %s and progress starts afresh\n",
                 path_.c_str(), aside.c_str());
  }
}

LabProgress ProgressFile::at(const std::string& part_id) const {
  const auto found = labs_.find(part_id);
  return found == labs_.end() ? LabProgress{} : found->second;
}

void ProgressFile::record(const Result& result) {
  LabProgress& lab = labs_[result.part];
  ++lab.attempts;
  lab.when = result.started;
  lab.last = right_not_timed(result)         ? "right, not timed yet"
             : result.reason == Class::kNone ? name_of(result.verdict)
                                             : name_of(result.reason);
  const Measurement* line = deciding(result);
  const bool passed = result.verdict == Verdict::kPass;
  // A later, worse attempt takes nothing away; a failed one brings no medal.
  if (passed && (!lab.passed || result.medal > lab.medal ||
                 (result.medal == lab.medal && result.points > lab.points))) {
    lab.medal = result.medal;
    lab.fraction = line ? line->fraction : 0;
    lab.device = (result.device.simulated ? "simulated " : "") + result.device.name;
  }
  lab.passed = lab.passed || passed;
  lab.points = std::max(lab.points, result.points);
  save();
}

void ProgressFile::set_hints(const std::string& part_id, unsigned shown) {
  labs_[part_id].hints = shown;
  save();
}

void ProgressFile::save() const {
  Json json = {{"schema", kSchema}, {"labs", Json::object()}};
  for (const auto& [id, lab] : labs_) json["labs"][id] = to_json(lab);
  write_file(path_, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace roofline::grader
