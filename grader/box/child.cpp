// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

extern char** environ;

namespace roofline::grader {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, made before fork: between fork and exec only async-signal-safe calls are
/// allowed.
struct Launch {
  const ChildStart& start;
  const char* program;
  bool on_path;  ///< where it is to be looked up
  std::vector<char*> arguments, environment;
  pid_t parent;
};

bool take_output(int output) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0;
}

bool prepare(const ChildStart& start) {
  if (start.output >= 0) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who is interrupted leaves no compiler behind
  if (start.mask != nullptr) sigprocmask(SIG_SETMASK, start.mask, nullptr);
  if (start.output >= 0 && !take_output(start.output)) return false;
  for (const int fd : start.keep)
    if (fcntl(fd, F_SETFD, 0) != 0) return false;
  if (start.confinement == nullptr) return true;
  if (!confine(*start.confinement)) return false;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // becoming another user forgets it
  return true;
}

[[noreturn]] void become(const Launch& launch, int report) {
  const ChildStart& start = launch.start;
  const bool ready = prepare(start);
  if (getppid() != launch.parent) _exit(127);  // it died before the child could be bound to it
  if (ready && (start.directory.empty() || chdir(start.directory.c_str()) == 0)) {
    // Where nothing is to be looked up, no execvpe: it hands a file that is no program to a shell.
    if (!launch.on_path)
      execve(launch.program, launch.arguments.data(), launch.environment.data());
    else
      execvpe(launch.program, launch.arguments.data(), launch.environment.data());
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(127);
}

}  // namespace

Child start_child(const ChildStart& start) {
  const bool named = start.program.empty();
  const Launch launch{start,
                      named ? start.arguments.at(0).c_str() : start.program.c_str(),
                      named && start.arguments[0].find('/') == std::string::npos,
                      pointers(start.arguments),
                      pointers(start.environment),
                      getpid()};
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return {-1, errno};
  if (start.output < 0) std::fflush(nullptr);  // what we said stands before what the child says
  const pid_t pid = fork();
  if (pid == 0) become(launch, report[1]);
  int error = pid < 0 ? errno : 0;
  close(report[1]);
  if (pid > 0) {
    if (start.output >= 0) setpgid(pid, pid);  // here too: whoever comes first
    ssize_t got = 0;
    do got = read(report[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
  }
  close(report[0]);
  return {pid, error};
}

int wait_for_child(pid_t child) {
  int status = 0;
  if (child <= 0) return status;  // waitpid would wait for any
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('=') + 1);
    if (std::ranges::none_of(added, [&](const std::string& one) { return one.starts_with(name); }))
      all.emplace_back(*entry);
  }
  return all;
}

}  // namespace roofline::grader
