// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/static_runtime/redirection.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace roofline::sim::static_runtime {
namespace {

using u64 = std::uint64_t;

/// Bytes of a function's body that nobody runs any more.
struct Room {
  u64 begin = 0, end = 0;
};

/// Takes `size` bytes within `branch`'s reach of `from` out of one of the rooms: the first that can be had.
std::optional<u64> take(std::vector<Room>& rooms, u64 from, const NearBranch& branch, u64 size,
                        u64 alignment) {
  const auto nearest =
      static_cast<u64>(std::max<std::int64_t>(0, static_cast<std::int64_t>(from) + branch.back));
  for (std::size_t i = 0; i < rooms.size(); i++) {
    const Room room = rooms[i];
    const u64 at = (std::max(room.begin, nearest) + alignment - 1) / alignment * alignment;
    if (at + size > room.end || static_cast<std::int64_t>(at - from) > branch.forth) continue;
    rooms[i].begin = at + size;
    rooms.push_back({room.begin, at});
    return at;
  }
  return {};
}

/// One function, one way: the same function under two names is redirected once.
void merge_names(std::vector<Redirection>& sorted) {
  for (std::size_t i = 1; i < sorted.size(); i++)
    if (sorted[i].address == sorted[i - 1].address && sorted[i].code != sorted[i - 1].code)
      throw std::runtime_error("its linker made one function of " + sorted[i - 1].name + " and " +
                               sorted[i].name + " (--icf): link it without that");
  const auto same = [](const Redirection& a, const Redirection& b) { return a.address == b.address; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
}

}  // namespace

std::vector<Patch> plan_patches(std::vector<Redirection> redirections, const JumpCode& jumps) {
  std::sort(redirections.begin(), redirections.end(),
            [](const Redirection& a, const Redirection& b) { return a.address < b.address; });
  merge_names(redirections);
  std::vector<Patch> patches;
  std::vector<Room> rooms;
  std::vector<const Redirection*> small;
  for (const Redirection& one : redirections) {
    if (one.mark + one.code.size() > one.size) {
      small.push_back(&one);
      continue;
    }
    const u64 begin = one.address + one.mark;
    patches.push_back({begin, one.code});
    rooms.push_back({begin + one.code.size(), one.address + one.size});
  }
  for (const Redirection* one : small) {
    const u64 from = one->address + one->mark;
    std::optional<u64> landing;
    for (const NearBranch& branch : jumps.near) {
      if (landing || one->mark + branch.size > one->size) continue;
      landing = take(rooms, from, branch, one->code.size(), jumps.alignment);
      if (!landing) continue;
      patches.push_back({from, branch.encode(static_cast<std::int64_t>(*landing - from))});
      patches.push_back({*landing, one->code});
    }
    if (!landing)
      throw std::runtime_error(one->name + " has only " + std::to_string(one->size) +
                               " bytes, too few for a jump");
  }
  return patches;
}

}  // namespace roofline::sim::static_runtime
