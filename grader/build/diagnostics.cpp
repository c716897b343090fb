// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/build/diagnostics.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "grader/base/symbol_name.h"

namespace roofline::grader {
namespace {

/// A positive number at the front of `text`, which is moved past it.
std::optional<unsigned> take_number(std::string_view& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// "error: ...", "warning #177-D: ...", "fatal error: ...", "catastrophic error: ..." at the front.
std::optional<Diagnostic> severity(std::string_view text) {
  Diagnostic found;
  for (std::string_view word : {"error", "fatal error", "catastrophic error", "internal error", "warning"}) {
    std::string_view rest = text;
    if (!take(rest, word)) continue;
    const size_t colon = rest.find(':');
    // Between the word and the colon stands at most a number such as " #177-D".
    if (colon == std::string_view::npos || (colon > 0 && rest.substr(0, 2) != " #" && rest[0] != ' '))
      continue;
    rest.remove_prefix(colon + 1);
    while (take(rest, " ")) {
    }
    found.error = word != "warning";
    found.message = rest;
    return found;
  }
  return std::nullopt;
}

/// nvcc's front end: "file.cu(12): error: text".
std::optional<Diagnostic> front_end(std::string_view line) {
  for (size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
    std::string_view rest = line.substr(open + 1);
    const auto number = take_number(rest);
    if (!number || !take(rest, "): ")) continue;
    auto found = severity(rest);
    if (!found) continue;
    found->file = line.substr(0, open);
    found->line = *number;
    return found;
  }
  return std::nullopt;
}

/// gcc: "file.cu:12:5: error: text", and without a line for what it cannot place.
std::optional<Diagnostic> gcc(std::string_view line) {
  for (size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    std::string_view rest = line.substr(colon + 1);
    const auto number = take_number(rest);
    if (!number || !take(rest, ":")) continue;
    take_number(rest);  // the column
    take(rest, ":");
    while (take(rest, " ")) {
    }
    auto found = severity(rest);
    if (!found) continue;
    found->file = line.substr(0, colon);
    found->line = *number;
    return found;
  }
  return std::nullopt;
}

/// What ptxas says with functions as they are written in the source and with bytes in decimal, so that they
/// can be compared with a tile's: "'_Z1kv' ... (0x20000 bytes" is "'k' ... (131072 bytes".
std::string readable(std::string_view said) {
  std::string text;
  while (!said.empty()) {
    std::string_view rest = said;
    std::uint64_t bytes = 0;
    if (take(rest, "'_Z") && rest.find('\'') != std::string_view::npos) {
      const size_t end = said.find('\'', 1);
      text += "'" + readable_symbol(std::string(said.substr(1, end - 1))) + "'";
      said.remove_prefix(end + 1);
    } else if (take(rest, "0x") &&
               std::from_chars(rest.data(), rest.data() + rest.size(), bytes, 16).ec == std::errc()) {
      text += std::to_string(bytes);
      said = rest.substr(std::min(rest.find_first_not_of("0123456789abcdefABCDEF"), rest.size()));
    } else {
      text += said.front();
      said.remove_prefix(1);
    }
  }
  return text;
}

/// "ptxas error   : text", "nvcc fatal   : text", "ptxas fatal   : text", "ptxas file, line 3; error   :
/// text".
std::optional<Diagnostic> tool(std::string_view line) {
  for (std::string_view name : {"ptxas", "nvcc", "nvlink", "fatbinary"}) {
    std::string_view rest = line;
    if (!take(rest, name) || !rest.starts_with(' ')) continue;
    for (std::string_view word : {"error", "fatal"}) {
      const size_t at = rest.find(word);
      if (at == std::string_view::npos) continue;
      std::string_view after = rest.substr(at + word.size());
      while (take(after, " ")) {
      }
      if (!take(after, ":")) continue;
      while (take(after, " ")) {
      }
      const std::string message = name == "ptxas" ? readable(after) : std::string(after);
      return Diagnostic{.file = {}, .line = 0, .message = std::string(name) + ": " + message, .error = true};
    }
  }
  return std::nullopt;
}

/// "ld: ...: undefined reference to `f(int)'", "multiple definition of `main'".
std::optional<Diagnostic> linker(std::string_view line) {
  for (std::string_view phrase : {"undefined reference to ", "multiple definition of ", "cannot find "}) {
    const size_t at = line.find(phrase);
    if (at == std::string_view::npos) continue;
    return Diagnostic{.file = {}, .line = 0, .message = std::string(line.substr(at)), .error = true};
  }
  return std::nullopt;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string where = file;
  if (line) where += ":" + std::to_string(line);
  return where.empty() ? message : where + ": " + message;
}

std::vector<Diagnostic> parse_diagnostics(const std::string& output) {
  std::vector<Diagnostic> result;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = std::string_view(output).substr(begin, end - begin);
    begin = end + 1;
    auto found = front_end(line);
    if (!found) found = gcc(line);
    if (!found) found = tool(line);
    if (!found) found = linker(line);
    if (!found) continue;
    // Templates and both passes of nvcc repeat themselves.
    const bool seen = std::any_of(result.begin(), result.end(), [&](const Diagnostic& d) {
      return d.file == found->file && d.line == found->line && d.message == found->message;
    });
    if (!seen) result.push_back(std::move(*found));
  }
  return result;
}

}  // namespace roofline::grader
