// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/lab/program.h"
#include "grader/result/medal.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// Fractions of the roof that earn a medal.
using Thresholds = PerMedal;
/// Keyed by compute capability (80 = 8.0): the entry with the highest key not above the device's holds.
using ThresholdTable = std::vector<std::pair<int, Thresholds>>;
Thresholds thresholds_for(const ThresholdTable& table, int capability);

/// Which clock a goal reads.
enum class Clock : std::uint8_t {
  kDevice,  ///< from the first kernel's start to the last one's end (events); with copies, the whole call
  kHost     ///< from the call to the end of all its work: launch overhead counts
};

/// Floating-point operations that no version of a call can leave out: faster than the device's peak is
/// impossible.
struct DeclaredFlops {
  std::function<double(const Settings&)> count{};
  /// Their types: where not empty, a simulated device must have counted 0.95 of them in these, and a file
  /// that a GPU is to time must pass the same on the simulated device first.
  std::vector<sim::FlopType> types{};

  DeclaredFlops() = default;
  template <class Count>
  requires std::is_invocable_r_v<double, Count, const Settings&> DeclaredFlops(
      Count function, std::vector<sim::FlopType> counted = {})  // a table says a function alone
      : count(std::move(function)), types(std::move(counted)) {}

  explicit operator bool() const { return static_cast<bool>(count); }
  double operator()(const Settings& settings) const { return count(settings); }
  /// A simulated device decides whether they were done.
  bool counted() const { return count && !types.empty(); }
};

/// A share of work, and the roof that says how long it takes alone.
struct RoofShare {
  std::string roof{};
  std::function<double(const Settings&)> work{};  ///< in the roof's base unit
};

/// One operation of a call that is made of many: it takes as long as the share that takes longest.
struct BudgetLine {
  std::string what{};  ///< "q k v = a Wqkv"
  std::vector<RoofShare> shares{};
};

/// A timed case and the fraction of a roof it must reach.
struct Goal {
  std::string id{}, title{};
  NamedValues settings{};
  std::string roof{};  ///< id of a roof (grader/lab/roof.h)
  std::function<double(const Settings&)>
      work{};  ///< bytes, FLOPs ... that a call must do, in the roof's base unit; none with a budget
  /// Operations that follow each other, each against roofs of its own: the limit is the sum of their times,
  /// and `roof` is only what a GPU times beside the calls. Who fuses operations may beat it.
  std::vector<BudgetLine> budget{};
  DeclaredFlops flops{};  ///< for roofs that have no data sheet of their own
  /// Bytes that every version must move, where `work` counts something else: where the roofline puts the dot.
  std::function<double(const Settings&)> bytes{};
  ThresholdTable thresholds{};
  Clock clock = Clock::kDevice;
};

/// One timed call per value of an argument: the roofline of one kernel.
struct Sweep {
  std::string id{}, title{};
  std::string argument{};
  std::vector<double> values{};  ///< ascending
  NamedValues settings{};
  std::function<double(const Settings&)> bytes{};
  DeclaredFlops flops{};
  std::string memory_roof = "copy", compute_roof = "fma";
  ThresholdTable lowest{}, highest{};  ///< fraction of the memory / compute roof at the two ends
  /// Its `pass` alone: of min(intensity x memory roof, compute roof), at the value nearest to the ridge.
  ThresholdTable knee{};
  double flatness = 0;  ///< times of points with intensity <= ridge / 2 agree within this
};

/// A timed case in which copies ought to hide behind kernels: the part of the shorter of the two that is
/// hidden, (T_kernels + T_copies - T) / min(T_kernels, T_copies).
struct Overlap {
  std::string id{}, title{};
  NamedValues settings{};
  RoofShare kernels{};
  std::vector<RoofShare> copies{};  ///< one after the other
  ThresholdTable thresholds{};
};

/// An answer that has a quality of its own, beside being right: the peak of a plan against its lower bound.
struct Quality {
  std::string id{}, title{}, unit{};
  NamedValues settings{};
  std::function<double(const CallView&)> bound{};  ///< the best value possible, in `unit`; less is better
  std::function<double(const CallView&, std::span<const std::byte> output)> value{};  ///< of the first output
  Thresholds thresholds{};                                                            ///< of bound / value
};

}  // namespace roofline::grader
