// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "simulator/channel/machine_options.h"
#include "simulator/channel/observed.h"
#include "simulator/checks/finding.h"
#include "simulator/program/thread_record.h"

/// The trusted side of a simulated device: starts the machine's process and reads counters and virtual time
/// from it over a private channel. The program under test gets only the guest channel (a descriptor).
namespace roofline::sim {

class Session {
 public:
  /// Starts the machine; throws std::runtime_error when it cannot. `simulator_directory` holds the machine
  /// executables, libcudart.so.13 and devices/.
  static Session start(const std::filesystem::path& simulator_directory, const MachineOptions& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  ///< ends the machine

  /// The guest's end of the channel: pass it to exactly one child (kept open across exec) and name it in the
  /// environment variable ROOFLINE_DEVICE_FD. close_guest_fd() after the fork.
  int guest_fd() const;
  void close_guest_fd();
  int machine_pid() const;

  /// From now on the blocks whose waiting is looked at closely are drawn from this seed (0 before), anew for
  /// every launch. It goes over the observer's channel, where the program cannot read it.
  void set_sampling_seed(u64 seed);
  void begin_region();
  Region end_region();
  /// The timeline since the start; empty unless MachineOptions::trace.
  Trace trace();
  /// Every PTX instruction of the kernels launched since the start.
  std::vector<LineRecord> lines();
  /// The bugs that the checks found since the start; empty without MachineOptions::checks. Notes do not make
  /// the program wrong.
  std::vector<Finding> findings();

  /// Before the program starts: writes down what one thread does.
  void follow(const ThreadRequest& request);
  ThreadRecord followed();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace roofline::sim
