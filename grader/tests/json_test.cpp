// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The exported result obeys formats/result_v1.schema.json, whatever the judge found.
#include "grader/formats/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/file.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::json;

/// The keywords of JSON Schema that our schema uses; any other keyword is a failure, so that none is ignored.
class Validator {
 public:
  std::vector<std::string> faults;

  void check(const Json& schema, const Json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$schema" || keyword == "title") continue;
      if (keyword == "type") {
        type(rule, value, at);
      } else if (keyword == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end())
          faults.push_back(at + ": not in the enum: " + value.dump());
      } else if (keyword == "required") {
        for (const auto& name : rule)
          if (!value.contains(name)) faults.push_back(at + ": no " + name.get<std::string>());
      } else if (keyword == "properties") {
        for (const auto& [name, inner] : rule.items())
          if (value.contains(name)) check(inner, value[name], at + "." + name);
      } else if (keyword == "additionalProperties") {
        for (const auto& [name, inner] : value.items())
          if (!rule.get<bool>() && !schema["properties"].contains(name))
            faults.push_back(at + ": extra " + name);
      } else if (keyword == "items") {
        for (size_t i = 0; i < value.size(); ++i) check(rule, value[i], at + "[" + std::to_string(i) + "]");
      } else {
        faults.push_back("schema keyword not supported: " + keyword);
      }
    }
  }

 private:
  static bool is(const std::string& name, const Json& value) {
    return name == "object"    ? value.is_object()
           : name == "array"   ? value.is_array()
           : name == "string"  ? value.is_string()
           : name == "integer" ? value.is_number_integer()
           : name == "number"  ? value.is_number()
           : name == "null"    ? value.is_null()
                               : false;
  }
  void type(const Json& rule, const Json& value, const std::string& at) {
    const auto names =
        rule.is_array() ? rule.get<std::vector<std::string>>() : std::vector{rule.get<std::string>()};
    for (const std::string& name : names)
      if (is(name, value)) return;
    faults.push_back(at + ": wrong type: " + value.dump());
  }
};

std::string faults_of(const std::string& text) {
  Validator validator;
  validator.check(
      Json::parse(read_file(std::string(ROOFLINE_SOURCE) + "/grader/formats/result_v1.schema.json")),
      Json::parse(text), "result");
  std::string all;
  for (const std::string& fault : validator.faults) all += fault + "\n";
  return all;
}

Result full_result() {
  Result result;
  result.lab = "02-intensity";
  result.part = "02";
  result.seed = 0xffffffffffffffff;
  result.verdict = Verdict::kPass;
  result.medal = Medal::kGood;
  result.points = 90;
  result.device.name = "NVIDIA A100-SXM4-40GB";
  Check build, sweep;
  build.id = "build";
  build.kind = CheckKind::kBuild;
  build.verdict = Verdict::kPass;
  sweep.id = "intensity-knee";
  sweep.kind = CheckKind::kPerformance;
  sweep.verdict = Verdict::kFail;
  sweep.reason = Class::kTooSlow;
  sweep.message = "not \xff UTF-8";
  sweep.file = "labs/02-intensity/intensity.cu";
  sweep.line = 12;
  sweep.detail = {
      {"count", 3.0}, {"flag", true}, {"word", std::string("x")}, {"list", std::vector<double>{1, NAN}}};
  result.checks = {build, sweep};
  Measurement measurement;
  measurement.id = "lowest";
  measurement.roof = {
      .id = "copy", .title = "", .unit = "GB/s", .value = 1381, .data_sheet = 1555, .time = {}};
  measurement.achieved = 1300;
  measurement.fraction = INFINITY;
  result.measurements = {measurement};
  result.one_time = {{.what = "instantiation", .us = 30}};
  SweepResult curve;
  curve.id = "intensity";
  curve.argument = "repeat";
  curve.points.resize(2);
  result.sweeps = {curve};
  return result;
}

// Breaks when a key of the contract is missing, renamed or of another type.
TEST(ResultJson, ObeysTheSchema) {
  EXPECT_EQ(faults_of(to_json({full_result()})), "");
  EXPECT_EQ(faults_of(to_json({Result{}})), "");
}

// Breaks when the validator above accepts everything.
TEST(ResultJson, TheSchemaRefusesWhatIsWrong) {
  Json json = Json::parse(to_json({full_result()}));
  json.erase("verdict");
  json["extra"] = 1;
  json["seed"] = "1";
  json["checks"][0]["kind"] = "other";
  const std::string faults = faults_of(json.dump());
  for (const char* part :
       {"no verdict", "extra extra", "seed: wrong type", "checks[0].kind: not in the enum"})
    EXPECT_NE(faults.find(part), std::string::npos) << part << "\n" << faults;
}

TEST(ResultJson, SeveralResultsAreAList) {
  const Json json = Json::parse(to_json({full_result(), Result{}}));
  ASSERT_EQ(json.at("results").size(), 2U);
  EXPECT_EQ(faults_of(json["results"][1].dump()), "");
}

// Breaks when numbers that JSON cannot hold or bytes of a learner's program spoil the file, or a sweep is
// lost.
TEST(ResultJson, KeepsDetailsAndReplacesWhatJsonCannotSay) {
  const Json json = Json::parse(to_json({full_result()}));
  EXPECT_TRUE(json["measurements"][0]["fraction"].is_null());
  const Json& detail = json["checks"][1]["detail"];
  EXPECT_EQ(detail["count"], 3.0);
  EXPECT_EQ(detail["flag"], true);
  EXPECT_TRUE(detail["list"][1].is_null());
  EXPECT_EQ(detail["line"], 12);
  EXPECT_EQ(detail["sweep"]["points"].size(), 2U);
  EXPECT_EQ(json["seed"].get<std::uint64_t>(), 0xffffffffffffffff);
  EXPECT_EQ(json["medal"], "good");
  EXPECT_EQ(json["checks"][1]["class"], "too-slow");
  EXPECT_TRUE(json["checks"][0]["class"].is_null());
}

}  // namespace
}  // namespace roofline::grader
