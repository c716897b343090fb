// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grader/lab/spec.h"

namespace roofline::grader {

struct Mismatch {
  std::uint64_t index = 0;
  double expected = 0, got = 0, error = 0, bound = 0;
  bool unwritten = false;  ///< what the judge had put there is still there
};

/// What comparing one output with its reference found.
struct Comparison {
  std::uint64_t elements = 0;                ///< of the output
  std::uint64_t checked = 0;                 ///< all of them, or the sampled ones
  std::uint64_t wrong = 0;                   ///< of those checked
  std::vector<Mismatch> first;               ///< the first five
  Mismatch worst;                            ///< largest error / bound; a NaN counts as the largest
  std::vector<std::uint64_t> wrong_indices;  ///< ascending, at most kMaxWrongIndices
  std::vector<std::uint64_t> positions;      ///< what was checked, ascending; empty: every element
  bool ok() const { return wrong == 0; }
};
inline constexpr std::size_t kMaxWrongIndices = std::size_t{1} << 22;
inline constexpr std::size_t kSampledPositions = 65536;

/// Element `index` of an array as a double (64-bit integers beyond 2^53 lose bits: compare those by bits).
double element_at(Type type, std::span<const std::byte> array, std::uint64_t index);
/// `value` rounded to the type and back, as the device's output would hold it.
double rounded_to(Type type, double value);
/// Whether `got` is an acceptable result: !(|got - expected| <= bound) is wrong; NaN is right only where NaN
/// is expected; infinities must be equal, or be what an expected value within the bound of overflow rounds
/// to.
bool acceptable(Type type, const Tolerance& tolerance, double growth, const Expected& expected, double got,
                double* bound = nullptr);

struct CompareOptions {
  std::uint32_t poison = 0;  ///< an element with these bits was never written: always wrong
  bool has_poison = false;
  std::vector<std::uint64_t> positions;  ///< ascending; empty: all
};

/// Compares `got` with the reference of `output`, on all cores.
Comparison compare(const Output& output, Type type, const CallView& call, const Settings& settings,
                   std::span<const std::byte> got, const CompareOptions& options = {});

/// Sorted distinct positions in [0, elements), drawn from the seed; the first and last 256 are always among
/// them.
std::vector<std::uint64_t> sample_positions(std::uint64_t elements, std::uint64_t seed);

/// All elements of `rows` random rows, and of the first and the last one; empty (everything) where there are
/// no more rows than that.
std::vector<std::uint64_t> sample_rows(std::uint64_t elements, std::uint64_t columns, unsigned rows,
                                       std::uint64_t seed);

/// "3 of 1000 elements are wrong" with the first five and the worst, one a line; of a matrix of `columns`
/// columns with row and column. `unwritten`: none of the wrong elements was written.
std::string describe(const Comparison& comparison, std::string_view name, std::uint64_t columns = 0,
                     bool unwritten = false);

}  // namespace roofline::grader
