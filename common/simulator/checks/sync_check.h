// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/checks/code_facts.h"
#include "simulator/checks/findings.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Misuse of barriers and of instructions that bring the lanes of a warp together.
class SyncCheck {
 public:
  explicit SyncCheck(Findings& findings) : findings_(findings) {}

  void launch_begins(const Grid& grid, const std::vector<Traits>& traits);
  void before(Warp& w, const Instruction& in, u32 active);
  void barrier_completed(const Block& block, u8 barrier);
  /// Something of the present launch was reported: a trap that follows from it need not be.
  bool reported() const { return reported_; }

 private:
  void check_divergence(const Warp& w, const Instruction& in, u32 active);
  bool check_members(const Warp& w, const Instruction& in, u32 active, Slot mask, bool same_place);
  void report_unnamed(const Warp& w, const Instruction& in, u32 lane, u32 mask);
  void report_disagreement(const Warp& w, const Instruction& in, u32 lane, u32 other, const u32* masks);
  bool check_comes(const Warp& w, const Instruction& in, u32 active, u32 group, u32 mask);
  void check_shuffle(const Warp& w, const Instruction& in, u32 active, const Traits& traits);
  Finding start(const Warp& w, u32 lane, const char* rule) const;
  void add(Finding finding);
  std::string lanes_text(const Warp& w, u32 lanes) const;

  Findings& findings_;
  const Grid* grid_ = nullptr;
  const std::vector<Traits>* traits_ = nullptr;
  bool reported_ = false;
};

}  // namespace roofline::sim
