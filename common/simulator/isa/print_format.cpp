// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/print_format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>

namespace roofline::sim::isa {

namespace {

constexpr int kLongest = 4096;

/// One conversion: "%-*.3lld" without its meaning.
struct Conversion {
  std::string flags;
  std::optional<int> width, precision;
  std::string length;  ///< "", "hh", "h", "l", "ll", "z", "t", "j", "L"
  char kind = 0;
};

class Scanner {
 public:
  Scanner(std::string_view text, PrintArguments& arguments) : text_(text), arguments_(arguments) {}

  /// The conversion that starts behind a '%'; nullopt when the text ends inside it.
  std::optional<Conversion> scan() {
    Conversion c;
    while (std::string_view("-+ #0").find(peek()) != std::string_view::npos && peek() != 0) c.flags += take();
    c.width = number();
    if (c.width && *c.width < 0) {  // "*" with a negative argument
      c.flags += '-';
      c.width = -*c.width;
    }
    if (peek() == '.') {
      take();
      c.precision = number().value_or(0);
      if (*c.precision < 0) c.precision.reset();
    }
    while (std::string_view("hlztjL").find(peek()) != std::string_view::npos && peek() != 0)
      c.length += take();
    c.kind = take();
    if (c.kind == 0) return std::nullopt;
    return c;
  }
  std::size_t used() const { return at_; }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  std::optional<int> number() {
    if (peek() == '*') {
      take();
      return std::clamp(static_cast<int>(static_cast<u32>(arguments_.next(4))), -kLongest, kLongest);
    }
    if (peek() < '0' || peek() > '9') return std::nullopt;
    int value = 0;
    while (peek() >= '0' && peek() <= '9') value = std::min(value * 10 + (take() - '0'), kLongest);
    return value;
  }

  std::string_view text_;
  PrintArguments& arguments_;
  std::size_t at_ = 0;
};

template <class T>
std::string formatted(const Conversion& c, const char* length, T value) {
  std::string spec = "%";
  spec += c.flags;
  if (c.width) spec += std::to_string(*c.width);
  if (c.precision) spec.append(".").append(std::to_string(*c.precision));
  spec += length;
  spec += c.kind;
  char small[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int n = std::snprintf(small, sizeof small, spec.c_str(), value);
  if (n < 0) return {};
  if (static_cast<std::size_t>(n) < sizeof small) return {small, static_cast<std::size_t>(n)};
  std::string large(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(large.data(), large.size(), spec.c_str(), value);
#pragma GCC diagnostic pop
  large.pop_back();
  return large;
}

std::string integer(const Conversion& c, PrintArguments& arguments) {
  const bool wide =
      c.length == "l" || c.length == "ll" || c.length == "z" || c.length == "t" || c.length == "j";
  const u64 bits = arguments.next(wide ? 8 : 4);
  if (c.kind == 'd' || c.kind == 'i') {
    const s64 value = wide               ? static_cast<s64>(bits)
                      : c.length == "hh" ? static_cast<s8>(bits)
                      : c.length == "h"  ? static_cast<s16>(bits)
                                         : static_cast<s32>(bits);
    return formatted(c, "ll", static_cast<long long>(value));
  }
  const u64 value = wide               ? bits
                    : c.length == "hh" ? static_cast<u8>(bits)
                    : c.length == "h"  ? static_cast<u16>(bits)
                                       : static_cast<u32>(bits);
  return formatted(c, "ll", static_cast<unsigned long long>(value));
}

std::optional<std::string> convert(const Conversion& c, PrintArguments& arguments,
                                   const std::function<std::string(u64)>& text) {
  switch (c.kind) {
    case '%':
      return "%";
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return integer(c, arguments);
    case 'c':
      return formatted(c, "", static_cast<int>(static_cast<u8>(arguments.next(4))));
    case 'p':
      return formatted(c, "", reinterpret_cast<void*>(arguments.next(8)));
    case 's': {
      const u64 address = arguments.next(8);
      const std::string value = address == 0 ? "(null)" : text(address);
      return formatted(c, "", value.c_str());
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return formatted(c, "", std::bit_cast<f64>(arguments.next(8)));
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string print_format(std::string_view format, PrintArguments& arguments,
                         const std::function<std::string(u64 address)>& text) {
  std::string out;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      const std::size_t end = std::min(format.find('%', at), format.size());
      out += format.substr(at, end - at);
      at = end;
      continue;
    }
    Scanner scanner(format.substr(at + 1), arguments);
    const std::optional<Conversion> conversion = scanner.scan();
    const std::string_view spelled = format.substr(at, scanner.used() + 1);
    at += spelled.size();
    const auto written = conversion ? convert(*conversion, arguments, text) : std::nullopt;
    out += written ? *written : std::string(spelled);
  }
  return out;
}

}  // namespace roofline::sim::isa
