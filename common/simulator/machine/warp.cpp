// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simulator/machine/frame.h"
#include "simulator/machine/observer.h"
#include "simulator/machine/thread_recorder.h"

namespace roofline::sim {

namespace {

/// A fragment gives way to its siblings after this many instructions that may be waiting for something.
constexpr u32 kFairShare = 32;

}  // namespace

void Warp::begin(Block& owner, u32 warp_index, const Function& entry, u32 lanes) {
  block = &owner;
  index = warp_index;
  existing = lanes;
  exited = 0;
  yield = changed = repeat = false;
  memory_level = MemoryLevel::kNone;
  memory_passes = 1;
  memory_transfers = 0;
  memory_sectors = memory_turns = memory_word = 0;
  others.clear();
  open_joins.clear();
  joins.reclaim_all();
  frames.reclaim_all();
  join = nullptr;
  stop = kNowhere;
  state = State::kReady;
  spins = turns = 0;
  due = 0;
  cluster_arrived = cluster_passed = 0;
  issued = 0;
  work = {};
  Frame* first = frames.take();
  open_frame(*first, entry);
  first->caller = nullptr;
  first->join = nullptr;
  first->site = nullptr;
  first->lanes = lanes;
  first->returned = 0;
  first->local_base = 0;
  first->stack_bytes = 0;
  enter(first);
  fill_entry_rows(*this, *first);
  pc = 0;
  fragment_mask = lanes;
}

/// Makes a frame current: rows, constants, code.
void Warp::enter(Frame* target) {
  frame = target;
  function = target->function;
  bank[0] = target->rows.get();
  bank[1] = function->constants.get();
  local_base = target->local_base;
  changed = true;
}

u32 Warp::run(u32 quantum) {
  if (fragment_mask == 0 && !settle()) return 0;
  if ((block->observer != nullptr) | (recorder != nullptr))
    return scoreboard != nullptr ? run_loop<true, true>(quantum) : run_loop<false, true>(quantum);
  return scoreboard != nullptr ? run_loop<true, false>(quantum) : run_loop<false, false>(quantum);
}

template <bool kTracked, bool kObserved>
u32 Warp::run_loop(u32 quantum) {
  IssueCounters* const counters = block->issued;
  u32 done = 0;
  for (;;) {
    const Instruction* const code = function->code.data();
    const u32 lanes = fragment_mask, parking = stop;
    const auto unguarded = static_cast<u32>(std::popcount(lanes));
    changed = false;
    bool going = true;
    while (going) {
      // Up to a jump the next instruction is known without `pc`, which comes back through memory.
      const Instruction* next = code + pc;
      do {
        if constexpr (kTracked)
          if (is_early(*next)) {
            yield = true;
            going = false;
            break;
          }
        const Instruction& in = *next++;
        pc = static_cast<u32>(next - code);
        ++done;
        IssueCounters& count = counters[in.index];
        ++count.warps;
        u32 active = lanes, many = unguarded;
        if (in.guard_kind != Guard::kNone) {
          const u32 condition = predicate(in.guard);
          active &= in.guard_kind == Guard::kIf ? condition : ~condition;
          many = static_cast<u32>(std::popcount(active));
        }
        count.lanes += many;
        work[static_cast<size_t>(in.pipe)] += in.work;
        if constexpr (kObserved)
          if (recorder != nullptr) recorder->before(*this, in, active, lanes);
        if (active != 0) {
          mask = active;
          if constexpr (kObserved)
            if (block->observer != nullptr && block->observer->watched[in.index] != 0 && !in.hidden)
              block->observer->before(*this, in, active);
          in.execute(*this, in);
        }
        if constexpr (kTracked) track(in, active);
        going = !(changed | yield | (pc == parking) | (done >= quantum));
      } while (going && pc == static_cast<u32>(next - code));
    }
    if (changed && repeat) {
      // It waits for other lanes and comes again: it has not been issued yet.
      const Instruction& in = *repeated;
      --counters[in.index].warps;
      counters[in.index].lanes -= static_cast<u32>(std::popcount(repeated_mask));
      work[static_cast<size_t>(in.pipe)] -= in.work;
      repeat = false;
      if constexpr (kObserved)
        if (recorder != nullptr) recorder->undo();
    }
    if (fragment_mask == 0 || pc == stop) {
      if (!settle()) break;
    } else if (spins >= kFairShare) {
      take_turns();
    }
    if (yield | (done >= quantum)) break;
  }
  yield = false;
  return done;
}

/// Known only when nothing holds it back but time: what it reads has been computed.
bool Warp::is_early(const Instruction& in) {
  if (block->until == std::numeric_limits<double>::infinity() || in.hidden) return false;
  const Kernel& kernel = *block->grid->kernel;
  if (!kernel.meets_blocks[in.index]) return false;
  due = scoreboard->start_of(in, kernel.info[in.index]).l2;
  return due > block->until;
}

void Warp::track(const Instruction& in, u32 active) {
  if (scoreboard == nullptr || repeat) return;
  if (active != 0) {
    const InstructionInfo& info = block->grid->kernel->info[in.index];
    if (info.predication.until != 0) {
      const bool skips = !changed && pc == static_cast<u32>(in.immediate);
      scoreboard->predicate(in, info, skips);
      if (recording != nullptr) recording->predicate(in, info, skips);
      return;
    }
    scoreboard->issue(in, info, memory_level, memory_passes, memory_turns);
    if (recording != nullptr)
      recording->issue(in, info, memory_level,
                       {memory_passes, memory_transfers, memory_sectors, memory_turns, memory_word});
  }
  memory_level = MemoryLevel::kNone;
  memory_passes = 1;
  memory_transfers = 0;
  memory_sectors = 0;
}

/// Lets sibling fragments run. When all of them have spun through their share, the lanes that they wait for
/// may stand at joins and wait for them: some of those are let go.
void Warp::take_turns() {
  spins = 0;
  auto ready = std::count_if(others.begin(), others.end(),
                             [](const Fragment& f) { return f.state == Fragment::State::kReady; });
  if (++turns > ready) {
    turns = 0;
    Fragment released;
    if (take_parked(released)) {
      others.push_back(released);
      ++ready;
    }
  }
  if (ready == 0) return;
  const Fragment mine = running();
  next();
  others.insert(others.begin(), mine);
}

Fragment Warp::running() const {
  Fragment fragment;
  fragment.mask = fragment_mask;
  fragment.pc = pc;
  fragment.frame = frame;
  fragment.join = join;
  return fragment;
}

void Warp::resume(const Fragment& fragment) {
  if (fragment.frame != frame) enter(fragment.frame);
  fragment_mask = fragment.mask;
  pc = fragment.pc;
  set_join(fragment.join);
}

void Warp::set_join(Join* target) {
  join = target;
  stop = target != nullptr ? target->pc : kNowhere;
  changed = true;
}

// ---- divergence ----

void Warp::diverge(u32 taken, u32 target, u32 branch_pc) {
  ++block->totals->divergent_branches;
  ++(*block->counters)[function->code[branch_pc].index].divergent;
  const u32 meeting = function->joins[branch_pc];
  const u32 rest = fragment_mask & ~taken;
  if (meeting != kNowhere && meeting != stop) {
    Join* fresh = joins.take();
    *fresh = {.pc = meeting, .expected = fragment_mask, .arrived = 0, .parent = join, .frame = frame};
    open_joins.push_back(fresh);
    set_join(fresh);
  }
  changed = true;
  // The side that already stands at the join parks; otherwise the fall-through goes first.
  if (target == stop) {
    join->arrived |= taken;
    fragment_mask = rest;
  } else if (pc == stop) {
    join->arrived |= rest;
    fragment_mask = taken;
    pc = target;
  } else {
    Fragment other = running();
    other.mask = taken;
    other.pc = target;
    others.push_back(other);
    fragment_mask = rest;
  }
}

/// The running fragment is at its join.
void Warp::arrive() {
  Join* here = join;
  here->arrived |= fragment_mask;
  fragment_mask = 0;
  if (here->arrived == here->expected) open(here);
}

/// All lanes are there: they go on as one fragment.
void Warp::open(Join* here) {
  Fragment together;
  together.mask = here->arrived;
  together.pc = here->pc;
  together.frame = here->frame;
  together.join = here->parent;
  close(here);
  if (fragment_mask == 0) {
    resume(together);
  } else {
    others.push_back(together);
  }
}

void Warp::close(Join* finished) {
  open_joins.erase(std::find(open_joins.begin(), open_joins.end(), finished));
  joins.give(finished);
}

/// `lanes` will not come to the joins from `from` up to `until`.
void Warp::drop_from_joins(Join* from, const Join* until, u32 lanes) {
  while (from != until && from != nullptr) {
    Join* parent = from->parent;
    from->expected &= ~lanes;
    if (from->expected == 0) {
      close(from);
    } else if (from->arrived == from->expected) {
      open(from);
    }
    from = parent;
  }
}

/// Takes lanes that wait for their siblings: at the innermost join, or behind a return. They go on alone.
bool Warp::take_parked(Fragment& released) {
  for (size_t i = open_joins.size(); i-- > 0;) {
    Join* here = open_joins[i];
    if (here->arrived == 0) continue;
    released = {};
    released.mask = here->arrived;
    released.pc = here->pc;
    released.frame = here->frame;
    released.join = here->parent;
    here->expected &= ~here->arrived;
    here->arrived = 0;
    if (here->expected == 0) close(here);
    return true;
  }
  if (fragment_mask != 0 && take_returned(frame, released)) return true;
  return std::any_of(others.begin(), others.end(),
                     [&](const Fragment& f) { return take_returned(f.frame, released); });
}

bool Warp::next() {
  for (size_t i = others.size(); i-- > 0;) {
    if (others[i].state != Fragment::State::kReady) continue;
    const Fragment fragment = others[i];
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    // A wait goes on in the other arm of a branch within its loop, as it does behind joins and returns.
    if (fragment.join != join) spins = 0;
    resume(fragment);
    return true;
  }
  return false;
}

/// After a change: makes a runnable fragment current. False when the warp has ended or waits for other warps.
bool Warp::settle() {
  for (;;) {
    if (fragment_mask != 0 && pc == stop) {
      arrive();
    } else if (fragment_mask != 0) {
      state = State::kReady;
      return true;
    } else if (!next()) {
      if (live() == 0) {
        state = State::kDone;
        return false;
      }
      if (!resolve_waits()) {
        state = State::kBlocked;
        return false;
      }
    }
  }
}

/// Only `lanes` of the running fragment execute the present instruction; the others go on without it.
void Warp::isolate(u32 lanes) {
  const u32 rest = fragment_mask & ~lanes;
  if (rest == 0) return;
  Fragment other = running();
  other.mask = rest;
  others.push_back(other);
  fragment_mask = lanes;
  changed = true;
}

}  // namespace roofline::sim
