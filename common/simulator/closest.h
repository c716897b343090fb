// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// What somebody meant who wrote a word that is not known.
namespace roofline::sim {

/// Changed, added, removed and swapped characters between two words.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// The one of `known` that begins with the word, or else the one with the fewest changed characters; empty
/// when none is near.
inline std::string closest(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() < 3 || word.size() > 64) return {};
  for (const std::string& candidate : known)
    if (candidate.starts_with(word)) return candidate;
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t changes = edit_distance(word, candidate);
    if (changes < fewest) fewest = changes, best = candidate;
  }
  return best;
}

}  // namespace roofline::sim
