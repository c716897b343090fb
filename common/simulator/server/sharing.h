// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "simulator/channel/shared_handle.h"
#include "simulator/channel/socket.h"
#include "simulator/server/lender.h"

namespace roofline::sim::server {

/// A word of memory that several machines see.
class SharedWord {
 public:
  /// A new one, or the one that a file holds; throws std::system_error.
  SharedWord();
  explicit SharedWord(channel::Descriptor file);
  ~SharedWord();
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;

  int file() const { return file_.get(); }
  std::atomic<u64>& value() const { return *word_; }

 private:
  void map();

  channel::Descriptor file_;
  std::atomic<u64>* word_ = nullptr;
};

/// What the machine's program shares with other processes. Bytes are shared as they are: each machine maps
/// the pages of the one that has them. Of an event they share who recorded it last: a record that others may
/// wait for returns when the work before it has been carried out, so that a wait for another process holds up
/// nothing. Virtual clocks are each process's own.
class Sharing {
 public:
  Sharing();

  bool is_own(const channel::SharedHandle& handle) const { return handle.machine == name_; }
  channel::SharedHandle lend(const Lent& what, int file);
  /// What this process itself shares under a handle of its own.
  std::optional<Lent> lent(const channel::SharedHandle& handle) const;
  void take_back(channel::Shared kind, u32 gpu, u64 id);
  /// The program has ended: what it shares ends with it, though the machine lives on for its observer.
  void end() { lender_.reset(); }
  /// Everything of a GPU that is reset, both ways.
  void forget(u32 gpu);
  /// Whether other processes may write to memory that this one reads.
  bool shares_memory() const { return shares_memory_; }

  // Memory of others that is open here.
  struct Opened {
    u32 gpu = 0;
    s32 process = 0;
    u64 bytes = 0;
    bool in_pool = false;  ///< it is freed, not closed
    channel::Descriptor connection;
    bool gone = false;
  };
  void opened(u64 address, Opened memory);
  const Opened* find(u64 address) const;
  bool is_pool_memory(u64 address) const;
  void closed(u64 address) { opened_.erase(address); }
  /// Calls `each(address, opened)` for what is gone since the last call.
  template <class Each>
  void notice_gone(Each&& each) {
    for (auto& [address, memory] : opened_) {
      if (memory.gone || !is_gone(memory.connection)) continue;
      memory.gone = true;
      each(address, memory);
    }
  }

  // Events.
  /// The word of an event that this program shares; made at the first call.
  const SharedWord& lend_event(u32 event);
  void open_event(u32 event, channel::Descriptor file);
  void forget_event(u32 event) { events_.erase(event); }
  bool is_shared(u32 event) const { return events_.contains(event); }
  /// This program records a shared event after work that ends at that moment of its virtual time.
  void recorded(u32 event, double moment);
  /// Whether a shared event stands for work of another process, which has been carried out.
  bool is_of_another(u32 event) const;
  /// When all work ends that others may have waited for: what they do, and this program then waits for, comes
  /// after it.
  double given_moment() const { return given_moment_; }

 private:
  std::array<u64, 2> name_{};
  std::unique_ptr<Lender> lender_;  ///< from the first loan on
  std::map<u64, Opened> opened_;    ///< by address
  std::map<u32, std::unique_ptr<SharedWord>> events_;
  double given_moment_ = 0;
  bool shares_memory_ = false;
};

/// Bytes of a file whose size cannot change; empty when it can, or is none.
std::optional<u64> sealed_bytes(int file);

}  // namespace roofline::sim::server
