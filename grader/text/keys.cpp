// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/keys.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace roofline::grader {
namespace {

// What signal handlers may touch.
int terminal_fd = -1;
termios as_it_was{}, as_keys{};
bool in_keys = false, marks_pastes = false;
int wake[2] = {-1, -1};
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};

void on_end(int) {
  const int error = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake[1], &byte, 1);
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// Asks the terminal to put marks around what is pasted, or no longer to.
void mark_pastes(bool on) {
  if (!marks_pastes) return;
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, on ? "\033[?2004h" : "\033[?2004l", 8);
}

void on_stop(int) {
  const int error = errno;
  if (in_keys) {
    mark_pastes(false);
    tcsetattr(terminal_fd, TCSANOW, &as_it_was);
  }
  raise(SIGSTOP);
  if (in_keys) {  // SIGCONT came
    tcsetattr(terminal_fd, TCSANOW, &as_keys);
    mark_pastes(true);
  }
  errno = error;
}

}  // namespace

std::string KeyFilter::feed(std::string_view bytes) {
  std::string plain;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    switch (state_) {
      case State::kPlain:
        if (byte == 0x1b) {
          state_ = State::kEscape;
        } else if (byte < 0x80 && !in_paste_) {
          plain += c;
        }
        break;
      case State::kEscape:  // ESC [ and ESC O begin a sequence, ESC and a letter is Alt with that letter
        state_ = c == '[' ? State::kSequence : c == 'O' ? State::kOneMore : State::kPlain;
        if (byte == 0x1b) state_ = State::kEscape;
        sequence_.clear();
        break;
      case State::kSequence:
        sequence_ += c;
        if (byte >= 0x40 && byte <= 0x7e) end_sequence();
        break;
      case State::kOneMore:
        state_ = State::kPlain;
        break;
    }
  }
  return plain;
}

void KeyFilter::end_sequence() {
  state_ = State::kPlain;
  if (sequence_ == "200~") in_paste_ = pasted_ = true;
  if (sequence_ == "201~") in_paste_ = false;
}

KeyTerminal::KeyTerminal(int fd) : fd_(fd) {
  if (isatty(fd) != 1 || tcgetattr(fd, &as_it_was) != 0) return;
  as_keys = as_it_was;
  as_keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C and Ctrl-Z still are signals
  as_keys.c_cc[VMIN] = 1;
  as_keys.c_cc[VTIME] = 0;
  terminal_fd = fd;
  const char* kind = std::getenv("TERM");
  marks_pastes = isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
  on_ = true;
  handle(SIGTSTP, on_stop);
  keys();
}

KeyTerminal::~KeyTerminal() {
  if (!on_) return;
  lines();
  handle(SIGTSTP, SIG_DFL);
}

void KeyTerminal::lines() {
  if (!on_) return;
  if (in_keys) mark_pastes(false);
  in_keys = false;
  tcsetattr(fd_, TCSADRAIN, &as_it_was);
}

void KeyTerminal::keys() {
  if (!on_) return;
  tcsetattr(fd_, TCSADRAIN, &as_keys);
  mark_pastes(true);
  in_keys = true;
}

Interrupts::Interrupts() {
  if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("cannot make a pipe");
  for (const int signal : kEnding) handle(signal, on_end);
}

Interrupts::~Interrupts() {
  for (const int signal : kEnding) handle(signal, SIG_DFL);
  handle(SIGTSTP, SIG_DFL);
  close(wake[0]);
  close(wake[1]);
}

int Interrupts::fd() const { return wake[0]; }

void Interrupts::ignore() {
  for (const int signal : kEnding) handle(signal, SIG_IGN);
  handle(SIGTSTP, SIG_DFL);
}

std::optional<std::string> read_line(int fd, int interrupt) {
  std::string line;
  while (true) {
    pollfd watched[] = {{fd, POLLIN, 0}, {interrupt, POLLIN, 0}};
    if (poll(watched, 2, -1) < 0 && errno != EINTR) return std::nullopt;
    if (watched[1].revents != 0) return std::nullopt;
    if (watched[0].revents == 0) continue;
    char byte = 0;
    if (read(fd, &byte, 1) != 1) return std::nullopt;
    if (byte == '\n') return line;
    line += byte;
  }
}

}  // namespace roofline::grader
