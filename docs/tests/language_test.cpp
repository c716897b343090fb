// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>

#include "docs/tests/text_files.h"

// What was mended in the pages once and must not come back: phrasings that are no plain English, and
// statements that are wrong.
namespace roofline::docs {
namespace {

struct Mended {
  const char* phrase;   ///< in lower case; whole words
  const char* instead;  ///< what to write, or what is right
};

/// Words that a reader stumbles over, most of them translated word by word.
constexpr Mended kPhrasings[] = {
    {"card", "GPU: one word for one thing"},
    {"cards", "GPUs: one word for one thing"},
    {"stand", "be, hold, appear"},
    {"stands", "is, holds, lists, appears"},
    {"whoever", "a program that, anybody who"},
    {"dear ones", "expensive"},
    {"dear layers", "expensive"},
    {"dearer", "more expensive"},
    {"seldom", "rarely"},
    {"aloud", "says so"},
    {"somebody else's", "other people's; that is not trusted"},
    {"to and fro", "back and forth"},
    {"in the same minute", "in the same run, in turns with yours"},
    {"a roof it runs", "a roof: a trusted kernel that it runs"},
    {"takes longer to order than to do", "launching it takes longer than the operation itself"},
    {"three things that surprise", "three surprises"},
    {"only a gpu decides", "it is tested on real GPUs only"},
    {"who passes it has seen", "a warp that passes the barrier knows"},
    {"what one would take instead", "what you would use in practice"},
    {"way out that is none", "a remedy that does not work"},
    {"empty-handed", "that do little work"},
    {"the program's word", "under the program's control"},
    {"put on record", "recorded"},
    {"asks for what is missing there", "asks you for it"},
    {"in sight", "used to choose; shown"},
    {"as it stands", "as it is, literally"},
    {"lie beside it", "be in the same folder"},
    {"hardly so", "hardly at all"},
    {"earns no more", "earns no higher medal"},
    {"must not surprise you", "take care with"},
    {"nobody counts", "nothing is counted"},
    {"the place was not", "it was applied where it gains nothing"},
    {"anew", "again, new"},
    {"lies in", "is in"},
    {"lie in", "be in"},
    {"lies on", "is on"},
    {"lie on", "be on"},
    {"lies between", "is between"},
    {"lie between", "be between"},
    {"belongs into", "belongs in"},
    {"belong into", "belong in"},
    {"a row a student", "a row for each student"},
    {"a column a check", "a column for each check"},
    {"a page a student", "a page for each student"},
    {"a wavefront a tile", "a wavefront for each tile"},
    {"one an element", "one for each element"},
    {"one a tile", "one for each tile"},
    {"one a feature", "one for each feature"},
    {"one micro-benchmark a roof", "one micro-benchmark for each roof"},
    {"one line an event", "one event on each line"},
    {"one line a figure", "one figure on each line"},
    {"not told", "not given"},
    {"is told once", "is reported once"},
    {"error can be told", "is known"},
    {"they do not tell", "without saying"},
    {"stand in", "be in, be listed in"},
    {"stands in", "is in, is explained in"},
    {"stands before", "comes before"},
    {"what stands", "what is, the part"},
    {"stands its source", "is its source"},
    {"quicker", "faster"},
    {"alike", "in the same way, equally"},
    {"ought to", "should"},
    {"for ever", "for good; until"},
    {"there and then", "at once"},
    {"besides", "apart from, also, in addition to"},
    {"goes on where", "resumes where"},
    {"go by", "rely on"},
    {"keeps account", "keeps track"},
    {"turning the bus round", "switching the bus"},
    {"with these times in sight", "used to choose"},
    {"is no pass", "never passes"},
    {"is no crash", "does not crash"},
    {"is no part of", "is not part of"},
    {"is no structure check", "is not a matter for a structure check"},
    {"are no evidence", "do not count as evidence"},
    {"are no group", "are not a group"},
    {"are no part of", "are not part of"},
    {"no disadvantage", "not a disadvantage"},
    {"what nobody wrote", "memory that was never written"},
    {"that nobody wrote", "that was never written"},
    {"nobody waits for", "nothing waits for"},
    {"nobody's", "matched with no one"},
    {"what belongs to nobody", "what matches no one"},
    {"nobody a point", "no points are lost"},
    {"where nobody gives", "unless they are given"},
    {"for everybody", "for all"},
    {"everybody who", "all students who"},
    {"wait for everybody", "wait for all threads"},
    {"is looked at", "is checked"},
    {"was looked at", "was checked, was compared"},
    {"may be looked at", "may be checked"},
    {"the archive as it came", "the archive itself"},
    {"as it came", "as published, unchanged"},
    {"comes again", "occurs again"},
    {"one that broke off", "a truncated one"},
    {"who handed in nothing has", "students who handed in nothing have"},
    {"who fears", "if you fear"},
    {"who is not in", "students who are not in"},
    {"own work on an own machine", "their own work on their own machines"},
    {"the work of others", "other people's work"},
    {"text of others", "text from submissions"},
    {"a process of the judge's", "one of the judge's processes"},
    {"of the same minute", "in the same run"},
    {"last words", "the end of the output"},
    {"gives them out", "includes them"},
    {"goes out once", "is included once"},
    {"speak of what is missing", "mention what is missing"},
    {"where it may", "if it has the rights"},
    {"else the name", "if that fails by name"},
    {"find your wish", "find what you want to do"},
    {"shall use", "is to use"},
    {"behind the class", "after the reason"},
    {"behind what is to be expected", "after the expected verdict"},
    {"without fuzz", "exactly"},
    {"changes no time", "has no effect on time"},
    {"change no time", "have no effect on time"},
    {"names who reads", "names the threads that read"},
    {"the model was not asked", "the model was not run"},
    {"beside what cards gave", "compared with measurements on real GPUs"},
    {"leave the bar", "exceed the limit"},
    {"off than the bar", "than the limit"},
    {"data base", "database"},
    {"in another order", "in a different order"},
    {"another number of", "a different number of"},
    {"bits behind", "bits after"},
    {"the word behind", "the word after"},
    {"behind what failed", "after what failed"},
    {"are no multiple", "are not a multiple"},
    {"is no multiple", "is not a multiple"},
    {"is no course", "is not a course"},
    {"kernels less", "kernels fewer"},
    {"launch less", "launch fewer"},
    {"a function more", "one more function"},
    {"four orders", "four rules of order"},
    {"two orders are", "two rules of order are"},
    {"nobody uses", "is not used"},
    {"nobody looks", "is ignored"},
    {"nobody cleared", "that was never cleared"},
    {"nobody waited", "was not waited for"},
    {"lies inside", "is inside"},
    {"lie before", "come before"},
    {"some ten", "about ten"},
    {"; who", "say who that is: students who, the block that"},
    {"the farthest off", "furthest off"},
    {"gives no promise", "does not promise"},
    {"times of a hundred", "times out of a hundred"},
};

/// Statements that arithmetic or a source refutes.
constexpr Mended kStatements[] = {
    {"takes the rate of the data sheet there", "8-bit mma.sync on 9.0 runs as fast as halves in the model"},
    {"hundred times for the price of once", "50: 19.5 TFLOP/s counts an FMA as two FLOPs"},
    {"eight times the traffic", "eight times the sectors of a request; DRAM sees what L1 loses"},
    {"low value proves overhead", "it proves that the GPU waits, not for what"},
    {"low gpu-util proves overhead", "it proves that the GPU waits, not for what"},
    {"hidden behind 700 tokens", "gradients hide behind the backward pass alone: T FLOPs a byte"},
    {"all three passes 156", "setting gradients to none saves four passes"},
    {"cannot move a product up", "templates, tuning and epilogues can, for skinny shapes above all"},
    {"80 + 40 instructions an element come close",
     "120 is 71 % of the A100's 169 and more than the H200's 93"},
    {"nothing is fetched ahead", "NVIDIA's driver prefetches by default"},
    {"fused, 8 bytes remain, but each cosine",
     "only a naive fusion computes it again; a tile with a halo does not"},
};

/// Every page but one: what docs/devices.md says of a number is the text of its source in the device's file.
bool language_is_checked(const std::string& page) { return page != "docs/devices.md"; }

/// The prose of a page in lower case: code is left out, line breaks are spaces. `lines[i]` is the line of
/// character i.
struct Prose {
  std::string text;
  std::vector<std::size_t> lines;
};

/// Without what is between backticks.
std::string without_code(const std::string& line) {
  std::string words;
  bool code = false;
  for (const char c : line) {
    if (c == '`') code = !code;
    if (!code) words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return words;
}

Prose prose_of(const std::string& markdown) {
  Prose prose;
  bool fenced = false, blank = true, code = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(markdown)) {
    ++number;
    const bool fence = trimmed(line).starts_with("```");
    code = !fenced && line.starts_with("    ") && (blank || code);
    if (fence) fenced = !fenced;
    blank = trimmed(line).empty();
    if (fence || fenced || code) continue;
    const std::string words = without_code(trimmed(line)) + " ";
    prose.text += words;
    prose.lines.insert(prose.lines.end(), words.size(), number);
  }
  return prose;
}

std::vector<std::string> complaints(const std::string& page, const Prose& prose, const Mended& mended) {
  const std::string phrase = mended.phrase;
  const auto part = [&](std::size_t at) {
    return at < prose.text.size() && std::isalnum(static_cast<unsigned char>(prose.text[at])) != 0;
  };
  std::vector<std::string> found;
  for (std::size_t at = prose.text.find(phrase); at != std::string::npos;
       at = prose.text.find(phrase, at + 1))
    if (!(at > 0 && part(at - 1)) && !part(at + phrase.size()))
      found.push_back(page + ":" + std::to_string(prose.lines[at]) + ": \"" + phrase +
                      "\": " + mended.instead);
  return found;
}

TEST(Language, MendedPhrasingsStayAway) {
  std::size_t checked = 0;
  for (const std::filesystem::path& page : pages()) {
    if (!language_is_checked(shown(page))) continue;
    ++checked;
    const Prose prose = prose_of(text_of(page));
    for (const Mended& mended : kPhrasings)
      for (const std::string& complaint : complaints(shown(page), prose, mended)) ADD_FAILURE() << complaint;
  }
  EXPECT_GE(checked, 50U);
}

TEST(Language, MendedStatementsStayAway) {
  for (const std::filesystem::path& page : pages()) {
    const Prose prose = prose_of(text_of(page));
    for (const Mended& mended : kStatements)
      for (const std::string& complaint : complaints(shown(page), prose, mended)) ADD_FAILURE() << complaint;
  }
}

// Breaks when the tests above would not see a phrase, across lines too, or see one in code or in a longer
// word.
TEST(Language, APhraseIsFoundInProseAlone) {
  const Mended mended{"to and fro", "back and forth"};
  const auto found = complaints("p.md", prose_of("# T\n\nIt goes to\nand Fro.\n"), mended);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], "p.md:3: \"to and fro\": back and forth");
  EXPECT_TRUE(
      complaints("p.md",
                 prose_of("Say `to and fro`.\n\n    to and fro\n\n```\nto and fro\n```\nto and from\n"),
                 mended)
          .empty());
}

}  // namespace
}  // namespace roofline::docs
