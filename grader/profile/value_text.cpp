// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/value_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "grader/base/units.h"
#include "simulator/text.h"

namespace roofline::grader {
namespace {

using sim::ThreadRecord;

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
  for (const auto& instruction : record.instructions)
    for (const sim::HeldType& held : instruction.held) learn(instruction.function, held);
  functions_.resize(record.registers.size());
  for (const auto& step : record.steps)
    for (const auto& value : step.values)
      if (value.name < functions_.size() && step.instruction < record.instructions.size())
        functions_[value.name] = record.instructions[step.instruction].function;
}

ValueText::View ValueText::view_of(const sim::HeldType& held) {
  using Kind = sim::ptx::Type::Kind;
  if (held.is_address) return View::kAddress;
  const bool is_pair = held.type.lanes == 2;
  switch (held.type.kind) {
    case Kind::kFloat:
      return is_pair                ? View::kHalves
             : held.type.bits == 16 ? View::kHalf
             : held.type.bits == 32 ? View::kFloat
                                    : View::kDouble;
    case Kind::kBFloat:
      return View::kBFloat;
    case Kind::kSigned:
      return View::kSigned;
    case Kind::kUnsigned:
      return View::kUnsigned;
    default:
      return View::kBits;
  }
}

void ValueText::learn(const std::string& function, const sim::HeldType& held) {
  const View view = view_of(held);
  if (view == View::kBits) return;
  const auto [known, is_new] = views_.try_emplace(function + " " + held.name, view);
  if (is_new || known->second >= View::kHalf) return;  // a float is moved around as an integer, too
  if (known->second == View::kAddress && view < View::kHalf) return;
  known->second = view;
}

std::string ValueText::named(const ThreadRecord::Value& value) const {
  const std::string name = value.name < record_.registers.size() ? record_.registers[value.name].name : "?";
  return name + "=" + this->value(value);
}

std::string ValueText::value(const ThreadRecord::Value& value) const {
  if (value.name >= record_.registers.size()) return sim::hex(value.low);
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
      if (value.low >> 40 && ~value.low >> 40) return sim::hex(value.low);  // an address in a signed sum
      const unsigned shift = bits < 64 ? 64 - bits : 0;
      return std::to_string(static_cast<std::int64_t>(value.low << shift) >> shift);
    }
    case View::kUnsigned:
      return value.low >> 40 ? sim::hex(value.low) : std::to_string(value.low);
    case View::kAddress:
    case View::kBits:
      break;
  }
  if (value.high) return sim::hex(value.high) + sim::hex(value.low).substr(1);
  return sim::hex(value.low);
}

}  // namespace roofline::grader
