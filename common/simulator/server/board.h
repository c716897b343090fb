// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "random/philox.h"
#include "simulator/channel/machine_clock.h"
#include "simulator/checks/checker.h"
#include "simulator/device/virtual_memory.h"
#include "simulator/server/options.h"
#include "simulator/server/shared_memory.h"
#include "simulator/server/sharing.h"
#include "simulator/server/watched_words.h"
#include "simulator/timing/device_description.h"
#include "simulator/timing/trace.h"

namespace roofline::sim::server {

class Server;

/// What the simulated GPUs of one machine have in common: the host's memory and clock, and each other.
struct Board {
  /// Maps the host window into this process; throws std::system_error.
  explicit Board(const Options& options);
  ~Board();

  /// Memory of the host window, visible to every GPU; 0 when there is no room. `owner`: whose reset frees it.
  u64 allocate_host(u64 bytes, const std::string& origin, u32 owner, bool managed);
  bool release_host(u64 address);
  /// Everything that belongs to a GPU that is reset.
  void release_host_of(u32 owner);
  /// The GPU whose memory holds a device address; nullptr when there is none such.
  Server* owner_of(u64 address) const;

  /// What a copy moves from one GPU's memory to one GPU's; nullptr stands for the host's.
  struct Transfer {
    Server *source = nullptr, *target = nullptr;
    u64 bytes = 0;
    bool uses_link() const { return source != nullptr && target != nullptr && source != target; }
  };
  /// At least one. Rows that are apart are taken for packed ones.
  std::vector<Transfer> transfers(u64 to, u64 from, u64 bytes) const;

  Options options;
  DeviceDescription description;
  SharedMemory staging, window_memory, clock_memory;
  HostWindow window;
  double host_clock = 0;  ///< virtual seconds of the program's own time
  double host_code = 0;   ///< of these, spent by its own code and sleep
  channel::MachineClock& shown_clock;
  u32 command = 0;  ///< sequence of the one that is carried out
  TraceLog trace;
  u64 kernels = 0;  ///< launched in this session
  u64 sampling_seed = 0;
  u64 graphs = 0;  ///< defined in this session
  /// A new one for each graph; nothing where nobody gave a seed.
  std::optional<u64> graph_seed() {
    if (sampling_seed == 0) return std::nullopt;
    const PhiloxBlock random = philox(~sampling_seed, graphs++);
    return u64{random.word[1]} << 32 | random.word[0];
  }
  struct HostAllocation {
    u64 bytes = 0;
    std::string origin;
    u32 owner = 0;
  };
  std::map<u64, HostAllocation> host_allocations;  ///< by address
  WatchedWords words;                              ///< that streams wait for
  Sharing sharing;                                 ///< with other processes
  /// Addresses of managed variables, by the program's number of their module and their name: every GPU that
  /// loads the module finds the same ones.
  std::map<std::pair<u32, std::string>, u64> managed_variables;
  /// One for all GPUs, whose work is ordered by each other's events and touches each other's memory; none
  /// unless asked for.
  std::unique_ptr<Checker> checks;
  VirtualMemory mapped;
  std::vector<std::unique_ptr<Server>> gpus;
};

}  // namespace roofline::sim::server
