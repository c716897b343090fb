// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <termios.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace roofline::grader {

/// Plain characters out of what a terminal sends: arrow and function keys (escape sequences, also those that
/// come in pieces) and bytes beyond ASCII are dropped, and all that is pasted, where the terminal marks it.
class KeyFilter {
 public:
  std::string feed(std::string_view bytes);
  /// Whether something was pasted since the last time it was asked.
  bool pasted() { return std::exchange(pasted_, false); }

 private:
  enum class State { kPlain, kEscape, kSequence, kOneMore };
  void end_sequence();
  State state_ = State::kPlain;
  std::string sequence_;  ///< what came after ESC [
  bool in_paste_ = false, pasted_ = false;
};

/// A terminal that gives single keys without echo and marks what is pasted (bracketed paste), for as long as
/// the object lives; Ctrl-Z gives the shell a terminal as it was, too. One at a time.
class KeyTerminal {
 public:
  explicit KeyTerminal(int fd);
  ~KeyTerminal();
  KeyTerminal(const KeyTerminal&) = delete;
  KeyTerminal& operator=(const KeyTerminal&) = delete;

  /// For a question that is answered with a line: as it was, and back.
  void lines();
  void keys();
  bool on() const { return on_; }

 private:
  int fd_;
  bool on_ = false;  ///< false: not a terminal
};

/// Ends a wait in poll when SIGINT, SIGTERM or SIGHUP comes. One at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  int fd() const;  ///< readable after a signal
  /// In a child process: these signals are the parent's to answer.
  static void ignore();
};

/// A line from `fd`, without its end; nothing at the end of the file, or when `interrupt` (-1: none) becomes
/// readable first.
std::optional<std::string> read_line(int fd, int interrupt = -1);

}  // namespace roofline::grader
