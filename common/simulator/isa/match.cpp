// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "simulator/closest.h"
#include "simulator/isa/row.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim::isa {

namespace {

/// The syntax line in two parts: "add{.sat}.s32" and "d, a, b".
struct Line {
  std::string_view spelling, operands;
  explicit Line(std::string_view syntax) {
    const auto space = syntax.find(' ');
    spelling = syntax.substr(0, space);
    if (space != std::string_view::npos) operands = syntax.substr(space + 1);
  }
};

/// Walks the modifiers of a spelling along a syntax line; goes back where an optional part was taken too
/// early.
class Walker {
 public:
  Walker(const Row& row, const ptx::Instruction& instruction, Match& match)
      : row_(row), modifiers_(instruction.modifiers), match_(match) {}

  bool walk(std::string_view syntax, std::size_t at) {
    if (syntax.empty()) return at == modifiers_.size();
    if (syntax.front() == '{') return walk_choice(syntax, 1, at, true);
    if (syntax.starts_with(".{")) return walk_choice(syntax, 2, at, false);
    const auto end = std::min(syntax.find_first_of(".{", 1), syntax.size());
    return at < modifiers_.size() && take(syntax.substr(1, end - 1), at, syntax.substr(end));
  }

 private:
  /// `{.rn,.rz}` (may be absent) or `.{eq,ne}` (may not).
  bool walk_choice(std::string_view syntax, std::size_t open, std::size_t at, bool optional) {
    const auto close = syntax.find('}');
    std::string_view choices = syntax.substr(open, close - open);
    const std::string_view rest = syntax.substr(close + 1);
    while (at < modifiers_.size() && !choices.empty()) {
      const auto comma = std::min(choices.find(','), choices.size());
      std::string_view choice = choices.substr(0, comma);
      choices.remove_prefix(std::min(comma + 1, choices.size()));
      while (!choice.empty() && (choice.front() == '.' || choice.front() == ' ')) choice.remove_prefix(1);
      if (take_words(choice, at, rest)) return true;
    }
    return optional && walk(rest, at);
  }

  /// A choice may be of several words: `{async,async.global}`.
  bool take_words(std::string_view words, std::size_t at, std::string_view rest) {
    const auto dot = words.find('.');
    if (at >= modifiers_.size()) return false;
    if (dot == std::string_view::npos) return take(words, at, rest);
    const std::string_view first = words.substr(0, dot);
    if (modifiers_[at] != first) return false;
    match_.modifiers.push_back(first);
    if (take_words(words.substr(dot + 1), at + 1, rest)) return true;
    match_.modifiers.pop_back();
    return false;
  }

  /// The modifier at `at` against one word of the syntax, then the rest.
  bool take(std::string_view word, std::size_t at, std::string_view rest) {
    if (word == "type" || word == "dtype") return take_type(match_.type, row_.types, at, rest);
    if (word == "type2" || word == "atype" || word == "stype")
      return take_type(match_.type2, row_.types2, at, rest);
    if (modifiers_[at] != word) return false;
    match_.modifiers.push_back(word);
    if (walk(rest, at + 1)) return true;
    match_.modifiers.pop_back();
    return false;
  }

  bool take_type(ptx::Type& slot, const std::vector<ptx::Type>& allowed, std::size_t at,
                 std::string_view rest) {
    const std::optional<ptx::Type> type = ptx::type_named(modifiers_[at]);
    if (!type || std::find(allowed.begin(), allowed.end(), *type) == allowed.end()) return false;
    const ptx::Type before = std::exchange(slot, *type);
    if (walk(rest, at + 1)) return true;
    slot = before;
    return false;
  }

  const Row& row_;
  const std::vector<std::string>& modifiers_;
  Match& match_;
};

/// Whether the number of operands fits "d, a{, b}".
bool operands_fit(std::string_view syntax, std::size_t given) {
  if (syntax.find("...") != std::string_view::npos) return true;
  std::size_t most = syntax.empty() ? 0 : 1, optional = 0;
  int depth = 0;
  for (std::size_t i = 0; i < syntax.size(); ++i) {
    const char c = syntax[i];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    ++most;
    if (i > 0 && syntax[i - 1] == '{') ++optional;
  }
  return given <= most && given + optional >= most;
}

/// How many modifiers of the instruction the row does not know.
std::size_t words_without_place(const Row& row, const ptx::Instruction& instruction) {
  const std::string_view spelling = Line(row.syntax).spelling;
  const auto has_word = [&](const std::string& word) {
    for (auto at = spelling.find(word); at != spelling.npos; at = spelling.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at > 0 && std::string_view(".{,").find(spelling[at - 1]) != std::string_view::npos;
      if (begins &&
          (end == spelling.size() || std::string_view(".{},").find(spelling[end]) != std::string_view::npos))
        return true;
    }
    const std::optional<ptx::Type> type = ptx::type_named(word);
    const auto allows = [&](const std::vector<ptx::Type>& types) {
      return type && std::find(types.begin(), types.end(), *type) != types.end();
    };
    return allows(row.types) || allows(row.types2);
  };
  return static_cast<std::size_t>(std::count_if(instruction.modifiers.begin(), instruction.modifiers.end(),
                                                [&](const std::string& word) { return !has_word(word); }));
}

}  // namespace

std::string_view opcode_of(const Row& row) { return row.syntax.substr(0, row.syntax.find_first_of(".{ ")); }

bool matches(const Row& row, const ptx::Instruction& instruction, Match& match) {
  const Line line(row.syntax);
  const std::string_view opcode = opcode_of(row);
  if (instruction.opcode != opcode || !operands_fit(line.operands, instruction.operands.size())) return false;
  match = {};
  match.instruction = &instruction;
  if (!Walker(row, instruction, match).walk(line.spelling.substr(opcode.size()), 0)) return false;
  if (match.type.kind == ptx::Type::Kind::kNone && row.types.size() == 1) match.type = row.types.front();
  if (match.type2.kind == ptx::Type::Kind::kNone && row.types2.size() == 1) match.type2 = row.types2.front();
  return true;
}

std::vector<const Row*> near_misses(const ptx::Instruction& instruction) {
  std::vector<const Row*> same, near, far;
  for (const Row& row : rows()) {
    const auto edits = edit_distance(opcode_of(row), instruction.opcode);
    if (edits == 0) same.push_back(&row);
    if (edits == 1) near.push_back(&row);
    if (edits == 2 && instruction.opcode.size() > 4) far.push_back(&row);
  }
  std::vector<const Row*>& found = !same.empty() ? same : !near.empty() ? near : far;
  std::stable_sort(found.begin(), found.end(), [&](const Row* a, const Row* b) {
    return words_without_place(*a, instruction) < words_without_place(*b, instruction);
  });
  return found;
}

}  // namespace roofline::sim::isa
