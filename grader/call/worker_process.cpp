// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "grader/base/printable.h"
#include "grader/box/child.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kOutputLimit = 64 * 1024;
constexpr std::chrono::milliseconds kTick{100};

struct Pair {
  int ours = -1, theirs = -1;
};

std::runtime_error failure(const char* what) {
  return std::runtime_error(std::string("cannot start the worker: ") + what + ": " + std::strerror(errno));
}

/// A learner's own work on an own machine. No limit on address space: device windows are reserved, terabytes
/// of it, without using memory.
Entrance unboxed(const std::string& program, std::vector<std::string> environment, std::vector<int> keep) {
  Entrance entrance;
  entrance.arguments = {program};
  entrance.environment = std::move(environment);
  entrance.confinement.keep = std::move(keep);
  entrance.confinement.limits = {
      {RLIMIT_CORE, {0, 0}}, {RLIMIT_NOFILE, {256, 256}}, {RLIMIT_FSIZE, {64U << 20, 64U << 20}}};
  return entrance;
}

}  // namespace

WorkerProcess::WorkerProcess(const Start& start) : box_(start.box), keep_waiting_(start.keep_waiting) {
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) throw failure("socketpair");
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    close(sockets[0]);
    close(sockets[1]);
    throw failure("pipe");
  }
  std::vector<std::string> environment = start.environment;
  const auto name_fd = [&](const char* name, int fd) {
    if (fd >= 0) environment.push_back(std::string(name) + "=" + std::to_string(fd));
  };
  name_fd(worker::kSocketVariable, sockets[1]);
  name_fd(worker::kInputVariable, start.input_fd);
  name_fd(worker::kOutputVariable, start.output_fd);
  name_fd("ROOFLINE_DEVICE_FD", start.device_fd);
  const std::vector<int> keep = {sockets[1], start.input_fd, start.output_fd, start.device_fd};
  const std::string program = start.program.string();
  const Entrance entrance = box_ != nullptr ? box_->enter({program}, environment, "", keep)
                                            : unboxed(program, std::move(environment), keep);
  const Child child = start_child({.arguments = entrance.arguments,
                                   .environment = entrance.environment,
                                   .directory = entrance.directory,
                                   .output = pipes[1],
                                   .confinement = &entrance.confinement});
  pid_ = child.pid;
  close(sockets[1]);
  close(pipes[1]);
  socket_ = sockets[0];
  pipe_ = pipes[0];
  if (pid_ < 0) {
    close(socket_);
    close(pipe_);
    errno = child.error;
    throw failure("fork");
  }
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  end();
  close(socket_);
  close(pipe_);
}

bool WorkerProcess::send(const worker::Request& request) {
  return ::send(socket_, &request, sizeof request, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof request);
}

WorkerProcess::Wait WorkerProcess::receive_bytes(void* record, std::size_t bytes, Deadline deadline) {
  std::vector<std::byte> buffer(bytes + 1);
  auto asked = std::chrono::steady_clock::now();
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Wait::kDeadline;
    pollfd waiting[2] = {{socket_, POLLIN, 0}, {pipe_, POLLIN, 0}};
    // Ticks: a process that died may have left its socket to a child.
    poll(waiting, 2, static_cast<int>(std::min<long long>(left.count(), 100)));
    drain();
    if (const auto now = std::chrono::steady_clock::now(); keep_waiting_ && now - asked >= kTick) {
      asked = now;
      if (!keep_waiting_()) return Wait::kStopped;
    }
    const ssize_t got = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(bytes)) {
      std::memcpy(record, buffer.data(), bytes);
      return Wait::kRecord;
    }
    if (got > 0) return Wait::kMalformed;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      // The socket is closed: give the process a moment to end, so that its status is known.
      for (int i = 0; i < 20 && !reap(false); ++i) usleep(10'000);
      return Wait::kDied;
    }
    if (reap(false)) return Wait::kDied;
    if (waiting[1].revents != 0 && waiting[1].revents != POLLIN) usleep(1000);  // stdout closed: do not spin
  }
}

void WorkerProcess::drain() {
  char buffer[4096];
  // Bounded: a worker that prints without end must not hold the judge here.
  for (int i = 0; i < 256; ++i) {
    const ssize_t got = read(pipe_, buffer, sizeof buffer);
    if (got <= 0) return;
    const std::size_t room = kOutputLimit - raw_output_.size();
    raw_output_.append(buffer, std::min(room, static_cast<std::size_t>(got)));
    output_truncated_ = output_truncated_ || static_cast<std::size_t>(got) > room;
  }
}

bool WorkerProcess::reap(bool wait) {
  if (reaped_ || pid_ <= 0) return reaped_;
  pid_t got = 0;
  do got = waitpid(pid_, &status_, wait ? 0 : WNOHANG);
  while (got < 0 && errno == EINTR);
  reaped_ = got == pid_;
  return reaped_;
}

void WorkerProcess::end() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);  // children that the learner's code left behind, too
  if (!reaped_) {
    kill(pid_, SIGKILL);
    reap(true);
  }
  drain();
  pid_ = -1;
}

int WorkerProcess::signal_number() const {
  if (!reaped_) return 0;
  if (WIFSIGNALED(status_)) return WTERMSIG(status_);
  // What started it in a box tells of a signal as shells do.
  return box_ != nullptr && WEXITSTATUS(status_) > 128 ? WEXITSTATUS(status_) - 128 : 0;
}

bool WorkerProcess::killed_by_signal() const { return signal_number() != 0; }

bool WorkerProcess::began() const { return box_ == nullptr || !reaped_ || box_->was_entered(); }

std::string WorkerProcess::how_it_ended() const {
  if (!reaped_) return "it is still running";
  if (const int number = signal_number(); number != 0)
    return "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  return "exit status " + std::to_string(WEXITSTATUS(status_));
}

bool WorkerProcess::printed_too_much() {
  drain();
  return output_truncated_;
}

std::string WorkerProcess::output() {
  drain();
  std::string text = printable(raw_output_);
  if (output_truncated_) text += "\n... (more was written; the first 64 KiB are kept)\n";
  return text;
}

}  // namespace roofline::grader
