// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/contender.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/bench/bench_work.h"
#include "grader/box/process.h"
#include "grader/lab/roof.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

Chosen part(const std::vector<Lab>& labs, const std::string& id) { return select(labs, {id}).at(0); }

DeviceFacts a100() {
  return {.capability = 80,
          .sms = 108,
          .l2_bytes = 40 << 20,
          .pin_gbps = 1555,
          .fp32_tflops = 19.5,
          .tensor_tflops = 312};
}

TEST(BenchDirectives, AreReadFromTheFirstLines) {
  const BenchDirectives said = bench_directives(
      "// bench: a name, with a comma\n// needs: gpu\n// link: cublas cublasLt\n// simulated: k=512 m=64\n"
      "// not checked: no sum\n");
  EXPECT_EQ(said.name, "a name, with a comma");
  EXPECT_TRUE(said.needs_gpu);
  EXPECT_FALSE(said.checked);
  EXPECT_EQ(said.libraries, (std::vector<std::string>{"cublas", "cublasLt"}));
  ASSERT_EQ(said.simulated.size(), 2U);
  EXPECT_EQ(said.simulated[1].first, "m");
  EXPECT_EQ(said.simulated[1].second, 64);

  const BenchDirectives none = bench_directives(
      "// expect: too-slow\n// needs: sim:a100-sxm4-40gb\n\n\n\n\n\n\n"
      "// bench: too far down\n");
  EXPECT_TRUE(none.name.empty() && none.libraries.empty() && none.simulated.empty());
  EXPECT_FALSE(none.needs_gpu);
  EXPECT_TRUE(none.checked);
  EXPECT_THROW(bench_directives("// simulated: k\n"), std::invalid_argument);
}

TEST(Contenders, StandInTheOrderOfTheTable) {
  const std::vector<Lab>& labs = all_labs();
  const Paths paths = Paths::find();
  const std::vector<Contender> gemm = contenders_of(part(labs, "04"), paths);
  std::vector<std::string> ids;
  for (const Contender& each : gemm) ids.push_back(std::string(name_of(each.kind)) + " " + each.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"naive cuda-cores", "rung 2-tile-a-warp", "rung 3-block-tiles",
                                           "rung 4-warp-tiles", "rung 5-stages", "rung 6-fragments",
                                           "solution solution", "yours yours", "instead cublas"}));
  EXPECT_TRUE(gemm.back().needs_gpu);
  EXPECT_EQ(gemm.back().libraries, std::vector<std::string>{"cublas"});
  // Parts do not mix: what stands in instead/cosine is for 03a alone.
  for (const Contender& each : contenders_of(part(labs, "03c"), paths))
    EXPECT_NE(each.kind, Contender::Kind::kInstead) << each.id;
}

TEST(Contenders, EveryTimedPartHasANaiveVersionOrRungs) {
  const std::vector<Lab>& labs = all_labs();
  const Paths paths = Paths::find();
  for (const Chosen& each : all_parts(labs)) {
    if (bench_works(*each.part, a100()).empty()) continue;
    const auto versions = contenders_of(each, paths);
    EXPECT_GE(versions.size(), 3U) << each.id();
    for (const Contender& version : versions)
      EXPECT_TRUE(version.kind != Contender::Kind::kNaive || version.name != version.id) << version.source;
  }
}

// A course's repository comes without solutions.
TEST(Contenders, WithoutSolutionsOnlyTheLearnersFile) {
  const std::vector<Lab>& labs = all_labs();
  Paths paths = Paths::find();
  paths.root = fs::path(testing::TempDir()) / "course";
  const auto alone = contenders_of(part(labs, "01"), paths);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].kind, Contender::Kind::kYours);
}

TEST(BenchWork, TellsBytesAndFlopsOfAGoal) {
  const std::vector<Lab>& labs = all_labs();
  const auto pointwise = bench_works(*part(labs, "01").part, a100());
  ASSERT_EQ(pointwise.size(), 1U);
  const DeclaredWork of_pointwise = pointwise[0].work(pointwise[0].settings);
  EXPECT_DOUBLE_EQ(of_pointwise.flops / of_pointwise.bytes, 0.25);

  const auto gemm = bench_works(*part(labs, "04").part, a100());
  ASSERT_EQ(gemm.size(), 1U);
  const Settings& s = gemm[0].settings;
  const DeclaredWork of_gemm = gemm[0].work(s);
  EXPECT_DOUBLE_EQ(of_gemm.flops, 2 * s["m"] * s["n"] * s["k"]);
  EXPECT_DOUBLE_EQ(of_gemm.bytes, 2 * (s["m"] * s["k"] + s["k"] * s["n"]) + 4 * s["m"] * s["n"]);
}

TEST(BenchWork, FractionsAreThoseOfTheGrade) {
  const std::vector<Lab>& labs = all_labs();
  const auto pointwise = bench_works(*part(labs, "01").part, a100())[0];
  const double n = pointwise.settings["n"];
  EXPECT_DOUBLE_EQ(pointwise.fraction(pointwise.settings, 8 * n / 1.38e12, {{"copy", 1.38e12}}), 1);
  EXPECT_DOUBLE_EQ(pointwise.fraction(pointwise.settings, 16 * n / 1.38e12, {{"copy", 1.38e12}}), 0.5);

  // Both ends and the point nearest to 12.5 FLOP/B: the lower of two roofs counts.
  const auto intensity = bench_works(*part(labs, "02").part, a100());
  ASSERT_EQ(intensity.size(), 3U);
  EXPECT_EQ(intensity[1].id, "repeat-64");
  const RoofRates rates = {{"copy", 1e12}, {"fma", 1e13}};
  const Settings& low = intensity[0].settings;
  EXPECT_DOUBLE_EQ(intensity[0].fraction(low, 8 * low["n"] / 1e12, rates), 1);
  const Settings& high = intensity[2].settings;
  EXPECT_DOUBLE_EQ(intensity[2].fraction(high, 2 * 512 * high["n"] / 1e13, rates), 1);

  const auto swap = bench_works(*part(labs, "06b").part, a100())[0];
  const double kernels = swap.work(swap.settings).flops / 1e13, bytes = swap.work(swap.settings).bytes;
  RoofRates link = {{"keep-all", 1e13}, {"link-out-256k", 1}, {"link-in-256k", 1}};
  for (const char* way : {"link-out-256k", "link-in-256k"})
    link[way] = bytes / kernels;  // as long as the kernels
  EXPECT_NEAR(swap.fraction(swap.settings, 2 * kernels, link), 0, 1e-9);
  EXPECT_NEAR(swap.fraction(swap.settings, 1.5 * kernels, link), 0.5, 1e-9);
  EXPECT_NEAR(swap.fraction(swap.settings, kernels, link), 1, 1e-9);
}

// A size is timed once, however many roofs it is graded against; an answer with a quality has no time.
// Breaks when a budget is anything but the sum over its lines of the slowest share.
TEST(BenchWork, ABudgetIsTheSumOfItsLines) {
  Part part;
  const auto constant = [](double value) { return [value](const Settings&) { return value; }; };
  part.goals.push_back({.id = "chain",
                        .roof = "copy",
                        .budget = {{"memory-bound", {{"copy", constant(4e6)}, {"mma", constant(1e8)}}},
                                   {"compute-bound", {{"copy", constant(1e6)}, {"mma", constant(6e8)}}}}});
  const auto works = bench_works(part, a100());
  ASSERT_EQ(works.size(), 1U);
  EXPECT_EQ(works[0].roofs, (std::vector<std::string>{"copy", "mma"}));
  const DeclaredWork all = works[0].work(works[0].settings);
  EXPECT_DOUBLE_EQ(all.bytes, 5e6);
  EXPECT_DOUBLE_EQ(all.flops, 7e8);
  const RoofRates rates = {{"copy", 1e12}, {"mma", 2e14}};  // 4 us, and 3
  EXPECT_DOUBLE_EQ(works[0].fraction(works[0].settings, 14e-6, rates), 0.5);
}

TEST(BenchWork, OneForEachSize) {
  const std::vector<Lab>& labs = all_labs();
  EXPECT_EQ(bench_works(*part(labs, "03b").part, a100()).size(), 1U);
  EXPECT_EQ(bench_works(*part(labs, "05").part, a100()).size(), 1U);
  EXPECT_TRUE(bench_works(*part(labs, "06c").part, a100()).empty());
}

// The whole way: the program, Google Benchmark's file, the table.
TEST(LabBench, ComparesVersionsOnTheSimulatedDevice) {
  const fs::path lab = fs::path(ROOFLINE_BUILD) / "bin" / "lab",
                 json = fs::path(testing::TempDir()) / "bench.json";
  if (!fs::exists(lab.parent_path() / "lab-bench")) GTEST_SKIP() << "built without Google Benchmark";
  const CommandResult result = run_command(
      {lab, "bench", "01", "--device", "sim", "--only", "solution|yours|thrust|memcpy", "--json", json});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  for (const char* words :
       {"modelled, not measured", "the reference solution", "not written yet", "needs a GPU"})
    EXPECT_NE(result.output.find(words), std::string::npos) << words << " in\n" << result.output;
  const auto data = nlohmann::json::parse(read_file(json));
  EXPECT_EQ(data["context"]["kind"], "simulated");
  std::vector<std::string> names;
  for (const auto& run : data["benchmarks"]) {
    names.push_back(run["name"]);
    if (run["name"] != "01/bandwidth/solution/iterations:1/manual_time") continue;
    EXPECT_GT(run["fraction"], 0.9);
    EXPECT_NEAR(run["FLOP/s"].get<double>() / run["bytes/s"].get<double>(), 0.25, 1e-9);
    EXPECT_NEAR(run["median_us"].get<double>() / run["real_time"].get<double>(), 1, 1e-6);
  }
  EXPECT_EQ(names.size(), 4U);
  fs::remove(json);

  // What docs/results keeps is what the simulator says today: a change of the model writes the tables anew.
  const fs::path stored = fs::path(ROOFLINE_SOURCE) / "docs/results/simulated-a100-sxm4-40gb.bench.json";
  std::map<std::string, double> kept;
  const auto table = nlohmann::json::parse(read_file(stored));
  for (const auto& run : table["benchmarks"])
    if (run.contains("median_us")) kept[run["name"]] = run["median_us"];
  int compared = 0;
  for (const auto& run : data["benchmarks"]) {
    if (!run.contains("median_us")) continue;
    ASSERT_TRUE(kept.contains(run["name"])) << run["name"];
    EXPECT_NEAR(run["median_us"].get<double>() / kept[run["name"]], 1, 1e-3)
        << run["name"] << ": write " << stored.filename() << " anew (docs/results/files.md)";
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

TEST(LabBench, SaysWhatIsWrong) {
  const fs::path lab = fs::path(ROOFLINE_BUILD) / "bin" / "lab";
  EXPECT_EQ(run_command({lab, "bench", "17"}).exit_code, 2);
  EXPECT_EQ(run_command({lab, "bench", "01", "--device", "sim:none"}).exit_code, 2);
}

}  // namespace
}  // namespace roofline::grader
