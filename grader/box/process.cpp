// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "grader/box/child.h"

namespace roofline::grader {
namespace {

using Clock = std::chrono::steady_clock;

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

CommandResult run(ChildStart start, const CommandOptions& options) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  start.output = output[1];
  const Child child = start_child(start);
  close(output[1]);
  if (child.error != 0) {
    wait_for_child(child.pid);
    close(output[0]);
    throw std::runtime_error("cannot run " + start.arguments[0] + ": " + std::strerror(child.error));
  }
  CommandResult result;
  int status = 0;
  const auto deadline = Clock::now() + options.limit;
  const bool closed = collect(output[0], options, deadline, result);
  result.timed_out = !(closed && wait_until(child.pid, deadline, status));
  kill(-child.pid, SIGKILL);  // also what it left behind
  if (result.timed_out) status = wait_for_child(child.pid);
  close(output[0]);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace

CommandResult run_command(const Entrance& entrance, const CommandOptions& options) {
  return run({.arguments = entrance.arguments,
              .environment = entrance.environment,
              .directory = entrance.directory,
              .confinement = &entrance.confinement},
             options);
}

CommandResult run_command(const std::vector<std::string>& arguments, const CommandOptions& options) {
  return run({.arguments = arguments,
              .environment = environment_with(options.environment),
              .directory = options.directory},
             options);
}

}  // namespace roofline::grader
