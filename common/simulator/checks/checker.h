// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/checks/init_check.h"
#include "simulator/checks/race_check.h"
#include "simulator/checks/stream_order.h"
#include "simulator/checks/sync_check.h"
#include "simulator/device/device.h"

/// The checks of a machine's simulated GPUs. `machine/` shows it what kernels do, the server what the program
/// asks for.
namespace roofline::sim {

class Checker : public Observer {
 public:
  /// Bytes of a copy or fill: `height` rows of `width`, `pitch` apart.
  struct Rows {
    u64 address = 0, pitch = 0, width = 0, height = 1;
  };

  /// A call that failed, as channel::ReportFailedCall says it.
  struct FailedCall {
    std::string call, error, text, site;
    bool launch = false;
    bool operator==(const FailedCall&) const = default;
  };

  /// `checks`: a set of Check.
  explicit Checker(u32 checks);
  /// The device to watch from now on as this GPU; the one before is gone, with all its memory.
  void attach(Device& device, u32 gpu = 0);
  /// What follows is of this GPU.
  void select(u32 gpu);

  // Memory. `call` is the function that the program called.
  /// How messages name the next allocation: "cudaMalloc no. 2".
  std::string name_allocation(const std::string& call);
  void allocated(u64 address, u64 bytes, const std::string& origin);
  void host_allocated() { streams_.host_memory_exists(); }
  /// Before the memory is given back. `ordered`: in the order of `stream` (cudaFreeAsync).
  void releasing(u64 address, bool ordered, u32 stream);
  void release_refused(u64 address);
  /// Another process may write the memory from now on, which nobody sees here.
  void shared(u64 address, u64 bytes);
  void trapped(const Trap& trap);

  // Work that the program submits.
  void copied_in(u32 stream, const Rows& to, bool host_waits);
  void copied_out(u32 stream, const Rows& from, bool host_waits);
  void copied_within(u32 stream, const Rows& to, const Rows& from, bool host_waits);
  void filled(u32 stream, const Rows& to);
  /// What is there is to be read by nobody.
  void unwritten(u64 address, u64 bytes);
  /// A stream wrote a word that others may wait for: that orders them, and is no race.
  void word_written(u64 address, u64 bytes);
  /// `launched_by`: the kernel that launches; empty: the host.
  void launching(u32 stream, const std::string& launched_by);

  StreamOrder& streams() { return streams_; }
  void host_accessed(u64 address, bool write);
  void call_failed(FailedCall call);
  /// The program asked which error there was: it knows of all so far.
  void error_seen() { unseen_.clear(); }

  /// Everything found so far, and what is wrong when the program ends now.
  std::vector<Finding> findings();

  void launch_begins(const Grid& grid) override;
  void launch_ends(const Grid& grid) override;
  void block_begins(Block& block) override;
  void block_ends(Block& block) override;
  void access(Warp& w, const Instruction& in, const ObservedAccess& a) override;
  void before(Warp& w, const Instruction& in, u32 active) override;
  void barrier_completed(Block& block, u8 barrier) override;
  void cluster_met(const Cluster& cluster) override;
  void allocated_on_heap(u64 address, u64 bytes, const std::string& origin) override;
  void released_on_heap(u64 address) override;

 private:
  struct Allocation {
    u64 bytes = 0;
    std::string origin;
  };
  /// What was never freed among these addresses; nothing where all was, or where nothing can be freed any
  /// more.
  std::optional<Finding> leak(u64 begin, u64 end) const;
  /// The GPU whose address it is; the selected one, if it is nobody's.
  u32 gpu_of(u64 address) const;
  Device& device_of(u64 address) const { return *devices_.at(gpu_of(address)); }
  std::string explain(u64 address) const;
  /// Those whose memory rows show, from the first byte to the last.
  void note_gpus(const Rows& rows, std::vector<u32>& gpus) const;
  bool does(Check check) const { return (checks_ & check) != 0; }
  template <class Use>
  static void each_row(const Rows& rows, Use use);

  const u32 checks_;
  Findings findings_;
  std::map<u32, Device*> devices_;
  u32 selected_ = 0;
  InitCheck init_;
  RaceCheck race_;
  SyncCheck sync_;
  StreamOrder streams_;
  std::vector<Traits> traits_;
  bool faulted_ = false;     ///< the device is dead: nothing can be freed any more
  bool notes_work_ = false;  ///< the running launch's bytes are noted for stream order
  std::map<std::string, u64> calls_;
  std::map<u64, Allocation> live_, freed_;
  std::vector<std::pair<FailedCall, u64>> unseen_;  ///< each with how often; nobody has asked yet
  std::vector<Finding> lost_;                       ///< what was not freed before the device was reset
};

}  // namespace roofline::sim
