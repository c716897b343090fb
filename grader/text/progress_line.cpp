// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "grader/text/table.h"

namespace roofline::grader {
namespace {
constexpr std::chrono::seconds kPatience{1};  // shorter waits need no explanation
constexpr std::chrono::milliseconds kRedraw{100}, kTick{500};
constexpr int kCells = 24;
}  // namespace

ProgressLine::ProgressLine(std::string label)
    : terminal_(Terminal::of(STDERR_FILENO)),
      label_(std::move(label)),
      start_(Clock::now()),
      drawn_(start_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::restart() {
  const std::scoped_lock lock(mutex_);
  start_ = drawn_ = Clock::now();
}

void ProgressLine::label(std::string text) {
  const std::scoped_lock lock(mutex_);
  label_ = std::move(text);
  text_.clear();
  fraction_ = -1;
}

void ProgressLine::update(double fraction, std::string_view text) {
  if (!terminal_.interactive) return;
  const std::scoped_lock lock(mutex_);
  fraction_ = fraction;
  if (!text.empty()) text_ = text;
  draw();
  if (!ticker_.joinable()) ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

void ProgressLine::tick(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, stop, kTick, [&] { return stop.stop_requested(); })) draw();
}

void ProgressLine::draw() {
  const auto now = Clock::now();
  if (now - start_ < kPatience || now - drawn_ < kRedraw) return;
  drawn_ = now;
  static constexpr const char* kSpinner[] = {"⠋", "⠙", "⠸", "⠴", "⠦", "⠇"};
  static constexpr const char* kPlainSpinner[] = {"|", "/", "-", "\\"};
  const std::string mark = fraction_ >= 0   ? bar(terminal_, fraction_, kCells)
                           : terminal_.utf8 ? kSpinner[frame_ % 6]
                                            : kPlainSpinner[frame_ % 4];
  ++frame_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  std::string line = label_ + " " + mark + " " + std::to_string(seconds) + " s";
  if (!text_.empty()) line += "  " + text_;
  // A line longer than the terminal would wrap and could not be erased.
  if (display_width(line) >= terminal_.width) line = label_ + " " + std::to_string(seconds) + " s";
  if (display_width(line) >= terminal_.width) return;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  visible_ = true;
}

void ProgressLine::clear() {
  ticker_ = {};  // asks it to stop, and waits
  const std::scoped_lock lock(mutex_);
  if (!visible_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  visible_ = false;
}

}  // namespace roofline::grader
