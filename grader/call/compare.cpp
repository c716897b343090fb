// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include "grader/base/parallel.h"
#include "grader/base/units.h"
#include "grader/lab/e4m3.h"
#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "grader/lab/vectorised.h"

namespace roofline::grader {
namespace {

double to_double(auto value) { return static_cast<double>(value); }
double to_double(_Float16 value) { return value_of(value); }
double to_double(E4M3 value) { return value_of(value); }

template <class T>
double load(std::span<const std::byte> array, std::uint64_t index) {
  T value;
  std::memcpy(&value, array.data() + index * sizeof(T), sizeof(T));
  return to_double(value);
}

struct Format {
  double largest, smallest;  ///< finite, subnormal
};

Format format_of(Type type) {
  switch (type) {
    case Type::kF16:
      return {65504, 0x1p-24};
    case Type::kE4M3:
      return {kLargestE4M3, 0x1p-9};
    case Type::kF32:
      return {static_cast<double>(std::numeric_limits<float>::max()), 0x1p-149};
    case Type::kF64:
      return {std::numeric_limits<double>::max(), 0x1p-1074};
    default:
      return {std::numeric_limits<double>::infinity(), 0};
  }
}

bool is_poison(std::span<const std::byte> got, std::uint64_t index, std::size_t size, std::uint32_t poison) {
  std::uint32_t words[2] = {poison, poison};
  const std::size_t shift = (index * size) % 4;  // halves and bytes see their part of the word
  return std::memcmp(got.data() + index * size, reinterpret_cast<const std::byte*>(words) + shift, size) == 0;
}

/// Whether a block is right beyond doubt: a loop that the compiler vectorises. Anything unusual (NaN,
/// infinity, a bound that is no number) answers false, and the block is then looked at element by element.
template <class T>
inline bool plainly_right(std::span<const std::byte> got, std::uint64_t begin,
                          std::span<const Expected> expected, double scale, double smallest) {
  const T* values = reinterpret_cast<const T*>(got.data()) + begin;
  bool right = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double bound = scale * expected[i].magnitude + smallest;
    right &= std::abs(to_double(values[i]) - expected[i].value) <= bound;
    right &= bound < std::numeric_limits<double>::max();
  }
  return right;
}

/// plainly_right of a type of floating-point numbers; integers have to be equal.
ROOFLINE_VECTORISED bool plainly_right(Type type, std::span<const std::byte> got, std::uint64_t begin,
                                       std::span<const Expected> expected, double scale, double smallest) {
  if (type == Type::kF32) return plainly_right<float>(got, begin, expected, scale, smallest);
  if (type == Type::kF16) return plainly_right<_Float16>(got, begin, expected, scale, smallest);
  return type == Type::kF64 && plainly_right<double>(got, begin, expected, scale, smallest);
}

/// One thread's findings over one piece.
struct Piece {
  std::vector<Mismatch> first;
  std::vector<std::uint64_t> indices;
  Mismatch worst;
  double worst_ratio = -1;
  std::uint64_t wrong = 0;
  std::uint64_t begin = 0;

  void add(const Mismatch& mismatch) {
    ++wrong;
    if (first.size() < 5) first.push_back(mismatch);
    indices.push_back(mismatch.index);
    const double ratio = std::isfinite(mismatch.error) ? mismatch.error / std::max(mismatch.bound, 1e-300)
                                                       : std::numeric_limits<double>::infinity();
    if (ratio > worst_ratio) {
      worst_ratio = ratio;
      worst = mismatch;
    }
  }
};

/// In the order of the pieces, so that the result does not depend on how threads were scheduled.
void merge(std::vector<Piece>& pieces, Comparison& result) {
  std::ranges::sort(pieces, {}, &Piece::begin);
  double worst_ratio = -1;
  for (const Piece& piece : pieces) {
    result.wrong += piece.wrong;
    for (const Mismatch& mismatch : piece.first) {
      if (result.first.size() < 5) result.first.push_back(mismatch);
    }
    const std::size_t room = kMaxWrongIndices - result.wrong_indices.size();
    const auto end =
        piece.indices.begin() + static_cast<std::ptrdiff_t>(std::min(room, piece.indices.size()));
    result.wrong_indices.insert(result.wrong_indices.end(), piece.indices.begin(), end);
    if (piece.worst_ratio > worst_ratio) {
      worst_ratio = piece.worst_ratio;
      result.worst = piece.worst;
    }
  }
}

/// Whole numbers in all their digits: sums, hashes and indices are looked for as they are.
std::string digits(double value) {
  constexpr double kMostDigits = 1e15;
  const bool whole = std::abs(value) < kMostDigits && value == std::trunc(value);
  return format_number(whole ? "%.0f" : "%.9g", value);
}

/// Expected and got in as few digits as tell them apart.
std::pair<std::string, std::string> numbers(double expected, double got) {
  std::pair<std::string, std::string> text = {digits(expected), digits(got)};
  if (text.first == text.second) text = {format_number("%.17g", expected), format_number("%.17g", got)};
  return text;
}

}  // namespace

double element_at(Type type, std::span<const std::byte> array, std::uint64_t index) {
  switch (type) {
    case Type::kF32:
      return load<float>(array, index);
    case Type::kF64:
      return load<double>(array, index);
    case Type::kF16:
      return load<_Float16>(array, index);
    case Type::kS8:
      return load<std::int8_t>(array, index);
    case Type::kU8:
      return load<std::uint8_t>(array, index);
    case Type::kS32:
      return load<std::int32_t>(array, index);
    case Type::kU32:
      return load<std::uint32_t>(array, index);
    case Type::kS64:
      return load<std::int64_t>(array, index);
    case Type::kU64:
      return load<std::uint64_t>(array, index);
    case Type::kE4M3:
      return load<E4M3>(array, index);
  }
  return 0;
}

double rounded_to(Type type, double value) {
  if (type == Type::kF32) return static_cast<double>(static_cast<float>(value));
  if (type == Type::kF16) return static_cast<double>(static_cast<_Float16>(value));
  if (type == Type::kE4M3) return value_of(e4m3_of(value));
  return value;
}

bool acceptable(Type type, const Tolerance& tolerance, double growth, const Expected& expected, double got,
                double* bound_out) {
  const Format format = format_of(type);
  if (tolerance.c == 0) {
    if (bound_out != nullptr) *bound_out = 0;
    const double exact = rounded_to(type, expected.value);
    if (std::isnan(exact)) return std::isnan(got);
    return got == exact && std::signbit(got) == std::signbit(exact);
  }
  // Below the smallest normal number the spacing is absolute.
  const double bound = tolerance.c * growth * tolerance.u * expected.magnitude + format.smallest;
  if (bound_out != nullptr) *bound_out = bound;
  if (std::isnan(expected.value)) return std::isnan(got);
  if (std::isinf(expected.value)) return got == expected.value;
  if (got == rounded_to(type, expected.value)) return true;  // whatever the bound is, a NaN for one
  if (std::isinf(got))
    return std::abs(expected.value) + bound > format.largest && (got > 0) == (expected.value > 0);
  return std::isfinite(bound) && std::abs(got - expected.value) <= bound;
}

Comparison compare(const Output& output, Type type, const CallView& call, const Settings& settings,
                   std::span<const std::byte> got, const CompareOptions& options) {
  const std::size_t size = bytes_of(type);
  const double growth = output.tolerance.growth ? output.tolerance.growth(settings) : 1;
  Comparison result;
  result.elements = got.size() / size;
  result.positions = options.positions;
  const bool sampled = !options.positions.empty();
  result.checked = sampled ? options.positions.size() : result.elements;
  const double scale = output.tolerance.c * growth * output.tolerance.u, smallest = format_of(type).smallest;
  const auto right_block = [&](std::uint64_t begin, std::span<const Expected> expected) {
    return scale != 0 && plainly_right(type, got, begin, expected, scale, smallest);
  };
  std::vector<Piece> pieces;
  std::mutex mutex;
  const auto check = [&](Piece& piece, std::uint64_t index, const Expected& expected) {
    const double value = element_at(type, got, index);
    double bound = 0;
    bool right = acceptable(type, output.tolerance, growth, expected, value, &bound);
    // A byte that is no NaN may be a result that looks so.
    const bool may_be_unwritten = options.has_poison && (std::isnan(value) || (!right && size > 1));
    const bool unwritten = may_be_unwritten && is_poison(got, index, size, options.poison);
    if (!right || unwritten)
      piece.add({index, expected.value, value, std::abs(value - expected.value), bound, unwritten});
  };
  // Whole rows where there are rows: what all elements of a row have in common is computed once for a row.
  const std::size_t row = output.columns ? static_cast<std::size_t>(output.columns(settings)) : 1;
  const auto whole_rows = [&](std::size_t least) { return row == 0 ? least : (least + row - 1) / row * row; };
  const std::size_t most = whole_rows(4096);
  parallel_chunks(result.checked, whole_rows(std::size_t{1} << 14), [&](std::size_t begin, std::size_t end) {
    Piece piece;
    piece.begin = begin;
    std::vector<Expected> expected(std::min(most, end - begin));
    for (std::size_t i = begin, stop = i; i < end; i = stop) {
      // A run of neighbouring elements: the whole block, or as many positions as follow each other.
      stop = sampled ? i + 1 : std::min(end, i + expected.size());
      const std::uint64_t index = sampled ? options.positions[i] : i;
      while (sampled && stop < end && stop - i < most && options.positions[stop] == index + (stop - i))
        ++stop;
      output.reference(call, index, index + (stop - i), expected.data());
      if (right_block(index, {expected.data(), stop - i})) continue;
      for (std::size_t k = i; k < stop; ++k) check(piece, index + (k - i), expected[k - i]);
    }
    const std::scoped_lock lock(mutex);
    pieces.push_back(std::move(piece));
  });
  merge(pieces, result);
  return result;
}

std::vector<std::uint64_t> sample_positions(std::uint64_t elements, std::uint64_t seed) {
  if (elements <= kSampledPositions) return {};
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i < 256; ++i) {
    positions.push_back(i);
    positions.push_back(elements - 1 - i);
  }
  for (std::uint64_t i = positions.size(); i < kSampledPositions; ++i) {
    positions.push_back(random_bits(seed, i) % elements);
  }
  std::ranges::sort(positions);
  positions.erase(std::ranges::unique(positions).begin(), positions.end());
  return positions;
}

std::vector<std::uint64_t> sample_rows(std::uint64_t elements, std::uint64_t columns, unsigned rows,
                                       std::uint64_t seed) {
  const std::uint64_t all = columns == 0 ? 0 : elements / columns;
  if (all <= rows + 2) return {};
  std::set<std::uint64_t> chosen = {0, all - 1};
  for (std::uint64_t i = 0; chosen.size() < rows + 2; ++i) chosen.insert(random_bits(seed, i) % all);
  std::vector<std::uint64_t> positions;
  for (const std::uint64_t row : chosen)
    for (std::uint64_t j = 0; j < columns; ++j) positions.push_back(row * columns + j);
  return positions;
}

std::string describe(const Comparison& comparison, std::string_view name, std::uint64_t columns,
                     bool unwritten) {
  std::string text = std::to_string(comparison.wrong) + " of " + std::to_string(comparison.checked);
  text += comparison.positions.empty() ? " elements of " : " elements looked at in ";
  text += std::string(name) + (comparison.wrong == 1 ? " is wrong" : " are wrong");
  const auto place = [&](std::uint64_t index) {
    const std::string element = std::string(name) + "[" + std::to_string(index) + "]";
    if (columns == 0) return element;
    return element + " (row " + std::to_string(index / columns) + ", column " +
           std::to_string(index % columns) + ")";
  };
  const auto line = [&](const Mismatch& m, const char* label) {
    const auto [expected, got] = numbers(m.expected, m.got);
    const bool nobody_wrote = unwritten || m.unwritten;
    text += "\n  " + std::string(label) + place(m.index) + ": expected " + expected +
            (nobody_wrote ? ", never written" : ", got " + got);
    if (std::isfinite(m.error) && !nobody_wrote)
      text +=
          " (off by " + format_number("%.9g", m.error) + ", allowed " + format_number("%.9g", m.bound) + ")";
  };
  for (const Mismatch& mismatch : comparison.first) line(mismatch, "");
  if (comparison.wrong > comparison.first.size() && comparison.worst.index != comparison.first[0].index)
    line(comparison.worst, "worst: ");
  return text;
}

}  // namespace roofline::grader
