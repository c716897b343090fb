// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/channel/machine_clock.h"
#include "simulator/channel/replies.h"
#include "simulator/channel/socket.h"
#include "simulator/channel/start_machine.h"
#include "simulator/checks/finding.h"

namespace roofline::sim::runtime {

/// The machine is gone, or never was.
struct ConnectionLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The program's end of the channel. Not thread-safe: callers hold the runtime's lock.
class Connection {
 public:
  /// Takes the channel named by ROOFLINE_DEVICE_FD, or starts a machine of its own. Throws ConnectionLost.
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const DeviceDescription& device() const { return welcome_.facts.device; }
  std::byte* staging() const { return staging_; }
  u64 staging_bytes() const { return welcome_.staging_bytes; }
  u32 gpus() const { return welcome_.gpus; }
  /// Commands from now on are for this GPU; it must be one of gpus().
  void select(u32 gpu);
  u32 selected() const { return selected_; }

  /// Sends a command and waits for its answer; `reply` is filled when the status is kOk.
  template <class Command, class Reply>
  channel::Status call(const Command& command, Reply& reply);
  template <class Command>
  channel::Status call(const Command& command) {
    channel::Nothing nothing;
    return call(command, nothing);
  }
  /// Sends a command that has no answer.
  template <class Command>
  void post(const Command& command);

  /// Set by a kernel's fault on the selected GPU, for good (until it is reset).
  channel::Status sticky() const { return states_[selected_].sticky; }
  void clear_sticky() { states_[selected_].sticky = channel::Status::kOk; }
  /// What a posted command came to; forgotten by the call.
  channel::Status take_deferred() { return std::exchange(deferred_, channel::Status::kOk); }
  /// Writes what kernels printed to the program's standard output.
  void show_output();
  /// Around every call of the program: lets HostWatch see what host code does between them.
  void call_begins() {
    if (watches_host_) host_call_begins();
  }
  void call_ends() {
    if (watches_host_) host_call_ends();
  }
  /// What the machine says is appended to `text` as well as printed, until another is named; nullptr: to
  /// none.
  void listen(std::string* text) { listener_ = text; }
  /// What a message says about where the program called, while checks run; see call_site.h.
  std::string site() const;
  /// Whether this process may share memory and events with others.
  bool sharing() const { return welcome_.sharing; }
  /// Waits until the machine has carried out all that was sent to it.
  void finish() {
    channel::MemoryState ignored;
    (void)call(channel::QueryMemory{}, ignored);
  }
  /// Whether kernels are watched as they run: then nothing else may be done while one waits for it.
  bool observed() const { return welcome_.observed; }
  bool checks_memory() const { return (welcome_.checks & kCheckMemory) != 0; }
  bool watches_host() const { return watches_host_; }
  void stop_watching_host() { watches_host_ = false; }
  const channel::MachineClock& machine_clock() const { return *clock_; }
  /// Sequence of the last command without an answer.
  const std::atomic<u32>& last_posted() const { return posted_; }
  /// The program is ending: waits until a machine of our own is gone.
  void end_machine();

 private:
  void host_call_begins();
  void host_call_ends();
  void send();
  /// Receives the answer to the command just sent; the reader stands at the answer's fields.
  channel::Outcome receive(u32 kind, std::vector<channel::Descriptor>* descriptors, channel::Reader& fields);
  void open_channel();
  void map_memory(std::vector<channel::Descriptor> descriptors);
  [[noreturn]] void lost();

  channel::Descriptor socket_;
  int machine_pid_ = -1;  ///< of a machine of our own
  channel::Welcome welcome_;
  channel::Writer out_;
  std::vector<std::byte> in_;
  std::byte* staging_ = nullptr;
  const channel::MachineClock* clock_ = nullptr;
  u32 sequence_ = 0;
  std::atomic<u32> posted_{0};
  u32 selected_ = 0;
  struct GpuState {
    channel::Status sticky = channel::Status::kOk;
    bool output = false;  ///< its kernels printed something that was not taken yet
  };
  std::vector<GpuState> states_{1};
  channel::Status deferred_ = channel::Status::kOk;
  bool watches_host_ = false;  ///< races are checked
  std::string* listener_ = nullptr;
};

template <class Command>
void Connection::post(const Command& command) {
  static_assert(channel::kPosted<Command>);
  out_.clear();
  channel::encode(out_, command, ++sequence_);
  send();
  posted_.store(sequence_, std::memory_order_release);
}

template <class Command, class Reply>
channel::Status Connection::call(const Command& command, Reply& reply) {
  static_assert(!channel::kPosted<Command>);
  out_.clear();
  channel::encode(out_, command, ++sequence_);
  send();
  channel::Reader fields({});
  const channel::Outcome outcome = receive(channel::kKind<Command>, nullptr, fields);
  if (outcome.status == channel::Status::kOk) {
    fields(reply);
    if (!fields.complete()) lost();
  }
  return outcome.status;
}

}  // namespace roofline::sim::runtime
