// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/static_runtime/jump_code.h"

namespace roofline::sim::static_runtime {

/// A function that is never to run again, and the code that runs when it is called.
struct Redirection {
  std::string name;
  std::uint64_t address = 0, size = 0;
  std::size_t mark = 0;  ///< first bytes that stay (JumpCode::mark_size)
  Code code;             ///< JumpCode::far_jump or far_jump_with
};

/// Bytes that take the place of others.
struct Patch {
  std::uint64_t address = 0;
  Code bytes;
};

/// What to write where. Code that does not fit into its function goes into the body of another one of the
/// list, which nobody runs any more either, and the function gets a near branch there. Not a byte outside of
/// the functions is touched.
/// \throws std::runtime_error with a sentence when two functions that must go different ways are one (a
/// linker that folds identical code), or one is too small and stands alone.
std::vector<Patch> plan_patches(std::vector<Redirection> redirections, const JumpCode& jumps);

}  // namespace roofline::sim::static_runtime
