// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/order.h"

#include <algorithm>
#include <bit>

namespace roofline::sim {

BlockOrder::BlockOrder(u32 block, u32 warps)
    : block_(block),
      warps_(warps),
      known_(u64{warps} * warps),
      rows_(warps),
      lanes_(warps),
      acquired_(warps) {}

void BlockOrder::warp_met(u32 warp, u32 lanes) {
  fenced_for_block_ = ++clock_;
  if (lanes == ~0u) {
    known_[warp * warps_ + warp] = clock_;
    return;
  }
  auto& matrix = lanes_[warp];
  if (matrix == nullptr) matrix = std::make_unique<LaneClocks>(LaneClocks{});
  std::array<u32, kWarpSize> together{};
  const auto each = [lanes](auto use) {
    for (u32 left = lanes; left != 0; left &= left - 1) use(static_cast<u32>(std::countr_zero(left)));
  };
  each([&](u32 lane) {
    for (u32 other = 0; other < kWarpSize; ++other)
      together[other] = std::max(together[other], (*matrix)[lane * kWarpSize + other]);
  });
  each([&](u32 lane) { together[lane] = clock_; });
  each([&](u32 lane) { std::copy(together.begin(), together.end(), matrix->begin() + lane * kWarpSize); });
}

void BlockOrder::arrive(u32 warp, u8 barrier) {
  fenced_for_block_ = ++clock_;
  Meeting& meeting = meetings_[barrier];
  meeting.known.resize(warps_);
  for (u32 other = 0; other < warps_; ++other)
    meeting.known[other] = std::max(meeting.known[other], known_[warp * warps_ + other]);
  meeting.known[warp] = clock_;
  meeting.acquired = std::max(meeting.acquired, acquired_[warp]);
}

void BlockOrder::complete(u8 barrier, u32 waiting) {
  Meeting& meeting = meetings_[barrier];
  if (meeting.known.empty()) return;
  fenced_for_block_ = ++clock_;
  for (u32 warp = 0; warp < warps_; ++warp) {
    if ((waiting >> warp & 1u) == 0) continue;
    for (u32 other = 0; other < warps_; ++other)
      known_[warp * warps_ + other] = std::max(known_[warp * warps_ + other], meeting.known[other]);
    known_[warp * warps_ + warp] = clock_;
    rows_[warp] = nullptr;
    acquired_[warp] = std::max(acquired_[warp], meeting.acquired);
  }
  if (waiting == (warps_ == 32 ? ~0u : (1u << warps_) - 1)) all_met_ = clock_;
  meeting.known.assign(meeting.known.size(), 0);
  meeting.acquired = 0;
}

void BlockOrder::publish(u32 warp, u64 time, bool block_scope, bool other_barriers) {
  const bool knows_more = other_barriers || acquired_[warp] != 0;
  if (rows_[warp] == nullptr && !knows_more) {
    const auto row = known_.begin() + std::ptrdiff_t{warp} * warps_;
    rows_[warp] = std::make_shared<const WarpClocks>(row, row + warps_);
  }
  publications_.push_back(
      {++clock_, fenced_for_block_, fenced_, warp, block_scope, time, knows_more ? nullptr : rows_[warp]});
}

bool LaunchOrder::by_memory(const Stamp& before, const BlockOrder& now, u32 warp,
                            const std::vector<Publication>* published, Suppose suppose) {
  /// Publications that are asked whether they cover an access; with more it is taken as ordered.
  constexpr std::ptrdiff_t kMost = 64;
  const u64 acquired = now.acquired(warp);
  if (acquired == 0 || published == nullptr) return false;
  const bool same_block = before.block == now.block();
  const auto until = suppose == Suppose::kFences ? &Publication::tick
                     : same_block                ? &Publication::fenced_for_block
                                                 : &Publication::fenced;
  const u32 other = before.thread / kWarpSize;
  const auto covers = [&](const Publication& p) {
    if (same_block) return true;
    if (p.block_scope) return false;
    return suppose == Suppose::kBarriers || p.known == nullptr || p.warp == other ||
           before.clock < (*p.known)[other];
  };
  const auto first = std::ranges::upper_bound(*published, before.clock, {}, until);
  for (auto p = first; p != published->end() && p->time <= acquired; ++p)
    if (covers(*p) || p - first >= kMost) return true;
  return false;
}

}  // namespace roofline::sim
