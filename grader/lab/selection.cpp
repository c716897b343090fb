// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/selection.h"

#include <algorithm>

#include "grader/base/words.h"
#include "simulator/closest.h"

namespace roofline::grader {
namespace {

/// "1", "01" and "001" are the same number; "1c" has the part c.
std::string normalised(std::string word) {
  word = lower(std::move(word));
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

bool names_part(const Chosen& chosen, const std::string& word) {
  const std::filesystem::path source = chosen.part->program.source;
  return word == chosen.id() || word == source || word == source.stem();
}

std::string known_labs(const std::vector<Lab>& labs) {
  std::string text;
  for (const Lab& lab : labs) text += "\n  " + lab.number() + "  " + lab.name();
  return text;
}

}  // namespace

std::filesystem::path versions_of(const Part& part, std::string_view kind) {
  const std::filesystem::path folder = kind;
  return part.letter.empty() ? folder : folder / std::filesystem::path(part.program.source).stem();
}

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
      if (word != "all" && !names_part(candidate, word) && !names_lab(*candidate.lab, word)) continue;
      known = true;
      const bool twice = std::any_of(result.begin(), result.end(),
                                     [&](const Chosen& chosen) { return chosen.part == candidate.part; });
      if (!twice) result.push_back(candidate);
    }
    if (known) continue;
    std::vector<std::string> names = {"all"};
    for (const Lab& lab : labs) names.insert(names.end(), {lab.number(), lab.name(), lab.folder});
    for (const Chosen& part : all_parts(labs))
      names.push_back(std::filesystem::path(part.part->program.source).stem());
    const std::string near = sim::closest(word, names);
    throw UsageError("there is no lab \"" + typed + "\"" +
                     (near.empty() ? "." : "; did you mean " + near + "?") + " The labs are" +
                     known_labs(labs));
  }
  return result;
}

}  // namespace roofline::grader
