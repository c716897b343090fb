// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/checks/wire.h"
#include "simulator/server/board.h"
#include "simulator/server/server.h"

namespace roofline::sim::server {

/// The machine's process: the program's channel, the observer's channel, and the simulated GPUs behind them.
/// A malformed packet ends the program's channel.
class Machine {
 public:
  explicit Machine(const Options& options);
  /// Until the channels close.
  void run();

 private:
  void serve();
  enum class Guest { kServed, kNothing, kClosed };
  Guest serve_guest(channel::Wait wait);
  /// False when the observer hung up.
  bool serve_observer();
  void end_guest();
  void answer(const Answer& answer, const channel::Outcome& outcome, u32 kind, u32 sequence);
  Answer welcome(const channel::Hello& hello);
  Answer select(const channel::SelectDevice& command);
  Server& gpu() { return *board_.gpus[selected_]; }

  /// Where a range that is one whole allocation of a GPU's memory lies; nullptr when it is none.
  std::byte* allocation(const channel::MemoryRange& range) const;
  bool read_in(const channel::MemoryRange& range, int file);
  bool write_out(const channel::MemoryRange& range, int file) const;
  void begin_region();
  channel::WireRegion end_region();
  std::vector<channel::WireLine> lines() const;
  std::vector<channel::WireFinding> findings() const;
  channel::WireTrace trace() const;
  const ThreadRecord& followed() const;
  AccessPicture pictured() const;

  Board board_;
  u32 selected_ = 0;  ///< the GPU that the program's commands are for
  channel::Descriptor guest_, observer_;
};

}  // namespace roofline::sim::server
