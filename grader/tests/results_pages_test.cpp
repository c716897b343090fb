// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/units.h"
#include "grader/box/process.h"
#include "grader/text/svg.h"

// The pages of docs/results/ are made of the data files beside them: run with ROOFLINE_UPDATE_PAGES=1 where a
// file changed. What has not been measured is said to be so.
namespace roofline::grader {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kResults = fs::path(ROOFLINE_SOURCE) / "docs" / "results";

std::optional<Json> data(const std::string& name) {
  std::error_code none;
  const fs::path file = kResults / name;
  if (!fs::exists(file, none)) return {};
  return Json::parse(read_file(file));
}

std::vector<std::string> files_that_begin(const std::string& with) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kResults))
    if (const std::string name = entry.path().filename(); name.starts_with(with) && name.ends_with(".json"))
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

/// Of a card's tables: one file, or one for each lab, as .ci/gpu writes them.
std::optional<Json> bench_data(const std::string& card) {
  std::optional<Json> all;
  for (const std::string& name : files_that_begin(card + ".bench")) {
    const Json one = *data(name);
    if (!all)
      all = one;
    else
      all->at("benchmarks")
          .insert(all->at("benchmarks").end(), one["benchmarks"].begin(), one["benchmarks"].end());
  }
  return all;
}

std::string percent(double fraction, const char* format = "%.1f %%") {
  return format_number(format, 100 * fraction);
}

std::string text_of(const fs::path& file) {
  std::error_code none;
  return fs::exists(file, none) ? read_file(file) : "";
}

void expect_current(const std::string& name, const std::string& now) {
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) write_file(kResults / name, now);
  EXPECT_EQ(text_of(kResults / name), now) << "run ROOFLINE_UPDATE_PAGES=1 results_pages_test";
}

// ---- how fast the simulator is ----

/// Google Benchmark's name of a run without what it appends.
std::string plain_name(const Json& run) {
  std::string name = run["name"];
  return name.substr(0, name.find("/iterations:"));
}

std::string kernels_table(const Json& speed) {
  std::string text =
      "| kernel | cores | ms | instructions a second | ns a warp instruction |\n|---|---|---|---|---|\n";
  for (const Json& run : speed["benchmarks"]) {
    const std::string name = plain_name(run);
    if (!name.starts_with("kernel/")) continue;
    text += "| " + name.substr(7, name.rfind('/') - 7) + " | " + compact(run["cores"], 2) + " | " +
            compact(run["best_ms"], 3) + " | " + compact(run["lane_instructions/s"].get<double>() / 1e6, 3) +
            " M | " + compact(run["ns/warp_instruction"], 3) + " |\n";
  }
  return text;
}

std::string checks_table(const Json& speed) {
  const std::vector<std::string> kernels = {"saxpy", "gemm", "reduce", "wmma"};
  std::map<std::string, double> times;
  std::vector<std::string> checks;
  for (const Json& run : speed["benchmarks"]) {
    const std::string name = plain_name(run);
    if (!name.starts_with("check_")) continue;
    times[name] = run["times"];
    const std::string check = name.substr(6, name.find('/') - 6);
    if (std::ranges::find(checks, check) == checks.end()) checks.push_back(check);
  }
  std::string text = "| check |";
  for (const std::string& kernel : kernels) text += " " + kernel + " |";
  text += "\n|---|---|---|---|---|\n";
  for (const std::string& check : checks) {
    text += "| " + check + " |";
    for (const std::string& kernel : kernels) {
      const auto found = times.find("check_" + check + "/" + kernel);
      text += found == times.end() ? " |" : " " + compact(found->second, 3) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string machine_line(const Json& speed) {
  const Json& context = speed["context"];
  const double load = context["load_avg"].empty() ? 0 : context["load_avg"][0].get<double>();
  const int cores = context["num_cpus"];
  std::string text = "Measured " + context["date"].get<std::string>().substr(0, 10) + " on " +
                     context.value("cpu", "an unnamed processor") + ", " + std::to_string(cores) +
                     " cores, load average " + compact(load, 3) + " at the start";
  // Half a core of other work already shows.
  text += load > 0.5 ? ": **the machine was busy with other work, so an idle one is faster than this says**"
                     : ", otherwise idle";
  return text + ". Command: `.ci/simulator-speed`.\n";
}

std::string speed_page() {
  std::string text =
      "# How fast the simulated GPU is\n\n"
      "Wall time of whole kernels on the CPU: saxpy on 2^20 elements, a tiled FP32 product of 256 x 256 "
      "matrices, a "
      "reduction of 2^20 elements, and a WMMA product of 512 x 512 matrices of halves. Loading the program's "
      "code at "
      "the first launch is part of it. Of 25 runs, with checks of ten, the fastest counts. An *instruction* "
      "is one PTX "
      "instruction of "
      "one thread; an `mma` counts as one for each of 32 threads, however many products it makes.\n\n"
      "Counters are always on, since virtual time is made of them: there is no faster mode without. Checks "
      "are what "
      "`./lab run --check` adds.\n\n";
  if (const auto speed = data("simulator-speed.json")) {
    text +=
        machine_line(*speed) + "\n" + kernels_table(*speed) +
        "\n## With checks\n\nTimes as long as without, on one core ([what they find](../checks.md)):\n\n" +
        checks_table(*speed);
  } else {
    text += "**Not yet measured**: `.ci/simulator-speed` writes the figures here.\n";
  }
  text +=
      "\n## Other ways to run CUDA without a GPU\n\nPublished figures, none of them measured here, on other "
      "machines "
      "and other programs: they tell orders of magnitude, not ranks.\n\n"
      "| | what it is | figure | source | date |\n|---|---|---|---|---|\n";
  const std::optional<Json> ways = data("cuda-on-a-cpu.json");
  for (const Json& way : (*ways)["ways"])
    text += "| " + way["name"].get<std::string>() + " | " + way["kind"].get<std::string>() + " | " +
            way["figure"].get<std::string>() + " | " + way["source"].get<std::string>() + " | " +
            way["date"].get<std::string>() + " |\n";
  return text;
}

// ---- simulated against measured ----

/// Cards with a device file whose tables are kept: the article's GPU, and one of the next generation.
const std::vector<std::pair<std::string, std::string>> kCards = {{"a100-sxm4-40gb", "A100-SXM4-40GB"},
                                                                 {"h200", "H200"}};
/// What an error may be without being listed in misses.json with its reason.
constexpr double kMedianLimit = 0.20, kWorstLimit = 0.35;

struct Point {
  std::string name, unit;
  double simulated = 0;
  std::optional<double> measured;
  double fraction = 0;
  std::optional<double> measured_fraction;
  double error() const { return simulated / *measured - 1; }
};

std::map<std::string, const Json*> by_name(const std::optional<Json>& table, const char* list,
                                           const char* key) {
  std::map<std::string, const Json*> found;
  if (!table) return found;
  for (const Json& entry : (*table)[list]) {
    std::string name = entry[key];
    found[name.substr(0, name.find("/iterations:"))] = &entry;
  }
  return found;
}

std::vector<Point> roof_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".roofs.json"),
             measured = data("measured-" + card + ".roofs.json");
  const auto others = by_name(measured, "roofs", "id");
  std::vector<Point> points;
  if (!simulated) return points;
  for (const Json& roof : (*simulated)["roofs"]) {
    Point point{roof["id"], roof["unit"], roof["value"], {}, 0, {}};
    const double sheet = roof["data_sheet"];
    point.fraction = sheet > 0 ? point.simulated / sheet : 0;
    if (const auto other = others.find(point.name); other != others.end())
      point.measured = (*other->second)["value"].get<double>();
    points.push_back(point);
  }
  return points;
}

std::vector<Point> version_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".bench.json"), measured = bench_data("measured-" + card);
  const auto others = by_name(measured, "benchmarks", "name");
  std::vector<Point> points;
  if (!simulated) return points;
  for (const Json& run : (*simulated)["benchmarks"]) {
    if (run.value("error_occurred", false)) continue;
    Point point{plain_name(run), "us", run["median_us"], {}, run["fraction"], {}};
    // Sizes on a card are larger: what compares is the fraction of the limit.
    if (const auto other = others.find(point.name);
        other != others.end() && !other->second->value("error_occurred", false))
      point.measured = point.measured_fraction = (*other->second)["fraction"].get<double>();
    point.simulated = point.measured ? point.fraction : point.simulated;
    points.push_back(point);
  }
  return points;
}

std::string error_cell(const Point& point) {
  return point.measured ? percent(point.error(), "%+.1f %%") : "not yet measured";
}

std::string spread_line(std::vector<Point> points) {
  std::erase_if(points, [](const Point& point) { return !point.measured; });
  if (points.empty()) return "Not yet measured on this GPU, so no error is known.\n";
  std::vector<double> errors;
  for (const Point& point : points) errors.push_back(std::abs(point.error()));
  std::ranges::sort(errors);
  return std::to_string(errors.size()) + " points, median error " + percent(errors[errors.size() / 2]) +
         ", worst " + percent(errors.back()) + ".\n";
}

/// Each measured file with its day and commit: they need not be of one run.
std::string measured_files(const std::string& card) {
  std::string text;
  for (const std::string& name : files_that_begin("measured-" + card + ".")) {
    const Json context = data(name)->at("context");
    if (!context.contains("started")) continue;  // grades say it in their section
    text += "- `" + name + "`: " + context["started"].get<std::string>().substr(0, 10) + " on " +
            context["device"].get<std::string>() + ", driver " +
            context.value("driver_version", context["driver"].get<std::string>()) + ", toolkit " +
            context["toolkit"].get<std::string>() + ", commit " + context.value("commit", "unknown") +
            (context.contains("note") ? "; " + context["note"].get<std::string>() : "") + ".\n";
  }
  return text.empty() ? "" : "Measured by `.ci/gpu`:\n\n" + text + "\n";
}

/// What `misses.json` says of the points that are further off than the limit.
std::string reasons_for(const std::string& card, const std::vector<Point>& points) {
  const Json misses = data("misses.json").value_or(Json::object());
  std::string text;
  for (const Point& point : points)
    if (misses.contains(card + "/" + point.name))
      text += "- " + point.name + ": " + misses[card + "/" + point.name].get<std::string>() + "\n";
  return text.empty() ? "" : "\nFurther off than the limit:\n\n" + text;
}

// ---- grades ----

std::string goal_of(const Json& grade) {
  return grade["part"].get<std::string>() + "/" + grade["id"].get<std::string>();
}

const Json* same_goal(const Json& grades, const Json& grade) {
  for (const Json& other : grades["grades"])
    if (goal_of(other) == goal_of(grade)) return &other;
  return nullptr;
}

/// Goals that were graded on the card and timed: fractions of the roof.
std::vector<Point> grade_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".grades.json"),
             measured = data("measured-" + card + ".grades.json");
  std::vector<Point> points;
  if (!simulated || !measured) return points;
  for (const Json& grade : (*measured)["grades"])
    if (const Json* other = same_goal(*simulated, grade); other && grade["n"] > 0)
      points.push_back({goal_of(grade), "", (*other)["fraction"], grade["fraction"].get<double>(), 0, {}});
  return points;
}

/// The same goals' own rates, whatever the roofs beside them.
std::vector<Point> rate_points(const std::string& card) {
  std::vector<Point> points = grade_points(card);
  if (points.empty()) return points;
  const Json simulated = *data("simulated-" + card + ".grades.json"),
             measured = *data("measured-" + card + ".grades.json");
  std::erase_if(points, [&](Point& point) {
    const auto of = [&](const Json& grades) {
      return *std::ranges::find(grades["grades"], point.name, goal_of);
    };
    point.simulated = of(simulated)["achieved"];
    point.measured = of(measured)["achieved"].get<double>();
    return of(measured)["unit"] == "hidden";  // a share already
  });
  return points;
}

std::string earned(const Json& grade) {
  for (const char* key : {"medal", "class", "verdict"})
    if (grade[key].is_string()) return grade[key];
  return "";
}

std::string parts_without(const Json& measured, const Json& simulated) {
  std::string parts, last;
  for (const Json& grade : simulated["grades"]) {
    const std::string part = grade["part"];
    if (part == last ||
        std::ranges::any_of(measured["grades"], [&](const Json& other) { return other["part"] == part; }))
      continue;
    parts += (parts.empty() ? "" : ", ") + part;
    last = part;
  }
  return parts;
}

std::string grades_section(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".grades.json"),
             measured = data("measured-" + card + ".grades.json");
  if (!simulated || !measured) return "";
  const auto origin = [](const Json& context) {
    return context["date"].get<std::string>() + " by `" + context["command"].get<std::string>() + "`" +
           (context["kind"] == "gpu" ? ", driver " + context["driver"].get<std::string>() + ", toolkit " +
                                           context["toolkit"].get<std::string>()
                                     : "") +
           ", commit " + context["commit"].get<std::string>() +
           (context.contains("model") ? ", time model " + context["model"].get<std::string>() : "");
  };
  const Json& context = measured->at("context");
  std::string text = "\n### Grades of the reference solutions\n\nMeasured " + origin(context) +
                     ". Simulated " + origin(simulated->at("context")) + ".";
  if (context.contains("note")) text += " " + context["note"].get<std::string>();
  text += "\n\nFractions of the roof: " + spread_line(grade_points(card)) +
          "Rates themselves, without the roof beside them: " + spread_line(rate_points(card));
  if (const std::string parts = parts_without(*measured, *simulated); !parts.empty())
    text += "Not graded on this GPU: " + parts + ".\n";
  text +=
      "\n| goal | roof | measured | of the roof | samples | earned | simulated | of the roof | earned | "
      "error of "
      "the fraction |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Json& grade : (*measured)["grades"]) {
    const Json* other = same_goal(*simulated, grade);
    if (!other) continue;
    const auto cells = [](const Json& one) {
      return " | " + compact(one["achieved"], 4) + " " + one["unit"].get<std::string>() + " | " +
             percent(one["fraction"]);
    };
    const bool timed = grade["n"] > 0;
    text +=
        "| " + goal_of(grade) + " | " + grade["roof"].get<std::string>() + cells(grade) + " | " +
        std::to_string(grade["n"].get<int>()) + " | " + earned(grade) + cells(*other) + " | " +
        earned(*other) + " | " +
        (timed ? percent((*other)["fraction"].get<double>() / grade["fraction"].get<double>() - 1, "%+.1f %%")
               : "not a time") +
        " |\n";
  }
  return text;
}

std::string card_section(const std::string& card, const std::string& title) {
  std::string text = "\n## " + title + "\n\n";
  text += measured_files(card);
  text +=
      "Simulated by `./lab roofs --device sim:" + card + "` and `./lab bench all --device sim:" + card + "`";
  if (const auto simulated = bench_data("simulated-" + card))
    text += " on " + simulated->at("context").at("started").get<std::string>().substr(0, 10) + ", commit " +
            simulated->at("context").value("commit", "unknown");
  text += ".\n";
  const std::vector<Point> roofs = roof_points(card), versions = version_points(card);
  if (roofs.empty() && versions.empty()) text += "\nNo table is stored yet.\n";
  if (!roofs.empty()) {
    text += "\n### Roofs\n\n" + spread_line(roofs) +
            "\n| roof | simulated | of the data sheet | measured | error |\n|---|---|---|---|---|\n";
    for (const Point& point : roofs)
      text += "| " + point.name + " | " + compact(point.simulated, 4) + " " + point.unit + " | " +
              (point.fraction > 0 ? percent(point.fraction) : "") + " | " +
              (point.measured ? compact(*point.measured, 4) + " " + point.unit : "") + " | " +
              error_cell(point) + " |\n";
    text += reasons_for(card, roofs);
  }
  text += grades_section(card) + reasons_for(card, grade_points(card));
  if (!versions.empty()) {
    text += "\n### Labs, rungs and sweeps\n\n" + spread_line(versions) +
            "\n| version | simulated, of the limit | measured, of the limit | error "
            "|\n|---|---|---|---|\n";
    for (const Point& point : versions)
      text += "| " + point.name + " | " + percent(point.fraction) + " | " +
              (point.measured_fraction ? percent(*point.measured_fraction) : "") + " | " + error_cell(point) +
              " |\n";
    text += reasons_for(card, versions);
  }
  return text;
}

std::string labs_page() {
  std::string text =
      "# Roofs and labs: simulated against measured\n\n"
      "What the time model predicts for the roofs, for the reference solutions' grades and for every version "
      "in `./lab bench`, "
      "compared with measurements on real GPUs. Made by `ROOFLINE_UPDATE_PAGES=1 "
      "results_pages_test` from the data files in this folder: `simulated-GPU.*.json`, and "
      "`measured-GPU.*.json`, which are `roofs.json`, `bench-*.json` and the grades from a run of "
      "`.ci/gpu` on that GPU. Problem sizes differ (a real GPU gets arrays of 16 times its "
      "L2, the simulation of 4 to 5 times), so labs are compared by "
      "their fraction of the limit. Errors of more than " +
      percent(kWorstLimit, "%.0f %%") +
      " must be listed with their reason in `misses.json`, and the median may not exceed " +
      percent(kMedianLimit, "%.0f %%") +
      "; a test checks both. Other tests compare the current model with the stored roofs, which may differ "
      "by 2 "
      "%, and "
      "with the times of a few versions of the labs' work, which may differ by 1 %. "
      "[The model against figures that others published](../model-against-published.md) is a page of its "
      "own.\n";
  for (const auto& [card, title] : kCards) text += card_section(card, title);
  return text;
}

TEST(ResultsPages, SimulatorSpeedIsCurrent) { expect_current("simulator-speed.md", speed_page()); }

TEST(ResultsPages, LabsIsCurrent) { expect_current("labs.md", labs_page()); }

TEST(Results, EveryOtherWayHasASourceAndADate) {
  const std::optional<Json> ways = data("cuda-on-a-cpu.json");
  ASSERT_TRUE(ways);
  EXPECT_GE((*ways)["ways"].size(), 4U);
  for (const Json& way : (*ways)["ways"])
    for (const char* key : {"name", "kind", "figure", "source", "date"})
      EXPECT_FALSE(way.value(key, "").empty()) << way << key;
}

/// What is missing in grades of a card, or beside them in the simulated ones.
std::vector<std::string> grade_faults(const Json& measured, const Json& simulated) {
  std::vector<std::string> all;
  for (const Json* grades : {&measured, &simulated}) {
    const std::string kind = (*grades)["context"].value("kind", "");
    for (const char* key : {"kind", "device", "driver", "toolkit", "date", "commit", "command"})
      if ((*grades)["context"].value(key, "").empty()) all.push_back(kind + ": no " + key);
    for (const Json& grade : (*grades)["grades"]) {
      for (const char* key : {"roof", "unit", "roof_value", "achieved", "fraction", "median_us", "n",
                              "verdict", "class", "medal"})
        if (!grade.contains(key)) all.push_back(kind + " " + goal_of(grade) + ": no " + key);
      const double rate = grade.value("achieved", 0.0), roof = grade.value("roof_value", 0.0);
      if (!(std::abs(rate / roof / grade.value("fraction", 0.0) - 1) < 0.001))
        all.push_back(kind + " " + goal_of(grade) + ": not that fraction of its roof");
    }
  }
  for (const Json& grade : measured["grades"]) {
    const Json* other = same_goal(simulated, grade);
    if (!other)
      all.push_back(goal_of(grade) + ": not simulated");
    else if (other->value("roof", "") != grade.value("roof", "") ||
             other->value("unit", "") != grade.value("unit", ""))
      all.push_back(goal_of(grade) + ": beside another roof");
  }
  // A part is compared whole: what has become of a goal that the card's grade does not know?
  for (const Json& other : simulated["grades"])
    if (std::ranges::any_of(measured["grades"],
                            [&](const Json& grade) { return grade["part"] == other["part"]; }) &&
        !same_goal(measured, other))
      all.push_back(goal_of(other) + ": not measured, but others of its part");
  return all;
}

TEST(Results, SimulatedGradesAreInStepWithMeasuredOnes) {
  for (const auto& [card, title] : kCards) {
    const auto measured = data("measured-" + card + ".grades.json"),
               simulated = data("simulated-" + card + ".grades.json");
    if (!measured) continue;
    ASSERT_TRUE(simulated) << card;
    for (const std::string& fault : grade_faults(*measured, *simulated))
      ADD_FAILURE() << card << ' ' << fault;
  }
}

TEST(Results, GradesThatAreOutOfStepAreSeen) {
  const Json measured = *data("measured-h200.grades.json"), simulated = *data("simulated-h200.grades.json");
  Json other = simulated;
  other["context"].erase("date");
  EXPECT_EQ(grade_faults(measured, other), std::vector<std::string>{"simulated: no date"});
  other = simulated;
  other["grades"].erase(0);
  EXPECT_EQ(grade_faults(measured, other),
            std::vector<std::string>{goal_of(simulated["grades"][0]) + ": not simulated"});
  other = simulated;
  other["grades"][0]["roof"] = "read";
  other["grades"][1]["fraction"] = 0.5;
  EXPECT_EQ(grade_faults(measured, other).size(), 2U);
  other = measured;
  other["grades"].erase(1);
  EXPECT_EQ(
      grade_faults(other, simulated),
      std::vector<std::string>{goal_of(measured["grades"][1]) + ": not measured, but others of its part"});
}

// What is kept as measured was measured, and what is simulated does not pass for it.
TEST(Results, DataFilesSayWhatTheyAre) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kResults)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json") || (!name.starts_with("simulated-") && !name.starts_with("measured-")))
      continue;
    const Json context = Json::parse(read_file(entry.path()))["context"];
    EXPECT_EQ(context["kind"], name.starts_with("measured-") ? "gpu" : "simulated") << name;
    for (const char* key : {"device", "driver", "toolkit", "compute_capability"})
      EXPECT_FALSE(context.value(key, "").empty()) << name << ' ' << key;
  }
}

/// What is further off than the page says, and not owned up to in `misses`.
std::vector<std::string> complaints(const std::string& card, const std::vector<Point>& points,
                                    const Json& misses) {
  std::vector<std::string> all;
  std::vector<double> errors;
  for (const Point& point : points) {
    if (!point.measured) continue;
    errors.push_back(std::abs(point.error()));
    if (errors.back() < kWorstLimit || misses.contains(card + "/" + point.name)) continue;
    all.push_back(card + " " + point.name + ": simulated " + compact(point.simulated, 4) + ", measured " +
                  compact(*point.measured, 4));
  }
  std::ranges::sort(errors);
  if (!errors.empty() && errors[errors.size() / 2] >= kMedianLimit)
    all.push_back(card + ": median error " + percent(errors[errors.size() / 2]));
  return all;
}

// The bar for cards that were measured. A miss is no failure where it is owned up to.
TEST(Results, TheModelIsAsCloseToMeasuredCardsAsThePageSays) {
  const Json misses = data("misses.json").value_or(Json::object());
  std::vector<std::string> owned_up;
  for (const auto& [card, title] : kCards) {
    std::vector<Point> points = roof_points(card);
    for (const auto& more : {grade_points(card), version_points(card)})
      points.insert(points.end(), more.begin(), more.end());
    for (const std::string& complaint : complaints(card, points, misses)) ADD_FAILURE() << complaint;
    for (const Point& point : points)
      if (point.measured && std::abs(point.error()) >= kWorstLimit)
        owned_up.push_back(card + "/" + point.name);
  }
  for (const auto& [name, reason] : misses.items())
    EXPECT_TRUE(std::ranges::find(owned_up, name) != owned_up.end()) << name << " is no miss any more";
}

// The bar itself, on made-up points: while no card was measured, the test above has nothing to say.
TEST(Results, AModelThatIsFarOffIsSeen) {
  const auto point = [](const std::string& name, double simulated, std::optional<double> measured) {
    return Point{name, "us", simulated, measured, 0, measured};
  };
  const std::vector<Point> near = {point("a", 105, 100), point("b", 90, 100), point("c", 1, {})};
  EXPECT_TRUE(complaints("card", near, {}).empty());
  std::vector<Point> one = near;
  one.push_back(point("d", 140, 100));
  EXPECT_EQ(complaints("card", one, {}), (std::vector<std::string>{"card d: simulated 140, measured 100"}));
  EXPECT_TRUE(complaints("card", one, {{"card/d", "a reason"}}).empty());
  const std::vector<Point> all = {point("a", 125, 100), point("b", 75, 100), point("c", 128, 100)};
  EXPECT_EQ(complaints("card", all, {}), (std::vector<std::string>{"card: median error 25.0 %"}));
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

/// Roofs that the model gives otherwise than the stored table.
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
  return all;
}

// Breaks when the time model changes and the tables that the page is made of do not.
TEST(Results, StoredRoofsAreTheModelsOfToday) {
  const std::string card = kCards[0].first;
  const std::optional<Json> stored = data("simulated-" + card + ".roofs.json");
  ASSERT_TRUE(stored);
  const fs::path file = fs::path(testing::TempDir()) / ("stored-roofs-" + std::to_string(getpid()) + ".json");
  const CommandResult result = run_command(
      {std::string(ROOFLINE_BUILD) + "/bin/lab", "roofs", "--device", "sim:" + card, "--json", file.string()},
      {.environment = {std::string("ROOFLINE_ROOT=") + ROOFLINE_SOURCE}});
  ASSERT_TRUE(result.ok()) << result.output;
  Json now = Json::parse(read_file(file));
  fs::remove(file);
  for (const std::string& roof : drifted(*stored, now))
    ADD_FAILURE() << roof << "; ./lab bench and ./lab roofs write the tables again (docs/results/files.md)";
  // And a drift would be seen.
  now["roofs"][0]["value"] = 1.1 * now["roofs"][0]["value"].get<double>();
  now["roofs"].erase(1);
  EXPECT_EQ(drifted(*stored, now).size(), 2U);
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
  const fs::path file = fs::path(testing::TempDir()) / ("stored-bench-" + std::to_string(getpid()) + ".json");
  const CommandResult result = run_command(
      {std::string(ROOFLINE_BUILD) + "/bin/lab", "bench", "01", "03a", "05", "--table", "--device",
       "sim:" + card, "--json", file.string(), "--only",
       "^(01/bandwidth/(1-few-warps|solution)|03a/cosine/two-kernels|05/node/(stream-order|solution))$"},
      {.environment = {std::string("ROOFLINE_ROOT=") + ROOFLINE_SOURCE}});
  ASSERT_TRUE(result.ok()) << result.output;
  Json now = Json::parse(read_file(file));
  fs::remove(file);
  EXPECT_EQ(now["benchmarks"].size(), 5U) << result.output;
  for (const std::string& version : drifted_versions(*stored, now))
    ADD_FAILURE() << version
                  << "; ./lab bench and ./lab roofs write the tables again (docs/results/files.md)";
  // And a drift would be seen.
  now["benchmarks"][0]["median_us"] = 1.1 * now["benchmarks"][0]["median_us"].get<double>();
  now["benchmarks"][1].erase("median_us");
  EXPECT_EQ(drifted_versions(*stored, now).size(), 2U);
}

}  // namespace
}  // namespace roofline::grader
