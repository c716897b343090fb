// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/device/virtual_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simulator/machine/memory.h"

namespace roofline::sim::virtual_memory {
namespace {

constexpr u64 kUnit = kMappingGranularity, kMiB = u64{1} << 20;
constexpr auto kReadWrite = MappedAccess::kReadWrite;

u8* at(u64 address) { return reinterpret_cast<u8*>(address); }

bool says(const Memory& memory, u64 address, const std::string& text) {
  return memory.explain(address, 4).find(text) != std::string::npos;
}

/// One range in the window of GPU 0, of which the middle piece is GPU 1's.
class TwoGpus : public testing::Test {
 protected:
  TwoGpus() {
    mapped_.add(first_);
    mapped_.add(second_);
    range_ = mapped_.reserve(0, 3 * kUnit, 0);
    for (u32 i = 0; i < 3; ++i) {
      pieces_.push_back(mapped_.create(i % 2, kUnit));
      EXPECT_TRUE(mapped_.map(range_ + i * kUnit, kUnit, pieces_.back()));
    }
  }
  bool allow(u32 gpu, MappedAccess access) { return mapped_.allow(range_, 3 * kUnit, gpu, access, "mapped"); }
  u32 home(u64 offset) const { return mapped_.homes().of(range_ + offset); }

  Memory first_{64 * kMiB}, second_{64 * kMiB};
  VirtualMemory mapped_;
  u64 range_ = 0;
  std::vector<u64> pieces_;
};

// Breaks when a piece is taken from the GPU in whose window it is mapped, or its addresses show other bytes.
TEST_F(TwoGpus, EachPieceIsItsOwnGpus) {
  EXPECT_EQ(first_.used_bytes(), 2 * kUnit);
  EXPECT_EQ(second_.used_bytes(), kUnit);
  EXPECT_EQ(home(0), 0u);
  EXPECT_EQ(home(kUnit), 1u);
  EXPECT_EQ(home(2 * kUnit - 1), 1u);
  EXPECT_EQ(home(2 * kUnit), 0u);
  const u64 again = mapped_.reserve(1, kUnit, 0);
  ASSERT_TRUE(mapped_.map(again, kUnit, pieces_[1]));
  *at(range_ + kUnit) = 7;
  EXPECT_EQ(*at(again), 7);
}

// Breaks when the right of one GPU is another's, neighbours of two GPUs are two allocations, or the sentence
// does not say who may not.
TEST_F(TwoGpus, RightsAreEachGpus) {
  EXPECT_EQ(first_.find(range_), nullptr);
  ASSERT_TRUE(allow(0, kReadWrite));
  ASSERT_NE(first_.find(range_ + kUnit), nullptr);
  EXPECT_EQ(first_.find(range_ + kUnit)->begin, range_);
  EXPECT_EQ(first_.find(range_)->end, range_ + 3 * kUnit);
  EXPECT_EQ(second_.find(range_ + kUnit), nullptr) << "its own memory, but it was not asked for";
  EXPECT_TRUE(
      says(second_, range_ + kUnit, "memory of device 1, mapped with cuMemMap, that device 1 may not"))
      << second_.explain(range_ + kUnit, 4);
  EXPECT_TRUE(says(second_, range_, "memory of device 0")) << second_.explain(range_, 4);
  ASSERT_TRUE(allow(1, MappedAccess::kRead));
  EXPECT_TRUE(second_.find(range_)->read_only);
  EXPECT_FALSE(first_.find(range_)->read_only);
  const u64 before = first_.epoch();
  ASSERT_TRUE(allow(0, MappedAccess::kNone));
  EXPECT_NE(first_.epoch(), before) << "caches keep the old right";
  EXPECT_EQ(first_.find(range_), nullptr);
  EXPECT_NE(second_.find(range_), nullptr);
}

// Breaks when an unmapped piece is still reached or its neighbours no longer are, it keeps its home, or what
// was released is given back while it is mapped.
TEST_F(TwoGpus, TheMiddleMayGo) {
  ASSERT_TRUE(allow(0, kReadWrite));
  ASSERT_TRUE(allow(1, kReadWrite));
  EXPECT_TRUE(mapped_.release(pieces_[1]));
  EXPECT_EQ(second_.used_bytes(), kUnit) << "it is mapped";
  EXPECT_FALSE(mapped_.unmap(range_ + kUnit, kUnit / 2));
  ASSERT_TRUE(mapped_.unmap(range_ + kUnit, kUnit));
  EXPECT_EQ(second_.used_bytes(), 0u);
  EXPECT_EQ(home(kUnit), 0u);
  for (const Memory* memory : {&first_, &second_}) {
    EXPECT_NE(memory->find(range_ + kUnit - 1), nullptr);
    EXPECT_EQ(memory->find(range_ + kUnit), nullptr);
    EXPECT_NE(memory->find(range_ + 2 * kUnit), nullptr);
    EXPECT_TRUE(says(*memory, range_ + kUnit + 8, "no memory is mapped there"))
        << memory->explain(range_ + kUnit + 8, 4);
  }
  EXPECT_FALSE(allow(0, kReadWrite)) << "there is a gap";
  EXPECT_FALSE(mapped_.unreserve(range_, 3 * kUnit));
  EXPECT_TRUE(mapped_.unmap(range_, kUnit));
  EXPECT_TRUE(mapped_.unmap(range_ + 2 * kUnit, kUnit));
  EXPECT_TRUE(mapped_.unreserve(range_, 3 * kUnit));
  EXPECT_EQ(first_.used_bytes(), 2 * kUnit) << "handles hold it";
}

// Breaks when a GPU that ends leaves its memory, its rights or its addresses with the others.
TEST_F(TwoGpus, AGpuMayEnd) {
  ASSERT_TRUE(allow(0, kReadWrite));
  ASSERT_TRUE(allow(1, kReadWrite));
  mapped_.remove(second_);
  EXPECT_EQ(second_.find(range_), nullptr);
  EXPECT_EQ(second_.used_bytes(), 0u);
  EXPECT_EQ(first_.find(range_ + kUnit), nullptr);
  EXPECT_NE(first_.find(range_), nullptr);
  EXPECT_FALSE(mapped_.gpu_of(pieces_[1]).has_value());
  mapped_.add(second_);
  EXPECT_TRUE(mapped_.unmap(range_, kUnit)) << "of the others all is as before";
  EXPECT_NE(first_.find(range_ + 2 * kUnit), nullptr);
  EXPECT_EQ(second_.find(range_ + 2 * kUnit), nullptr);
  mapped_.remove(first_);
  EXPECT_FALSE(mapped_.homes().is_reserved(range_));
  EXPECT_EQ(first_.used_bytes(), 0u);
}

// Breaks when a copy's stretches leave something out or run past the end.
TEST_F(TwoGpus, RangesAreDividedByHome) {
  std::vector<std::pair<u32, u64>> parts;
  mapped_.homes().divide(range_ + 100, 2 * kUnit, [&](u32 gpu, u64 n) { parts.emplace_back(gpu, n); });
  const std::vector<std::pair<u32, u64>> expected = {{0, kUnit - 100}, {1, kUnit}, {0, 100}};
  EXPECT_EQ(parts, expected);
}

}  // namespace
}  // namespace roofline::sim::virtual_memory
