// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "grader/call/compare.h"

/// The shape of a wrong output, which often names the mistake.
namespace roofline::grader {

enum class Pattern : std::uint8_t {
  kNone,           ///< scattered: nothing to say
  kUntouched,      ///< every wrong element still holds the poison
  kSomeUntouched,  ///< some of the wrong elements do
  kAllZero,
  kConstant,
  kInputCopied,
  kNanFrom,  ///< NaN from some index to the end
  kScaled,   ///< the right values times one factor
  kShifted,  ///< element i holds the result of element i + 1 or i - 1
  kTransposed,
  kFromColumn,  ///< in each row right up to some column, wrong from there on
  kRows,        ///< some rows wrong, the others right
  kTail,        ///< right up to some index, wrong from there to the end
  kAfterPowerOfTwo,
  kEveryKth,     ///< wrong exactly at every k-th element
  kOnlyEveryKth  ///< right only at every k-th element
};

struct PatternFound {
  Pattern pattern = Pattern::kNone;
  std::uint64_t from = 0;  ///< first wrong index, or k
  std::string sentence;    ///< for the learner; empty for kNone
};

struct PatternQuestion {
  const Output& output;
  Type type;
  const CallView& call;
  const Settings& settings;
  std::span<const std::byte> got;
  const Comparison& comparison;  ///< with at least one wrong element
  std::uint32_t poison = 0;
  bool has_poison = false;
  std::span<const CallView::Array> inputs{};
};

PatternFound find_pattern(const PatternQuestion& question);

/// Whether every element still holds the poison.
bool untouched(std::span<const std::byte> got, std::uint32_t poison);

}  // namespace roofline::grader
