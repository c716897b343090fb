// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/bind/row_allocation.h"

#include <algorithm>
#include <map>
#include <queue>

#include "simulator/types.h"

namespace roofline::sim {

namespace {

using Bits = std::vector<u64>;

bool test(const Bits& bits, u32 i) { return (bits[i / 64] >> (i % 64)) & 1; }
void set(Bits& bits, u32 i) { bits[i / 64] |= u64{1} << (i % 64); }
void clear(Bits& bits, u32 i) { bits[i / 64] &= ~(u64{1} << (i % 64)); }

template <class F>
void each_bit(const Bits& bits, F f) {
  for (size_t word = 0; word < bits.size(); ++word)
    for (u64 rest = bits[word]; rest != 0; rest &= rest - 1)
      f(static_cast<u32>(word * 64) + static_cast<u32>(__builtin_ctzll(rest)));
}

class Liveness {
 public:
  Liveness(const RowUse& use, const ControlFlowGraph& graph) : use_(use), graph_(graph) {
    const size_t words = (use.rows.size() + 63) / 64;
    live_in_.assign(graph.blocks().size(), Bits(words));
    live_out_ = live_in_;
    first_.assign(use.rows.size(), kNever);
    last_.assign(use.rows.size(), 0);
    solve();
    measure();
  }

  bool is_used(u32 row) const { return first_[row] != kNever; }
  u32 first(u32 row) const { return first_[row]; }
  u32 last(u32 row) const { return last_[row]; }
  bool live_at_entry(u32 row) const { return test(live_in_[0], row); }
  u32 most_registers() const { return most_; }

 private:
  static constexpr u32 kNever = ~0u;

  void step_back(Bits& live, u32 instruction) const {
    const RowUse::Access& access = use_.accesses[instruction];
    if (!access.guarded)
      for (u32 row : access.writes) clear(live, row);
    for (u32 row : access.reads) set(live, row);
  }

  void solve() {
    const auto& blocks = graph_.blocks();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks.size(); b-- > 0;) {
        Bits live(live_in_[b].size());
        for (u32 s : blocks[b].successors)
          for (size_t w = 0; w < live.size(); ++w) live[w] |= live_in_[s][w];
        if (blocks[b].may_exit)
          for (u32 row : use_.results) set(live, row);
        live_out_[b] = live;
        for (u32 i = blocks[b].end; i-- > blocks[b].begin;) step_back(live, i);
        if (live != live_in_[b]) {
          live_in_[b] = live;
          changed = true;
        }
      }
    }
  }

  void touch(u32 row, u32 at) {
    first_[row] = std::min(first_[row], at);
    last_[row] = std::max(last_[row], at);
  }

  void measure() {
    for (u32 b = 0; b < graph_.blocks().size(); ++b) {
      const auto& block = graph_.blocks()[b];
      each_bit(live_in_[b], [&](u32 row) { touch(row, block.begin); });
      each_bit(live_out_[b], [&](u32 row) { touch(row, block.end); });
      Bits live = live_out_[b];
      u32 alive = 0;
      each_bit(live, [&](u32 row) { alive += words(row); });
      for (u32 i = block.end; i-- > block.begin;) {
        for (u32 row : use_.accesses[i].writes) touch(row, i);
        for (u32 row : use_.accesses[i].reads) touch(row, i);
        most_ = std::max(most_, alive);
        step_back(live, i);
        alive = 0;
        each_bit(live, [&](u32 row) { alive += words(row); });
      }
      most_ = std::max(most_, alive);
    }
  }

  u32 words(u32 row) const { return use_.rows[row].is_predicate ? 0 : (use_.rows[row].bytes + 3) / 4; }

  const RowUse& use_;
  const ControlFlowGraph& graph_;
  std::vector<Bits> live_in_, live_out_;
  std::vector<u32> first_, last_;
  u32 most_ = 0;
};

}  // namespace

RowPlaces allocate_rows(const RowUse& use, const ControlFlowGraph& graph) {
  const Liveness liveness(use, graph);
  RowPlaces places;
  places.offset.assign(use.rows.size(), 0);
  places.registers = liveness.most_registers();
  places.frame_bytes = 64;  // offset 0 means "no row"
  std::vector<u32> order;
  for (u32 row = 1; row < use.rows.size(); ++row)
    if (liveness.is_used(row)) order.push_back(row);
  const auto start = [&](u32 row) { return use.rows[row].at_entry ? 0 : liveness.first(row); };
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return start(a) < start(b); });

  using Busy = std::pair<u32, u32>;  // last use, offset
  std::map<std::pair<u32, bool>, std::priority_queue<Busy, std::vector<Busy>, std::greater<>>> classes;
  for (u32 row : order) {
    const RowUse::Row& facts = use.rows[row];
    auto& busy = classes[{facts.bytes, facts.is_predicate}];
    // Strictly after its last use: an instruction's results never lie on its sources.
    if (!busy.empty() && busy.top().first < start(row)) {
      places.offset[row] = busy.top().second;
      busy.pop();
    } else {
      places.offset[row] = places.frame_bytes;
      const u32 bytes = facts.is_predicate ? 4 : facts.bytes * kWarpSize;
      places.frame_bytes += (bytes + 63) / 64 * 64;
    }
    busy.emplace(liveness.last(row), places.offset[row]);
    if (!facts.at_entry && liveness.live_at_entry(row)) places.unwritten.push_back(row);
  }
  return places;
}

}  // namespace roofline::sim
