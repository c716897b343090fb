// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The PTX parser on files written by hand (tests/ptx), on mistakes (tests/ptx/bad-*), and on what nvcc
// writes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "simulator/ptx/parser.h"
#include "simulator/ptx/type_names.h"
#include "simulator/tests/ptx_names.h"

namespace roofline::sim::ptx {
namespace {

namespace fs = std::filesystem;

const fs::path kFiles = fs::path(SIMULATOR_SOURCE) / "tests/ptx";

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What the first line of a test file says behind "// expect: ".
std::string expectation(const std::string& text) {
  const std::string prefix = "// expect: ";
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with(prefix) ? line.substr(prefix.size()) : "the file has no '// expect: ' line";
}

std::vector<fs::path> files(bool bad) {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(kFiles)) {
    const bool is_bad = entry.path().filename().string().starts_with("bad-");
    if (entry.path().extension() == ".ptx" && is_bad == bad) list.push_back(entry.path());
  }
  return list;
}

Module parse_body(const std::string& statements) {
  return parse(
      ".version 9.0\n.target sm_80\n.address_size 64\n.global .b8 data[64];\n"
      ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .reg .f32 "
      "%f<9>;\n" +
          statements + "\n}\n",
      "test.ptx");
}

Instruction only_instruction(const std::string& statement) {
  return parse_body(statement).functions.at(0).instructions.at(0);
}

std::size_t instructions_in(const Module& module) {
  std::size_t count = 0;
  for (const Function& function : module.functions) count += function.instructions.size();
  return count;
}

// Breaks when a directive or operand form is no longer read, or is read as something else.
TEST(GoodFiles, HaveTheExpectedContents) {
  ASSERT_GE(files(false).size(), 4u);
  for (const fs::path& path : files(false)) {
    SCOPED_TRACE(path.filename());
    const std::string text = contents(path);
    const Module module = parse(text, path.filename().string());
    std::ostringstream summary;
    summary << "functions=" << module.functions.size() << " variables=" << module.variables.size()
            << " instructions=" << instructions_in(module) << " files=" << module.files.size();
    EXPECT_EQ(summary.str(), expectation(text));
    check_names(module);
  }
}

// Breaks when a mistake is accepted, or when its message or the place it points at changes.
TEST(BadFiles, GiveTheExpectedMessageAtTheExpectedPlace) {
  ASSERT_GE(files(true).size(), 30u);
  for (const fs::path& path : files(true)) {
    SCOPED_TRACE(path.filename());
    const std::string name = path.filename().string();
    const std::string text = contents(path);
    try {
      parse(text, name);
      ADD_FAILURE() << "parsed without an error";
    } catch (const LoadError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.substr(0, message.find('\n')), name + ":" + expectation(text));
      EXPECT_EQ(
          expectation(text).find(std::to_string(error.at.line) + ":" + std::to_string(error.at.column) + ":"),
          0u);
    }
  }
}

std::string message_of(const std::string& text) {
  try {
    parse(text, "k.ptx");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

// Breaks when the caret does not stand under the token that is named.
TEST(Errors, ShowTheLineAndACaretUnderTheToken) {
  EXPECT_EQ(message_of(".version 9.0\n.target sm_80\n.entry k()\n{\n\tadd.s32 %r1, %r22, 4;\n}\n"),
            "k.ptx:5:10: error: '%r1' is neither a declared register nor a special register\n"
            "    5 |  add.s32 %r1, %r22, 4;\n"
            "      |          ^~~");
  EXPECT_EQ(message_of(".version 9.0\n.target sm_80\n.entry k() { ret"),
            "k.ptx:3:17: error: expected an operand, found the end of the text\n"
            "    3 | .entry k() { ret\n"
            "      |                 ^");
}

// Breaks when a guest's text can send control characters to the terminal.
TEST(Errors, HideControlCharacters) {
  const std::string message = message_of(".version 9.0\n.target sm_80\n\x1b[31m");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_NE(message.find("?[31m"), std::string::npos);
}

// Breaks when a range prefix that ends in a digit shadows another, or a leading zero is taken for an index.
TEST(Registers, AreFoundInRangesByPrefixAndCount) {
  const std::string head =
      ".version 9.0\n.target sm_80\n.entry k() { .reg .b32 %r<12>; .reg .b64 %r1_<3>, %rd1<20>; ";
  const Module module = parse(head + "mov.b32 %r11, 1; mov.b64 %r1_2, 1; mov.b64 %rd119, 2; }", "t");
  const std::vector<RegisterDeclaration>& registers = module.functions[0].registers;
  ASSERT_EQ(registers.size(), 3u);
  EXPECT_EQ(name_of(registers[0].type), "b32");
  EXPECT_EQ(name_of(registers[1].type), "b64");
  EXPECT_EQ(registers[2].name, "%rd119");
  EXPECT_NE(message_of(head + "mov.b32 %r12, 1; }"), "no error");
  EXPECT_NE(message_of(head + "mov.b32 %r01, 1; }"), "no error");
  EXPECT_NE(message_of(head + "mov.b32 %rd120, 1; }"), "no error");
}

// Breaks when two scopes share a register, a label or a variable, or when an inner name hides no outer one.
TEST(Scopes, GiveEachDeclarationItsOwnName) {
  const Module module = parse_body(
      "{ .reg .b32 %x; mov.u32 %x, 1; bra end; end: }\n"
      "{ .reg .b64 %x; mov.u64 %x, 2; bra end; end: { mov.u64 %x, 3; bra out; } }\n"
      "{ .reg .b32 %r1; mov.u32 %r1, 4; } mov.u32 %r1, 5;\n"
      "out: ret;");
  const Function& k = module.functions[0];
  check_names(module);
  EXPECT_EQ(k.instructions[0].operands[0].name, "%x@1");
  EXPECT_EQ(k.instructions[2].operands[0].name, "%x@2");
  EXPECT_EQ(k.instructions[4].operands[0].name, "%x@2");
  EXPECT_EQ(k.instructions[1].operands[0].name, "end@1");
  EXPECT_EQ(k.instructions[3].operands[0].name, "end@2");
  EXPECT_EQ(k.instructions[5].operands[0].name, "out");
  EXPECT_EQ(k.instructions[6].operands[0].name, "%r1@4");
  EXPECT_EQ(k.instructions[7].operands[0].name, "%r1");
}

// Breaks when an inner label that follows its branch loses against an outer one of the same name.
TEST(Scopes, PreferTheInnerLabelEvenWhenItComesLater) {
  const Module module = parse_body("again: { bra again; again: ret; } bra again;");
  EXPECT_EQ(module.functions[0].instructions[0].operands[0].name, "again@1");
  EXPECT_EQ(module.functions[0].instructions[2].operands[0].name, "again");
}

TEST(Operands, AreReadWithTheirValues) {
  EXPECT_EQ(only_instruction("mov.u32 %r1, 0x1F;").operands[1].bits, 31u);
  EXPECT_EQ(only_instruction("mov.u32 %r1, 017U;").operands[1].bits, 15u);
  EXPECT_EQ(only_instruction("mov.u32 %r1, 0b101;").operands[1].bits, 5u);
  EXPECT_EQ(only_instruction("mov.u32 %r1, -1;").operands[1].bits, ~u64{0});
  EXPECT_EQ(only_instruction("mov.u32 %r1, 0;").operands[1].bits, 0u);
  EXPECT_EQ(only_instruction("mov.u32 %r1, WARP_SZ;").operands[1].bits, 32u);
  const Operand one = only_instruction("mov.f32 %f1, 0f3F800000;").operands[1];
  EXPECT_EQ(one.kind, Operand::Kind::kFloat);
  EXPECT_TRUE(one.is_single);
  EXPECT_EQ(one.bits, 0x3f800000u);
  EXPECT_EQ(one.number, 1.0);
  const Operand wide = only_instruction("mov.f64 %rd1, -0d3FF8000000000000;").operands[1];
  EXPECT_EQ(wide.number, -1.5);
  EXPECT_EQ(wide.bits, 0xbff8000000000000u);
  EXPECT_EQ(only_instruction("mov.f32 %f1, 2.5e-1;").operands[1].number, 0.25);
}

TEST(Operands, AddressesHaveBaseAndOffset) {
  const Operand by_register = only_instruction("ld.global.u32 %r1, [%rd1+-8];").operands[1];
  EXPECT_EQ(by_register.kind, Operand::Kind::kAddress);
  EXPECT_EQ(by_register.name, "%rd1");
  EXPECT_FALSE(by_register.base_is_symbol);
  EXPECT_EQ(by_register.offset, -8);
  const Operand by_symbol = only_instruction("ld.global.u32 %r1, [data+4];").operands[1];
  EXPECT_TRUE(by_symbol.base_is_symbol);
  EXPECT_EQ(by_symbol.offset, 4);
  const Operand absolute = only_instruction("ld.shared.u32 %r1, [0x10];").operands[1];
  EXPECT_TRUE(absolute.name.empty());
  EXPECT_EQ(absolute.offset, 16);
  const Operand tensor = only_instruction("ld.global.u32 %r1, [%rd1, {%r2, %r3}];").operands[1];
  ASSERT_EQ(tensor.elements.size(), 1u);
  EXPECT_EQ(tensor.elements[0].elements.size(), 2u);
}

TEST(Operands, VectorsPairsGuardsAndModifiers) {
  const Instruction shuffle = only_instruction("@!%p2 shfl.sync.down.b32 %r3|%p1, %r1, _, 31, -1;");
  EXPECT_EQ(shuffle.opcode, "shfl");
  EXPECT_EQ(shuffle.modifiers, (std::vector<std::string>{"sync", "down", "b32"}));
  EXPECT_EQ(shuffle.guard, "%p2");
  EXPECT_TRUE(shuffle.guard_negated);
  EXPECT_EQ(shuffle.operands[0].kind, Operand::Kind::kPair);
  EXPECT_EQ(shuffle.operands[0].elements[1].name, "%p1");
  EXPECT_EQ(shuffle.operands[2].kind, Operand::Kind::kDiscard);
  const Instruction load = only_instruction("ld.global.L2::cache_hint.v2.b32 {%r1, _}, [%rd1], %rd2;");
  EXPECT_EQ(load.modifiers[1], "L2::cache_hint");
  EXPECT_EQ(load.operands[0].elements[1].kind, Operand::Kind::kDiscard);
  EXPECT_TRUE(only_instruction("setp.eq.and.s32 %p1, %r1, 2, !%p2;").operands[3].negated);
}

Variable only_variable(const std::string& declaration) {
  return parse(".version 9.0\n.target sm_80\n.global .u32 other; .extern .func f();\n" + declaration, "t")
      .variables.at(1);
}

// Breaks when a nested list lands at the wrong row, or missing values are not zero.
TEST(InitialValues, FollowTheDimensions) {
  const Variable table = only_variable(".global .align 4 .b8 t[3][5] = {{1, 2, 3}, {4, 5}};");
  EXPECT_EQ(table.bytes, 15u);
  EXPECT_EQ(table.initial, (std::vector<u8>{1, 2, 3, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Variable open = only_variable(".global .u16 t[] = {1, -1, 0x1234};");
  EXPECT_EQ(open.bytes, 6u);
  EXPECT_EQ(open.initial, (std::vector<u8>{1, 0, 0xff, 0xff, 0x34, 0x12}));
  const Variable vectors = only_variable(".global .v2 .u8 t[2] = {{1, 2}, {3}};");
  EXPECT_EQ(vectors.initial, (std::vector<u8>{1, 2, 3, 0}));
  EXPECT_EQ(vectors.alignment, 2u);
  EXPECT_EQ(only_variable(".const .f32 x = 0fFFC00001;").initial, (std::vector<u8>{1, 0, 0xc0, 0xff}));
  EXPECT_EQ(only_variable(".const .f64 x = 1.5;").initial, (std::vector<u8>{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}));
}

TEST(InitialValues, HoldAddresses) {
  const Variable list = only_variable(".global .u64 t[3] = {generic(other)+4, f, other+-8};");
  ASSERT_EQ(list.relocations.size(), 3u);
  EXPECT_TRUE(list.relocations[0].generic);
  EXPECT_EQ(list.relocations[0].addend, 4);
  EXPECT_EQ(list.relocations[1].symbol, "f");
  EXPECT_EQ(list.relocations[1].at, 8u);
  EXPECT_EQ(list.relocations[2].addend, -8);
  EXPECT_EQ(list.relocations[2].size, 8u);
  const Variable bytes = only_variable(".global .u8 t[2] = {0xff(other), 0xFF00(generic(other)+1)};");
  EXPECT_EQ(bytes.relocations[1].shift, 8u);
  EXPECT_EQ(bytes.relocations[1].size, 1u);
  EXPECT_EQ(bytes.relocations[1].addend, 1);
}

// Breaks when a small text can make the parser take gigabytes.
TEST(InitialValues, AreLimitedInSize) {
  const std::string big = ".global .b8 x[200000000] = {1}; .global .b8 y[200000000] = {1};";
  EXPECT_NE(message_of(".version 9.0\n.target sm_80\n" + big).find("take too many bytes"), std::string::npos);
}

TEST(Functions, AreMergedWithTheirDeclarations) {
  const Module module = parse(
      ".version 9.0\n.target sm_90a\n.func f(.param .b32 a); .visible .entry k() .maxntid 64, 2 "
      ".minnctapersm 3 { ret; }\n"
      ".func f(.param .b32 a) { ret; } .extern .global .u32 g; .global .u32 g = 3;",
      "t");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_TRUE(module.functions[0].has_body);
  EXPECT_EQ(module.functions[1].max_threads[1], 2u);
  EXPECT_EQ(module.functions[1].max_threads[2], 1u);
  EXPECT_EQ(module.functions[1].required_threads[0], 0u);
  EXPECT_EQ(module.functions[1].min_blocks, 3u);
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(module.target, 90u);
  EXPECT_EQ(module.target_name, "sm_90a");
}

// Breaks when code from toolkit headers is charged to the header instead of the line that used it.
TEST(SourceLines, SkipToolkitHeaders) {
  const Module module = parse(
      ".version 9.0\n.target sm_80\n.entry k() {\n.loc 1 10 3\nexit;\n"
      ".loc 2 50 1, function_name $L__a, inlined_at 1 11 5\nexit;\n"
      ".loc 3 70 1, function_name $L__b + 12, inlined_at 2 50 1\nexit;\n"
      ".loc 4 7 1, function_name $L__c, inlined_at 1 12 5\nexit;\n.loc 2 99 1\nexit;\n}\n"
      ".file 1 \"/home/someone/k.cu\"\n.file 2 "
      "\"/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_fp16.hpp\"\n"
      ".file 3 \"/opt/lab/cuda/include/mma.hpp\"\n.file 4 \"/home/someone/include/mine.h\"\n",
      "t");
  std::vector<std::pair<u32, u32>> places;
  for (const Instruction& i : module.functions[0].instructions)
    places.emplace_back(i.source.file, i.source.line);
  EXPECT_EQ(places, (std::vector<std::pair<u32, u32>>{{1, 10}, {1, 11}, {1, 11}, {4, 7}, {2, 99}}));
  EXPECT_EQ(module.files.at(1), "/home/someone/k.cu");
}

// Breaks when a function of a header that another one of the same header calls is said to be called there,
// and not at the line of the program.
TEST(SourceLines, ACallerIsInAnotherFile) {
  const Module module = parse(
      ".version 9.0\n.target sm_80\n.entry k() {\n"
      ".loc 2 81 3, function_name $L__load, inlined_at 1 47 5\nexit;\n"
      ".loc 2 70 22, function_name $L__detail, inlined_at 2 81 3\nexit;\n"
      ".loc 1 20 1, function_name $L__a, inlined_at 1 30 2\nexit;\n"
      ".loc 3 5 1, function_name $L__toolkit, inlined_at 1 50 2\nexit;\n"
      ".loc 2 90 4, function_name $L__functor, inlined_at 3 5 1\nexit;\n}\n"
      ".file 1 \"/home/someone/k.cu\"\n.file 2 \"/home/someone/tiles.h\"\n"
      ".file 3 \"/opt/lab/cuda/include/algorithm.h\"\n",
      "t");
  std::vector<std::pair<u32, u32>> callers;
  for (const Instruction& i : module.functions[0].instructions)
    callers.emplace_back(i.source.caller_file, i.source.caller_line);
  EXPECT_EQ(callers, (std::vector<std::pair<u32, u32>>{{1, 47}, {1, 47}, {1, 30}, {0, 0}, {1, 50}}));
}

TEST(TypeNames, GoBothWays) {
  for (const char* name : {"b8", "b128", "u16", "s64", "f16", "f16x2", "bf16x2", "f32", "f64", "pred"}) {
    ASSERT_TRUE(type_named(name)) << name;
    EXPECT_EQ(name_of(*type_named(name)), name);
  }
  EXPECT_EQ(type_named("f16x2")->lanes, 2);
  EXPECT_EQ(type_named("e4m3x2")->kind, Type::Kind::kOther);
  EXPECT_FALSE(type_named("sync"));
}

/// PTX of tests/ptx/kernels.cu, compiled with these options.
std::string compiled(const std::string& options, const std::string& name) {
  const fs::path output = fs::temp_directory_path() / (name + "-" + std::to_string(getpid()) + ".ptx");
  const std::string command = std::string(CUDA_HOME) + "/bin/nvcc -std=c++17 -ptx " + options + " -o " +
                              output.string() + " " + (kFiles / "kernels.cu").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const std::string text = contents(output);
  fs::remove(output);
  return text;
}

void check_compiled(const Module& module, u32 target) {
  check_names(module);
  EXPECT_EQ(module.target, target);
  std::set<std::string> entries;
  for (const Function& f : module.functions) {
    if (f.is_entry) entries.insert(f.name.substr(0, 8));
  }
  EXPECT_EQ(entries, (std::set<std::string>{"_Z5calls", "_Z6matri", "_Z7vecto", "_Z8spill"}));
  EXPECT_GT(instructions_in(module), 300u);
}

// Each of these breaks when nvcc writes something that is not understood.
TEST(Compiled, Optimised) {
  check_compiled(parse(compiled("-O3 -arch=compute_80", "o3"), "kernels.ptx"), 80);
}
TEST(Compiled, Debug) { check_compiled(parse(compiled("-G -arch=compute_75", "debug"), "kernels.ptx"), 75); }
TEST(Compiled, WithLines) {
  const Module module = parse(compiled("-lineinfo -arch=compute_90", "lines"), "kernels.ptx");
  check_compiled(module, 90);
  for (const Function& f : module.functions) {
    for (const Instruction& i : f.instructions) {
      EXPECT_TRUE(module.files.at(i.source.file).ends_with("kernels.cu")) << f.name << " line " << i.at.line;
    }
  }
}

}  // namespace
}  // namespace roofline::sim::ptx
