// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roofline::sim::static_runtime {

using Code = std::vector<std::byte>;

/// A branch to a place that is near, and how many bytes away from its own first byte it reaches.
struct NearBranch {
  std::size_t size = 0;
  std::int64_t back = 0, forth = 0;
  Code (*encode)(std::int64_t distance) = nullptr;
};

/// The machine code that leads from one function to another, of one architecture. Registers that hold
/// arguments, and the stack, are as the caller left them.
struct JumpCode {
  /// To any address.
  Code (*far_jump)(std::uint64_t target) = nullptr;
  /// The same with `argument` in the place of the first argument.
  Code (*far_jump_with)(std::uint64_t argument, std::uint64_t target) = nullptr;
  std::vector<NearBranch> near;  ///< the farthest first
  /// Bytes of the landing mark (endbr64, bti) that the function begins with; it stays.
  std::size_t (*mark_size)(std::span<const std::byte> begin) = nullptr;
  std::size_t alignment = 1;  ///< of every instruction
};

const JumpCode& x86_64_jumps();
const JumpCode& aarch64_jumps();

/// Of the architecture that this was built for.
const JumpCode& host_jumps();

}  // namespace roofline::sim::static_runtime
