// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulator/machine/cluster.h"
#include "simulator/machine/frame.h"
#include "simulator/machine/warp.h"

/// Calls, returns and the end of threads.
namespace roofline::sim {

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
  target->local_base = frame->local_base + function->local_bytes + frame->stack_bytes + 16;
  target->stack_bytes = 0;
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
  return_results(*this, *here, here->lanes);
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
  if (block->cluster != nullptr) block->cluster->exited(*this, lanes);
  block->threads_exited(static_cast<u32>(std::popcount(lanes)));
}

/// Takes lanes that have returned and wait for the others of their call.
bool Warp::take_returned(Frame* innermost, Fragment& released) {
  for (Frame* f = innermost; f->caller != nullptr; f = f->caller) {
    if (f->returned == 0) continue;
    return_results(*this, *f, f->returned);
    released = {};
    released.mask = f->returned;
    released.pc = f->return_pc;
    released.frame = f->caller;
    released.join = f->join;
    f->lanes &= ~f->returned;
    f->returned = 0;
    return true;
  }
  return false;
}

}  // namespace roofline::sim
