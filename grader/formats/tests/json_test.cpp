// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The exported result obeys formats/result_v1.schema.json, whatever the judge found.
#include "grader/formats/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "grader/formats/read_json.h"
#include "grader/formats/tests/schema_check.h"

namespace roofline::grader {
namespace {

std::string faults_of(const std::string& text) {
  return schema_faults("grader/formats/result_v1.schema.json", text);
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
  measurement.device = "NVIDIA H200";
  result.measurements = {measurement};
  result.one_time = {{.what = "instantiation", .us = 30}};
  result.steps = {{.id = "grid",
                   .title = "the grid",
                   .how = "more blocks",
                   .measurement = "lowest",
                   .reached = true,
                   .fraction = 0.6}};
  result.lines = {{.id = "correctness", .title = "the result is right", .points = 40, .max = 40}};
  SweepResult curve;
  curve.id = "intensity";
  curve.argument = "repeat";
  curve.points.resize(2);
  result.sweeps = {curve};
  result.profile.points = {
      {.id = "repeat = 8", .flops = 1e9, .dram_bytes = 2e9, .us = 1500, .tensor = false}};
  result.profile.lines = {{.line = 12, .warps = 100, .lanes = 3200, .sectors = 800, .ideal_sectors = 400}};
  result.profile.advice = {{.line = 12, .rule = "uncoalesced-access", .message = "this load", .gain = 0.5}};
  result.profile.lanes = {{.line = 12,
                           .what = "load",
                           .place = "argument 1",
                           .shared = false,
                           .width = 4,
                           .mask = ~0u,
                           .offsets = std::vector<std::int64_t>(32, 128),
                           .phase = 4,
                           .cost = 32,
                           .ideal = 4}};
  result.profile.timeline = {.spans = {{"kernel", "scale", 7, 1, 2.5}}, .shown_us = 10, .whole_us = 20};
  result.program_output = "hello \xff";
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

// Breaks when reading back loses or changes something that JSON holds.
TEST(ResultJson, ReadBackItIsTheSame) {
  Result finite = full_result();  // what JSON cannot say comes back as 0
  finite.measurements[0].fraction = 0.94;
  finite.checks[1].detail.back().second = std::vector<double>{1, 2};
  const std::string text = to_json({finite, Result{}});
  EXPECT_EQ(to_json(from_json(text).results), text);
  EXPECT_EQ(to_json(from_json(to_json({finite})).results), to_json({finite}));
  Graded graded;
  graded.id = "ada", graded.name = "Ada", graded.email = "ada@example.edu", graded.factor = 0.8,
  graded.remark = "late", graded.held = "01/bandwidth: impossible";
  graded.results = {finite};
  EXPECT_EQ(to_json(from_json(to_json(graded))), to_json(graded));
}

// Breaks when a file that is none of ours is taken for one, or ends the program without a word.
TEST(ResultJson, WhatIsNoResultIsSaidSo) {
  for (const char* text : {"", "[]", "{}", "{\"results\": 3}", "{\"schema\": \"lab/run/v1\"}"})
    EXPECT_THROW(from_json(text), std::runtime_error) << text;
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

// Breaks when the reader forgets a part of the contract: what it reads is written again as it was.
TEST(ResultJson, ReadsWhatItWrites) {
  const std::string once = to_json({full_result(), Result{}});
  const std::vector<Result> read = results_from_json(once);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(Json::parse(to_json(read)), Json::parse(once).patch(Json::parse(R"([
      {"op": "replace", "path": "/results/0/measurements/0/fraction", "value": 0},
      {"op": "replace", "path": "/results/0/checks/1/detail/list/1", "value": 0}])")));
  EXPECT_EQ(read[0].sweeps.at(0).argument, "repeat");
  EXPECT_EQ(read[0].profile.lines.at(0).sectors, 800);
  EXPECT_EQ(read[0].profile.lanes.at(0).offsets, std::vector<std::int64_t>(32, 128));
  EXPECT_EQ(read[0].profile.lanes.at(0).mask, ~0u);
}

// Breaks when a grade on a GPU whose numbers were changed reads as one on the GPU itself, or is exported.
TEST(ResultJson, AnExperimentSaysWhatWasChanged) {
  Result result = full_result();
  result.device.id = "h200";
  EXPECT_FALSE(Json::parse(to_json({result}))["device"].contains("changes"));
  result.device.id = "h200,sms=66,dram_gbps=2400.5";
  const std::string text = to_json({result});
  EXPECT_EQ(faults_of(text), "");
  EXPECT_EQ(Json::parse(text)["device"]["changes"], Json::parse(R"({"sms": 66, "dram_gbps": 2400.5})"));
  EXPECT_TRUE(results_from_json(text).at(0).device.changed());
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "experiment.json";
  std::ofstream(file) << text;
  try {
    read_graded(file);
    ADD_FAILURE() << "was taken for a grade";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("it is no grade"), std::string::npos) << error.what();
  }
}

// Breaks when something else than a grade is taken for one, or refused in the words of a library.
TEST(ResultJson, RefusesWhatIsNoResult) {
  for (const char* text : {"", "[", "3", "{}", R"({"results": [1]})", R"({"schema": "lab/progress/v1"})"})
    try {
      results_from_json(text);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      const std::string said = error.what();
      EXPECT_TRUE(said.starts_with("not ")) << said;
      EXPECT_EQ(said.find("exception"), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace roofline::grader
