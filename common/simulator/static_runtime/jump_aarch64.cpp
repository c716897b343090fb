// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// An instruction is a word of 32 bits. x16 is the register that veneers between caller and callee may change.
#include "simulator/static_runtime/code_writer.h"

namespace roofline::sim::static_runtime {
namespace {

constexpr std::uint32_t kBranchToX16 = 0xd61f0200;
constexpr std::uint32_t kBranch = 0x14000000;

/// ldr xN, from `distance` bytes behind this instruction.
std::uint32_t load(unsigned x, std::uint32_t distance) { return 0x58000000u | distance / 4 << 5 | x; }

Code far_jump(std::uint64_t target) {
  Code code;
  append(code, load(16, 8), 4);
  append(code, kBranchToX16, 4);
  append(code, target, 8);
  return code;
}

Code far_jump_with(std::uint64_t argument, std::uint64_t target) {
  Code code;
  append(code, load(0, 12), 4);
  append(code, load(16, 16), 4);
  append(code, kBranchToX16, 4);
  append(code, argument, 8);
  append(code, target, 8);
  return code;
}

Code branch(std::int64_t distance) {
  Code code;
  append(code, kBranch | (static_cast<std::uint64_t>(distance / 4) & 0x3ffffff), 4);
  return code;
}

/// bti, bti c, bti j and bti jc. (A function that begins with paciasp signs its return address: not kept.)
std::size_t mark_size(std::span<const std::byte> begin) {
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < 4 && i < begin.size(); i++)
    first |= static_cast<std::uint32_t>(begin[i]) << (8 * i);
  return (first & 0xffffff3f) == 0xd503241f ? 4 : 0;
}

}  // namespace

const JumpCode& aarch64_jumps() {
  constexpr std::int64_t reach = std::int64_t{1} << 27;
  static const JumpCode code{far_jump, far_jump_with, {{4, -reach, reach - 4, branch}}, mark_size, 4};
  return code;
}

}  // namespace roofline::sim::static_runtime
