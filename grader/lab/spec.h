// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/lab/case.h"
#include "grader/lab/goal.h"
#include "grader/lab/program.h"
#include "grader/lab/step.h"
#include "grader/lab/structure.h"
#include "grader/lab/value.h"
#include "grader/result/medal.h"

/// What a lab is, as the judge sees it. `labs/NN-name/spec.cpp` returns one Lab; it holds no learner's code
/// and is linked into the grader. It should read like a table: see labs/01-pointwise/spec.cpp (a goal: one
/// timed size against one roof) and labs/02-intensity/spec.cpp (a sweep: one argument varied, two roofs). In
/// short:
///
// clang-format off
///     Lab ROOFLINE_LAB_SPEC() {
///       return {
///           .title = "pointwise: the memory wall",
///           .parts = {{
///               .program = {.header = "pointwise.h", .source = "pointwise.cu", .function = "pointwise",
///                           .arguments = {in("x", "n"), out("y", "n"), scalar("a"), scalar("b"), size("n"), stream()},
///                           .outputs = {{.argument = "y", .reference = axpb, .tolerance = {.c = 2}}}},
///               .cases = common_cases({.in_place = {{"y", "x"}}}),
///               .goals = {{.id = "bandwidth", .title = "8 bytes an element, at the copy roof",
///                          .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 8})}},
///                          .roof = "copy",
///                          .work = [](const Settings& s) { return 8 * s["n"]; },
///                          .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
///               .structure = {one_kernel(), coalesced(1.10)},
///               .predictions = {{.key = "bytes_per_element", .question = "DRAM bytes for one element", .expected = 8}},
///           }}};
///     }
///
/// with the reference, in double, on a range of output elements:
///
///     void axpb(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
///       const auto x = call.input<float>("x");
///       const double a = call.scalar("a"), b = call.scalar("b");
///       for (auto i = begin; i < end; ++i) expected[i - begin] = {a * x[i] + b, std::abs(a * x[i]) + std::abs(b)};
///     }
// clang-format on
namespace roofline::grader {

/// A line of prediction.toml, graded by arithmetic: expected / factor <= answer <= expected * factor.
struct Prediction {
  std::string key{}, question{};
  double expected = 0;
  double factor = 1.01;
  std::string unit{};
  std::string word{};  ///< when not empty the answer is this word ("memory"), not a number
};

/// A version of a part's work: the learner's own file, or one of those beside the solution.
struct Version {
  std::string name{};
  std::string file{};  ///< in the lab's solutions; empty: what the learner has written
};

/// Versions side by side, for `./lab bench`: the time of a call for every value of one argument.
struct Bench {
  std::string title{};
  std::string argument{};
  std::vector<double> values{};  ///< ascending, each twice the one before
  NamedValues settings{};
  std::function<double(const Settings&)> work{};  ///< a call's time is divided by this ...
  std::string unit{};                             ///< ... and is then so many "us a step"
  double timeline_at = 0;           ///< value of the argument at which timelines are drawn; 0: none
  double timeline_us = 0;           ///< how long they are
  std::vector<Version> versions{};  ///< at most 5
};

struct Points {
  double correctness = 40, structure = 10, prediction = 10;
  PerMedal medals{.pass = 20, .good = 10, .excellent = 10};
  double total() const { return correctness + structure + prediction + medals.sum(); }
  bool operator==(const Points&) const = default;
};

/// What one `./lab grade` id names: "01", or "03c" for a lab with parts.
struct Part {
  std::string letter{};  ///< "" or "a", "b" ...; folders of its versions are named after its source
  std::string title{};   ///< empty: the lab's
  Program program{};
  std::vector<Case> cases{};
  std::vector<Goal> goals{};
  std::vector<Goal> shown{};  ///< timed and printed beside the goals, never graded: a trap made visible
  std::vector<Sweep> sweeps{};
  std::vector<Overlap> overlaps{};
  bool is_timed() const { return !goals.empty() || !sweeps.empty() || !overlaps.empty(); }
  std::vector<Quality> qualities{};
  std::vector<StructureCheck> structure{};
  std::vector<Step> steps{};  ///< small wins on the way, in order
  /// A second simulated device for the goals, "h200": where the part is graded on the default simulated
  /// device and everything there is excellent, each goal is timed here too, and *excellent* asks for both. On
  /// a GPU, and on any other simulated device, that device alone counts.
  std::string second_device{};
  std::optional<Bench> bench{};
  std::vector<Prediction> predictions{};  ///< empty: no prediction asked, its points go to correctness
  Points points{};
  int minimum_capability = 0;  ///< below it: skipped
  /// Above it, but without what the part is about: skipped, too.
  std::vector<int> capabilities_without{};
  /// A call answers the same bits, and ends, in whatever order its blocks run: each small case runs once more
  /// on the simulated device with blocks in a mixed order. Without it a call has only to repeat its own bits.
  bool any_block_order = false;
  /// The goal with the least medal decides the points of all: one kernel for several kinds of input, say. The
  /// part's medal is the least one either way.
  bool worst_goal_counts = false;
  /// The file holds answers about the lab's sealed programs (kSealedFolder), judged by experiments on a
  /// simulated GPU: it is compiled by nobody, and needs no header, cases or goals.
  bool about_sealed = false;
  /// The file that is handed out is a program with a bug, which is to be repaired, and its one TODO says so.
  /// It is right in some cases, so correctness has its points when it is right in all.
  bool repair = false;
  std::uint64_t host_to_device_limit = 4096;  ///< bytes a graded call may bring to the device, any way
  double deadline_seconds = 60;               ///< wall time of one call, load and fetch included
  bool prepares =
      false;  ///< the adapter prepares something before the calls (worker/worker.h): its cost is shown
  std::string adapter{};  ///< file in the lab's folder that defines main() instead of the generic worker
  std::vector<std::string>
      given{};  ///< further files in the lab's folder that the learner's file may include
  /// Called once a run, on a copy: fills in what has to be new in every run (settings of cases and goals).
  std::function<void(Part& part, std::uint64_t seed)> draw{};
};

/// The folder of programs that learners get compiled (docs/add-a-lab.md, "Sealed programs"): sources among a
/// lab's solutions, objects in a course repository's lab.
constexpr const char* kSealedFolder = "sealed";

struct Lab {
  std::string folder{};  ///< filled by the list: "01-pointwise"
  std::string title{};
  std::vector<Part> parts{};
  std::string hints = "hints.md", theory = "README.md",
              prediction = "prediction.toml";  ///< files in the lab's folder

  std::string number() const { return folder.substr(0, folder.find('-')); }
  std::string name() const { return folder.substr(folder.find('-') + 1); }
  std::string id_of(const Part& part) const { return number() + part.letter; }
};

/// Adds the cases that follow from others: where pointers are moved together, each array alone, since a test
/// of one pointer says nothing about another.
void complete(Lab& lab);

/// Every labs/*/spec.cpp, in the order of the folders' names (generated by CMake). They are made once a
/// process; what changes a lab (hidden cases, a draw) works on a copy.
const std::vector<Lab>& all_labs();

}  // namespace roofline::grader
