// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/analysis/register_uses.h"
#include "simulator/ptx/load_error.h"
#include "simulator/ptx/parser.h"
#include "simulator/tests/isa/instruction_case.h"
#include "simulator/tests/isa/spellings.h"
#include "simulator/tests/machine_fixture.h"

/// What rows say of their instructions, and that the rest believes them and not the text.
namespace roofline::sim {
namespace {

using isa::Match;
using isa::Row;

// ---- the first operand ----

/// Also binds what has addresses and labels.
class AnyBinder final : public isa::cases::CaseBinder {
 public:
  using CaseBinder::CaseBinder;
  Address address(const ptx::Operand&, ptx::Space space) override {
    Address address;
    address.base = scratch(8);
    address.base_bytes = 8;
    address.space = space;
    return address;
  }
  void branch_to(const std::string&, Instruction&, int) override {}
};

/// The texts of the operands that a syntax line must have.
std::vector<std::string> operand_names(std::string_view syntax) {
  std::vector<std::string> names;
  const auto space = syntax.find(' ');
  std::istringstream rest(space == syntax.npos ? "" : std::string(syntax.substr(space + 1)));
  for (std::string name; std::getline(rest, name, ',');) {
    name.erase(0, name.find_first_not_of(' '));
    if (!name.empty() && name.back() == '{') name.pop_back();
    if (!name.empty() && name.find('}') == name.npos) names.push_back(name);
  }
  return names;
}

/// The spelling with operands of so many registers each; 0: a register, not a vector.
ptx::Instruction with_operands(const Row& row, const std::string& spelling, std::size_t registers) {
  ptx::Instruction in = isa::cases::instruction_of(spelling, {}, {});
  for (const std::string& name : operand_names(row.syntax)) {
    ptx::Operand& operand = in.operands.emplace_back(isa::cases::operand_of("0"));
    if (name.starts_with('[')) operand.kind = ptx::Operand::Kind::kAddress;
    if (name.starts_with('[') || registers == 0) continue;
    operand.elements.assign(registers, operand);
    operand.kind = ptx::Operand::Kind::kVector;
  }
  return in;
}

struct Bound {
  bool finished = false, writes_first = false;
};

Bound bind(const Row& row, const Match& match) {
  AnyBinder binder(*match.instruction);
  Instruction in;
  Bound bound;
  try {
    row.bind(row, match, binder, in);
    bound.finished = true;
  } catch (const std::exception&) {  // operands of another shape; some have been bound before
  }
  if (match.instruction->operands.empty()) return bound;
  const ptx::Operand& first = match.instruction->operands.front();
  for (const auto& result : binder.results) {
    const auto is_it = [&](const ptx::Operand& operand) { return result.operand == &operand; };
    bound.writes_first |= is_it(first) || std::any_of(first.elements.begin(), first.elements.end(), is_it);
  }
  return bound;
}

// Broken by a row whose syntax line calls the destination x, or calls a source d: registers would be taken
// for constant, or their old values for dead.
TEST(Traits, RowsWriteWhatTheySay) {
  for (const Row& row : isa::rows()) {
    bool writes = false, finished = false, says = false;
    for (const std::string& spelling : isa::cases::spellings_of(row, 40)) {
      for (const std::size_t registers : {0, 1, 2, 3, 4, 5, 8, 10, 16}) {
        const ptx::Instruction in = with_operands(row, spelling, registers);
        Match match;
        if (!isa::matches(row, in, match)) continue;
        const Bound bound = bind(row, match);
        writes |= bound.writes_first;
        finished |= bound.finished;
        says = isa::traits_of(row, match).writes_first;
      }
    }
    EXPECT_EQ(writes, says) << row.syntax;
    const std::vector<std::string> names = operand_names(row.syntax);
    const bool cannot_write = names.empty() || names[0].starts_with('[') || row.traits.flow != Flow::kNext;
    EXPECT_TRUE(writes || finished || cannot_write) << "never bound: " << row.syntax;
  }
}

// Broken by traits that do not come with the instruction they are asked for.
TEST(Traits, WhoSavesAndRestoresTheStack) {
  const ptx::Module module = ptx::parse(std::string(kHeader) + R"(
.visible .entry k() {
  .reg .b64 %rd<3>;
  stacksave.u64 %rd1;
  mov.u64 %rd2, %rd1;
  stackrestore.u64 %rd2;
  ret;
})",
                                        "test");
  const ptx::Function& function = module.functions.at(0);
  std::vector<Traits> traits;
  for (const ptx::Instruction& in : function.instructions) traits.push_back(isa::traits_of(in));
  const RegisterUses uses(function, traits);
  EXPECT_EQ(uses.writes.at("%rd2"), std::vector<u32>{1});
  EXPECT_EQ(uses.reads.at("%rd2"), std::vector<u32>{2});
}

// Broken when bar.red counts as what leaves its first operand alone: the register is then one with the
// literal that it was set to, and the result ends up there.
TEST(Traits, ABarrierThatWritesItsResult) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r3, %tid.x;
  setp.lt.u32 %p1, %r3, 20;
  mov.u32 %r1, 5;
  bar.red.popc.u32 %r1, 0, %p1;
  mov.u32 %r2, 5;
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  ret;
})");
  const u64 out = m.upload<u32>({0, 0});
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 2), (std::vector<u32>{20, 5}));
}

// ---- parts of registers ----

Machine with_instruction(const std::string& instruction) {
  return Machine(".visible .entry k() {\n  .reg .b32 %r<4>;\n  " + instruction + ";\n  ret;\n}");
}

// Breaks when a packed video instruction takes a part of a register, which it does not read: the whole
// register would be used without a word, as it was while every opcode that begins with a v took one.
TEST(Traits, OnlyScalarVideoTakesAPartOfARegister) {
  EXPECT_NO_THROW(with_instruction("vadd.u32.u32.u32 %r1, %r2.h1, %r3"));
  EXPECT_NO_THROW(with_instruction("vadd2.u32.u32.u32.sat %r1, %r2, %r3, %r1"));
  EXPECT_THROW(with_instruction("vadd2.u32.u32.u32.sat %r1, %r2.h1, %r3, %r1"), LoadError);
}

// ---- branches and barriers ----

constexpr const char* kNamesThatMislead = R"(
.visible .global .u32 library;
.func foobar() { ret; }
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r2, %tid.x;
  mov.u32 %r1, 7;
  setp.lt.u32 %p1, %r2, 16;
  @%p1 ld.global.u32 %r1, [library];
  call foobar, ();
  @%p1 bra $foobar;
  st.global.u32 [%rd1], %r1;
$foobar:
  ret;
})";

// Broken by a look at the text: a variable called library is no branch, a call of foobar no barrier.
TEST(Traits, NamesAreNoInstructions) {
  Machine m(kNamesThatMislead);
  const u64 out = m.upload<u32>({0});
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(r.counters.branches, 1u);
  EXPECT_EQ(r.resources.barriers, 0u);
}

}  // namespace
}  // namespace roofline::sim
