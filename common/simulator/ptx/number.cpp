// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/number.h"

#include <bit>
#include <charconv>

namespace roofline::sim::ptx {

FloatLiteral float_literal(std::string_view text) {
  FloatLiteral literal;
  const char* end = text.data() + text.size();
  const char marker = text.size() > 2 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
  if (marker == 'f' || marker == 'd') {
    const auto [stop, error] = std::from_chars(text.data() + 2, end, literal.bits, 16);
    literal.is_single = marker == 'f';
    literal.is_valid =
        error == std::errc() && stop == end && (!literal.is_single || literal.bits <= 0xffffffffu);
    literal.value = literal.is_single ? double{std::bit_cast<float>(static_cast<u32>(literal.bits))}
                                      : std::bit_cast<double>(literal.bits);
    return literal;
  }
  const auto [stop, error] = std::from_chars(text.data(), end, literal.value);
  literal.is_valid = error == std::errc() && stop == end;
  literal.bits = std::bit_cast<u64>(literal.value);
  return literal;
}

}  // namespace roofline::sim::ptx
