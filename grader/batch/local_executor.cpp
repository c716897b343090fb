// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "grader/batch/executor.h"
#include "grader/box/child.h"

namespace roofline::grader {
namespace {

using Clock = std::chrono::steady_clock;

/// Longer than every deadline of a grade together: what is still there then hangs through a fault of ours.
constexpr std::chrono::minutes kLongestTask{40};

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(const BatchFolder& folder, std::size_t slots, bool gpu)
      : folder_(folder), slots_(std::max<std::size_t>(slots, 1)), gpu_(gpu) {
    std::error_code ignored;
    std::filesystem::create_directories(folder_.work() / "logs", ignored);
  }
  ~LocalExecutor() override {
    for (const Running& task : tasks_) kill(-task.pid, SIGKILL);
    for (const Running& task : tasks_) waitpid(task.pid, nullptr, 0);
  }
  LocalExecutor(const LocalExecutor&) = delete;
  LocalExecutor& operator=(const LocalExecutor&) = delete;

  std::size_t room() const override { return slots_ - tasks_.size(); }
  std::size_t running() const override { return tasks_.size(); }

  void start(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) start_one(key);
  }

  std::vector<TaskEnd> wait(std::chrono::milliseconds longest) override {
    std::vector<TaskEnd> ended;
    const auto until = Clock::now() + longest;
    do {
      collect(ended);
      if (ended.empty()) usleep(5000);
    } while (ended.empty() && Clock::now() < until);
    return ended;
  }

 private:
  struct Running {
    std::string key;
    pid_t pid;
    std::size_t slot;
    Clock::time_point begin;
    bool late = false;
  };

  std::size_t free_slot() const {
    for (std::size_t slot = 0;; ++slot)
      if (std::ranges::none_of(tasks_, [&](const Running& task) { return task.slot == slot; })) return slot;
  }

  void start_one(const std::string& key) {
    const std::size_t slot = free_slot();
    const std::string log = (folder_.work() / "logs" / (key + ".txt")).string();
    int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const Child child =
        start_child({.arguments = task_command(folder_, key, gpu_ ? static_cast<int>(slot) : -1),
                     .environment = environment_with({}),
                     .output = file});
    close(file);
    if (child.pid < 0)
      throw InfrastructureError(std::string("cannot start a task: ") + std::strerror(child.error));
    tasks_.push_back({key, child.pid, slot, Clock::now()});
  }

  void collect(std::vector<TaskEnd>& ended) {
    for (std::size_t i = 0; i < tasks_.size();) {
      Running& task = tasks_[i];
      int status = 0;
      if (waitpid(task.pid, &status, WNOHANG) != task.pid) {
        if (!task.late && Clock::now() - task.begin > kLongestTask) {
          task.late = true;
          kill(-task.pid, SIGKILL);
        }
        ++i;
        continue;
      }
      kill(-task.pid, SIGKILL);
      TaskEnd end{.key = task.key,
                  .finished = WIFEXITED(status) && (WEXITSTATUS(status) <= 1 || WEXITSTATUS(status) == 3),
                  .why = {},
                  .seconds = std::chrono::duration<double>(Clock::now() - task.begin).count()};
      if (task.late)
        end.why = "the grader did not end within 40 minutes";
      else if (WIFSIGNALED(status))
        end.why = std::string("the grader was ended by signal ") + strsignal(WTERMSIG(status));
      else if (!end.finished)
        end.why = "the grader ended with status " + std::to_string(WEXITSTATUS(status));
      ended.push_back(std::move(end));
      tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  BatchFolder folder_;
  std::size_t slots_;
  bool gpu_;
  std::vector<Running> tasks_;
};

}  // namespace

std::unique_ptr<Executor> local_executor(const BatchFolder& folder, std::size_t slots, bool gpu) {
  return std::make_unique<LocalExecutor>(folder, slots, gpu);
}

std::vector<std::string> task_command(const BatchFolder& folder, const std::string& key, int gpu) {
  std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(), "batch",
                                      folder.root.string(), "--task", key};
  if (gpu >= 0) command.insert(command.end(), {"--gpu", std::to_string(gpu)});
  return command;
}

}  // namespace roofline::grader
