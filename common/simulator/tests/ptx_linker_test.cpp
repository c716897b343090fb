// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Several PTX texts become one module, as nvlink joins translation units.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/program/trap.h"
#include "simulator/ptx/linker.h"
#include "simulator/ptx/parser.h"

namespace roofline::sim::ptx_linker {
namespace {

const std::string kHead = ".version 9.0\n.target sm_80\n.address_size 64\n";

ptx::Module linked(const std::vector<std::string>& texts) {
  std::vector<ptx::Unit> units;
  for (const std::string& text : texts) {
    const std::string name(1, static_cast<char>('a' + units.size()));
    units.push_back({name + ".cu", ptx::parse(kHead + text, name)});
  }
  return ptx::link(std::move(units), [](const std::string& name) { return name == "vprintf"; });
}

std::string refusal(const std::vector<std::string>& texts) {
  try {
    linked(texts);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "linked";
}

const ptx::Variable* variable(const ptx::Module& module, const std::string& name) {
  const auto found = std::find_if(module.variables.begin(), module.variables.end(),
                                  [&](const auto& v) { return v.name == name; });
  return found == module.variables.end() ? nullptr : &*found;
}
const ptx::Function* function(const ptx::Module& module, const std::string& name) {
  const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                  [&](const auto& f) { return f.name == name; });
  return found == module.functions.end() ? nullptr : &*found;
}

// Broken by: a declaration that wins over the definition, in either order.
TEST(PtxLinker, DeclarationsGoToTheDefinition) {
  const std::string user =
      ".extern .global .align 4 .u32 g;\n.extern .func f();\n"
      ".visible .entry k() { .reg .u32 %r; ld.global.u32 %r, [g]; call f; ret; }\n";
  const std::string owner = ".visible .global .align 4 .u32 g = 7;\n.visible .func f() { ret; }\n";
  for (const auto& texts : {std::vector{user, owner}, std::vector{owner, user}}) {
    const ptx::Module module = linked(texts);
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_EQ(module.variables[0].initial, (std::vector<u8>{7, 0, 0, 0}));
    ASSERT_EQ(module.functions.size(), 2u);
    EXPECT_TRUE(function(module, "f")->has_body);
  }
}

// Broken by: a local name that renames what other units know by it.
TEST(PtxLinker, ANameStandsForOneThingInAUnit) {
  EXPECT_EQ(refusal({".extern .func f();\n.global .u32 f;\n", ".visible .func f() { ret; }\n"}),
            "The device symbol 'f' stands for two things in a.cu.");
}

// Broken by: a weak definition that wins over a strong one, or that is there twice.
TEST(PtxLinker, StrongWinsOverWeakAndTheFirstWeakCounts) {
  const std::string weak1 = ".weak .global .u32 g = 1;\n.weak .func f() { ret; }\n";
  const std::string weak2 = ".weak .global .u32 g = 2;\n.weak .func f() { trap; ret; }\n";
  const std::string strong = ".visible .global .u32 g = 3;\n";
  const ptx::Module weak = linked({weak1, weak2});
  ASSERT_EQ(weak.variables.size(), 1u);
  EXPECT_EQ(weak.variables[0].initial[0], 1);
  ASSERT_EQ(weak.functions.size(), 1u);
  EXPECT_EQ(weak.functions[0].instructions.size(), 1u);
  for (const auto& texts : {std::vector{weak1, strong, weak2}, std::vector{strong, weak1, weak2}}) {
    const ptx::Module module = linked(texts);
    ASSERT_EQ(module.variables.size(), 1u);
    EXPECT_EQ(module.variables[0].initial[0], 3);
  }
}

// Broken by: common blocks that are taken for definitions, or a smaller one that is kept.
TEST(PtxLinker, TheLargestCommonCounts) {
  const std::string small = ".common .global .align 4 .b8 c[4];\n",
                    large = ".common .global .align 4 .b8 c[64];\n";
  for (const auto& texts : {std::vector{small, large}, std::vector{large, small}})
    EXPECT_EQ(variable(linked(texts), "c")->bytes, 64u);
  const ptx::Module defined = linked({large, ".visible .global .align 4 .b8 c[4] = {1};\n"});
  ASSERT_EQ(defined.variables.size(), 1u);
  EXPECT_EQ(defined.variables[0].bytes, 4u);
}

// Broken by: names of two units that become one, in a body, in an initial value or as a table of functions.
TEST(PtxLinker, NamesWithoutLinkageStayApart) {
  const auto unit = [](const std::string& kernel, const std::string& value) {
    return ".global .u32 g = " + value + ";\n.func f() { ret; }\n.global .u64 p = g;\n.global .u64 q = f;\n" +
           ".visible .entry " + kernel +
           "() { .reg .u32 %r; .reg .u64 %d; ld.global.u32 %r, [g]; mov.u64 %d, g; call f; ret; }\n";
  };
  const ptx::Module module = linked({unit("k1", "1"), unit("k2", "2")});
  ASSERT_EQ(module.variables.size(), 6u);
  ASSERT_EQ(module.functions.size(), 4u);
  for (const std::string& suffix : {std::string(), std::string("$1")}) {
    ASSERT_NE(variable(module, "g" + suffix), nullptr);
    EXPECT_EQ(variable(module, "g" + suffix)->initial[0], suffix.empty() ? 1 : 2);
    EXPECT_EQ(variable(module, "p" + suffix)->relocations[0].symbol, "g" + suffix);
    EXPECT_EQ(variable(module, "q" + suffix)->relocations[0].symbol, "f" + suffix);
    const ptx::Function* kernel = function(module, suffix.empty() ? "k1" : "k2");
    EXPECT_EQ(kernel->instructions[0].operands[1].name, "g" + suffix);
    EXPECT_EQ(kernel->instructions[1].operands[1].name, "g" + suffix);
    EXPECT_EQ(kernel->instructions[2].call->target.name, "f" + suffix);
  }
}

// Broken by: a label or parameter that is renamed with a variable of the same name.
TEST(PtxLinker, LabelsAndParametersHideModuleNames) {
  const std::string text =
      ".global .u32 there = 1;\n.global .u32 a = 1;\n"
      ".func f(.param .u32 a) { .reg .u32 %r; ld.param.u32 %r, [a]; bra there; there: ret; }\n";
  const ptx::Module module = linked({text, text});
  const ptx::Function* renamed = function(module, "f$1");
  ASSERT_NE(renamed, nullptr);
  EXPECT_EQ(renamed->instructions[0].operands[1].name, renamed->parameters[0].name);
  EXPECT_EQ(renamed->instructions[1].operands[0].name, renamed->labels[0].name);
}

// Broken by: dynamic shared memory that is asked for in several units.
TEST(PtxLinker, DynamicSharedMemoryNeedsNoDefinition) {
  const std::string text = ".extern .shared .align 16 .b8 s[];\n";
  const auto kernel = [](const std::string& name) {
    return ".visible .entry " + name + "() { .reg .u32 %r; ld.shared.u32 %r, [s]; ret; }\n";
  };
  const ptx::Module module = linked({text + kernel("k1"), text + kernel("k2")});
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_TRUE(module.variables[0].is_extern);
}

// Broken by: lines that point into another unit's files.
TEST(PtxLinker, FilesAreNumberedAnew) {
  const auto unit = [](const std::string& path, const std::string& kernel) {
    return ".file 1 \"" + path + "\"\n.visible .entry " + kernel + "() {\n.loc 1 5 0\nret;\n}\n";
  };
  const ptx::Module module = linked({unit("x.cu", "k1"), unit("y.cu", "k2")});
  EXPECT_EQ(module.files.at(function(module, "k1")->instructions[0].source.file), "x.cu");
  EXPECT_EQ(module.files.at(function(module, "k2")->instructions[0].source.file), "y.cu");
}

// Broken by: a message that does not name the symbol and both files.
TEST(PtxLinker, ErrorsNameTheSymbolAndTheFiles) {
  const std::string g = ".visible .global .u32 g = 1;\n";
  EXPECT_EQ(
      refusal({g, g}),
      "The device symbol 'g' is defined in a.cu and in b.cu: keep one definition, declare it extern in the "
      "other file.");
  const std::string user = ".extern .func f();\n.visible .entry k() { call f; ret; }\n";
  EXPECT_EQ(refusal({g, user}),
            "The device symbol 'f' is used in b.cu and defined in no file of the program: link the object or "
            "library that defines it.");
  EXPECT_EQ(refusal({g, ".extern .func unused();\n"}), "linked");
  EXPECT_EQ(refusal({".visible .func g() { ret; }\n", g}),
            "The device symbol 'g' is a function in a.cu and a variable in b.cu.");
  EXPECT_EQ(
      refusal({".extern .global .b8 g[8];\n", g}),
      "The device variable 'g' has 8 bytes in a.cu and 4 bytes in b.cu: declare it with the same type.");
  EXPECT_EQ(refusal({".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n", g}), "linked");
}

// Broken by: a unit that is called by the name of a header or of nothing.
TEST(PtxLinker, UnitsAreCalledByTheirSourceFile) {
  EXPECT_EQ(
      ptx::unit_name(ptx::parse(kHead + ".file 1 \"/usr/include/x.h\"\n.file 2 \"/home/me/b.cu\"\n", "t"), 3),
      "b.cu");
  const std::string internal = ".global .u32 __nv_static_24__c28c13d1_4_b_cu_counter_mine = 30;\n";
  EXPECT_EQ(ptx::unit_name(ptx::parse(kHead + internal, "t"), 3), "b.cu");
  const std::string named = ".func _ZN33_INTERNAL_c28c13d1_11_my_b_2_x_cu_counter4sameEi() { ret; }\n";
  EXPECT_EQ(ptx::unit_name(ptx::parse(kHead + named, "t"), 3), "my_b_2_x.cu");
  EXPECT_EQ(ptx::unit_name(ptx::parse(kHead + ".global .u32 _cu_ = 1;\n", "t"), 3), "translation unit 3");
}

}  // namespace
}  // namespace roofline::sim::ptx_linker
