// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Copies are found whatever is done to them, and independent programs are not taken for copies.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "disguise.h"
#include "grader/base/file.h"
#include "grader/similarity/compare.h"
#include "grader/similarity/passages.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

const fs::path kRoot = ROOFLINE_SOURCE;

std::vector<std::uint32_t> kinds(const std::string& text) {
  std::vector<std::uint32_t> all;
  for (const Token& token : tokens_of(text)) all.push_back(token.kind);
  return all;
}

TEST(Tokens, WhatCostsNothingToChangeChangesNothing) {
  const auto line = kinds("const int i = blockIdx.x * blockDim.x + threadIdx.x;");
  EXPECT_EQ(line.size(), 15U);
  for (const char* same : {"  std::size_t   thread =\n\n blockIdx.x * blockDim.x // why not\n + threadIdx.x;",
                           "static auto i = (blockIdx.x * blockDim.x) + threadIdx.x;",
                           "unsigned long /* which one */ k = blockIdx.x*blockDim.x+threadIdx.x ;"})
    EXPECT_EQ(kinds(same), line) << same;
  EXPECT_NE(kinds("int i = blockIdx.x * blockDim.x - threadIdx.x;"), line);
  EXPECT_NE(kinds("int i = blockIdx.x * gridDim.x + threadIdx.x;"), line);
  EXPECT_EQ(kinds("x = 256;"), kinds("y=0x1'00u;"));
  EXPECT_EQ(kinds("x = 1.5e-3f;"), kinds("y = 7;"));
  EXPECT_EQ(kinds("f(\"a // b\"); g"), kinds("h(R\"x(a\n)\" )x\"); i"));
  EXPECT_EQ(kinds("if (a) { b(); }"), kinds("if (a) b();"));
  EXPECT_EQ(kinds("std::min(a, b)"), kinds("min(c, d)"));
  EXPECT_EQ(kinds("p->x"), kinds("q.x"));
  EXPECT_EQ(kinds("#include <x>\n#pragma unroll\n#define BLOCK 256\na"), kinds("B 7\nc"));
  EXPECT_TRUE(kinds("// nothing \\\n still nothing").empty());
}

// Breaks when a text that is no program takes the lexer out of its bounds.
TEST(Tokens, AnyBytesAreAProgram) {
  std::mt19937 random(7);
  const std::string bytes = "/*\"'R(#\\\n)x0.e+-<>:\xff\xc3 ";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += bytes[random() % bytes.size()];
    std::uint32_t last = 0;
    for (const Token& token : tokens_of(text)) {
      ASSERT_LE(last, token.begin) << text;
      ASSERT_LT(token.begin, token.end) << text;
      ASSERT_LE(token.end, text.size()) << text;
      last = token.end;
    }
  }
}

/// A lab's part with its ladder: programs that different people might have written.
struct Ladder {
  std::string folder, file, variants, copied;
};
class Disguised : public testing::TestWithParam<Ladder> {
 protected:
  void SetUp() override {
    const fs::path lab = kRoot / "labs" / GetParam().folder, solved = kRoot / "solutions" / GetParam().folder;
    skeleton_ = read_file(lab / GetParam().file);
    for (const auto& entry : fs::directory_iterator(lab)) {
      if (entry.path().extension() == ".h" || entry.path().filename() == GetParam().file)
        given_text_ += read_file(entry.path());
      if (entry.path().extension() == ".md") given_.add(code_of_page(read_file(entry.path())));
    }
    given_.add(given_text_);
    add(read_file(solved / GetParam().file));
    for (const auto& entry : fs::directory_iterator(solved / "variants" / GetParam().variants))
      add(read_file(entry.path()));
    original_ = read_file(solved / GetParam().copied);
  }
  std::size_t add(const std::string& text) {
    works_.push_back({read_code(text, given_), {works_.size()}});
    return works_.size() - 1;
  }
  /// The copy and its original are the pair that stands out.
  void expect_found(const std::string& copy, const char* how) {
    std::size_t original = 0;
    while (works_[original].code.text != original_) ++original;
    works_.push_back({read_code(copy, given_), {works_.size()}});
    const ClassComparison found = compare(works_);
    works_.pop_back();
    ASSERT_FALSE(found.pairs.empty());
    const Likeness& first = found.pairs[0];
    EXPECT_EQ(first.b, works_.size()) << how << ": an independent pair stands first";
    EXPECT_EQ(first.a, original) << how;
    EXPECT_GT(first.of_a, 0.6) << how;
    for (const Likeness& pair : found.pairs) {
      if (pair.b == works_.size()) continue;
      EXPECT_LT(pair.unusual, first.unusual) << how;
    }
  }
  std::string skeleton_, given_text_, original_;
  GivenCode given_;
  std::vector<Work> works_;
};

TEST_P(Disguised, CopiesStandAboveTheLadder) {
  expect_found(original_, "as it is");
  expect_found(recommented(original_), "other comments");
  expect_found(renamed(original_, given_text_), "renamed");
  expect_found(reordered(original_), "reordered");
  expect_found(padded(original_, 3), "dead code");
  expect_found(padded(reordered(renamed(recommented(original_), given_text_)), 4), "all of it");
}

// Breaks when what everybody was given makes two people look alike.
TEST_P(Disguised, SkeletonsAreNoMatch) {
  for (const std::string& text : {skeleton_, recommented(skeleton_), "// Ada\n" + skeleton_ + "\n// done\n"})
    add(text);
  for (const Likeness& pair : compare(works_).pairs) EXPECT_LT(pair.b, works_.size() - 3);
  EXPECT_TRUE(works_.back().code.own.empty());
}

// Steps of a ladder that were made from each other are alike, and are shown so: these are the others.
INSTANTIATE_TEST_SUITE_P(Labs, Disguised,
                         testing::Values(Ladder{"01-pointwise", "pointwise.cu", "",
                                                "variants/3-grid-stride.cu"},
                                         Ladder{"04-gemm", "gemm.cu", "", "variants/2-tile-a-warp.cu"},
                                         Ladder{"05-launch", "launch.cu", "", "variants/3-forked.cu"},
                                         Ladder{"05-launch", "launch.cu", "", "variants/4-fused.cu"}));

/// `n` statements that no other number has.
std::string own_code(unsigned seed, int n) {
  static const char* const kOperators[] = {"+",  "-",  "*",  "/", "%", "&",  "|",     "^",
                                           "<<", ">>", "&&", "<", ">", "==", "? c :", "= a["};
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += "a =";
    for (int k = 0; k < 4; ++k) text += std::string(" b ") + kOperators[random() % std::size(kOperators)];
    text += " 7;\n";
  }
  return text;
}

std::vector<Work> class_of(const std::vector<std::string>& texts) {
  std::vector<Work> works;
  for (const std::string& text : texts) works.push_back({read_code(text, {}), {works.size()}});
  return works;
}

TEST(Comparing, WhatEverybodyHasIsNotUnusual) {
  const std::string usual = own_code(1, 30);
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 10; ++i) texts.push_back(usual + own_code(100 + i, 30));
  texts.push_back(usual + own_code(100, 30));  // the first one's
  const ClassComparison found = compare(class_of(texts));
  EXPECT_EQ(found.pairs.size(), 55U);
  EXPECT_EQ(found.pairs[0].a, 0U);
  EXPECT_EQ(found.pairs[0].b, 10U);
  EXPECT_DOUBLE_EQ(found.pairs[0].both, 1);
  EXPECT_GT(found.pairs[0].unusual, 0.4);
  EXPECT_GT(found.pairs[1].both, 0.35) << "the usual half";
  EXPECT_LT(found.pairs[1].unusual, 0.1);
}

TEST(Comparing, NobodyIsComparedWithThemselves) {
  std::vector<Work> works = class_of({own_code(1, 30), own_code(2, 30), own_code(1, 28), own_code(3, 30)});
  works[0].people = {7, 8};  // a group, or the same file
  works[1].people = {8};     // one of them, later
  works[2].people = {9};
  works[3].people = {10};
  const ClassComparison found = compare(works);
  EXPECT_EQ(found.people, 4U);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const Likeness& pair : found.pairs) pairs.insert({pair.a, pair.b});
  EXPECT_FALSE(pairs.contains({0, 1}));
  EXPECT_TRUE(pairs.contains({0, 2}));
  EXPECT_FALSE(pairs.contains({1, 2})) << "the first is the one in which 8 is like 9";
  EXPECT_TRUE(pairs.contains({1, 3}) || pairs.contains({0, 3}));
}

TEST(Comparing, EarlierClassesAreNotComparedWithEachOther) {
  std::vector<Work> works = class_of({own_code(1, 30), own_code(1, 29), own_code(1, 28)});
  works[1].earlier = works[2].earlier = true;
  const ClassComparison found = compare(works);
  ASSERT_EQ(found.pairs.size(), 2U);
  for (const Likeness& pair : found.pairs) EXPECT_EQ(pair.a, 0U);
}

TEST(Passages, SayWhatStandsWhere) {
  const std::string one = own_code(1, 10), two = own_code(2, 10), three = own_code(3, 10),
                    four = own_code(4, 10);
  const CodeText a = read_code(one + two + three, {}), b = read_code(three + four + one, {});
  const SideBySide both = side_by_side(a, b);
  ASSERT_GE(both.passages.size(), 2U);
  const auto words = [](const CodeText& code, std::size_t own) { return code.tokens[code.own[own]].kind; };
  for (const Passage& passage : both.passages)
    for (std::size_t i = 0; i < passage.length; ++i)
      EXPECT_EQ(words(a, passage.a + i), words(b, passage.b + i));
  EXPECT_EQ(both.a.of_token.front(), 1);
  EXPECT_NE(both.a.of_token.back(), Region::kNone);
  EXPECT_EQ(both.b.of_token.front(), both.a.of_token.back());
  EXPECT_EQ(std::ranges::count(both.b.of_token, Region::kGiven), 0);
}

// Breaks when a class takes minutes, or a text made to be slow does.
TEST(Comparing, AClassOf300TakesSeconds) {
  std::vector<std::string> texts;
  const std::string usual = own_code(1, 40);
  for (unsigned i = 0; i < 300; ++i) texts.push_back(usual + own_code(i, 60));
  std::string dull;
  for (int i = 0; i < 20'000; ++i) dull += "a = b;";
  texts.push_back(dull);
  texts.push_back(dull + own_code(5, 60));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Work> works = class_of(texts);
  const ClassComparison found = compare(works);
  (void)side_by_side(works[300].code, works[301].code);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(found.pairs.size(), 302U * 301 / 2);
  RecordProperty("seconds", std::to_string(spent.count()));
  EXPECT_LT(spent.count(), 60) << "even in a debug build";
}

}  // namespace
}  // namespace roofline::grader
