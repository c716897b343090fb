// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/answer.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "grader/base/words.h"

namespace roofline::grader {
namespace {

/// A unit and how many of the first unit of its kind it is.
struct Unit {
  std::string_view name;
  enum class Kind { kTime, kBytes } kind;
  double size;
};
constexpr Unit kUnits[] = {{"s", Unit::Kind::kTime, 1},         {"ms", Unit::Kind::kTime, 1e-3},
                           {"us", Unit::Kind::kTime, 1e-6},     {"µs", Unit::Kind::kTime, 1e-6},
                           {"μs", Unit::Kind::kTime, 1e-6},     {"ns", Unit::Kind::kTime, 1e-9},
                           {"b", Unit::Kind::kBytes, 1},        {"byte", Unit::Kind::kBytes, 1},
                           {"bytes", Unit::Kind::kBytes, 1},    {"kb", Unit::Kind::kBytes, 1e3},
                           {"mb", Unit::Kind::kBytes, 1e6},     {"gb", Unit::Kind::kBytes, 1e9},
                           {"kib", Unit::Kind::kBytes, 0x1p10}, {"mib", Unit::Kind::kBytes, 0x1p20},
                           {"gib", Unit::Kind::kBytes, 0x1p30}};

const Unit* unit_called(const std::string& name) {
  const auto found = std::ranges::find(kUnits, name, &Unit::name);
  return found == std::end(kUnits) ? nullptr : found;
}

/// "flops/byte" and "FLOP / B" as "flop/b".
std::string plain_unit(std::string_view text) {
  std::string unit;
  for (const char c : lower(std::string(text)))
    if (c != ' ') unit += c;
  for (const auto& [said, meant] :
       {std::pair<std::string_view, std::string_view>{"flops", "flop"}, {"/bytes", "/b"}, {"/byte", "/b"}})
    if (const std::size_t at = unit.find(said); at != std::string::npos) unit.replace(at, said.size(), meant);
  return unit;
}

/// How many of the unit that is asked for one of the unit that was said is.
std::optional<double> factor_between(const std::string& said, std::string_view asked) {
  if (said.empty() || asked.empty()) return 1;
  if (plain_unit(said) == plain_unit(asked)) return 1;
  const Unit *from = unit_called(lower(said)), *to = unit_called(lower(std::string(asked)));
  if (from == nullptr || to == nullptr || from->kind != to->kind) return {};
  return from->size / to->size;
}

}  // namespace

std::optional<double> plain_number(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0' || !(value < 1e300 && value > -1e300)) return {};
  return value;
}

std::optional<double> number_in(const std::string& answer, std::string_view unit) {
  const std::string text = trimmed(answer);
  // The longest beginning that is a number or a fraction; the "e" of a unit is none of an exponent.
  for (std::size_t end = text.size(); end > 0; --end) {
    const std::string head = trimmed(text.substr(0, end));
    const std::size_t slash = head.find('/');
    auto value = plain_number(trimmed(head.substr(0, slash)));
    if (value && slash != std::string::npos) {
      const auto below = plain_number(trimmed(head.substr(slash + 1)));
      value = below && *below != 0 ? std::optional(*value / *below) : std::nullopt;
    }
    if (!value) continue;
    const std::string rest = trimmed(text.substr(end));
    if (!rest.empty() && std::isalpha(static_cast<unsigned char>(rest[0])) == 0 &&
        (static_cast<unsigned char>(rest[0]) & 0x80U) == 0)
      return {};
    const auto factor = factor_between(rest, unit);
    return factor ? std::optional(*value * *factor) : std::nullopt;
  }
  return {};
}

bool is_word(const std::string& answer, const std::string& word) {
  std::string said = lower(trimmed(answer));
  for (const std::string_view ending : {"-bound", " bound"})
    if (said.ends_with(ending)) said.resize(said.size() - ending.size());
  return said == lower(word);
}

}  // namespace roofline::grader
