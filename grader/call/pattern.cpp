// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/pattern.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace roofline::grader {
namespace {

using Indices = std::vector<std::uint64_t>;

class Detective {
 public:
  explicit Detective(const PatternQuestion& question)
      : q_(question), size_(bytes_of(question.type)), wrong_(question.comparison.wrong_indices) {}

  PatternFound find() const {
    using Test = std::optional<PatternFound> (Detective::*)() const;
    // What the values are says more than where they are wrong.
    static constexpr Test kTests[] = {&Detective::untouched_elements,
                                      &Detective::constant,
                                      &Detective::copied,
                                      &Detective::nan_from,
                                      &Detective::some_untouched,
                                      &Detective::scaled,
                                      &Detective::shifted,
                                      &Detective::transposed,
                                      &Detective::tail,
                                      &Detective::every_kth,
                                      &Detective::from_column,
                                      &Detective::some_rows};
    for (const Test test : kTests) {
      if (auto found = (this->*test)()) return *found;
    }
    return {};
  }

 private:
  std::uint64_t count() const { return q_.comparison.elements; }
  double at(std::uint64_t i) const { return element_at(q_.type, q_.got, i); }
  bool same_bits(std::uint64_t i, std::uint64_t j) const {
    return std::memcmp(q_.got.data() + i * size_, q_.got.data() + j * size_, size_) == 0;
  }
  bool is_poison(std::uint64_t i) const {
    const std::uint32_t words[2] = {q_.poison, q_.poison};
    return std::memcmp(q_.got.data() + i * size_, reinterpret_cast<const std::byte*>(words) + (i * size_) % 4,
                       size_) == 0;
  }
  bool complete() const { return q_.comparison.positions.empty() && wrong_.size() == q_.comparison.wrong; }
  std::string name() const { return q_.output.argument; }
  static std::string text(std::uint64_t number) { return std::to_string(number); }
  /// "2nd", "3rd", "4th" ... "21st".
  static std::string ordinal(std::uint64_t number) {
    const std::uint64_t last = number % 100 / 10 == 1 ? 0 : number % 10;
    static constexpr const char* kEndings[] = {"th", "st", "nd", "rd"};
    return text(number) + (last <= 3 ? kEndings[last] : "th");
  }

  std::optional<PatternFound> untouched_elements() const {
    if (!q_.has_poison || !std::ranges::all_of(wrong_, [&](std::uint64_t i) { return is_poison(i); }))
      return {};
    if (q_.comparison.wrong == q_.comparison.checked) {
      return PatternFound{Pattern::kUntouched, 0, name() + " was never written: no element of it"};
    }
    std::string where;
    if (const auto tail_at = contiguous_to_end())
      where = ": all of them from index " + text(*tail_at) + " to the end";
    else if (const auto k = stride_of(wrong_))
      where = ": every " + ordinal(*k) + ", starting at " + text(wrong_[0]);
    return PatternFound{Pattern::kUntouched, wrong_[0], "the wrong elements were never written" + where};
  }

  /// Beside others that somebody wrote: those are wrong for another reason, or because of these.
  std::optional<PatternFound> some_untouched() const {
    if (!q_.has_poison || size_ == 1) return {};
    const auto left = static_cast<std::uint64_t>(
        std::ranges::count_if(wrong_, [&](std::uint64_t i) { return is_poison(i); }));
    if (left == 0) return {};
    const std::uint64_t first = *std::ranges::find_if(wrong_, [&](std::uint64_t i) { return is_poison(i); });
    return PatternFound{Pattern::kSomeUntouched, first,
                        (complete() ? "" : "at least ") + text(left) +
                            " of the wrong elements were never written, first " + name() + "[" + text(first) +
                            "]"};
  }

  std::optional<PatternFound> constant() const {
    if (count() < 2) return {};
    for (std::uint64_t i = 1; i < count(); ++i) {
      if (!same_bits(0, i)) return {};
    }
    if (at(0) == 0) return PatternFound{Pattern::kAllZero, 0, "every element of " + name() + " is zero"};
    if (std::isnan(at(0)))
      return PatternFound{Pattern::kNanFrom, 0,
                          "every element of " + name() +
                              " is NaN. A variable that was never set is often one, too: float sum; instead "
                              "of float sum = 0"};
    return PatternFound{Pattern::kConstant, 0, "every element of " + name() + " has the same value"};
  }

  std::optional<PatternFound> copied() const {
    for (const CallView::Array& input : q_.inputs) {
      if (input.type != q_.type || input.bytes.size() != q_.got.size() || input.bytes.empty()) continue;
      if (std::memcmp(input.bytes.data(), q_.got.data(), q_.got.size()) == 0) {
        return PatternFound{Pattern::kInputCopied, 0,
                            name() + " is a copy of the input " + std::string(input.name)};
      }
    }
    return {};
  }

  std::optional<PatternFound> nan_from() const {
    const auto first = contiguous_to_end();
    if (!first || !std::ranges::all_of(wrong_, [&](std::uint64_t i) { return std::isnan(at(i)); })) return {};
    return PatternFound{Pattern::kNanFrom, *first, "NaN from index " + text(*first) + " to the end"};
  }

  /// As far as the first wrong elements and the worst one tell.
  std::optional<PatternFound> scaled() const {
    constexpr double kSame = 0.005, kNearOne = 0.02;
    std::vector<Mismatch> some = q_.comparison.first;
    some.push_back(q_.comparison.worst);
    if (some.size() < 4) return {};
    const double factor = some[0].got / some[0].expected;
    if (!std::isfinite(factor) || factor == 0 || std::abs(factor - 1) < kNearOne) return {};
    const bool all = std::ranges::all_of(some, [&](const Mismatch& one) {
      return one.expected != 0 && std::abs(one.got / one.expected / factor - 1) < kSame;
    });
    if (!all) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", factor);
    return PatternFound{Pattern::kScaled, wrong_[0],
                        "the wrong elements of " + name() + " are " + text + " times what they should be"};
  }

  /// Whether got[i] is what element `other(i)` should have been, for the wrong elements (a sample of them).
  template <class Map>
  bool moved(const Map& other) const {
    const double growth = q_.output.tolerance.growth ? q_.output.tolerance.growth(q_.settings) : 1;
    const std::size_t step = std::max<std::size_t>(1, wrong_.size() / 512);
    std::size_t looked = 0;
    for (std::size_t k = 0; k < wrong_.size(); k += step) {
      const std::optional<std::uint64_t> from = other(wrong_[k]);
      if (!from) continue;
      Expected expected;
      q_.output.reference(q_.call, *from, *from + 1, &expected);
      if (!acceptable(q_.type, q_.output.tolerance, growth, expected, at(wrong_[k]))) return false;
      ++looked;
    }
    return looked >= 3;
  }

  std::optional<PatternFound> shifted() const {
    for (const int by : {1, -1}) {
      const auto other = [&](std::uint64_t i) -> std::optional<std::uint64_t> {
        if (by < 0 ? i == 0 : i + 1 >= count()) return std::nullopt;
        return by < 0 ? i - 1 : i + 1;
      };
      if (!moved(other)) continue;
      const std::string_view neighbour = by > 0 ? "next" : "previous";
      return PatternFound{
          Pattern::kShifted, wrong_[0],
          "shifted by one: " + name() + "[i] holds the result of the " + std::string(neighbour) + " element"};
    }
    return {};
  }

  std::optional<PatternFound> transposed() const {
    if (!q_.output.columns) return {};
    const auto columns = static_cast<std::uint64_t>(q_.output.columns(q_.settings));
    if (columns < 2 || count() % columns != 0) return {};
    const std::uint64_t rows = count() / columns;
    // got, read as a columns x rows matrix, is the transpose of what was asked.
    const auto other = [&](std::uint64_t i) -> std::optional<std::uint64_t> {
      return (i % rows) * columns + i / rows;
    };
    if (rows < 2 || !moved(other)) return {};
    return PatternFound{Pattern::kTransposed, wrong_[0], name() + " is transposed"};
  }

  /// The length of a row where the output has rows and every wrong element is known; 0: not so.
  std::uint64_t row_length() const {
    if (!q_.output.columns || !complete()) return 0;
    const auto columns = static_cast<std::uint64_t>(q_.output.columns(q_.settings));
    return columns >= 2 && count() % columns == 0 ? columns : 0;
  }

  std::optional<PatternFound> from_column() const {
    const std::uint64_t columns = row_length();
    if (columns == 0) return {};
    std::uint64_t first = columns;
    for (const std::uint64_t i : wrong_) first = std::min(first, i % columns);
    const std::uint64_t behind = count() / columns * (columns - first);
    constexpr double kNearlyAll = 0.9;  // some are right by chance
    if (first == 0 || static_cast<double>(wrong_.size()) < kNearlyAll * static_cast<double>(behind))
      return {};
    return PatternFound{Pattern::kFromColumn, first,
                        "each row is right up to column " + text(first - 1) + ", and wrong from column " +
                            text(first) + " on"};
  }

  std::optional<PatternFound> some_rows() const {
    constexpr std::uint64_t kFewest = 8;  // elements that tell a wrong row from a wrong element
    const std::uint64_t columns = row_length();
    if (columns < kFewest) return {};
    std::vector<std::uint64_t> wrong_in(count() / columns);
    for (const std::uint64_t i : wrong_) ++wrong_in[i / columns];
    Indices rows;
    for (std::uint64_t row = 0; row < wrong_in.size(); ++row) {
      if (wrong_in[row] == 0) continue;
      if (2 * wrong_in[row] < columns) return {};
      rows.push_back(row);
    }
    if (rows.size() == wrong_in.size() || wrong_in.size() < 3) return {};
    std::string which;
    if (const auto k = stride_of(rows))
      which = "every " + ordinal(*k) + " row is wrong, starting at row " + text(rows[0]);
    else if (rows.size() > 1 && rows.back() - rows.front() + 1 == rows.size())
      which = "rows " + text(rows.front()) + " to " + text(rows.back()) + " are wrong";
    else if (rows.size() == 1)
      which = "row " + text(rows[0]) + " is wrong";
    else
      which = text(rows.size()) + " rows are wrong, the first of them row " + text(rows[0]);
    return PatternFound{Pattern::kRows, rows[0],
                        which + ", of " + text(wrong_in.size()) + "; the other rows are right"};
  }

  std::optional<std::uint64_t> contiguous_to_end() const {
    if (!complete() || wrong_.back() + 1 != count() || wrong_.back() - wrong_.front() + 1 != wrong_.size())
      return {};
    return wrong_.front();
  }

  /// Where integers of 16 and of 32 bits end.
  static bool of_a_type(unsigned exponent) {
    return exponent == 15 || exponent == 16 || exponent == 31 || exponent == 32;
  }

  std::optional<PatternFound> tail() const {
    const auto first = contiguous_to_end();
    if (!first || *first == 0) return {};
    if (*first >= 1024 && std::has_single_bit(*first) && wrong_.size() > 1024) {
      const auto exponent = static_cast<unsigned>(std::countr_zero(*first));
      return PatternFound{Pattern::kAfterPowerOfTwo, *first,
                          "wrong from index 2^" + std::to_string(exponent) + " (" + text(*first) + ") on" +
                              (of_a_type(exponent) ? ": which type has the index?" : "")};
    }
    return PatternFound{Pattern::kTail, *first,
                        "right up to index " + text(*first - 1) + ", wrong from there to the end (the last " +
                            text(count() - *first) + ")"};
  }

  /// The constant difference k >= 2 of the indices, when there are at least three.
  static std::optional<std::uint64_t> stride_of(const Indices& indices) {
    if (indices.size() < 3) return {};
    const std::uint64_t k = indices[1] - indices[0];
    for (std::size_t i = 1; i < indices.size(); ++i) {
      if (indices[i] - indices[i - 1] != k) return {};
    }
    return k >= 2 ? std::optional(k) : std::nullopt;
  }

  std::optional<PatternFound> every_kth() const {
    if (!complete()) return {};
    if (const auto k = stride_of(wrong_); k && wrong_[0] < *k && wrong_.back() + *k >= count()) {
      return PatternFound{Pattern::kEveryKth, *k,
                          "every " + ordinal(*k) + " element is wrong, starting at " + text(wrong_[0])};
    }
    if (wrong_.size() >= count()) return {};
    Indices right;
    std::size_t next = 0;
    for (std::uint64_t i = 0; i < count(); ++i) {
      if (next < wrong_.size() && wrong_[next] == i)
        ++next;
      else
        right.push_back(i);
    }
    // A few right elements far apart are chance (a transposed matrix keeps some in place).
    if (const auto k = stride_of(right); k && *k <= 256 && right[0] < *k && right.back() + *k >= count()) {
      return PatternFound{Pattern::kOnlyEveryKth, *k,
                          "only every " + ordinal(*k) + " element is right, starting at " + text(right[0])};
    }
    return {};
  }

  const PatternQuestion& q_;
  std::size_t size_;
  const Indices& wrong_;
};

}  // namespace

PatternFound find_pattern(const PatternQuestion& question) {
  if (question.comparison.wrong_indices.empty()) return {};
  return Detective(question).find();
}

bool untouched(std::span<const std::byte> got, std::uint32_t poison) {
  const std::uint32_t words[2] = {poison, poison};
  for (std::size_t i = 0; i < got.size(); i += 4) {
    if (std::memcmp(got.data() + i, words, std::min<std::size_t>(4, got.size() - i)) != 0) return false;
  }
  return true;
}

}  // namespace roofline::grader
