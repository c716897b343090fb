// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/locations.h"

#include <charconv>

namespace roofline::sim::ptx {
namespace {

constexpr u32 kMostFiles = 1u << 16;
constexpr int kDeepestInlining = 64;

/// .../cuda/include/x, .../cu13/include/x, .../targets/x86_64-linux/include/x
bool is_toolkit_path(std::string_view path) {
  for (std::size_t at = path.find("/include/"); at != path.npos; at = path.find("/include/", at + 1)) {
    const std::size_t slash = path.rfind('/', at - 1);
    if (at == 0 || slash == path.npos) continue;
    const std::string_view parent = path.substr(slash + 1, at - slash - 1);
    if (parent.starts_with("cuda") || parent.starts_with("cu1") || parent.ends_with("-linux")) return true;
  }
  return false;
}

}  // namespace

Locations::Locations(std::string_view text) {
  constexpr std::string_view kDirective = ".file";
  for (std::size_t at = text.find(kDirective); at != text.npos; at = text.find(kDirective, at + 1)) {
    std::string_view rest = text.substr(at + kDirective.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t digit = rest.find_first_not_of(" \t");
    const std::size_t open = rest.find('"');
    const std::size_t close = rest.rfind('"');
    if (digit == rest.npos || open == close) continue;
    u32 number = 0;
    const auto [stop, error] = std::from_chars(rest.data() + digit, rest.data() + rest.size(), number);
    if (error != std::errc() || number >= kMostFiles) continue;
    if (number >= is_in_toolkit_.size()) is_in_toolkit_.resize(number + 1);
    is_in_toolkit_[number] = is_toolkit_path(rest.substr(open + 1, close - open - 1));
  }
}

SourceLine Locations::at(const Place& place, const Place& caller) {
  callers_[place] = caller;
  Place chosen = place;
  for (int depth = 0; depth < kDeepestInlining && is_in_toolkit(chosen.file); ++depth) {
    const auto outer = callers_.find(chosen);
    if (outer == callers_.end()) break;
    chosen = outer->second;
  }
  const auto direct = callers_.find(chosen);
  if (direct == callers_.end()) return at(chosen);
  // A header's function that another one of it calls was called for the line that called that one.
  Place outer = direct->second;
  for (int depth = 0; depth < kDeepestInlining && (outer.file == chosen.file || is_in_toolkit(outer.file));
       ++depth) {
    const auto next = callers_.find(outer);
    if (next == callers_.end()) break;
    outer = next->second;
  }
  if (outer.file == chosen.file || is_in_toolkit(outer.file)) outer = direct->second;
  return {chosen.file, chosen.line, outer.file, outer.line};
}

}  // namespace roofline::sim::ptx
