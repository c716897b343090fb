// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/paths.h"
#include "grader/tests/results_grades.h"
#include "grader/text/svg.h"

// The pages of docs/results/ are made of the data files beside them: run with ROOFLINE_UPDATE_PAGES=1 where a
// file changed. What has not been measured is said to be so.
namespace roofline::grader::results {
namespace {

// ---- how fast the simulator is ----

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

std::vector<ComparedPoint> roof_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".roofs.json"),
             measured = data("measured-" + card + ".roofs.json");
  const auto others = by_name(measured, "roofs", "id");
  std::vector<ComparedPoint> points;
  if (!simulated) return points;
  for (const Json& roof : (*simulated)["roofs"]) {
    ComparedPoint point{roof["id"], roof["unit"], roof["value"], {}, 0, {}};
    const double sheet = roof["data_sheet"];
    point.fraction = sheet > 0 ? point.simulated / sheet : 0;
    if (const auto other = others.find(point.name); other != others.end())
      point.measured = (*other->second)["value"].get<double>();
    points.push_back(point);
  }
  return points;
}

std::vector<ComparedPoint> version_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".bench.json"), measured = bench_data("measured-" + card);
  const auto others = by_name(measured, "benchmarks", "name");
  std::vector<ComparedPoint> points;
  if (!simulated) return points;
  for (const Json& run : (*simulated)["benchmarks"]) {
    if (run.value("error_occurred", false)) continue;
    ComparedPoint point{plain_name(run), "us", run["median_us"], {}, run["fraction"], {}};
    // Sizes on a card are larger: what compares is the fraction of the limit.
    if (const auto other = others.find(point.name);
        other != others.end() && !other->second->value("error_occurred", false))
      point.measured = point.measured_fraction = (*other->second)["fraction"].get<double>();
    point.simulated = point.measured ? point.fraction : point.simulated;
    points.push_back(point);
  }
  return points;
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
std::string reasons_for(const std::string& card, const std::vector<ComparedPoint>& points) {
  const Json misses = data("misses.json").value_or(Json::object());
  std::string text;
  for (const ComparedPoint& point : points)
    if (misses.contains(card + "/" + point.name))
      text += "- " + point.name + ": " + misses[card + "/" + point.name].get<std::string>() + "\n";
  return text.empty() ? "" : "\nFurther off than the limit:\n\n" + text;
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
  const std::vector<ComparedPoint> roofs = roof_points(card), versions = version_points(card);
  if (roofs.empty() && versions.empty()) text += "\nNo table is stored yet.\n";
  if (!roofs.empty()) {
    text += "\n### Roofs\n\n" + spread_line(roofs) +
            "\n| roof | simulated | of the data sheet | measured | error |\n|---|---|---|---|---|\n";
    for (const ComparedPoint& point : roofs)
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
    for (const ComparedPoint& point : versions)
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
      "compared with measurements on real GPUs. Made by `ROOFLINE_UPDATE_PAGES=1 ctest -R "
      "ResultsPages` from the data files in this folder: `simulated-GPU.*.json`, and "
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
std::vector<std::string> complaints(const std::string& card, const std::vector<ComparedPoint>& points,
                                    const Json& misses) {
  std::vector<std::string> all;
  std::vector<double> errors;
  for (const ComparedPoint& point : points) {
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
    std::vector<ComparedPoint> points = roof_points(card);
    for (const auto& more : {grade_points(card), version_points(card)})
      points.insert(points.end(), more.begin(), more.end());
    for (const std::string& complaint : complaints(card, points, misses)) ADD_FAILURE() << complaint;
    for (const ComparedPoint& point : points)
      if (point.measured && std::abs(point.error()) >= kWorstLimit)
        owned_up.push_back(card + "/" + point.name);
  }
  for (const auto& [name, reason] : misses.items())
    EXPECT_TRUE(std::ranges::find(owned_up, name) != owned_up.end()) << name << " is no miss any more";
}

// The bar itself, on made-up points: while no card was measured, the test above has nothing to say.
TEST(Results, AModelThatIsFarOffIsSeen) {
  const auto point = [](const std::string& name, double simulated, std::optional<double> measured) {
    return ComparedPoint{name, "us", simulated, measured, 0, measured};
  };
  const std::vector<ComparedPoint> near = {point("a", 105, 100), point("b", 90, 100), point("c", 1, {})};
  EXPECT_TRUE(complaints("card", near, {}).empty());
  std::vector<ComparedPoint> one = near;
  one.push_back(point("d", 140, 100));
  EXPECT_EQ(complaints("card", one, {}), (std::vector<std::string>{"card d: simulated 140, measured 100"}));
  EXPECT_TRUE(complaints("card", one, {{"card/d", "a reason"}}).empty());
  const std::vector<ComparedPoint> all = {point("a", 125, 100), point("b", 75, 100), point("c", 128, 100)};
  EXPECT_EQ(complaints("card", all, {}), (std::vector<std::string>{"card: median error 25.0 %"}));
}

}  // namespace
}  // namespace roofline::grader::results
