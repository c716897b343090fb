// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

namespace roofline::grader {

/// The sum of what `of` makes of each number: eight sums side by side, which a compiler keeps in vector
/// registers. One sum would have to wait for each addition before the next.
template <class Of>
inline double sum_of(std::span<const double> numbers, const Of& of) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {}, sum = 0;
  std::size_t i = 0;
  for (; i + kSums <= numbers.size(); i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += of(numbers[i + k]);
  for (; i < numbers.size(); ++i) sum += of(numbers[i]);
  for (const double each : sums) sum += each;
  return sum;
}

}  // namespace roofline::grader
