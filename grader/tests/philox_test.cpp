// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "random/philox.h"

#include <gtest/gtest.h>

#include <array>

namespace roofline {
namespace {

struct Vector {
  std::uint64_t low, high, seed;
  std::array<std::uint32_t, 4> words;
};

// Breaks when a round, a constant or the order of the words is not Philox4x32-10: the known-answer vectors
// that its authors publish with Random123.
TEST(Philox, PublishedVectors) {
  const Vector vectors[] = {
      {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {~0ULL, ~0ULL, ~0ULL, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {0x85a308d3243f6a88,
       0x0370734413198a2e,
       0x299f31d0a4093822,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Vector& vector : vectors) {
    const PhiloxBlock block = philox(vector.seed, vector.low, vector.high);
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(block.word[k], vector.words[k]) << "word " << k;
  }
}

}  // namespace
}  // namespace roofline
