// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/code_facts.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "simulator/machine/function.h"

namespace roofline::sim {

namespace {

bool has(std::string_view opcode, std::string_view part) {
  return opcode.find(part) != std::string_view::npos;
}

Watch watch_of(std::string_view opcode) {
  if (opcode.starts_with("bar.warp.sync")) return Watch::kWarpBarrier;
  if (opcode.starts_with("barrier.cluster")) return Watch::kNone;
  if (opcode.starts_with("bar.") || opcode.starts_with("barrier."))
    return has(opcode, ".arrive") ? Watch::kBarrierArrive : Watch::kBarrier;
  if (opcode.starts_with("cp.async.commit_group")) return Watch::kAsyncCommit;
  if (opcode.starts_with("cp.async.wait_") || opcode.starts_with("cp.async.mbarrier"))
    return Watch::kAsyncWait;
  if (!has(opcode, ".sync")) return Watch::kNone;
  if (opcode.starts_with("shfl.")) return Watch::kShuffle;
  if (opcode.starts_with("vote.") || opcode.starts_with("match.") || opcode.starts_with("redux."))
    return Watch::kMembersB;
  if (opcode.starts_with("elect.")) return Watch::kMembersA;
  return has(opcode, ".aligned") ? Watch::kWholeWarp : Watch::kNone;
}

Strength strength_of(const InstructionInfo& info, std::string_view opcode) {
  if (info.is_atomic || opcode.starts_with("atom.") || opcode.starts_with("red.") ||
      opcode.starts_with("mbarrier."))
    return Strength::kAtomic;
  if (!opcode.starts_with("ld.") && !opcode.starts_with("st.")) return Strength::kPlain;
  for (const auto order : {".relaxed", ".acquire", ".release", ".mmio"})
    if (has(opcode, order)) return Strength::kAtomic;
  return has(opcode, ".volatile") ? Strength::kVolatile : Strength::kPlain;
}

}  // namespace

std::string_view spelling(const InstructionInfo& info) {
  std::string_view text = info.text;
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text;
}

CodeFact fact_of(const InstructionInfo& info) {
  const std::string_view text = spelling(info), opcode = text.substr(0, text.find(' '));
  CodeFact fact;
  fact.watch = watch_of(opcode);
  fact.strength = strength_of(info, opcode);
  fact.aligned = opcode.starts_with("bar.") || has(opcode, ".aligned");
  fact.async_copy = opcode.starts_with("cp.async.ca") || opcode.starts_with("cp.async.cg");
  fact.plain_store = opcode.starts_with("st.");
  if (has(opcode, ".up.")) fact.shuffle = CodeFact::Shuffle::kUp;
  if (has(opcode, ".down.")) fact.shuffle = CodeFact::Shuffle::kDown;
  if (has(opcode, ".bfly.")) fact.shuffle = CodeFact::Shuffle::kButterfly;
  fact.barrier_object = opcode.starts_with("mbarrier.");
  if (opcode == "cp.async.wait_group")
    fact.groups = std::atoll(std::string(text.substr(opcode.size())).c_str());
  return fact;
}

namespace {

std::string position(u64 linear, Dim3 extent) {
  return triple({static_cast<u32>(linear % extent.x), static_cast<u32>(linear / extent.x % extent.y),
                 static_cast<u32>(linear / extent.x / extent.y)});
}

}  // namespace

std::string thread_text(const Grid& grid, u32 linear_thread) { return position(linear_thread, grid.block); }
std::string block_text(const Grid& grid, u64 linear_block) { return position(linear_block, grid.size); }

Finding::Place place_of(const Kernel& kernel, u32 instruction, std::string what) {
  Finding::Place place;
  place.what = std::move(what);
  if (instruction >= kernel.info.size()) return place;
  const InstructionInfo& info = kernel.info[instruction];
  place.ptx_line = info.at.line;
  place.ptx = info.text;
  const auto file = kernel.files.find(info.source.file);
  if (info.source.line == 0 || file == kernel.files.end()) return place;
  place.file = file->second;
  place.line = info.source.line;
  const auto caller = kernel.files.find(info.source.caller_file);
  if (info.source.caller_line == 0 || info.source.caller_file == info.source.file ||
      caller == kernel.files.end())
    return place;
  place.what += ", called at " + std::filesystem::path(caller->second).filename().string() + ":" +
                std::to_string(info.source.caller_line);
  return place;
}

std::string count_of(u64 n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

}  // namespace roofline::sim
