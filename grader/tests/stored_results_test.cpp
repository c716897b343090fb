// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The stored tables of docs/results/ against the model of today.
#include <unistd.h>

#include <regex>

#include "grader/box/process.h"
#include "grader/tests/results_data.h"

namespace roofline::grader::results {
namespace {

// Breaks when a file of measurements is new and files.md does not say what it holds and what wrote it.
TEST(Results, EachFileHasARow) {
  const std::string page = read_file(kResults / "files.md");
  const std::regex gpu("^(measured|simulated)-[^.]+"), number("-[0-9]+[.]json$");
  for (const fs::directory_entry& entry : fs::directory_iterator(kResults)) {
    std::string name = entry.path().filename();
    if (name.ends_with(".md")) continue;
    name = std::regex_replace(std::regex_replace(name, gpu, "$1-GPU"), number, "-01.json");
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos)
        << "docs/results/files.md has no row for " << name;
  }
}

// What a fast kernel reaches on the article's GPU, by the model; for lab 04 more than any published figure
// for WMMA on an A100.
TEST(Results, ReferenceSolutionsAreAtTheLimit) {
  const std::optional<Json> stored = bench_data("simulated-" + kCards[0].first);
  ASSERT_TRUE(stored);
  const auto runs = by_name(stored, "benchmarks", "name");
  for (const auto& [name, least] : std::map<std::string, double>{{"01/bandwidth/solution", 0.97},
                                                                 {"02/repeat-1/solution", 0.95},
                                                                 {"02/repeat-512/solution", 0.95},
                                                                 {"03b/bandwidth/solution", 0.95},
                                                                 {"05/node/solution", 0.9},
                                                                 {"06b/overlap/solution", 0.95}}) {
    ASSERT_TRUE(runs.contains(name)) << name;
    EXPECT_GE(runs.at(name)->at("fraction").get<double>(), least) << name;
  }
  EXPECT_GT(runs.at("04/product/solution")->at("FLOP/s").get<double>(), 172e12);
}

/// What ./lab writes with --json; null where it fails.
Json told_by_lab(std::vector<std::string> words) {
  const fs::path file = fs::path(testing::TempDir()) / ("stored-" + std::to_string(getpid()) + ".json");
  words.insert(words.begin(), std::string(ROOFLINE_BUILD) + "/bin/lab");
  words.insert(words.end(), {"--json", file.string()});
  const CommandResult result =
      run_command(words, {.environment = {std::string("ROOFLINE_ROOT=") + ROOFLINE_SOURCE}});
  EXPECT_TRUE(result.ok()) << result.output;
  if (!result.ok()) return {};
  Json told = Json::parse(read_file(file));
  fs::remove(file);
  return told;
}

/// Roofs that the model gives otherwise than the stored table, and new ones, which it lacks.
std::vector<std::string> drifted(const Json& stored, const Json& now) {
  constexpr double kMost = 0.02;
  std::vector<std::string> all;
  for (const Json& roof : stored["roofs"]) {
    const auto same =
        std::ranges::find(now["roofs"], roof["id"], [](const Json& other) { return other["id"]; });
    const double was = roof["value"], is = same == now["roofs"].end() ? 0 : (*same)["value"].get<double>();
    if (!(std::abs(is / was - 1) < kMost))
      all.push_back(roof["id"].get<std::string>() + ": stored " + compact(was, 4) + ", now " +
                    compact(is, 4));
  }
  for (const Json& roof : now["roofs"])
    if (std::ranges::none_of(stored["roofs"], [&](const Json& other) { return other["id"] == roof["id"]; }))
      all.push_back(roof["id"].get<std::string>() + " is new");
  return all;
}

// Breaks when the time model changes and the tables that the page is made of do not.
TEST(Results, StoredRoofsAreTheModelsOfToday) {
  const std::string card = kCards[0].first;
  const std::optional<Json> stored = data("simulated-" + card + ".roofs.json");
  ASSERT_TRUE(stored);
  Json now = told_by_lab({"roofs", "--device", "sim:" + card});
  ASSERT_TRUE(now.contains("roofs"));
  for (const std::string& roof : drifted(*stored, now))
    ADD_FAILURE() << roof << "; ./lab bench and ./lab roofs write the tables again (docs/results/files.md)";
  // And a drift would be seen.
  now["roofs"][0]["value"] = 1.1 * now["roofs"][0]["value"].get<double>();
  now["roofs"][1]["id"] = "another";
  EXPECT_EQ(drifted(*stored, now).size(), 3U);
}

/// Versions that the model times otherwise than the stored table, or not at all.
std::vector<std::string> drifted_versions(const Json& stored, const Json& now) {
  constexpr double kMost = 0.01;
  const std::optional<Json> before = stored;
  const auto known = by_name(before, "benchmarks", "name");
  std::vector<std::string> all;
  for (const Json& run : now["benchmarks"]) {
    const std::string name = plain_name(run);
    const auto same = known.find(name);
    const double was = same == known.end() ? 0 : same->second->value("median_us", 0.0);
    const double is = run.value("median_us", 0.0);
    if (!(std::abs(is / was - 1) < kMost))
      all.push_back(name + ": stored " + compact(was, 4) + " us, now " + compact(is, 4) + " us");
  }
  return all;
}

// The quick ones among the versions: DRAM, latency, issue, launches and copies each decide one of them.
TEST(Results, StoredVersionsAreTheModelsOfToday) {
  const std::string card = kCards[0].first;
  const std::optional<Json> stored = data("simulated-" + card + ".bench.json");
  ASSERT_TRUE(stored);
  Json now = told_by_lab(
      {"bench", "01", "03a", "05", "--table", "--device", "sim:" + card, "--only",
       "^(01/bandwidth/(1-few-warps|solution)|03a/cosine/two-kernels|05/node/(stream-order|solution))$"});
  ASSERT_EQ(now["benchmarks"].size(), 5U);
  for (const std::string& version : drifted_versions(*stored, now))
    ADD_FAILURE() << version
                  << "; ./lab bench and ./lab roofs write the tables again (docs/results/files.md)";
  // And a drift would be seen.
  now["benchmarks"][0]["median_us"] = 1.1 * now["benchmarks"][0]["median_us"].get<double>();
  now["benchmarks"][1].erase("median_us");
  EXPECT_EQ(drifted_versions(*stored, now).size(), 2U);
}

}  // namespace
}  // namespace roofline::grader::results
