// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/isa/chapters.h"
#include "simulator/ptx/type_names.h"

/// What a syntax line stands for, without the matcher under test.
namespace roofline::sim::isa::cases {

/// The chapters whose instructions only compute; the others are tested by programs on the whole machine.
inline std::vector<Row> computing_rows() {
  return joined({integer_rows, integer_bit_rows, extended_rows, float_rows, transcendental_rows, half_rows,
                 half_compare_rows, compare_rows, logic_rows, move_rows, convert_rows, convert_packed_rows,
                 video_rows, scalar_video_rows});
}

/// The parts of a syntax line, each with the texts it may stand for ("" where it may be absent).
inline std::vector<std::vector<std::string>> parts_of(const Row& row) {
  std::vector<std::vector<std::string>> parts;
  std::string_view rest = row.syntax.substr(0, row.syntax.find(' '));
  while (!rest.empty()) {
    const bool optional = rest.front() == '{', choice = optional || rest.starts_with(".{");
    const auto end = choice ? rest.find('}') + 1 : std::min(rest.find_first_of(".{", 1), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end);
    std::vector<std::string> texts;
    const bool first = part == ".type" || part == ".dtype";
    if (choice) {
      if (optional) texts.emplace_back();
      const auto open = part.find('{') + 1;
      std::istringstream words{std::string(part.substr(open, part.size() - open - 1))};
      for (std::string word; std::getline(words, word, ',');) {
        word.erase(0, word.find_first_not_of(" ."));
        texts.push_back("." + word);
      }
    } else if (first || part == ".type2" || part == ".atype" || part == ".stype") {
      for (const ptx::Type& type : first ? row.types : row.types2) texts.push_back("." + ptx::name_of(type));
    } else {
      texts.emplace_back(part);
    }
    parts.push_back(std::move(texts));
  }
  return parts;
}

/// Every spelling that a syntax line stands for, or a sample of those that stand for very many.
inline std::vector<std::string> spellings_of(const Row& row, std::size_t most) {
  const std::vector<std::vector<std::string>> parts = parts_of(row);
  std::size_t count = 1;
  for (const auto& texts : parts) count = std::min(count * texts.size(), std::size_t{1} << 40);
  std::vector<std::string> spellings;
  std::mt19937_64 engine(1);
  for (std::size_t n = 0; n < std::min(count, most); ++n) {
    std::size_t choice = count <= most ? n : engine() % count;
    std::string spelling;
    for (const auto& texts : parts) {
      spelling += texts[choice % texts.size()];
      choice /= texts.size();
    }
    spellings.push_back(std::move(spelling));
  }
  return spellings;
}

/// The fewest operands that a syntax line takes.
inline std::size_t operands_of(std::string_view syntax) {
  const auto space = syntax.find(' ');
  if (space == std::string_view::npos) return 0;
  int depth = 0;
  std::size_t count = 1;
  for (std::size_t i = space + 1; i < syntax.size(); ++i) {
    const char c = syntax[i];
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0 && syntax[i - 1] != '{') ++count;
  }
  return count;
}

}  // namespace roofline::sim::isa::cases
