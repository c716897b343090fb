// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/value_text.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "grader/units.h"

namespace roofline::grader {
namespace {

using sim::ThreadRecord;

/// "ld", "global", "f32" of "ld.global.f32"
std::vector<std::string> words_of(const std::string& spelling) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= spelling.size();) {
    const size_t dot = std::min(spelling.find('.', at), spelling.size());
    words.push_back(spelling.substr(at, dot - at));
    at = dot + 1;
  }
  return words;
}

bool is_type(const std::string& word) {
  if (word == "f16x2" || word == "bf16" || word == "bf16x2") return true;
  return word.size() >= 3 && std::string("fsu").find(word[0]) != std::string::npos &&
         word.find_first_not_of("0123456789", 1) == std::string::npos;
}

struct Operand {
  std::string name;
  bool in_address = false;
};

/// The registers of "%f1, [%rd2+4], {%f3, %f4}", in order; empty names for operands that are none.
std::vector<Operand> operands_of(const std::string& text) {
  std::vector<Operand> operands;
  bool in_address = false;
  for (size_t at = 0; at < text.size(); at++) {
    if (text[at] == '[') in_address = true;
    if (text[at] == ']') in_address = false;
    if (text[at] != '%') continue;
    const size_t end = std::min(text.find_first_of(",]}|+ )", at), text.size());
    operands.push_back({text.substr(at, end - at), in_address});
    at = end - 1;
  }
  return operands;
}

std::string hex(sim::u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// The shortest decimal that reads back as the same number.
std::string float_text(double value, bool is_single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  for (int digits = 1; digits <= 17; digits++) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const bool same = is_single ? std::strtof(text, nullptr) == static_cast<float>(value)
                                : std::strtod(text, nullptr) == value;
    if (!same) continue;
    const std::string shown = text;
    return shown.find_first_of(".en") == std::string::npos ? shown + ".0" : shown;
  }
  return format_number("%g", value);
}

double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction ? NAN : INFINITY)
                                  : std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -value : value;
}

double bfloat_value(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

}  // namespace

ValueText::ValueText(const ThreadRecord& record) : record_(record) {
  for (const auto& instruction : record.instructions) learn(instruction);
  functions_.resize(record.registers.size());
  for (const auto& step : record.steps)
    for (const auto& value : step.values)
      if (value.name < functions_.size() && step.instruction < record.instructions.size())
        functions_[value.name] = record.instructions[step.instruction].function;
}

void ValueText::learn(const std::string& name, const std::string& type) {
  const std::string key = function_ + " " + name;
  const auto known = views_.find(key);
  const bool is_float = known != views_.end() && known->second >= View::kHalf;
  if (is_float) return;  // moved around as an integer too
  View view = View::kUnsigned;
  if (type == "address")
    view = View::kAddress;
  else if (type == "f16x2")
    view = View::kHalves;
  else if (type == "f16")
    view = View::kHalf;
  else if (type.starts_with("bf16"))
    view = View::kBFloat;
  else if (type == "f32")
    view = View::kFloat;
  else if (type == "f64")
    view = View::kDouble;
  else if (type[0] == 's')
    view = View::kSigned;
  if (known != views_.end() && known->second == View::kAddress && view < View::kHalf) return;
  views_[key] = view;
}

void ValueText::learn(const ThreadRecord::Instruction& instruction) {
  function_ = instruction.function;
  std::string text = instruction.text;
  if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
  const size_t space = text.find(' ');
  if (space == std::string::npos) return;
  const std::vector<std::string> words = words_of(text.substr(0, space));
  std::vector<std::string> types;
  for (const std::string& word : words)
    if (is_type(word)) types.push_back(word);
  const std::vector<Operand> operands = operands_of(text.substr(space));
  const std::string& opcode = words.front();
  for (size_t i = 0; i < operands.size(); i++) {
    if (operands[i].in_address) {
      learn(operands[i].name, "address");
      continue;
    }
    if (types.empty() || opcode == "mma" || opcode == "wmma" || opcode == "call") continue;
    const bool converts = opcode == "cvt" && types.size() == 2;
    if (opcode == "cvta")
      learn(operands[i].name, "address");
    else if (opcode == "shl" || opcode == "shr") {
      if (i < 2) learn(operands[i].name, types.back());
    } else
      learn(operands[i].name, converts && i == 0 ? types.front() : types.back());
  }
}

std::string ValueText::named(const ThreadRecord::Value& value) const {
  const std::string name = value.name < record_.registers.size() ? record_.registers[value.name].name : "?";
  return name + "=" + this->value(value);
}

std::string ValueText::value(const ThreadRecord::Value& value) const {
  if (value.name >= record_.registers.size()) return hex(value.low);
  const ThreadRecord::Register& known = record_.registers[value.name];
  if (known.type.kind == sim::ptx::Type::Kind::kPredicate) return value.low ? "true" : "false";
  const auto found = views_.find(functions_[value.name] + " " + known.name);
  View view = found == views_.end() ? View::kBits : found->second;
  const unsigned bits = known.type.bits;
  using Kind = sim::ptx::Type::Kind;
  if (view == View::kBits && known.type.kind == Kind::kFloat)
    view = bits == 64 ? View::kDouble : View::kFloat;
  if (view == View::kBits && known.type.kind == Kind::kSigned) view = View::kSigned;
  if (view == View::kBits && known.type.kind == Kind::kUnsigned) view = View::kUnsigned;
  const auto low16 = static_cast<std::uint16_t>(value.low),
             high16 = static_cast<std::uint16_t>(value.low >> 16);
  switch (view) {
    case View::kFloat:
      if (bits == 32) return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(value.low)), true);
      break;
    case View::kDouble:
      if (bits == 64) return float_text(std::bit_cast<double>(value.low), false);
      break;
    case View::kHalf:
      if (bits == 16) return format_number("%.4g", half_value(low16));
      [[fallthrough]];
    case View::kHalves:
      return "{" + format_number("%.4g", half_value(low16)) + ", " +
             format_number("%.4g", half_value(high16)) + "}";
    case View::kBFloat:
      if (bits == 16) return format_number("%.4g", bfloat_value(low16));
      return "{" + format_number("%.4g", bfloat_value(low16)) + ", " +
             format_number("%.4g", bfloat_value(high16)) + "}";
    case View::kSigned: {
      if (value.low >> 40 && ~value.low >> 40) return hex(value.low);  // an address in a signed sum
      const unsigned shift = bits < 64 ? 64 - bits : 0;
      return std::to_string(static_cast<std::int64_t>(value.low << shift) >> shift);
    }
    case View::kUnsigned:
      return value.low >> 40 ? hex(value.low) : std::to_string(value.low);
    case View::kAddress:
    case View::kBits:
      break;
  }
  if (value.high) return hex(value.high) + hex(value.low).substr(1);
  return hex(value.low);
}

}  // namespace roofline::grader
