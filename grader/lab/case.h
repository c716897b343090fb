// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/value.h"

namespace roofline::grader {

/// One correctness call.
struct Case {
  std::string id{}, title{};  ///< "n-257", "n = 257"
  NamedValues settings{};
  bool hidden = false;               ///< an instructor's: what the program prints about it is not kept
  bool special_values = false;       ///< NaN, +-Inf, -0, denormals among the inputs
  unsigned misaligned_elements = 0;  ///< base pointers off by this many elements from 256-byte alignment
  std::string misaligned_alone{};    ///< of this array only; empty: of all
  std::vector<std::pair<std::string, std::string>> alias{};  ///< output, input: the same pointer
  bool gpu_only = false;           ///< too large to simulate: it asks for indices of 64 bits
  std::uint64_t needs_memory = 0;  ///< device bytes
  /// What goes wrong here and not in most other cases ("copies that nobody waits for"). `watch` runs these
  /// cases first, whatever they cost, and names what they cover.
  std::string tells{};
};

struct CommonCases {
  std::string size = "n";  ///< the size argument
  std::vector<std::uint64_t> sizes = {0, 1, 31, 32, 33, 255, 256, 257, 1023, (1U << 20) + 3};
  std::vector<std::uint64_t> more_sizes{};  ///< around the tiles that learners choose
  std::vector<unsigned> misaligned = {1, 2, 3};
  bool special_values = true;  ///< elementwise operations only
  std::vector<std::pair<std::string, std::string>> in_place{};
  NamedValues fixed{};  ///< settings that all cases share
};
/// The cases that every lab runs, as one list.
std::vector<Case> common_cases(const CommonCases& options);
/// "1 element past an aligned address"
std::string past_aligned(unsigned elements);
/// The same call with its pointers `elements` past an aligned address, and called after that alone:
/// "misaligned-1".
Case misaligned(Case one, unsigned elements);
std::vector<Case> operator+(std::vector<Case> left, const std::vector<Case>& right);
/// A size in an id, a title or a sentence: 65536, not 65536.000000.
std::string whole(double number);

}  // namespace roofline::grader
