// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/channel/machine_options.h"
#include "simulator/channel/observed.h"
#include "simulator/checks/finding.h"
#include "simulator/program/access_picture.h"
#include "simulator/program/thread_record.h"

/// The trusted side of a simulated device: starts the machine's process and reads counters and virtual time
/// from it over a private channel. The program under test gets only the guest channel (a descriptor).
namespace roofline::sim {

/// The machine did not answer in the time it was given: what the program asked of it takes longer.
struct SessionTimeout : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How copy_in() puts an array on a GPU.
struct ArrayOptions {
  u32 gpu = 0;
  bool keeps_l2 = false;  ///< L2 keeps what it holds; otherwise it is empty then
  bool garbage = false;   ///< to the checks it is as if nobody had written it
};

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
  /// Wall seconds to wait for an answer from now on, then SessionTimeout; 0: for ever.
  void set_patience(double seconds);

  /// From now on the blocks whose waiting is looked at closely are drawn from this seed (0 before), anew for
  /// every launch. It goes over the observer's channel, where the program cannot read it.
  void set_sampling_seed(u64 seed);
  void begin_region();
  /// What happened since begin_region(), or since the last end: nothing that the program does is between two
  /// regions.
  Region end_region();
  /// Fills a whole allocation of a GPU's memory from a file, from `offset` on; false where there is none such
  /// on it. It takes no virtual time and is no copy of the program.
  bool copy_in(u64 address, u64 bytes, int file, u64 offset, const ArrayOptions& how = {});
  /// Writes a whole allocation of a GPU's memory to a file at `offset`; false where there is none such on it.
  bool copy_out(u64 address, u64 bytes, int file, u64 offset, u32 gpu = 0);
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
  /// Before the program starts, and without checks: writes down what one warp does at one source line. That
  /// launch runs on one host thread.
  void picture(const PictureRequest& request);
  AccessPicture pictured();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace roofline::sim
