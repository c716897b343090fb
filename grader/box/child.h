// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grader/box/confinement.h"

namespace roofline::grader {

/// A program that is to be started in a child process, which does not outlive this one. All of the grader's
/// programs are started here; what forks without exec runs the grader's own code in the child.
struct ChildStart {
  std::vector<std::string> arguments;    ///< the first is the program: a path, or a name to look up on PATH
  std::vector<std::string> environment;  ///< NAME=VALUE, complete
  std::string program{};                 ///< what to execute where the first argument only names it
  std::filesystem::path directory{};     ///< where it runs; empty: here
  /// Where its stdout and stderr go. It is then apart: stdin is empty, its process group is its own. -1: it
  /// shares our terminal and our process group, so that Ctrl-C reaches it.
  int output = -1;
  std::vector<int> keep{};                   ///< descriptors to leave open, of those that exec would close
  const sigset_t* mask = nullptr;            ///< signals that it begins with blocked; null: ours
  const Confinement* confinement = nullptr;  ///< what it gives up; null: nothing
};

struct Child {
  pid_t pid;  ///< -1: there was no process to be had
  int error;  ///< errno of what failed: where it was exec, the child has ended with status 127; 0: it runs
};

/// Returns when the program runs or cannot.
Child start_child(const ChildStart& start);

/// Until it has ended; as waitpid() says it.
int wait_for_child(pid_t child);

/// Ours, with these NAME=VALUE instead of their namesakes.
std::vector<std::string> environment_with(const std::vector<std::string>& added);

}  // namespace roofline::grader
