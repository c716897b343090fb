// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/words.h"
#include "grader/batch/executor.h"
#include "grader/box/process.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

using Clock = std::chrono::steady_clock;

/// States of a task that runs no more (squeue(1), job state codes); in any other it may still end well.
const std::set<std::string> kEnded = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                                      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};

constexpr int kPatience = 30;  ///< times that the queue may be out of reach before that is an error

class SlurmExecutor final : public Executor {
 public:
  SlurmExecutor(const BatchFolder& folder, const SlurmOptions& options) : folder_(folder), options_(options) {
    if (!options_.command)
      options_.command = [this](const std::string& key) {
        return task_command(folder_, key, options_.gpu ? 0 : -1);
      };
    try {
      run_command({"sbatch", "--version"});
    } catch (const std::exception&) {
      throw UsageError("--executor slurm needs Slurm's commands, and sbatch is not installed here");
    }
    if (!options_.job.empty()) run_command({"scancel", options_.job});
  }
  ~SlurmExecutor() override {
    for (const auto& [job, tasks] : arrays_)
      if (!tasks.empty()) try {
          run_command({"scancel", job});
        } catch (const std::exception&) {
        }
  }
  SlurmExecutor(const SlurmExecutor&) = delete;
  SlurmExecutor& operator=(const SlurmExecutor&) = delete;

  std::size_t room() const override { return running() == 0 ? options_.chunk : 0; }
  std::size_t running() const override {
    std::size_t count = 0;
    for (const auto& [job, tasks] : arrays_) count += tasks.size();
    return count;
  }

  void start(const std::vector<std::string>& keys) override {
    const std::filesystem::path place =
        folder_.work() / "slurm" / (std::to_string(Clock::now().time_since_epoch().count()));
    // One command a line: the array's task i runs line i.
    std::string lines;
    for (const std::string& key : keys) {
      std::string line;
      for (const std::string& word : options_.command(key)) line += shell_quoted(word) + " ";
      lines += line + "\n";
    }
    write_file(place / "tasks", lines);
    write_file(place / "job.sh", "#!/bin/sh\neval \"exec $(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" " +
                                     shell_quoted((place / "tasks").string()) + ")\"\n");
    std::string array = "--array=0-" + std::to_string(keys.size() - 1);
    if (options_.at_once != 0) array += "%" + std::to_string(options_.at_once);
    std::vector<std::string> command = {"sbatch",
                                        "--parsable",
                                        array,
                                        "--job-name=roofline-labs",
                                        "--mem=" + options_.memory,
                                        "--time=" + options_.time,
                                        "--no-requeue",  // a node's failure is ours to count
                                        "--output=" + (place / "%a.txt").string()};
    if (options_.gpu) command.push_back("--gres=gpu:1");
    if (!options_.partition.empty()) command.push_back("--partition=" + options_.partition);
    command.push_back((place / "job.sh").string());
    const CommandResult submitted = run_command(command);
    const std::string job = submitted.output.substr(0, submitted.output.find_first_of(";\n"));
    if (!submitted.ok() || job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
      throw InfrastructureError("sbatch refused the job: " + printable(submitted.output));
    if (options_.on_job) options_.on_job(job);
    for (std::size_t i = 0; i < keys.size(); ++i) arrays_[job][i] = keys[i];
    places_[job] = place;
    begin_ = Clock::now();
  }

  std::vector<TaskEnd> wait(std::chrono::milliseconds longest) override {
    std::vector<TaskEnd> ended;
    const auto until = Clock::now() + longest;
    for (auto& [job, tasks] : arrays_) {
      if (tasks.empty()) continue;
      const std::optional<std::set<std::size_t>> queued = in_queue(job);
      if (!queued) continue;
      for (auto it = tasks.begin(); it != tasks.end();) {
        if (queued->contains(it->first)) {
          ++it;
          continue;
        }
        // Out of the queue: with an outcome it ended as it should. Files of another node may come late.
        bool there = false;
        for (int i = 0; i < 20 && !there; ++i) {
          there = std::filesystem::exists(folder_.outcome(it->second));
          if (!there) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        ended.push_back({.key = it->second,
                         .finished = there,
                         .why = there ? ""
                                      : "it left the queue of job " + job + " without an outcome" +
                                            last_words(job, it->first),
                         .seconds = std::chrono::duration<double>(Clock::now() - begin_).count()});
        it = tasks.erase(it);
      }
    }
    if (ended.empty()) std::this_thread::sleep_until(until);
    return ended;
  }

 private:
  /// Indices of the array that wait or run; nothing where the queue could not be asked.
  std::optional<std::set<std::size_t>> in_queue(const std::string& job) {
    const CommandResult asked =
        run_command({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job, "--format=%K %T"},
                    {.limit = std::chrono::seconds(60), .output_limit = 1 << 20});
    // A job that ended some minutes ago is not known any more, which is not an error of the queue.
    const bool forgotten = !asked.ok() && asked.output.find("Invalid job id") != std::string::npos;
    if (!asked.ok() && !forgotten) {
      if (++out_of_reach_ > kPatience) throw InfrastructureError("squeue fails: " + printable(asked.output));
      return std::nullopt;
    }
    out_of_reach_ = 0;
    std::set<std::size_t> indices;
    if (forgotten) return indices;
    std::istringstream lines(asked.output);
    for (std::size_t index = 0; lines >> index;) {
      std::string state;
      lines >> state;
      if (!kEnded.contains(state)) indices.insert(index);
    }
    return indices;
  }

  /// What the task printed at last: why a node could not run it.
  std::string last_words(const std::string& job, std::size_t index) const {
    std::error_code error;
    const std::filesystem::path log = places_.at(job) / (std::to_string(index) + ".txt");
    if (!std::filesystem::exists(log, error)) return "; it printed nothing";
    std::string text = printable(read_file(log));
    while (text.ends_with('\n')) text.pop_back();
    text = text.substr(text.rfind('\n') + 1);
    return text.empty() ? "; it printed nothing" : ": " + text.substr(0, 300);
  }

  BatchFolder folder_;
  SlurmOptions options_;
  std::map<std::string, std::map<std::size_t, std::string>> arrays_;  ///< job -> index -> key
  std::map<std::string, std::filesystem::path> places_;               ///< job -> its files
  Clock::time_point begin_;
  int out_of_reach_ = 0;
};

}  // namespace

std::unique_ptr<Executor> slurm_executor(const BatchFolder& folder, const SlurmOptions& options) {
  return std::make_unique<SlurmExecutor>(folder, options);
}

}  // namespace roofline::grader
