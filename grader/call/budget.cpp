// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/budget.h"

#include <algorithm>

#include "grader/base/units.h"
#include "grader/box/process_tree.h"

namespace roofline::grader {

std::chrono::steady_clock::time_point Budget::end_of_time() const {
  const double left = std::max(0.0, limits_.wall_seconds - spent_);
  // Waiting knows whole milliseconds: a little later, or what was spent would be a little less than there is.
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<long long>(left * 1000) + 2);
}

bool Budget::holds(const std::vector<int>& roots, std::uint64_t lent) {
  std::uint64_t sum = 0;
  for (const int root : roots)
    if (root > 0) sum += memory_of(tree_of(root), limits_.memory_bytes / 2);
  most_ = std::max(most_, sum - std::min(sum, lent));
  return most_ <= limits_.memory_bytes;
}

Fault Budget::exhausted() const {
  constexpr double kGiB = 1 << 30;
  if (most_ > limits_.memory_bytes)
    return {
        Class::kMemoryLimit,
        "the memory of a submission ran out: " + format_number("%.1f", static_cast<double>(most_) / kGiB) +
            " GiB in all its processes and on the device, of " +
            format_number("%.1f", static_cast<double>(limits_.memory_bytes) / kGiB) + " GiB",
        {},
        0};
  if (spent_ >= limits_.wall_seconds)
    return {Class::kTimeout,
            "the time of a submission ran out: " + format_number("%.0f", limits_.wall_seconds) +
                " s for all its calls together",
            {},
            0};
  return {};
}

}  // namespace roofline::grader
