// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "grader/batch/executor.h"
#include "grader/batch/journal.h"
#include "grader/batch/task.h"

/// Runs the tasks of a class to their end: what the journal holds is not run again, our own faults are tried
/// three times, and the lab's own solution vouches for the machine before and after.
namespace roofline::grader {

constexpr int kTries = 3;  ///< of a task that fails through a fault of ours

/// What the journal says about a class.
struct Progressed {
  nlohmann::json header;                    ///< of the class; null: a new one
  std::map<std::string, std::string> done;  ///< key -> verdict
  std::map<std::string, int> faults;        ///< key -> tries that failed through a fault of ours
  std::map<std::string, double> seconds;    ///< key -> wall time
  std::string slurm_job;                    ///< the last one
  std::set<std::string> agreed;             ///< what a person said yes to
  std::string roster, course;               ///< the files that were last given
  std::map<std::string, double> budgets;    ///< part -> seconds that a submission may take
};
/// A sentinel that failed takes back everything since the last one that passed.
Progressed replay(const std::vector<nlohmann::json>& events);

/// What the journal calls done is graded again where its outcome is gone, as after a power cut.
void forget_what_is_lost(const BatchFolder& folder, Progressed& progressed);

class ClassRun {
 public:
  /// `on_progress(done, of, running)`. `outcome_verdict` reads what a task found ("pass", "error" ...; empty:
  /// nothing that can be read); the default reads its file.
  struct Hooks {
    std::function<void(std::size_t, std::size_t, std::size_t)> on_progress{};
    std::function<std::string(const std::string&)> outcome_verdict{};
    std::function<bool()> stop{};  ///< asked to end early
  };
  ClassRun(const BatchFolder& folder, Journal& journal, Executor& executor, Progressed& progressed,
           Hooks hooks);

  /// Tasks that the journal does not hold. What keeps failing through a fault of ours ends as `error`.
  void run(const std::vector<Task>& tasks);
  /// Throws InfrastructureError where one of them does not pass: no points are lost.
  void run_sentinels(const std::vector<Task>& sentinels, const std::string& when);

  bool stopped() const { return stopped_; }

 private:
  void finish(const TaskEnd& end, std::vector<std::string>& again);

  BatchFolder folder_;
  Journal& journal_;
  Executor& executor_;
  Progressed& progressed_;
  Hooks hooks_;
  bool stopped_ = false;
};

}  // namespace roofline::grader
