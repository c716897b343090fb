// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulator/machine/block_trap.h"
#include "simulator/machine/warp.h"

/// Where lanes of a warp wait for lanes: warp-wide instructions and barriers.
namespace roofline::sim {

namespace {

Join* common_ancestor(Join* a, Join* b) {
  for (Join* x = a; x != nullptr; x = x->parent)
    for (Join* y = b; y != nullptr; y = y->parent)
      if (x == y) return x;
  return nullptr;
}

/// The result of bar.red for the lanes of a released fragment.
void finish_reduction(const Fragment& fragment, u32 votes, u32 threads) {
  const Instruction& in = *fragment.waiting_at;
  if (in.flags == kBarrierPlain) return;
  u8* row = fragment.frame->rows.get() + in.d.offset();
  u32* words = reinterpret_cast<u32*>(row);
  if (in.flags == kBarrierPopc) {
    for (u32 lane = 0; lane < kWarpSize; ++lane)
      if ((fragment.mask >> lane) & 1) words[lane] = votes;
    return;
  }
  const bool value = in.flags == kBarrierAnd ? votes == threads : votes != 0;
  *words = value ? *words | fragment.mask : *words & ~fragment.mask;
}

}  // namespace

// ---- hard joins ----

bool Warp::wait_again(const Instruction& in) {
  repeated = &in;
  repeated_mask = mask;
  repeat = changed = true;
  return false;
}

/// Whether `f` waits for what lanes at `in` wait for: the same operation of the same members. What the PTX
/// ISA asks of `.sync` instructions is the same qualifiers and the same member mask, not the same place.
bool Warp::stands_with(const Fragment& f, const Instruction& in, const Frame* at, u32 required) const {
  if (f.state != Fragment::State::kAtWarpSync || ((f.required ^ required) & live()) != 0) return false;
  return in.joins ? f.waiting_at->execute == in.execute : f.waiting_at == &in && f.frame == at;
}

bool Warp::gather_slowly(u32 lanes, const Instruction& in) {
  const u32 required = lanes & live();
  u32 here = mask;
  bool elsewhere = false;
  for (const Fragment& f : others) {
    if (!stands_with(f, in, frame, required)) continue;
    here |= f.mask;
    elsewhere |= f.waiting_at != &in || f.frame != frame;
  }
  if (elsewhere && (required & ~here) == 0) {
    execute_together(in, required);
    return false;
  }
  --pc;
  wait_again(in);
  if ((required & ~here) == 0) {
    isolate_at(mask, pc + 1);
    for (size_t i = others.size(); i-- > 0;) {
      const Fragment f = others[i];
      if (!stands_with(f, in, frame, required)) continue;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      merge_into_current(f);
    }
    return false;
  }
  isolate_at(mask, pc + 1);
  Fragment waiting = running();
  waiting.state = Fragment::State::kAtWarpSync;
  waiting.required = required;
  waiting.waiting_at = &in;
  others.push_back(waiting);
  fragment_mask = 0;
  return false;
}

void Warp::isolate_at(u32 lanes, u32 rest_pc) {
  const u32 here = pc;
  pc = rest_pc;
  isolate(lanes);
  pc = here;
}

/// Lanes of another fragment at the same place in the same frame join the running one for good.
void Warp::merge_into_current(const Fragment& fragment) {
  Join* meeting = common_ancestor(join, fragment.join);
  const u32 mine = fragment_mask;
  Join* my_join = join;
  set_join(meeting);
  fragment_mask |= fragment.mask;
  drop_from_joins(my_join, meeting, mine);
  drop_from_joins(fragment.join, meeting, fragment.mask);
}

// ---- barriers ----

void Warp::wait_at_barrier(const Instruction& in, u8 id, u32 expected, bool aligned, u32 votes) {
  isolate(mask);
  Fragment waiting = running();
  waiting.state = Fragment::State::kAtBarrier;
  waiting.barrier = id;
  waiting.expected = expected;
  waiting.votes = votes;
  waiting.waiting_at = &in;
  waiting.aligned = aligned && mask != live();
  others.push_back(waiting);
  fragment_mask = 0;
  yield = changed = true;
  if (!waiting.aligned) block->arrive(*this, waiting.mask, id, expected, in, votes);
}

void Warp::wait_at_cluster_barrier(const Instruction& in) {
  if ((cluster_passed & mask) == mask) {
    cluster_passed &= ~mask;
    return;
  }
  isolate(mask);
  Fragment waiting = running();
  waiting.state = Fragment::State::kAtBarrier;
  waiting.barrier = kClusterBarrier;
  waiting.waiting_at = &in;
  others.push_back(waiting);
  fragment_mask = 0;
  yield = changed = true;
}

bool Warp::waits_at_cluster_barrier() const {
  return std::any_of(others.begin(), others.end(), [](const Fragment& f) {
    return f.state == Fragment::State::kAtBarrier && f.barrier == kClusterBarrier;
  });
}

bool Warp::release_barrier(u8 id, u32 votes, u32 threads) {
  bool any = false;
  for (size_t i = 0; i < others.size(); ++i) {
    Fragment& f = others[i];
    if (f.state != Fragment::State::kAtBarrier || f.aligned || f.barrier != id) continue;
    f.state = Fragment::State::kReady;
    any = true;
    if (id == kClusterBarrier) cluster_passed &= ~f.mask;
    finish_reduction(f, votes, threads);
    for (size_t j = others.size(); --j > i;) {
      const Fragment g = others[j];
      if (g.state != Fragment::State::kAtBarrier || g.aligned || g.barrier != id || g.pc != f.pc ||
          g.frame != f.frame)
        continue;
      if (id == kClusterBarrier) cluster_passed &= ~g.mask;
      finish_reduction(g, votes, threads);
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
      join_fragments(others[i], g);
    }
  }
  if (state == State::kBlocked) state = State::kReady;
  return any;
}

/// `b` becomes part of `a`; both stand at the same place.
void Warp::join_fragments(Fragment& a, const Fragment& b) {
  Join* meeting = common_ancestor(a.join, b.join);
  Join* const a_join = a.join;
  const u32 a_mask = a.mask;
  a.mask |= b.mask;
  a.join = meeting;
  drop_from_joins(a_join, meeting, a_mask);
  drop_from_joins(b.join, meeting, b.mask);
}

/// Lanes at a warp-wide instruction that need not wait any more, because the missing ones have ended.
bool Warp::release_met() {
  for (Fragment& f : others) {
    if (f.state != Fragment::State::kAtWarpSync) continue;
    u32 here = 0;
    for (const Fragment& g : others)
      if (stands_with(g, *f.waiting_at, f.frame, f.required)) here |= g.mask;
    if ((f.required & live() & ~here) != 0) continue;
    // It executes the instruction again and gathers the others itself.
    f.state = Fragment::State::kReady;
    return true;
  }
  return false;
}

/// No fragment can run. Lanes that wait at joins may be the ones the others wait for; lanes at an aligned
/// barrier must all stand at the same one.
bool Warp::resolve_waits() {
  if (release_met()) return true;
  Fragment released;
  if (take_parked(released)) {
    others.push_back(released);
    return true;
  }
  if (others.empty()) return false;
  const Fragment& first = others.front();
  bool waits_for_others = false, all_aligned = true;
  for (const Fragment& f : others) {
    const bool at_barrier = f.state == Fragment::State::kAtBarrier;
    if (at_barrier && !f.aligned) waits_for_others = true;
    if (!at_barrier || !f.aligned) all_aligned = false;
    if (at_barrier && f.aligned && first.state == Fragment::State::kAtBarrier && first.aligned &&
        f.waiting_at != first.waiting_at)
      report_divergent_barrier(*this, first, f);
  }
  if (all_aligned) {
    while (others.size() > 1) {
      const Fragment last = others.back();
      others.pop_back();
      others.front().votes += last.votes;
      join_fragments(others.front(), last);
    }
    Fragment& all = others.front();
    all.aligned = false;
    block->arrive(*this, all.mask, all.barrier, all.expected, *all.waiting_at, all.votes);
    return all.state == Fragment::State::kReady;
  }
  if (!waits_for_others) report_deadlock(*this);
  return false;
}

}  // namespace roofline::sim
