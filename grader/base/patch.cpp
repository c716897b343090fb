// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/patch.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace roofline::grader {
namespace {

constexpr std::size_t kNear = 100;             // lines that a hunk may have moved
constexpr std::size_t kMostLines = 1'000'000;  // of a file: a count beyond is a slip

/// Each with its "\n", where it has one.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with("\r\n")) lines.back().replace(lines.back().size() - 2, 2, "\n");
    begin = end;
  }
  return lines;
}

/// "12,7" or "12", which is one line.
struct Range {
  std::size_t from = 0, count = 1;
};

std::optional<std::size_t> read_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > kMostLines) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool skip(std::string_view& text, std::string_view word) {
  const bool there = text.starts_with(word);
  if (there) text.remove_prefix(word.size());
  return there;
}

std::optional<Range> read_range(std::string_view& text) {
  const auto from = read_number(text);
  if (!from) return {};
  if (!skip(text, ",")) return Range{*from, 1};
  const auto count = read_number(text);
  if (!count) return {};
  return Range{*from, *count};
}

class Parser {
 public:
  explicit Parser(const std::string& text) : lines_(lines_of(text)) {
    if (!lines_.empty() && !lines_.back().ends_with('\n')) lines_.back() += '\n';
  }

  Patch parse() {
    Patch patch;
    while (!ended() && (now() == "\n" || now().starts_with('#'))) ++at_;
    if (ended() || !now().starts_with("--- "))
      fail("a patch begins with lines \"# ...\" and goes on with \"--- FILE\"");
    patch.base = named();
    if (patch.base.empty()) fail("\"---\" names no file");
    ++at_;
    if (ended() || !now().starts_with("+++ ")) fail("behind \"--- FILE\" comes a line \"+++ ...\"");
    ++at_;
    std::size_t free = 1;  // first line of the base that no hunk has touched
    while (!ended() && now().starts_with("@@")) {
      patch.hunks.push_back(hunk());
      const Hunk& last = patch.hunks.back();
      if (last.from < free) throw PatchError(last.line, "the hunk lies before the end of the one above it");
      free = last.from + last.before.size();
    }
    if (patch.hunks.empty()) fail("a hunk begins with \"@@ -LINE,COUNT +LINE,COUNT @@\"");
    if (!ended()) fail("this line belongs to no hunk; a patch changes one file");
    return patch;
  }

 private:
  bool ended() const { return at_ == lines_.size(); }
  const std::string& now() const { return lines_[at_]; }
  [[noreturn]] void fail(const std::string& sentence) const { throw PatchError(at_ + 1, sentence); }

  /// Without the time that diff writes behind a tab.
  std::string named() const {
    const std::string name = now().substr(4, now().find_first_of("\t\n") - 4);
    return name.substr(0, name.find_last_not_of(' ') + 1);
  }

  Hunk hunk() {
    std::string_view words = now();
    std::optional<Range> from, to;
    if (skip(words, "@@ -")) from = read_range(words);
    if (from && skip(words, " +")) to = read_range(words);
    if (!to || !words.starts_with(" @@")) fail("no hunk header \"@@ -LINE,COUNT +LINE,COUNT @@\"");
    if (from->count == 0 || from->from == 0)
      fail("the hunk has no line of the file to find its place by; diff -u writes three");
    Hunk hunk{.line = ++at_, .from = from->from, .before = {}, .after = {}};
    while (hunk.before.size() < from->count || hunk.after.size() < to->count) {
      if (ended()) fail("the hunk ends before it has the lines that its header counts");
      take(hunk);
    }
    if (hunk.before.size() != from->count || hunk.after.size() != to->count)
      throw PatchError(hunk.line, "the hunk has other lines than its header counts");
    return hunk;
  }

  /// One line, and "\ No newline at end of file" where that speaks of it.
  void take(Hunk& hunk) {
    const char mark = now()[0] == '\n' ? ' ' : now()[0];  // empty: an editor took its space away
    if (mark != ' ' && mark != '-' && mark != '+')
      fail("a line of a hunk begins with a space, \"-\" or \"+\"");
    std::string line = now().substr(now() == "\n" ? 0 : 1);
    ++at_;
    if (!ended() && now().starts_with('\\')) {
      line.pop_back();
      ++at_;
    }
    if (mark != '+') hunk.before.push_back(line);
    if (mark != '-') hunk.after.push_back(line);
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

bool stands(const std::vector<std::string>& lines, std::size_t at, const std::vector<std::string>& before) {
  return at + before.size() <= lines.size() &&
         std::equal(before.begin(), before.end(), lines.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Index in `lines` where the hunk fits, not before `free`.
std::size_t place_of(const Hunk& hunk, const std::vector<std::string>& lines, std::size_t free,
                     std::size_t expected) {
  if (expected >= free && stands(lines, expected, hunk.before)) return expected;
  std::vector<std::size_t> places;
  const std::size_t first = std::max(free, expected - std::min(expected, kNear));
  for (std::size_t at = first; at <= expected + kNear && at < lines.size(); ++at)
    if (stands(lines, at, hunk.before)) places.push_back(at);
  if (places.size() == 1) return places[0];
  throw PatchError(hunk.line, places.empty()
                                  ? "its lines are not to be found near line " + std::to_string(expected + 1)
                                  : "its lines are not at line " + std::to_string(expected + 1) +
                                        ", and near it more than once");
}

}  // namespace

Patch parse_patch(const std::string& text) { return Parser(text).parse(); }

std::string apply_patch(const Patch& patch, const std::string& base) {
  const std::vector<std::string> lines = lines_of(base);
  std::vector<std::string> result;
  std::size_t free = 0;
  std::ptrdiff_t moved = 0;  // how far the hunk above was from where it says
  const auto keep_until = [&](std::size_t end) {
    for (; free < end; ++free) result.push_back(lines[free]);
  };
  for (const Hunk& hunk : patch.hunks) {
    const auto said = static_cast<std::ptrdiff_t>(hunk.from) - 1;
    const std::size_t at =
        place_of(hunk, lines, free, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, said + moved)));
    moved = static_cast<std::ptrdiff_t>(at) - said;
    keep_until(at);
    result.insert(result.end(), hunk.after.begin(), hunk.after.end());
    free += hunk.before.size();
  }
  keep_until(lines.size());
  std::string text;
  for (const std::string& line : result) {
    if (!text.empty() && !text.ends_with('\n'))
      throw PatchError(patch.hunks.back().line, "a line without an end stands before the last one");
    text += line;
  }
  return text;
}

}  // namespace roofline::grader
