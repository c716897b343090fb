// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grader/batch/task.h"

/// Where tasks run. An executor only starts them and sees them end; what they found stands in their outcome
/// files.
namespace roofline::grader {

struct TaskEnd {
  std::string key;
  bool finished = false;  ///< it ended as a task ends, with an outcome; else `why` says what happened
  std::string why;
  double seconds = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// Tasks that may be started now.
  virtual std::size_t room() const = 0;
  /// At most room() of them. Throws InfrastructureError.
  virtual void start(const std::vector<std::string>& keys) = 0;
  /// Those that ended, after waiting for at most this long for the first.
  virtual std::vector<TaskEnd> wait(std::chrono::milliseconds longest) = 0;
  virtual std::size_t running() const = 0;
};

/// Processes of this machine: `slots` at a time. On GPUs slot i has the i-th one to itself.
std::unique_ptr<Executor> local_executor(const BatchFolder& folder, std::size_t slots, bool gpu);

struct SlurmOptions {
  std::string partition, time = "01:00:00", memory = "4G";
  std::size_t chunk = 1000;  ///< tasks of an array
  std::size_t at_once = 0;   ///< of an array; 0: as the cluster likes
  bool gpu = false;          ///< one GPU a task
  std::string job;           ///< of a run that was killed: to be cancelled first
  std::function<std::vector<std::string>(const std::string&)> command{};  ///< of a task; empty: task_command
  std::function<void(const std::string&)> on_job;  ///< a job's number, as soon as it is known
};
/// Job arrays. Throws UsageError where sbatch is not installed.
std::unique_ptr<Executor> slurm_executor(const BatchFolder& folder, const SlurmOptions& options);

/// The command that runs a task: this program, `batch --task`.
std::vector<std::string> task_command(const BatchFolder& folder, const std::string& key, int gpu);

}  // namespace roofline::grader
