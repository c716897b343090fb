// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <vector>

#include "grader/call/fault.h"

namespace roofline::grader {

/// What one submission may take in all of its grade, whatever it is divided into: calls, phases, processes.
struct BudgetLimits {
  double wall_seconds = 900;                            ///< that the judge waits for it
  std::uint64_t memory_bytes = std::uint64_t{6} << 30;  ///< of all its processes and the simulated device's
  std::uint64_t host_window_bytes = std::uint64_t{1} << 30;  ///< of that: pinned, mapped and managed memory
};

/// What is left of it. The first limit that is reached ends the grade, in a sentence that names it.
class Budget {
 public:
  explicit Budget(const BudgetLimits& limits) : limits_(limits) {}

  const BudgetLimits& limits() const { return limits_; }
  /// When the judge, waiting since now, has waited long enough.
  std::chrono::steady_clock::time_point end_of_time() const;
  /// The judge waited.
  void spend(double seconds) { spent_ += seconds; }
  /// Looks at the memory of processes with all that descend from them, without the `lent` bytes that the
  /// judge maps into them; remembers when it is too much.
  bool holds(const std::vector<int>& roots, std::uint64_t lent = 0);
  /// None while the budget holds.
  Fault exhausted() const;

 private:
  BudgetLimits limits_;
  double spent_ = 0;
  std::uint64_t most_ = 0;  ///< bytes seen at once
};

}  // namespace roofline::grader
