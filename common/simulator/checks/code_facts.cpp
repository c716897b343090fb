// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/code_facts.h"

#include <cstdlib>
#include <filesystem>

#include "simulator/program/function.h"

namespace roofline::sim {

bool is_watched(const Traits& traits) {
  const bool copies = traits.async_copy == AsyncCopy::kCommit ||
                      traits.async_copy == AsyncCopy::kWaitGroups || traits.async_copy == AsyncCopy::kWaitAll;
  return copies || traits.fence != Fence::kNone ||
         (traits.gathers != Gathers::kNone && traits.gathers != Gathers::kClusterBarrier);
}

Slot members_of(const Instruction& in, const Traits& traits) {
  switch (traits.members) {
    case Members::kA:
      return in.a;
    case Members::kB:
      return in.b;
    case Members::kExtra:
      return in.extra->slots[0];
    case Members::kNone:
      break;
  }
  return {};
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

}  // namespace roofline::sim
