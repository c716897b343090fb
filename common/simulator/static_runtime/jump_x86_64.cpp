// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Numbers stand as the processor reads them, the lowest byte first.
#include <algorithm>
#include <array>

#include "simulator/static_runtime/code_writer.h"

namespace roofline::sim::static_runtime {
namespace {

/// jmp *0(%rip), and the address behind it.
Code far_jump(std::uint64_t target) {
  Code code;
  append(code, 0x25ff, 2);
  append(code, 0, 4);
  append(code, target, 8);
  return code;
}

Code far_jump_with(std::uint64_t argument, std::uint64_t target) {
  Code code;
  append(code, 0xbf48, 2);  // movabs $argument, %rdi
  append(code, argument, 8);
  const Code jump = far_jump(target);
  code.insert(code.end(), jump.begin(), jump.end());
  return code;
}

/// Distances count from the end of the instruction.
Code jump_32(std::int64_t distance) {
  Code code;
  append(code, 0xe9, 1);
  append(code, static_cast<std::uint64_t>(distance - 5), 4);
  return code;
}

Code jump_8(std::int64_t distance) {
  Code code;
  append(code, 0xeb, 1);
  append(code, static_cast<std::uint64_t>(distance - 2), 1);
  return code;
}

std::size_t mark_size(std::span<const std::byte> begin) {
  constexpr std::array endbr64 = {std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e}, std::byte{0xfa}};
  const bool marked =
      begin.size() >= endbr64.size() && std::equal(endbr64.begin(), endbr64.end(), begin.begin());
  return marked ? endbr64.size() : 0;
}

}  // namespace

const JumpCode& x86_64_jumps() {
  static const JumpCode code{far_jump,
                             far_jump_with,
                             {{5, INT32_MIN + 5LL, INT32_MAX + 5LL, jump_32}, {2, -126, 129, jump_8}},
                             mark_size,
                             1};
  return code;
}

}  // namespace roofline::sim::static_runtime
