// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/block_trap.h"

#include <bit>
#include <cstdio>
#include <filesystem>
#include <map>

namespace roofline::sim {

namespace {

Dim3 thread_of(const Grid& grid, u32 linear) {
  return {linear % grid.block.x, linear / grid.block.x % grid.block.y, linear / grid.block.x / grid.block.y};
}

const InstructionInfo& info_of(const Block& block, const Instruction& in) {
  return block.grid->kernel->info[in.index];
}

/// "reduce.cu:14" when the source is known, else "PTX line 80".
std::string place_of(const Block& block, const InstructionInfo& info) {
  const auto file = block.grid->kernel->files.find(info.source.file);
  if (info.source.line != 0 && file != block.grid->kernel->files.end())
    return std::filesystem::path(file->second).filename().string() + ":" + std::to_string(info.source.line);
  return "PTX line " + std::to_string(info.at.line);
}

/// "called at gemm.cu:35, " for code of another file that was inlined there.
std::string called_at(const Block& block, const InstructionInfo& info) {
  const auto file = block.grid->kernel->files.find(info.source.caller_file);
  if (info.source.caller_line == 0 || info.source.caller_file == info.source.file ||
      file == block.grid->kernel->files.end())
    return {};
  return "called at " + std::filesystem::path(file->second).filename().string() + ":" +
         std::to_string(info.source.caller_line) + ", ";
}

Trap trap_at(const Block& block, const Instruction* in, u32 linear_thread) {
  Trap trap;
  trap.kernel = block.grid->kernel->name;
  trap.block = block.id;
  trap.thread = thread_of(*block.grid, linear_thread);
  if (in == nullptr) return trap;
  const InstructionInfo& info = info_of(block, *in);
  trap.ptx_line = info.at.line;
  trap.source_line = info.source.line;
  const auto file = block.grid->kernel->files.find(info.source.file);
  if (info.source.line != 0 && file != block.grid->kernel->files.end()) trap.source_file = file->second;
  return trap;
}

std::string lanes_text(u32 mask) {
  char text[40];
  const int count = std::popcount(mask);
  if (count == 1) {
    std::snprintf(text, sizeof text, "lane %d", std::countr_zero(mask));
  } else {
    std::snprintf(text, sizeof text, "%d lanes (mask 0x%08x)", count, mask);
  }
  return text;
}

std::string waiting_text(const Block& block, const Fragment& f) {
  const InstructionInfo& info = info_of(block, *f.waiting_at);
  return lanes_text(f.mask) + " at " + place_of(block, info) + " (" + info.text + ")";
}

std::string where(const Block& block) {
  return "kernel '" + readable_name(block.grid->kernel->name) + "', block " + triple(block.id);
}

u32 first_thread(const Warp& w, const Fragment& f) {
  return w.index * kWarpSize + static_cast<u32>(std::countr_zero(f.mask));
}

}  // namespace

void Warp::trap(TrapKind kind, u32 lane, const Instruction& in, const std::string& what,
                AddressFault address) {
  Trap trap = trap_at(*block, &in, index * kWarpSize + lane);
  trap.kind = kind;
  trap.address = address;
  const InstructionInfo& info = info_of(*block, in);
  trap.message = where(*block) + ", thread " + triple(trap.thread) + ": " + what + "\n    at ";
  if (trap.source_line != 0) trap.message += place_of(*block, info) + ", ";
  trap.message += called_at(*block, info) + "PTX line " + std::to_string(info.at.line) + ": " + info.text;
  throw TrapException{trap};
}

void report_divergent_barrier(const Warp& w, const Fragment& first, const Fragment& second) {
  Trap trap = trap_at(*w.block, first.waiting_at, first_thread(w, first));
  trap.kind = TrapKind::kDivergentBarrier;
  trap.message =
      where(*w.block) + ", warp " + std::to_string(w.index) +
      ": threads of one warp wait at different barriers: " + waiting_text(*w.block, first) + ", " +
      waiting_text(*w.block, second) +
      ". Every thread of a block must reach the same __syncthreads(): move it out of the condition.";
  throw TrapException{trap};
}

void report_deadlock(const Warp& w) {
  Trap trap = trap_at(*w.block, w.others.front().waiting_at, first_thread(w, w.others.front()));
  trap.kind = TrapKind::kDeadlock;
  trap.message =
      where(*w.block) + ", warp " + std::to_string(w.index) + ": lanes wait for each other for ever:";
  for (const Fragment& f : w.others) trap.message += "\n    " + waiting_text(*w.block, f);
  trap.message +=
      "\nEach of them has to be reached by every lane that it waits for: move it out of the condition.";
  throw TrapException{trap};
}

void report_deadlock(const Block& block) {
  const Instruction* first = nullptr;
  u32 thread = 0;
  std::map<std::string, u32> waiting;
  for (u32 i = 0; i < block.warp_count; ++i) {
    for (const Fragment& f : block.warps[i].others) {
      if (f.waiting_at == nullptr) continue;
      if (first == nullptr) {
        first = f.waiting_at;
        thread = first_thread(block.warps[i], f);
      }
      const InstructionInfo& info = info_of(block, *f.waiting_at);
      waiting[place_of(block, info) + " (" + info.text + ")"] += static_cast<u32>(std::popcount(f.mask));
    }
  }
  Trap trap = trap_at(block, first, thread);
  trap.kind = TrapKind::kDeadlock;
  trap.message = where(block) + ": deadlock, no thread can run:";
  for (const auto& [place, threads] : waiting)
    trap.message += "\n    " + std::to_string(threads) + " threads wait at " + place;
  throw TrapException{trap};
}

namespace {

/// The instruction that some thread of the block is about to execute, and that thread.
const Instruction* running_at(const Block& block, u32& thread) {
  for (u32 i = 0; i < block.warp_count; ++i) {
    const Warp& w = block.warps[i];
    if (w.state != Warp::State::kReady || w.fragment_mask == 0) continue;
    thread = w.index * kWarpSize + static_cast<u32>(std::countr_zero(w.fragment_mask));
    u32 pc = w.pc;
    while (pc != 0 && w.function->code[pc].hidden) --pc;
    return &w.function->code[pc];
  }
  return nullptr;
}

}  // namespace

void report_endless_wait(const Block& block, u64 blocks) {
  u32 thread = 0;
  const Instruction* at = running_at(block, thread);
  Trap trap = trap_at(block, at, thread);
  trap.kind = TrapKind::kDeadlock;
  trap.message = where(block) + ", thread " + triple(trap.thread) +
                 ": deadlock: it waits for a value in memory that nobody changes any more (" +
                 std::to_string(blocks) + " blocks run, all of them wait)";
  if (at != nullptr) trap.message += "\n    at " + place_of(block, info_of(block, *at));
  throw TrapException{trap};
}

void report_timeout(const Block& block, double seconds) {
  u32 thread = 0;
  const Instruction* at = running_at(block, thread);
  Trap trap = trap_at(block, at, thread);
  trap.kind = TrapKind::kTimeout;
  char limit[32];
  std::snprintf(limit, sizeof limit, "%.3g", seconds);
  trap.message = where(block) + ": the kernel did not end within " + limit + " s";
  if (at != nullptr) trap.message += "; it runs at " + place_of(block, info_of(block, *at));
  throw TrapException{trap};
}

}  // namespace roofline::sim
