// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/box/box.h"
#include "worker/protocol.h"

namespace roofline::grader {

/// The process that holds the learner's code, seen from the judge: records over a socket, each with a
/// deadline. It runs in a process group of its own with resource limits; what it prints is kept (64 KiB),
/// never parsed.
class WorkerProcess {
 public:
  struct Start {
    std::filesystem::path program;
    std::vector<std::string> environment;  ///< NAME=VALUE, complete: nothing of ours is inherited
    int input_fd = -1, output_fd = -1;     ///< the memfds
    int device_fd = -1;                    ///< guest end of a simulated device, or -1
    Box* box = nullptr;  ///< that it runs in; must outlive it. `program` is then its path in there.
    std::function<bool()> keep_waiting{};  ///< asked about ten times a second; may be empty
  };
  /// Throws std::runtime_error when it cannot be started (a program that cannot be executed dies at once
  /// instead).
  explicit WorkerProcess(const Start& start);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  enum class Wait : std::uint8_t { kRecord, kDied, kDeadline, kMalformed, kStopped };
  using Deadline = std::chrono::steady_clock::time_point;

  pid_t pid() const { return pid_; }
  bool send(const worker::Request& request);
  template <class Record>
  Wait receive(Record& record, Deadline deadline) {
    return receive_bytes(&record, sizeof record, deadline);
  }

  /// Kills the whole group and reaps the process. Safe to call again.
  void end();
  /// "signal 11 (Segmentation fault)" or "exit status 3"; after end() or kDied.
  std::string how_it_ended() const;
  bool killed_by_signal() const;
  /// False where the box could not be made, so that the program never began: no fault of the program's.
  bool began() const;
  /// What it wrote to stdout and stderr so far: capped, made valid UTF-8 without control characters.
  std::string output();
  /// Whether it printed more than output() keeps.
  bool printed_too_much();

 private:
  Wait receive_bytes(void* record, std::size_t bytes, Deadline deadline);
  void drain();
  bool reap(bool wait);
  int signal_number() const;

  pid_t pid_ = -1;
  int socket_ = -1, pipe_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  Box* box_ = nullptr;
  std::function<bool()> keep_waiting_;
  std::string raw_output_;
  bool output_truncated_ = false;
};

}  // namespace roofline::grader
