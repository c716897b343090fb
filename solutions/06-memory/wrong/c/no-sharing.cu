// expect: budget-exceeded
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every tensor has memory of its own.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "share.h"

namespace {

constexpr int kAttempts = 100;

bool together(const Tensor&, const Tensor&) { return true; }

/// Each tensor at the lowest offset where it fits; gives the height.
std::uint64_t first_fit(const Tensor* tensors, const std::vector<int>& order,
                        std::vector<std::uint64_t>& offsets) {
  std::uint64_t height = 0;
  std::vector<int> placed;  // by offset
  for (const int i : order) {
    std::uint64_t at = 0;
    for (const int other : placed)
      if (together(tensors[i], tensors[other])) {
        if (offsets[other] >= at + tensors[i].bytes) break;
        at = std::max(at, offsets[other] + tensors[other].bytes);
      }
    offsets[i] = at;
    height = std::max(height, at + tensors[i].bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](int a, int b) { return offsets[a] < offsets[b]; }),
                  i);
  }
  return height;
}

/// A wall without holes, as high as `limit`.
class Wall {
 public:
  Wall(const Tensor* tensors, const std::vector<int>& order, std::uint64_t limit,
       std::vector<std::uint64_t>& offsets)
      : tensors_(tensors), order_(order), limit_(limit), offsets_(offsets), placed_(order.size(), false) {
    std::uint64_t end = 0;
    for (const int i : order) end = std::max(end, tensors[i].last + 1);
    height_.assign(end, 0);
  }

  bool build(int left) {
    if (left == 0) return true;
    if (++tried_ > kPatience) return false;
    const std::vector<int> candidates = fewest_candidates();
    for (const int i : candidates) {
      const std::uint64_t floor = height_[tensors_[i].first];
      set(i, floor + tensors_[i].bytes, true);
      offsets_[i] = floor;
      if (build(left - 1)) return true;
      set(i, floor, false);
    }
    return false;
  }

 private:
  static constexpr int kPatience = 2'000;

  /// Who can begin a gap: of all gaps the one with the fewest, which is none where the wall cannot be
  /// finished.
  std::vector<int> fewest_candidates() const {
    std::vector<int> fewest;
    bool any = false;
    const std::size_t steps = height_.size();
    for (std::size_t begin = 0, end = 0; begin < steps; begin = end) {
      for (end = begin + 1; end < steps && height_[end] == height_[begin];) ++end;
      const bool gap = height_[begin] < limit_ && (begin == 0 || height_[begin - 1] > height_[begin]) &&
                       (end == steps || height_[end] > height_[begin]);
      if (!gap) continue;
      std::vector<int> here;
      for (const int i : order_)
        if (!placed_[i] && tensors_[i].first == begin && tensors_[i].last < end &&
            height_[begin] + tensors_[i].bytes <= limit_)
          here.push_back(i);
      if (any && here.size() >= fewest.size()) continue;
      any = true;
      fewest = std::move(here);
      if (fewest.size() < 2) break;
    }
    return fewest;
  }

  void set(int i, std::uint64_t height, bool placed) {
    placed_[i] = placed;
    std::fill(height_.begin() + static_cast<std::ptrdiff_t>(tensors_[i].first),
              height_.begin() + static_cast<std::ptrdiff_t>(tensors_[i].last) + 1, height);
  }

  const Tensor* tensors_;
  const std::vector<int>& order_;
  std::uint64_t limit_;
  std::vector<std::uint64_t>& offsets_;
  std::vector<bool> placed_;
  std::vector<std::uint64_t> height_;  ///< of the wall at each step
  int tried_ = 0;
};

/// The most bytes alive in a step: no plan needs less.
std::uint64_t lower_bound(const Tensor* tensors, int n) {
  std::uint64_t most = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t alive = 0;
    for (int k = 0; k < n; ++k)
      if (tensors[k].first <= tensors[i].first && tensors[i].first <= tensors[k].last)
        alive += tensors[k].bytes;
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace

void share(const Tensor* tensors, int n, std::uint64_t* offsets) {
  std::vector<std::uint64_t> plan(static_cast<std::size_t>(n)), best;
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  // A search that starts badly rarely ends: better to give up early and begin again in another order.
  std::mt19937 random(1);
  const std::uint64_t limit = lower_bound(tensors, n);
  for (int attempt = 0; attempt < 0; ++attempt) {
    if (Wall(tensors, order, limit, plan).build(n)) {
      std::copy(plan.begin(), plan.end(), offsets);
      return;
    }
    std::shuffle(order.begin(), order.end(), random);
  }
  const auto length = [&](int i) { return tensors[i].last - tensors[i].first + 1; };
  std::uint64_t lowest = ~std::uint64_t{0};
  for (int way = 0; way < 3; ++way) {
    const auto weight = [&](int i) {
      return way == 0 ? tensors[i].bytes : way == 1 ? length(i) : tensors[i].bytes * length(i);
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return weight(a) > weight(b); });
    const std::uint64_t height = first_fit(tensors, order, plan);
    if (height >= lowest) continue;
    lowest = height;
    best = plan;
  }
  std::copy(best.begin(), best.end(), offsets);
}
