// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/warp.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "simulator/machine/frame.h"

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
  others.clear();
  open_joins.clear();
  joins.reclaim_all();
  frames.reclaim_all();
  join = nullptr;
  stop = kNowhere;
  state = State::kReady;
  spins = 0;
  Frame* first = frames.take();
  open_frame(*first, entry);
  first->caller = nullptr;
  first->join = nullptr;
  first->site = nullptr;
  first->lanes = lanes;
  first->returned = 0;
  first->local_base = 0;
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
  return scoreboard != nullptr ? run_loop<true>(quantum) : run_loop<false>(quantum);
}

template <bool kTracked>
u32 Warp::run_loop(u32 quantum) {
  InstructionCounters* const counters = block->counters->data();
  u32 done = 0;
  for (;;) {
    const Instruction* const code = function->code.data();
    const u32 lanes = fragment_mask, parking = stop;
    changed = false;
    for (;;) {
      const Instruction& in = code[pc];
      ++pc;
      ++done;
      u32 active = lanes;
      if (in.guard_kind != Guard::kNone) {
        const u32 condition = predicate(in.guard);
        active &= in.guard_kind == Guard::kIf ? condition : ~condition;
      }
      InstructionCounters& count = counters[in.index];
      ++count.warps;
      count.lanes += static_cast<u32>(std::popcount(active));
      if (active != 0) {
        mask = active;
        in.execute(*this, in);
      }
      if constexpr (kTracked) track(in, active);
      if (changed | yield | (pc == parking) | (done >= quantum)) break;
    }
    if (changed && repeat) {
      // It waits for other lanes and comes again: it has not been issued yet.
      const Instruction& in = *repeated;
      --counters[in.index].warps;
      counters[in.index].lanes -= static_cast<u32>(std::popcount(repeated_mask));
      repeat = false;
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

void Warp::track(const Instruction& in, u32 active) {
  if (scoreboard == nullptr || repeat) return;
  if (active != 0) {
    scoreboard->issue(in, block->grid->kernel->info[in.index], memory_level, memory_passes);
  }
  memory_level = MemoryLevel::kNone;
  memory_passes = 1;
}

/// Lets sibling fragments run, or, when they all wait at joins for lanes that may be waiting for them, lets
/// them go.
void Warp::take_turns() {
  spins = 0;
  if (others.empty() && open_joins.empty()) return;
  const bool has_ready = std::any_of(others.begin(), others.end(),
                                     [](const Fragment& f) { return f.state == Fragment::State::kReady; });
  Fragment released;
  if (!has_ready && !take_parked(released)) return;
  const Fragment mine = running();
  if (!has_ready) others.push_back(released);
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
  spins = 0;
}

void Warp::set_join(Join* target) {
  join = target;
  stop = target != nullptr ? target->pc : kNowhere;
  changed = true;
}

// ---- divergence ----

void Warp::diverge(u32 taken, u32 target, u32 branch_pc) {
  ++block->totals->divergent_branches;
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

/// Takes the lanes that wait at the innermost join, which will not see them again.
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
  return false;
}

bool Warp::next() {
  for (size_t i = others.size(); i-- > 0;) {
    if (others[i].state != Fragment::State::kReady) continue;
    const Fragment fragment = others[i];
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
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

// ---- calls ----

void Warp::call(u32 lanes, const Function& callee, const CallSite& site, const Instruction& in) {
  if (lanes != fragment_mask) {
    // All meet behind the call: the lanes that do not call wait there, those with another callee come here
    // again.
    Join* fresh = joins.take();
    *fresh = {.pc = pc,
              .expected = fragment_mask,
              .arrived = fragment_mask & ~mask,
              .parent = join,
              .frame = frame};
    open_joins.push_back(fresh);
    set_join(fresh);
    if (mask != lanes) {
      Fragment later = running();
      later.mask = mask & ~lanes;
      --later.pc;
      others.push_back(later);
    }
    fragment_mask = lanes;
  }
  Frame* target = frames.take();
  open_frame(*target, callee);
  target->caller = frame;
  target->join = join;
  target->return_pc = pc;
  target->lanes = fragment_mask;
  target->returned = 0;
  target->site = &site;
  // What a return address and saved registers take at least.
  target->local_base = frame->local_base + function->local_bytes + 16;
  if (target->local_base + callee.local_bytes > block->local_bytes)
    trap(TrapKind::kStackOverflow, static_cast<u32>(std::countr_zero(mask)), in,
         "the call of '" + callee.name + "' needs more local memory than the " +
             std::to_string(block->local_bytes) + " bytes a thread has; raise cudaLimitStackSize");
  pass_arguments(*this, *target);
  enter(target);
  fill_entry_rows(*this, *target);
  pc = 0;
  set_join(nullptr);
}

/// `lanes` return from the running frame; the caller goes on when all have.
void Warp::leave(u32 lanes) {
  if (frame->caller == nullptr) {
    exit(lanes);
    return;
  }
  Frame* here = frame;
  here->returned |= lanes;
  fragment_mask &= ~lanes;
  changed = true;
  drop_from_joins(join, nullptr, lanes);
  if (here->returned == here->lanes) finish_call(here);
}

void Warp::finish_call(Frame* here) {
  return_results(*this, *here);
  Fragment back;
  back.mask = here->lanes;
  back.pc = here->return_pc;
  back.frame = here->caller;
  back.join = here->join;
  frames.give(here);
  if (fragment_mask == 0) {
    resume(back);
  } else {
    others.push_back(back);
  }
}

void Warp::exit(u32 lanes) {
  exited |= lanes;
  fragment_mask &= ~lanes;
  changed = true;
  drop_from_joins(join, nullptr, lanes);
  for (Frame* f = frame; f->caller != nullptr;) {
    Frame* caller = f->caller;
    Join* callers_join = f->join;
    f->lanes &= ~lanes;
    f->returned &= ~lanes;
    if (f->lanes != 0 && f->returned == f->lanes) {
      finish_call(f);
    } else if (f->lanes == 0) {
      frames.give(f);
    }
    drop_from_joins(callers_join, nullptr, lanes);
    f = caller;
  }
  block->threads_exited(static_cast<u32>(std::popcount(lanes)));
}

}  // namespace roofline::sim
