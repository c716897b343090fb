// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "grader/run/run.h"
#include "simulator/channel/named_socket.h"
#include "simulator/host/session.h"

namespace roofline::grader {

/// What one process of a program did on its simulated GPUs.
struct ProcessRun {
  int id = 0;            ///< 0: none of the program's processes used CUDA, or it did not say which
  std::string command;   ///< its name
  std::string who;       ///< "process 4711 (server)"; empty: the only one that is reported
  bool finished = true;  ///< false: its kernels did not end, and were stopped
  sim::Region region;
  std::vector<sim::LineRecord> lines;
  std::vector<sim::Finding> findings;
  sim::Trace trace;
  sim::ThreadRecord followed;
  sim::AccessPicture picture;

  /// To be put before what is said of it.
  std::string prefix() const { return who.empty() ? "" : who + ": "; }
  /// Whether it did more than ask what devices there are.
  bool has_news() const;
};

/// What was asked to be found, of the first process that met it, or else of the one that knows most about why
/// none did. `runs` holds one at least.
template <class Sought>
const Sought& best_of(const std::vector<ProcessRun>& runs, Sought ProcessRun::*sought) {
  const Sought* best = &(runs.front().*sought);
  for (const ProcessRun& run : runs) {
    if ((run.*sought).found) return run.*sought;
    if ((run.*sought).launches > best->launches) best = &(run.*sought);
  }
  return *best;
}

/// What all GPUs of a run are asked to do.
struct Watching {
  sim::MachineOptions machine;
  std::filesystem::path simulator;
  std::optional<sim::ThreadRequest> thread;
  std::optional<sim::PictureRequest> picture;
  bool lines = false;  ///< counters are wanted
};

/// The simulated GPUs of a program's processes. Those of the process that uses CUDA first are there before it
/// starts; the others connect to a socket and get GPUs of their own.
class Processes {
 public:
  /// Throws std::runtime_error when there is no such GPU.
  explicit Processes(Watching watching);
  ~Processes();  ///< ends them all
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// For the program's environment, and to keep open in it.
  std::vector<std::string> environment() const;
  int guest_fd() const { return first_->guest_fd(); }
  /// The program was started. The caller blocks the signals that are not for the threads that begin here.
  void begin();
  /// Whether a process that uses CUDA has not ended. A SIGCHLD comes when that changes.
  bool are_running() const;
  /// What those did that had news, in the order of their first calls of CUDA, or else the first one.
  std::vector<ProcessRun> take();

 private:
  struct Peer;
  sim::Session start() const;
  std::optional<sim::Region> region_of(sim::Session& session) const;
  ProcessRun observed(sim::Session& session) const;
  void listen();
  void attend(Peer& peer);
  void stop();

  const Watching watching_;
  std::optional<sim::Session> first_;  ///< until its process has ended
  const std::string name_;
  sim::channel::Descriptor listener_, stopped_;
  std::atomic<int> running_{0};  ///< that connected, counted before the connection is taken from the queue
  std::mutex lock_;
  std::list<Peer> peers_;  ///< in the order in which they connected
  std::thread thread_;
};

}  // namespace roofline::grader
