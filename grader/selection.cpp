// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/selection.h"

#include <algorithm>
#include <cctype>

namespace roofline::grader {
namespace {

/// Changed, added, removed and swapped characters between two words.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// "1", "01" and "001" are the same number; "1c" has the part c.
std::string normalised(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (word.ends_with('/')) word.pop_back();
  if (const size_t slash = word.rfind('/'); slash != std::string::npos) word = word.substr(slash + 1);
  const size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  if (digits > 0 && word.size() - digits <= 1) {
    const size_t zeros = std::min(word.find_first_not_of('0'), digits);
    const size_t significant = digits - zeros;
    return std::string(significant < 2 ? 2 - significant : 0, '0') + word.substr(zeros);
  }
  return word;
}

bool names_lab(const Lab& lab, const std::string& word) {
  return word == lab.number() || word == lab.name() || word == lab.folder;
}

std::string known_labs(const std::vector<Lab>& labs) {
  std::string text;
  for (const Lab& lab : labs) text += "\n  " + lab.number() + "  " + lab.name();
  return text;
}

}  // namespace

std::vector<Chosen> all_parts(const std::vector<Lab>& labs) {
  std::vector<Chosen> result;
  for (const Lab& lab : labs)
    for (const Part& part : lab.parts) result.push_back({&lab, &part});
  return result;
}

std::vector<Chosen> select(const std::vector<Lab>& labs, const std::vector<std::string>& words) {
  std::vector<Chosen> result;
  for (const std::string& typed : words) {
    const std::string word = normalised(typed);
    bool known = false;
    for (const Chosen& candidate : all_parts(labs)) {
      if (word != "all" && word != candidate.id() && !names_lab(*candidate.lab, word)) continue;
      known = true;
      const bool twice = std::any_of(result.begin(), result.end(),
                                     [&](const Chosen& chosen) { return chosen.part == candidate.part; });
      if (!twice) result.push_back(candidate);
    }
    if (known) continue;
    std::vector<std::string> names = {"all"};
    for (const Lab& lab : labs) names.insert(names.end(), {lab.number(), lab.name(), lab.folder});
    const std::string near = closest(word, names);
    throw UsageError("there is no lab \"" + typed + "\"" +
                     (near.empty() ? "." : "; did you mean " + near + "?") + " The labs are" +
                     known_labs(labs));
  }
  return result;
}

std::string closest(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() < 3 || word.size() > 64) return {};
  for (const std::string& candidate : known)
    if (candidate.starts_with(word)) return candidate;
  std::string best;
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t changes = distance(word, candidate);
    if (changes < fewest) fewest = changes, best = candidate;
  }
  return best;
}

}  // namespace roofline::grader
