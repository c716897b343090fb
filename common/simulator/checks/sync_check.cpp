// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/sync_check.h"

#include <bit>

#include "simulator/machine/fragment.h"
#include "simulator/program/shuffle.h"
#include "simulator/text.h"

namespace roofline::sim {

namespace {

const InstructionInfo& info_at(const Warp& w, const Function& function, u32 pc) {
  return w.block->grid->kernel->info[function.code[pc].index];
}

/// Lanes that join here end: they returned early, which is no divergence.
bool ends_thread(const Warp& w, const Join& join) {
  if (join.frame->caller != nullptr) return false;
  const Function& function = *join.frame->function;
  u32 pc = join.pc;
  for (u32 jumps = 0; jumps < 4 && pc < function.code.size(); ++jumps) {
    const InstructionInfo& info = info_at(w, function, pc);
    if (info.guard != Guard::kNone) return false;
    if (info.traits.flow == Flow::kLeave) return true;
    if (info.traits.flow != Flow::kBranch) return false;
    pc = static_cast<u32>(function.code[pc].immediate);
  }
  return false;
}

/// Lanes that will meet the running ones only behind the present instruction, and where they are.
struct Elsewhere {
  u32 lanes = 0;
  const Join* join = nullptr;
};

/// `passed`: only those that are behind it already; others may still execute an instruction like it.
Elsewhere lanes_elsewhere(const Warp& w, u32 active, bool passed) {
  Elsewhere found;
  const auto look = [&](const Join* join) {
    for (; join != nullptr; join = join->parent) {
      const u32 missing = (passed ? join->arrived : join->expected) & w.live() & ~active;
      if (missing == 0 || ends_thread(w, *join)) continue;
      found.lanes |= missing;
      found.join = join;
    }
  };
  look(w.join);
  for (const Frame* frame = w.frame; frame != nullptr; frame = frame->caller) look(frame->join);
  return found;
}

}  // namespace

void SyncCheck::launch_begins(const Grid& grid, const std::vector<Traits>& traits) {
  grid_ = &grid;
  traits_ = &traits;
  reported_ = false;
}

Finding SyncCheck::start(const Warp& w, u32 lane, const char* rule) const {
  Finding finding;
  finding.check = kCheckSync;
  finding.rule = rule;
  finding.kernel = readable_name(grid_->kernel->name);
  finding.block = block_text(*grid_, w.block->linear_id);
  finding.thread = thread_text(*grid_, w.index * kWarpSize + lane);
  return finding;
}

void SyncCheck::add(Finding finding) {
  reported_ = true;
  findings_.add(std::move(finding));
}

/// "threads (0,0,0) to (15,0,0)", or the first of them and how many.
std::string SyncCheck::lanes_text(const Warp& w, u32 lanes) const {
  const auto first = static_cast<u32>(std::countr_zero(lanes));
  const u32 last = 31 - static_cast<u32>(std::countl_zero(lanes)), n = static_cast<u32>(std::popcount(lanes));
  const auto name = [&](u32 lane) { return thread_text(*grid_, w.index * kWarpSize + lane); };
  if (n == 1) return "thread " + name(first);
  if (n == last - first + 1) return "threads " + name(first) + " to " + name(last);
  return std::to_string(n) + " threads of warp " + std::to_string(w.index) + ", the first " + name(first);
}

void SyncCheck::before(Warp& w, const Instruction& in, u32 active) {
  const Traits& traits = (*traits_)[in.index];
  switch (traits.gathers) {
    case Gathers::kBarrier:
      if (traits.aligned) check_divergence(w, in, active);
      break;
    case Gathers::kWarpBarrier:
      check_members(w, in, active, members_of(in, traits), false);
      break;
    case Gathers::kMembers:
      if (check_members(w, in, active, members_of(in, traits), true) && traits.shuffle != Shuffle::kNone)
        check_shuffle(w, in, active, traits);
      break;
    default:
      break;
  }
}

void SyncCheck::check_divergence(const Warp& w, const Instruction& in, u32 active) {
  if (active == w.live()) return;
  const Elsewhere missing = lanes_elsewhere(w, active, false);
  if (missing.lanes == 0) return;
  Finding finding = start(w, static_cast<u32>(std::countr_zero(active)), "divergent-barrier");
  finding.message = "not all threads of a warp come to the barrier: " + lanes_text(w, active) + " of block " +
                    finding.block + " wait, " + lanes_text(w, missing.lanes) + " do not come";
  finding.advice =
      "every thread of a block must pass the same __syncthreads(): move it out of the condition or loop";
  finding.places.push_back(place_of(*grid_->kernel, in.index, lanes_text(w, active) + " wait"));
  u32 there = missing.join->frame->function->code[missing.join->pc].index;
  for (const Fragment& f : w.others)
    if ((f.mask & missing.lanes) != 0) there = f.frame->function->code[f.pc].index;
  finding.places.push_back(place_of(*grid_->kernel, there, lanes_text(w, missing.lanes) + " are here"));
  add(std::move(finding));
}

/// False when something was wrong.
bool SyncCheck::check_members(const Warp& w, const Instruction& in, u32 active, Slot slot, bool same_place) {
  if (slot.bits == 0) return true;
  const u32* const masks = w.row<u32>(slot);
  for (u32 lanes = active; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    if ((masks[lane] >> lane & 1u) == 0) {
      report_unnamed(w, in, lane, masks[lane]);
      return false;
    }
  }
  for (u32 left = active; left != 0;) {
    const auto lane = static_cast<u32>(std::countr_zero(left));
    u32 group = 0;
    for (u32 lanes = left; lanes != 0; lanes &= lanes - 1) {
      const auto other = static_cast<u32>(std::countr_zero(lanes));
      if (((masks[other] ^ masks[lane]) & w.live()) == 0) {
        group |= 1u << other;
      } else if ((masks[lane] >> other & 1u) != 0 || (masks[other] >> lane & 1u) != 0) {
        report_disagreement(w, in, lane, other, masks);
        return false;
      }
    }
    left &= ~group;
    if (same_place && !check_comes(w, in, active, group, masks[lane])) return false;
  }
  return true;
}

void SyncCheck::report_unnamed(const Warp& w, const Instruction& in, u32 lane, u32 mask) {
  Finding finding = start(w, lane, "member-mask");
  finding.message = "thread " + finding.thread + " of block " + finding.block + " (lane " +
                    std::to_string(lane) + " of its warp) executes this with the mask " + hex(mask, 8) +
                    ", which does not name it: what it does is undefined";
  finding.advice =
      "the mask must name every thread that executes the instruction; 0xffffffff for a whole warp";
  finding.places.push_back(place_of(*grid_->kernel, in.index, "thread " + finding.thread));
  add(std::move(finding));
}

void SyncCheck::report_disagreement(const Warp& w, const Instruction& in, u32 lane, u32 other,
                                    const u32* masks) {
  Finding finding = start(w, lane, "member-mask");
  finding.message = "thread " + finding.thread + " of block " + finding.block +
                    " executes this with the mask " + hex(masks[lane], 8) + ", " +
                    lanes_text(w, 1u << other) + " of its warp with " + hex(masks[other], 8) +
                    ": threads that wait for each other must name the same members";
  finding.advice = "give all members one mask; different masks are for groups that have no thread in common";
  finding.places.push_back(place_of(*grid_->kernel, in.index, "thread " + finding.thread));
  add(std::move(finding));
}

/// Whether all that `mask` names can still come to where `group` of the `active` lanes are; if not, it is
/// reported.
bool SyncCheck::check_comes(const Warp& w, const Instruction& in, u32 active, u32 group, u32 mask) {
  const u32 gone = lanes_elsewhere(w, active, true).lanes & mask;
  if (gone == 0) return true;
  Finding finding = start(w, static_cast<u32>(std::countr_zero(group)), "member-mask");
  finding.message = "the mask " + hex(mask, 8) + " names " + lanes_text(w, gone) + " of block " +
                    finding.block + ", which do not come to this instruction";
  finding.advice = "compute the mask before the branch: __ballot_sync(0xffffffff, condition)";
  finding.places.push_back(place_of(*grid_->kernel, in.index, lanes_text(w, group) + " wait"));
  add(std::move(finding));
  return false;
}

/// What a lane takes and from where is in the slots b and c of every shuffle.
void SyncCheck::check_shuffle(const Warp& w, const Instruction& in, u32 active, const Traits& traits) {
  const u32* const masks = w.row<u32>(members_of(in, traits));
  if ((masks[std::countr_zero(active)] & w.live() & ~active) != 0) return;  // it comes again when they come
  const u32 *b = w.row<u32>(in.b), *c = w.row<u32>(in.c);
  for (u32 lanes = active; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    const u32 source = shuffle_source(traits.shuffle, lane, b[lane], c[lane]);
    if (source == kOutside || (active & masks[lane] & 1u << source) != 0) continue;
    const bool unnamed = (active >> source & 1u) != 0;
    Finding finding = start(w, lane, unnamed ? "member-mask" : "inactive-lane");
    finding.level = Finding::Level::kWarning;
    finding.message = "thread " + finding.thread + " of block " + finding.block +
                      " takes the value of lane " + std::to_string(source) + " of its warp, which " +
                      (unnamed ? "its mask " + hex(masks[lane], 8) + " does not name"
                       : (w.existing >> source & 1u) == 0 ? "is no thread of the block"
                       : (w.exited >> source & 1u) != 0   ? "has ended"
                                                          : "does not execute the shuffle") +
                      ": the value is undefined";
    finding.advice =
        unnamed ? "the mask must name the lanes that values come from, too; a group of 8 lanes takes "
                  "them from distances of 4, 2 and 1"
                : "let all lanes execute the shuffle (return late, not early; give idle lanes a "
                  "neutral value), or pass the width of the group";
    finding.places.push_back(place_of(*grid_->kernel, in.index, "thread " + finding.thread));
    return add(std::move(finding));
  }
}

void SyncCheck::barrier_completed(const Block& block, u8 barrier) {
  if (block.barriers[barrier].expected != 0) return;
  const Warp* first_warp = nullptr;
  const Fragment* first = nullptr;
  const auto place = [&](const Fragment& f, const Warp& w) {
    return place_of(*grid_->kernel, f.waiting_at->index, lanes_text(w, f.mask) + " wait");
  };
  for (u32 i = 0; i < block.warp_count; ++i) {
    const Warp& w = block.warps[i];
    for (const Fragment& f : w.others) {
      if (f.state != Fragment::State::kAtBarrier || f.aligned || f.barrier != barrier) continue;
      if (first == nullptr) {
        first = &f;
        first_warp = &w;
        continue;
      }
      if (f.waiting_at == first->waiting_at) continue;
      const Finding::Place here = place(f, w), there = place(*first, *first_warp);
      if (here.line == 0 || (here.line == there.line && here.file == there.file)) continue;
      Finding finding = start(w, static_cast<u32>(std::countr_zero(f.mask)), "divergent-barrier");
      finding.message = "threads of block " + finding.block +
                        " meet at different barriers: " + lanes_text(*first_warp, first->mask) + " at one, " +
                        lanes_text(w, f.mask) + " at another";
      finding.advice =
          "every thread of a block must pass the same __syncthreads(): move it out of the condition or loop";
      finding.places = {there, here};
      return add(std::move(finding));
    }
  }
}

}  // namespace roofline::sim
