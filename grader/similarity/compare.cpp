// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/similarity/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace roofline::grader {
namespace {

/// Runs as small numbers, the same one for the same run everywhere.
class Numbered {
 public:
  explicit Numbered(const std::vector<Work>& works) {
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (const Work& work : works) {
      std::vector<std::uint32_t>& numbers = of_.emplace_back();
      for (const std::uint64_t run : work.code.runs)
        numbers.push_back(known.emplace(run, static_cast<std::uint32_t>(known.size())).first->second);
    }
    count_ = known.size();
  }
  const std::vector<std::uint32_t>& of(std::size_t work) const { return of_[work]; }
  std::size_t count() const { return count_; }

 private:
  std::vector<std::vector<std::uint32_t>> of_;
  std::size_t count_ = 0;
};

/// How many people have each run.
std::vector<std::size_t> people_with(const std::vector<Work>& works, const Numbered& runs) {
  std::map<std::size_t, std::vector<std::size_t>> works_of;
  for (std::size_t w = 0; w < works.size(); ++w)
    for (const std::size_t person : works[w].people) works_of[person].push_back(w);
  std::vector<std::size_t> people(runs.count(), 0), last(runs.count(), SIZE_MAX);
  for (const auto& [person, theirs] : works_of)
    for (const std::size_t w : theirs)
      for (const std::uint32_t run : runs.of(w))
        if (std::exchange(last[run], person) != person) ++people[run];
  return people;
}

/// For each own word of a program, the part of the people without it: a word is as usual as the most usual
/// passage that it is in.
std::vector<float> weights_of(const CodeText& program, const std::vector<std::uint32_t>& runs,
                              const std::vector<std::size_t>& people_with_run, std::size_t people) {
  std::vector<std::size_t> most(program.own.size(), 0);
  for (std::size_t at = 0; at < runs.size(); ++at)
    for (std::size_t i = at; i < at + kPassage; ++i) most[i] = std::max(most[i], people_with_run[runs[at]]);
  std::vector<float> weights;
  for (const std::size_t with : most)
    weights.push_back(people <= 2 || with <= 2
                          ? 1.0F
                          : 1.0F - static_cast<float>(with - 2) / static_cast<float>(people - 2));
  return weights;
}

struct Covered {
  double words = 0, unusual = 0;
};

/// What of a program is in passages of the one whose runs are stamped.
Covered covered(const std::vector<std::uint32_t>& runs, const std::vector<float>& weights,
                const std::vector<char>& stamped) {
  Covered sum;
  std::size_t until = 0;  // words before it are counted
  for (std::size_t at = 0; at < runs.size(); ++at) {
    if (stamped[runs[at]] == 0) continue;
    for (std::size_t i = std::max(until, at); i < at + kPassage; ++i) {
      sum.words += 1;
      sum.unusual += weights[i];
    }
    until = at + kPassage;
  }
  return sum;
}

bool one_of_the_same(const Work& a, const Work& b) {
  return std::ranges::any_of(
      a.people, [&](std::size_t person) { return std::ranges::find(b.people, person) != b.people.end(); });
}

auto rank(const Likeness& pair) { return std::tuple(-pair.unusual, -pair.both, pair.a, pair.b); }

/// Of several programs of the same two people only the most similar.
std::vector<Likeness> most_similar(const std::vector<Work>& works, std::vector<Likeness> all) {
  std::ranges::sort(all, {}, rank);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::erase_if(all, [&](const Likeness& pair) {
    bool any_new = false;
    for (const std::size_t one : works[pair.a].people)
      for (const std::size_t other : works[pair.b].people)
        any_new |= seen.insert(std::minmax(one, other)).second;
    return !any_new;
  });
  return all;
}

}  // namespace

ClassComparison compare(const std::vector<Work>& works) {
  const Numbered runs(works);
  std::set<std::size_t> people;
  for (const Work& work : works)
    if (work.code.comparable()) people.insert(work.people.begin(), work.people.end());
  const std::vector<std::size_t> with = people_with(works, runs);
  std::vector<std::vector<float>> weights;
  for (std::size_t w = 0; w < works.size(); ++w)
    weights.push_back(weights_of(works[w].code, runs.of(w), with, people.size()));

  std::vector<std::vector<Covered>> of(works.size());  // of[b][a]: what of a is in b
  std::vector<char> stamped(runs.count(), 0);
  for (std::size_t b = 0; b < works.size(); ++b) {
    for (const std::uint32_t run : runs.of(b)) stamped[run] = 1;
    for (std::size_t a = 0; a < works.size(); ++a)
      of[b].push_back(a == b ? Covered() : covered(runs.of(a), weights[a], stamped));
    for (const std::uint32_t run : runs.of(b)) stamped[run] = 0;
  }
  std::vector<Likeness> all;
  for (std::size_t a = 0; a < works.size(); ++a)
    for (std::size_t b = a + 1; b < works.size(); ++b) {
      const Work &one = works[a], &other = works[b];
      if (!one.code.comparable() || !other.code.comparable()) continue;
      if ((one.earlier && other.earlier) || one_of_the_same(one, other)) continue;
      const double size_a = static_cast<double>(one.code.own.size()),
                   size_b = static_cast<double>(other.code.own.size());
      const Covered &in_b = of[b][a], &in_a = of[a][b];
      all.push_back({.a = a,
                     .b = b,
                     .of_a = in_b.words / size_a,
                     .of_b = in_a.words / size_b,
                     .both = (in_a.words + in_b.words) / (size_a + size_b),
                     .unusual = (in_a.unusual + in_b.unusual) / (size_a + size_b)});
    }
  return {.pairs = most_similar(works, std::move(all)), .people = people.size()};
}

}  // namespace roofline::grader
