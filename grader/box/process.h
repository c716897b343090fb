// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/box/box.h"

namespace roofline::grader {

struct CommandOptions {
  std::filesystem::path directory{};         ///< where it runs; empty: here
  std::chrono::milliseconds limit{120'000};  ///< wall clock; then its whole process group is killed
  size_t output_limit = 64 * 1024;           ///< bytes of stdout and stderr together that are kept
  std::vector<std::string> environment{};    ///< NAME=VALUE added to ours
  std::function<void()> tick{};              ///< called about ten times a second while it runs
};

struct CommandResult {
  int exit_code = -1;  ///< -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool truncated = false;  ///< it wrote more than the limit
  std::string output;      ///< stdout and stderr as they came
  bool ok() const { return exit_code == 0 && !timed_out; }
};

/// Runs a program (found on PATH) without a shell, with stdin empty, in a process group of its own. Throws
/// std::runtime_error when it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments, const CommandOptions& options = {});

/// The same in a box: directory and environment are the box's.
CommandResult run_command(const Entrance& entrance, const CommandOptions& options = {});

}  // namespace roofline::grader
