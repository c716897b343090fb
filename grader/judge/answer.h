// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

/// What a learner's answer to a prediction means, however it is spelled.
namespace roofline::grader {

/// A number that TOML and C++ read alike: no "0x10", "1e999", "nan".
std::optional<double> plain_number(const std::string& text);

/// "16", "1/4", "0.25 FLOP/B", "345 us", "0.345 ms": in the unit that is asked for. Times and bytes are
/// converted; where no unit is asked for, a word behind the number is passed over ("8 bytes"). Nothing where
/// it is no number, or one in another unit.
std::optional<double> number_in(const std::string& answer, std::string_view unit);

/// Whether an answer is the word that is asked for, in any case: "memory", "Memory-bound", "memory bound".
bool is_word(const std::string& answer, const std::string& word);

}  // namespace roofline::grader
