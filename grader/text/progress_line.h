// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "grader/text/terminal.h"

namespace roofline::grader {

/// One line on stderr that says what is being waited for. It appears after a second, only on a terminal, and
/// is gone when the object is; text printed meanwhile must go through `clear` first. From the first update on
/// the seconds go on by themselves: what takes long and says nothing (a roof) is seen to run.
class ProgressLine {
 public:
  explicit ProgressLine(std::string label);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// The wait begins now.
  void restart();
  /// What the wait is for, as the line's label.
  void label(std::string text);
  /// `fraction` below 0: unknown, only a spinner and the seconds are shown.
  void update(double fraction = -1, std::string_view text = "");
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void tick(const std::stop_token& stop);
  void draw();

  std::mutex mutex_;  ///< of all below
  std::condition_variable_any wake_;
  Terminal terminal_;
  std::string label_, text_;
  double fraction_ = -1;
  Clock::time_point start_, drawn_;
  unsigned frame_ = 0;
  bool visible_ = false;
  std::jthread ticker_;  ///< the last: it ends first
};

}  // namespace roofline::grader
