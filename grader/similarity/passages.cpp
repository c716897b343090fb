// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/similarity/passages.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace roofline::grader {
namespace {

/// A run that occurs more often in one program (an unrolled loop, a table) is tried at so many places.
constexpr std::size_t kMostPlaces = 64;
/// Words that are compared at most to mark one pair: a text that repeats itself without end would take
/// minutes.
constexpr std::size_t kMostSteps = 20'000'000;

std::uint32_t kind(const CodeText& program, std::size_t own) { return program.tokens[program.own[own]].kind; }

using Places = std::unordered_map<std::uint64_t, std::vector<std::size_t>>;

Places places_of(const CodeText& program) {
  Places places;
  for (std::size_t at = 0; at < program.runs.size(); ++at)
    if (auto& known = places[program.runs[at]]; known.size() < kMostPlaces) known.push_back(at);
  return places;
}

/// Every run of equal words that can be made no longer on either side.
std::vector<Passage> longest_runs(const CodeText& a, const CodeText& b) {
  const Places places = places_of(b);
  std::vector<Passage> found;
  std::size_t steps = 0;
  for (std::size_t at = 0; at < a.runs.size() && steps < kMostSteps; ++at) {
    const auto known = places.find(a.runs[at]);
    if (known == places.end()) continue;
    for (const std::size_t there : known->second) {
      if (at > 0 && there > 0 && kind(a, at - 1) == kind(b, there - 1)) continue;  // found from further left
      std::size_t length = 0;
      while (at + length < a.own.size() && there + length < b.own.size() &&
             kind(a, at + length) == kind(b, there + length))
        ++length;
      steps += length;
      found.push_back({at, there, length});
    }
  }
  return found;
}

/// From the first free word on, as long as words are free on both sides.
Passage free_part(Passage run, const std::vector<bool>& taken_a, const std::vector<bool>& taken_b) {
  while (run.length > 0 && (taken_a[run.a] || taken_b[run.b])) ++run.a, ++run.b, --run.length;
  for (std::size_t i = 0; i < run.length; ++i)
    if (taken_a[run.a + i] || taken_b[run.b + i]) run.length = i;
  return run;
}

Region region_of(const CodeText& program) {
  Region region;
  region.of_token.assign(program.tokens.size(), Region::kGiven);
  for (const std::size_t token : program.own) region.of_token[token] = Region::kNone;
  return region;
}

void mark_covered(Region& region, const CodeText& program, const CodeText& other) {
  const Places places = places_of(other);
  for (std::size_t at = 0; at < program.runs.size(); ++at)
    if (places.contains(program.runs[at]))
      for (std::size_t i = at; i < at + kPassage; ++i) region.of_token[program.own[i]] = Region::kAgain;
}

}  // namespace

std::vector<Passage> common_passages(const CodeText& a, const CodeText& b) {
  std::vector<Passage> runs = longest_runs(a, b), chosen;
  std::vector<bool> taken_a(a.own.size(), false), taken_b(b.own.size(), false);
  const auto longest_first = [](const Passage& one, const Passage& other) {
    return std::tuple(other.length, one.a, one.b) < std::tuple(one.length, other.a, other.b);
  };
  std::ranges::make_heap(runs, [&](const auto& one, const auto& other) { return longest_first(other, one); });
  while (!runs.empty()) {
    std::ranges::pop_heap(runs,
                          [&](const auto& one, const auto& other) { return longest_first(other, one); });
    const Passage run = runs.back();
    runs.pop_back();
    const Passage part = free_part(run, taken_a, taken_b);
    if (part.length < kPassage) continue;
    if (part.length < run.length) {  // another one may be longer now
      runs.push_back(part);
      std::ranges::push_heap(runs,
                             [&](const auto& one, const auto& other) { return longest_first(other, one); });
      continue;
    }
    for (std::size_t i = 0; i < part.length; ++i) taken_a[part.a + i] = taken_b[part.b + i] = true;
    chosen.push_back(part);
  }
  return chosen;
}

SideBySide side_by_side(const CodeText& a, const CodeText& b) {
  SideBySide both{.a = region_of(a), .b = region_of(b), .passages = common_passages(a, b)};
  std::ranges::sort(both.passages, {}, &Passage::a);
  mark_covered(both.a, a, b);
  mark_covered(both.b, b, a);
  int number = 0;
  for (const Passage& passage : both.passages) {
    ++number;
    for (std::size_t i = 0; i < passage.length; ++i) {
      both.a.of_token[a.own[passage.a + i]] = number;
      both.b.of_token[b.own[passage.b + i]] = number;
    }
  }
  return both;
}

}  // namespace roofline::grader
