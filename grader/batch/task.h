// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/batch/ceiling.h"
#include "grader/batch/intake.h"
#include "grader/box/box.h"
#include "grader/result/result.h"

/// One part of one submission to be graded: a process of its own, so that nothing it does can hurt another.
/// Identical submissions are one task.
namespace roofline::grader {

/// Where a class's files lie: all below --out.
struct BatchFolder {
  std::filesystem::path root;

  std::filesystem::path journal() const { return root / "journal.jsonl"; }
  /// What a person decided (overrides.h); theirs, not ours.
  std::filesystem::path overrides() const { return root / "overrides.toml"; }
  std::filesystem::path work() const { return root / "work"; }
  std::filesystem::path source(const std::string& sha256) const { return work() / "sources" / sha256; }
  std::filesystem::path task(const std::string& key) const { return work() / "tasks" / (key + ".json"); }
  std::filesystem::path outcome(const std::string& key) const {
    return work() / "outcomes" / (key + ".json");
  }
  std::filesystem::path hidden() const {
    return work() / "hidden.toml";
  }  ///< an instructor's cases (hidden.h)
  std::filesystem::path results() const { return root / "results"; }
};

struct Task {
  std::string key;   ///< of what is graded and how: names its files
  std::string part;  ///< "03c"
  std::string source_sha256, prediction_sha256;
  std::string device;
  std::uint64_t seed = 0;
  Sandbox sandbox = Sandbox::kNamespaces;
  unsigned threads = 0;                 ///< of the simulated device; not part of the key
  double budget_seconds = kMostBudget;  ///< of wall time; not part of the key: a class has one a part
};

/// Sets the key and, from the class's seed and the key, the seed.
void name_task(Task& task, std::uint64_t class_seed, const std::string& lab_sha256);

void write_task(const BatchFolder& folder, const Task& task);
Task read_task(const BatchFolder& folder, const std::string& key);

/// Grades it and writes the outcome, without times: the same task gives the same bytes wherever and whenever
/// it runs on a simulated device. Returns an exit status as `./lab grade` does. `gpu`: which; -1: as the
/// device says.
int run_task(const Paths& paths, const BatchFolder& folder, const std::string& key, int gpu);

/// The outcome of a task that ended. Throws std::runtime_error where there is none that can be read.
Result read_outcome(const BatchFolder& folder, const std::string& key);

}  // namespace roofline::grader
