// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/base/xml.h"
#include "grader/batch/page.h"
#include "grader/batch/similarity.h"
#include "grader/formats/csv.h"
#include "grader/formats/format.h"
#include "grader/result/statistics.h"
#include "grader/similarity/passages.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kShown = 50;           ///< pairs of a part on the page
constexpr std::size_t kLongest = 64 * 1024;  ///< bytes of a program on the page
constexpr int kColours = 6;

constexpr const char* kPassageStyle = R"(<style>
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } .pair pre { border: 1px solid var(--line); padding: .4rem; overflow-x: auto; }
.pair i { color: #888; font-style: normal; user-select: none; } .pair mark { color: inherit; } .pair mark b { font-size: 70%; vertical-align: super; }
.given, .again { background: none; } .given { opacity: .45; } .again { border-bottom: 2px dotted #888; }
.c0 { background: #f2c14e66; } .c1 { background: #5bc0be66; } .c2 { background: #c879c366; } .c3 { background: #7fb06966; }
.c4 { background: #e8734a66; } .c5 { background: #6d8fe066; } summary { cursor: pointer; padding: .3rem 0; }
@media (max-width: 50rem) { .pair { grid-template-columns: 1fr; } }
</style>)";

constexpr const char* kWhatItCannotKnow =
    "<h2>What this cannot know</h2>\n<ul>\n"
    "<li>Whether somebody copied, and who from whom. Similar programs may come from work together that you "
    "allowed, from the same book, page or language model, or from there being one good answer.</li>\n"
    "<li>In a small lab the right answer <em>is</em> small, and everybody's is similar. So look at what is "
    "usual "
    "between any two first: a pair means something only far above that, and most where <em>unusual</em> is "
    "high.</li>\n"
    "<li>What was written again from somebody's idea, or passages shorter than a line, are not found.</li>\n"
    "</ul>\n<p>Read both programs and talk with both people before you decide anything.</p>\n";

std::vector<double> in_common(const PartSimilarity& part) {
  std::vector<double> both;
  for (const Likeness& pair : part.comparison.pairs) both.push_back(pair.both);
  return both;
}

std::string people_of(const ClassSimilarity& similarity, const Work& work) {
  std::string text;
  for (const std::size_t person : work.people) {
    const auto& [id, name] = similarity.people[person];
    text += (text.empty() ? "" : ", ") + id + (name.empty() || name == id ? "" : " (" + name + ")");
  }
  return text;
}

/// Which label each byte has: between two tokens of one region the blanks are of it, too.
std::vector<int> labels_of(const CodeText& program, const Region& region) {
  std::vector<int> labels(program.text.size(), Region::kNone);
  for (std::size_t i = 0; i < program.tokens.size(); ++i) {
    const bool goes_on = i + 1 < program.tokens.size() && region.of_token[i] == region.of_token[i + 1];
    const std::size_t end = goes_on ? program.tokens[i + 1].begin : program.tokens[i].end;
    std::fill(labels.begin() + program.tokens[i].begin, labels.begin() + static_cast<std::ptrdiff_t>(end),
              region.of_token[i]);
  }
  return labels;
}

std::string opened(int label, bool first) {
  if (label == Region::kNone) return "";
  if (label == Region::kGiven) return "<mark class=\"given\">";
  if (label == Region::kAgain) return "<mark class=\"again\">";
  const std::string number = std::to_string(label);
  return "<mark class=\"c" + std::to_string(label % kColours) + "\" title=\"passage " + number + "\">" +
         (first ? "<b>" + number + "</b>" : "");
}

/// Lines with their numbers; marks end with a line and begin again.
std::string code_of(const CodeText& program, const Region& region) {
  const std::vector<int> labels = labels_of(program, region);
  const std::size_t size = std::min(program.text.size(), kLongest);
  std::string html = "<pre>";
  std::size_t line = 1;
  int last = Region::kNone;
  for (std::size_t begin = 0; begin < size;) {
    if (begin == 0 || program.text[begin - 1] == '\n') {
      std::string number = std::to_string(line++);
      html += "<i>" + std::string(4 - std::min<std::size_t>(4, number.size()), ' ') + number + " </i>";
    }
    std::size_t end = begin;
    while (end < size && labels[end] == labels[begin] && (end == begin || program.text[end - 1] != '\n'))
      ++end;
    std::string piece = xml_escaped(program.text.substr(begin, end - begin));
    const bool breaks = piece.ends_with('\n');
    if (breaks) piece.pop_back();
    html += opened(labels[begin], labels[begin] != last) + piece +
            (labels[begin] == Region::kNone ? "" : "</mark>");
    if (breaks) html += '\n';
    last = labels[begin];
    begin = end;
  }
  if (size < program.text.size()) html += "\n(the rest is left out: the file is too long for a page)";
  return html + "</pre>";
}

/// Of how many pairs in a hundred this one has more in common.
std::string above(const PartSimilarity& part, const Likeness& pair) {
  const std::vector<double> both = in_common(part);
  const auto below = std::ranges::count_if(both, [&](double one) { return one < pair.both; });
  return std::to_string(100 * static_cast<std::size_t>(below) / both.size()) + " %";
}

std::string pair_id(const PartSimilarity& part, std::size_t rank) {
  return part.part + "-" + std::to_string(rank + 1);
}

std::string table_of(const ClassSimilarity& similarity, const PartSimilarity& part, std::size_t shown) {
  std::string rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const Likeness& pair = part.comparison.pairs[i];
    const auto number = [](const std::string& text) { return "<td class=\"number\">" + text + "</td>"; };
    rows += "<tr><td class=\"number\"><a href=\"#" + pair_id(part, i) + "\">" + std::to_string(i + 1) +
            "</a></td><td>" + xml_escaped(people_of(similarity, part.works[pair.a])) + "</td><td>" +
            xml_escaped(people_of(similarity, part.works[pair.b])) + "</td>" +
            number(percent_text(pair.unusual)) + number(percent_text(pair.both)) +
            number(percent_text(pair.of_a)) + number(percent_text(pair.of_b)) + number(above(part, pair)) +
            "</tr>\n";
  }
  return "<div class=\"scroll\"><table><tr><th></th><th>first</th><th>second</th><th "
         "class=\"number\">unusual</th>"
         "<th class=\"number\">in common</th><th class=\"number\">of the first</th><th class=\"number\">of "
         "the "
         "second</th><th class=\"number\">more than so many pairs</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string details_of(const ClassSimilarity& similarity, const PartSimilarity& part, std::size_t rank) {
  const Likeness& pair = part.comparison.pairs[rank];
  const Work &one = part.works[pair.a], &other = part.works[pair.b];
  const SideBySide both = side_by_side(one.code, other.code);
  return "<details><summary>" + std::to_string(rank + 1) + ". " + xml_escaped(people_of(similarity, one)) +
         " and " + xml_escaped(people_of(similarity, other)) + ": " + percent_text(pair.both) +
         " in common, " + std::to_string(both.passages.size()) +
         (both.passages.size() == 1 ? " passage" : " passages") + "</summary>\n<div class=\"pair\" id=\"" +
         pair_id(part, rank) + "\">" + code_of(one.code, both.a) + code_of(other.code, both.b) +
         "</div></details>\n";
}

std::string same_files(const ClassSimilarity& similarity, const PartSimilarity& part) {
  std::string items;
  for (const Work& work : part.works)
    if (work.people.size() > 1 && work.code.comparable())
      items += "<li>" + xml_escaped(people_of(similarity, work)) + "</li>\n";
  if (items.empty()) return {};
  return "<h3>The same file, byte for byte</h3>\n<p>Compared once with all others. The class's overview says "
         "which of these are no group.</p>\n<ul>\n" +
         items + "</ul>\n";
}

std::string section_of(const ClassSimilarity& similarity, const PartSimilarity& part) {
  std::vector<std::size_t> tenths(10, 0);
  for (const double both : in_common(part))
    ++tenths[std::min<std::size_t>(9, static_cast<std::size_t>(10 * both))];
  std::string body = "<h2>" + xml_escaped(part.part + " " + part.title) + "</h2>\n<p>" +
                     xml_escaped(usual_similarity(part)) + "</p>\n" + same_files(similarity, part);
  const auto& pairs = part.comparison.pairs;
  if (pairs.empty()) return body;
  body +=
      "<h3>Pairs by what they have in common</h3>\n" + histogram(tenths, "pairs by what they have in common");
  const auto nothing = std::ranges::find_if(pairs, [](const Likeness& pair) { return pair.both == 0; });
  const std::size_t shown = std::min(kShown, static_cast<std::size_t>(nothing - pairs.begin()));
  body += "<h3>The " + std::to_string(shown) + " most unusual pairs of " + std::to_string(pairs.size()) +
          "</h3>\n" + table_of(similarity, part, shown);
  for (std::size_t i = 0; i < shown; ++i) body += details_of(similarity, part, i);
  return body;
}

constexpr const char* kHowToRead =
    "<p>Programs are compared as sequences of words, without comments, brackets and blanks, with all names, "
    "numbers and "
    "types made equal; code that everybody was given (skeleton, headers, code of the lab's pages) is left "
    "out. "
    "Order of functions does not matter. <em>In common</em> is the part of both programs' words that is in "
    "passages of at least 12 words which the other has, too. <em>Unusual</em> counts of these each word by "
    "the part of the "
    "other people who do not have it: a word that everybody has counts nothing. Pairs are ranked by it. "
    "In the programs equal numbers mark equal passages, dots what the other program has elsewhere, grey what "
    "was "
    "given.</p>\n";
static_assert(kPassage == 12, "the page says so");

}  // namespace

std::string usual_similarity(const PartSimilarity& part) {
  const auto empty =
      std::ranges::count_if(part.works, [](const Work& work) { return !work.code.comparable(); });
  std::string text = std::to_string(part.works.size() - static_cast<std::size_t>(empty)) +
                     " different programs of " + std::to_string(part.comparison.people) + " people";
  if (empty != 0)
    text += "; " + std::to_string(empty) + " with next to nothing beside the given code left out";
  const std::vector<double> both = in_common(part);
  if (both.empty()) return text + ". No two to compare.";
  return text + ". Usual between any two: half of the pairs have at most " +
         percent_text(quantile(both, 0.5)) + " in common, 9 of 10 at most " +
         percent_text(quantile(both, 0.9)) + ", 99 of 100 at most " + percent_text(quantile(both, 0.99)) +
         ".";
}

std::string similarity_page(const ClassSimilarity& similarity) {
  std::string body = std::string(kPassageStyle) + kHowToRead + kWhatItCannotKnow;
  for (const PartSimilarity& part : similarity.parts) body += section_of(similarity, part);
  return html_page("Similarity", body);
}

std::string similarity_csv(const ClassSimilarity& similarity) {
  std::vector<CsvRow> rows = {{"part", "rank", "first", "second", "unusual", "in_common", "of_first",
                               "of_second", "words_first", "words_second"}};
  for (const PartSimilarity& part : similarity.parts)
    for (std::size_t i = 0; i < std::min(kMostRows, part.comparison.pairs.size()); ++i) {
      const Likeness& pair = part.comparison.pairs[i];
      const Work &one = part.works[pair.a], &other = part.works[pair.b];
      rows.push_back({csv_cell(part.part), std::to_string(i + 1),
                      csv_cell(one_line(people_of(similarity, one))),
                      csv_cell(one_line(people_of(similarity, other))), decimal(100 * pair.unusual),
                      decimal(100 * pair.both), decimal(100 * pair.of_a), decimal(100 * pair.of_b),
                      std::to_string(one.code.own.size()), std::to_string(other.code.own.size())});
    }
  return csv_text(rows);
}

}  // namespace roofline::grader
