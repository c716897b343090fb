// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "simulator/ptx/type_names.h"
#include "simulator/tests/isa/instruction_case.h"
#include "simulator/tests/isa/instruction_page.h"
#include "simulator/tests/isa/spellings.h"

namespace roofline::sim::isa {
namespace {

using cases::Case;
using cases::CaseBinder;

std::vector<Case> all_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SIMULATOR_SOURCE "/tests/isa"))
    if (entry.path().extension() == ".cases") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> all;
  for (const auto& file : files)
    for (Case& one : cases::read_cases(file.string())) all.push_back(std::move(one));
  return all;
}

/// Fails unless the lanes in `mask` hold the case's results and all others what they held before.
void run(const Case& one, const Row& row, const Match& match, u32 mask) {
  CaseBinder binder(*match.instruction);
  Instruction in;
  row.bind(row, match, binder, in);
  ASSERT_NE(in.execute, nullptr);
  Warp w;
  w.bank[0] = w.bank[1] = binder.memory();
  w.mask = mask;
  constexpr u64 kBefore = 0xa5a5'a5a5'a5a5'a5a4u;
  w.carry = one.carry_in.value_or(false) ? ~0u : 0u;
  const auto row_of = [&](Slot slot) { return binder.memory() + slot.offset(); };
  for (const auto& result : binder.results) cases::fill(row_of(result.slot), result.type, kBefore);
  if (!binder.results.empty() && binder.results[0].type.bits == 1)
    cases::fill(row_of(binder.results[0].slot), binder.results[0].type, 0);
  for (const auto& source : binder.sources)
    cases::fill(row_of(source.slot), source.type, cases::bits_of_value(source.value, source.type));
  std::vector<u64> before;
  for (const auto& result : binder.results)
    before.push_back(cases::lane_of(row_of(result.slot), result.type, 0));
  const u32 carry_before = w.carry;
  in.execute(w, in);
  for (std::size_t k = 0; k < binder.results.size(); ++k) {
    const auto& result = binder.results[k];
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      const u64 bits = cases::lane_of(row_of(result.slot), result.type, lane);
      if ((mask >> lane & 1u) == 0) {
        ASSERT_EQ(bits, before[k]) << "inactive lane " << lane << " was written";
      } else {
        ASSERT_TRUE(cases::agrees(bits, result.value, result.type))
            << "lane " << lane << ": got 0x" << std::hex << bits << " ("
            << cases::number_of_bits(bits, result.type) << "), expected " << result.value << " as "
            << ptx::name_of(result.type);
      }
    }
  }
  if (one.carry_out) {
    const u32 expected = (carry_before & ~mask) | (*one.carry_out ? mask : 0);
    ASSERT_EQ(w.carry, expected) << "CC.CF";
  }
}

// Broken by a wrong result of any instruction, by a row that ignores the mask, and by a spelling without a
// row.
TEST(Isa, CasesGiveTheirResults) {
  const std::vector<Case> all = all_cases();
  ASSERT_GT(all.size(), 100u);
  for (const Case& one : all) {
    SCOPED_TRACE(one.file + ":" + std::to_string(one.line) + ": " + one.text);
    const ptx::Instruction instruction = cases::instruction_of(one.spelling, one.results, one.sources);
    Match match;
    const Row* row = find(instruction, match);
    ASSERT_NE(row, nullptr) << "no row matches";
    for (u32 mask : {~0u, 0x0f5a'0001u, 0x8000'0000u}) run(one, *row, match, mask);
  }
}

// Broken by a new row that nobody wrote a case for.
TEST(Isa, EveryRowHasACase) {
  std::set<const Row*> covered;
  for (const Case& one : all_cases()) {
    const ptx::Instruction instruction = cases::instruction_of(one.spelling, one.results, one.sources);
    Match match;
    covered.insert(find(instruction, match));
  }
  std::set<std::pair<std::string_view, Bind>> computing;
  for (const Row& row : cases::computing_rows()) computing.emplace(row.syntax, row.bind);
  std::string missing;
  for (const Row& row : rows())
    if (computing.contains({row.syntax, row.bind}) && !covered.contains(&row))
      missing += std::string(row.syntax) + " (" + ptx::name_of(row.types.front()) + " ...)\n";
  EXPECT_EQ(missing, "");
}

// Broken by a type or a modifier that no case of its row spells: a wrong one would go unnoticed.
TEST(Isa, EveryTypeAndModifierOfARowHasACase) {
  std::map<std::pair<std::string_view, Bind>, std::set<std::string>> spelled;
  for (const Case& one : all_cases()) {
    const ptx::Instruction instruction = cases::instruction_of(one.spelling, one.results, one.sources);
    Match match;
    const Row* row = find(instruction, match);
    ASSERT_NE(row, nullptr) << one.text;
    spelled[{row->syntax, row->bind}].insert(instruction.modifiers.begin(), instruction.modifiers.end());
  }
  std::string missing;
  for (const Row& row : cases::computing_rows()) {
    const std::set<std::string>& words = spelled[{row.syntax, row.bind}];
    for (const auto& texts : cases::parts_of(row)) {
      for (const std::string& text : texts) {
        if (text.ends_with(".b128")) continue;  // cases hold 64 bits
        std::istringstream parts(text);
        for (std::string word; std::getline(parts, word, '.');)
          if (!word.empty() && word != opcode_of(row) && !words.contains(word))
            missing += std::string(row.syntax) + ": " + word + "\n";
      }
    }
  }
  EXPECT_EQ(missing, "");
}

// Broken by two rows that claim one spelling: which of them ran would depend on their order.
TEST(Isa, NoTwoRowsMatchOneSpelling) {
  std::map<std::string_view, std::vector<const Row*>> by_opcode;
  for (const Row& row : rows()) by_opcode[opcode_of(row)].push_back(&row);
  std::size_t spellings = 0;
  for (const Row& row : rows()) {
    for (const std::string& spelling : cases::spellings_of(row, 1000)) {
      ++spellings;
      const ptx::Instruction instruction =
          cases::instruction_of(spelling, {}, std::vector<std::string>(cases::operands_of(row.syntax), "0"));
      Match match;
      ASSERT_TRUE(matches(row, instruction, match))
          << spelling << " is not matched by its own row: " << row.syntax;
      for (const Row* other : by_opcode[opcode_of(row)])
        ASSERT_TRUE(other == &row || !matches(*other, instruction, match))
            << spelling << " matches both\n  " << row.syntax << "\n  " << other->syntax;
    }
  }
  EXPECT_GT(spellings, 1000u);
}

// Broken by a message that no longer leads to the instruction that was meant.
TEST(Isa, NearMissesNameSimilarRows) {
  Match match;
  const ptx::Instruction wrong_type = cases::instruction_of("add.u33", {"0"}, {"0", "0"});
  EXPECT_EQ(find(wrong_type, match), nullptr);
  ASSERT_FALSE(near_misses(wrong_type).empty());
  for (const Row* row : near_misses(wrong_type)) EXPECT_EQ(opcode_of(*row), "add");
  const ptx::Instruction misspelled = cases::instruction_of("setpp.eq.u32", {"0"}, {"0", "0"});
  ASSERT_FALSE(near_misses(misspelled).empty());
  EXPECT_EQ(opcode_of(*near_misses(misspelled).front()), "setp");
  // The row with the same words comes first.
  const ptx::Instruction wide = cases::instruction_of("vote.sync.ballot.b64", {"0"}, {"1", "0"});
  ASSERT_FALSE(near_misses(wide).empty());
  EXPECT_TRUE(near_misses(wide).front()->syntax.starts_with("vote.sync.ballot"));
}

// Broken by a change of the table without a new docs/instructions.md. ROOFLINE_UPDATE_PAGES=1 writes it.
TEST(Isa, InstructionPageIsCurrent) {
  const std::filesystem::path path = SIMULATOR_SOURCE "/../../docs/instructions.md";
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) std::ofstream(path) << cases::instruction_page();
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(page == cases::instruction_page())
      << "docs/instructions.md is not what the table says; run this test once with ROOFLINE_UPDATE_PAGES=1";
}

// Broken by a row without a cost or a binder: the machine calls both.
TEST(Isa, RowsAreComplete) {
  for (const Row& row : rows()) {
    EXPECT_NE(row.bind, nullptr) << row.syntax;
    EXPECT_NE(row.cost, nullptr) << row.syntax;
  }
}

}  // namespace
}  // namespace roofline::sim::isa
