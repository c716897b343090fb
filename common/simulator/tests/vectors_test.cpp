// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/vectors.h"

#include <gtest/gtest.h>

namespace roofline::sim {
namespace {

/// Element (row, column) has a number of its own. Broken by: halves interleaved in another order.
template <class Vector, int kSize>
void transposes() {
  Vector rows[kSize];
  for (int r = 0; r < kSize; ++r)
    for (int c = 0; c < kSize; ++c) rows[r][c] = static_cast<u16>(100 * r + c);
  transpose(rows);
  for (int r = 0; r < kSize; ++r)
    for (int c = 0; c < kSize; ++c) EXPECT_EQ(rows[r][c], 100 * c + r) << r << ' ' << c;
}

TEST(Vectors, RowsBecomeColumns) {
  transposes<WordVector, 4>();
  transposes<ShortVector, 8>();
}

/// Broken by: a load that needs 16-byte alignment, or moves more than 16 bytes.
TEST(Vectors, MoveFromAndToAnywhere) {
  u8 bytes[40];
  for (int i = 0; i < 40; ++i) bytes[i] = static_cast<u8>(i);
  store_vector(bytes + 21, load_vector<WordVector>(bytes + 3));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(bytes[i], i < 21 || i >= 37 ? i : i - 18) << i;
}

}  // namespace
}  // namespace roofline::sim
