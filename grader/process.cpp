// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace roofline::grader {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything the child needs, made before fork: between fork and exec only async-signal-safe calls are
/// allowed.
struct Launch {
  std::vector<char*> arguments, environment;
  std::string directory;
  const Confinement* confinement = nullptr;
};

[[noreturn]] void become(const Launch& launch, int output, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a grader that is interrupted leaves no compiler behind
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool wired = nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0;
  const bool confined = launch.confinement == nullptr || confine(*launch.confinement);
  if (confined) prctl(PR_SET_PDEATHSIG, SIGKILL);  // becoming another user forgets it
  if (wired && confined && (launch.directory.empty() || chdir(launch.directory.c_str()) == 0))
    execvpe(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

/// Reads until both the pipe is closed and the deadline has not passed; false: the deadline passed.
bool collect(int pipe_end, const CommandOptions& options, Clock::time_point deadline, CommandResult& result) {
  std::array<char, 16384> buffer;
  while (true) {
    if (options.tick) options.tick();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{pipe_end, POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::min<long long>(left, 100)));
    if (ready <= 0) continue;
    const ssize_t n = read(pipe_end, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    const size_t room = options.output_limit - result.output.size();
    result.truncated |= static_cast<size_t>(n) > room;
    result.output.append(buffer.data(), std::min(room, static_cast<size_t>(n)));
  }
}

/// Waits for the child; false: still running at the deadline.
bool wait_until(pid_t child, Clock::time_point deadline, int& status) {
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return true;
    if (Clock::now() >= deadline) return false;
    usleep(2000);
  }
}

CommandResult run(const Launch& launch, const CommandOptions& options) {
  int output[2], report[2];
  if (pipe2(output, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  const pid_t child = fork();
  if (child == 0) become(launch, output[1], report[1]);
  close(output[1]);
  close(report[1]);
  const auto close_both = [&] { close(output[0]), close(report[0]); };
  if (child < 0) {
    close_both();
    throw std::runtime_error("cannot start a process: " + std::string(std::strerror(errno)));
  }
  setpgid(child, child);  // also here: the child may not have come so far
  int error = 0, status = 0;
  if (read(report[0], &error, sizeof error) == sizeof error) {
    waitpid(child, &status, 0);
    close_both();
    throw std::runtime_error("cannot run " + std::string(launch.arguments[0]) + ": " + std::strerror(error));
  }
  CommandResult result;
  const auto deadline = Clock::now() + options.limit;
  const bool closed = collect(output[0], options, deadline, result);
  result.timed_out = !(closed && wait_until(child, deadline, status));
  kill(-child, SIGKILL);  // also what it left behind
  if (result.timed_out) waitpid(child, &status, 0);
  close_both();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

void set_arguments(Launch& launch, std::vector<std::string>& words) {
  for (std::string& word : words) launch.arguments.push_back(word.data());
  launch.arguments.push_back(nullptr);
}

}  // namespace

CommandResult run_command(const Entrance& entrance, const CommandOptions& options) {
  Launch launch;
  std::vector<std::string> words = entrance.arguments, variables = entrance.environment;
  set_arguments(launch, words);
  for (std::string& variable : variables) launch.environment.push_back(variable.data());
  launch.environment.push_back(nullptr);
  launch.directory = entrance.directory.string();
  launch.confinement = &entrance.confinement;
  return run(launch, options);
}

CommandResult run_command(const std::vector<std::string>& arguments, const CommandOptions& options) {
  Launch launch;
  std::vector<std::string> words = arguments;
  set_arguments(launch, words);
  std::vector<std::string> extra = options.environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('=') + 1);
    bool replaced = false;
    for (const std::string& added : extra) replaced |= added.starts_with(name);
    if (!replaced) launch.environment.push_back(*entry);
  }
  for (std::string& added : extra) launch.environment.push_back(added.data());
  launch.environment.push_back(nullptr);
  launch.directory = options.directory.string();
  return run(launch, options);
}

}  // namespace roofline::grader
