// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "../../labs/03-fusion/expression.h"
#include "grader/lab/spec.h"

namespace roofline::grader::fusion {
namespace {

Part drawn(std::uint64_t seed) {
  for (Lab lab : all_labs())
    for (Part& part : lab.parts)
      if (lab.id_of(part) == "03c") {
        part.draw(part, seed);
        return part;
      }
  return {};
}

std::vector<Node> nodes_of(const NamedValues& values) {
  const Settings settings(values, {});
  std::vector<Node> nodes;
  for (int k = 0; k < static_cast<int>(settings["nodes"]); ++k) {
    const auto word = static_cast<std::uint64_t>(settings["w" + std::to_string(k / 2)]) >> (k % 2 * 24);
    nodes.push_back({static_cast<Op>(word & 255), static_cast<std::uint8_t>(word >> 8 & 255),
                     static_cast<std::uint8_t>(word >> 16 & 255)});
  }
  return nodes;
}

bool is_binary(Op op) { return op >= Op::kAdd; }

/// Empty when the nodes form an expression as expression.h promises.
std::string fault_of(const std::vector<Node>& nodes, int inputs) {
  if (nodes.empty() || nodes.size() > Expression::kMostNodes) return "too many nodes, or none";
  std::set<int> used_nodes = {static_cast<int>(nodes.size()) - 1}, used_inputs;
  for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
    const Node node = nodes[static_cast<std::size_t>(k)];
    if (node.op == Op::kInput) {
      if (node.a >= inputs) return "an input that is not there";
      used_inputs.insert(node.a);
    } else if (node.op == Op::kConstant) {
      if (node.a >= Expression::kMostConstants) return "a constant that is not there";
    } else {
      if (node.a >= k || (is_binary(node.op) && node.b >= k)) return "an operand that comes later";
      used_nodes.insert(node.a);
      if (is_binary(node.op)) used_nodes.insert(node.b);
    }
  }
  if (used_nodes.size() != nodes.size()) return "a node that does not matter";
  if (static_cast<int>(used_inputs.size()) != inputs) return "an input that does not matter";
  return {};
}

// Breaks when a drawn expression is malformed, leaves an input out, or is the same in every run; when two
// calls in a row ask for the same one or one of A to E comes less than three times, which a one-entry cache
// would survive; when F and G, which differ in where a number ends, do not come one after the other.
TEST(Fusion, DrawnExpressionsAreSound) {
  std::set<double> first_words;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Part part = drawn(seed);
    std::map<std::string, int> calls;
    std::string before, order;
    for (const Case& one : part.cases) {
      const Settings settings(one.settings, {});
      EXPECT_EQ(fault_of(nodes_of(one.settings), static_cast<int>(settings["inputs"])), "")
          << seed << " " << one.id;
      if (!one.id.starts_with("call-")) continue;
      const std::string which = one.id.substr(one.id.size() - 1);
      EXPECT_NE(which, before);
      calls[which]++;
      before = which;
      order += which;
    }
    EXPECT_EQ(calls.size(), 8U);
    for (const char which : std::string("ABCDE")) {
      const int count = calls[std::string(1, which)];
      EXPECT_TRUE(count >= 3 && count <= 6) << which << " " << count;
    }
    EXPECT_NE(order.find("FGH"), std::string::npos) << order;
    for (const Goal& goal : part.goals)
      EXPECT_EQ(fault_of(nodes_of(goal.settings), static_cast<int>(Settings(goal.settings, {})["inputs"])),
                "");
    first_words.insert(Settings(part.cases[4].settings, {})["w2"]);
  }
  EXPECT_GT(first_words.size(), 100U);
}

// Breaks when the two expressions that a cache must tell apart have different operations, or the same
// operands.
TEST(Fusion, OneExpressionDiffersInItsOperandsAlone) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Part part = drawn(seed);
    const auto expression = [&](const char* which) {
      const auto found =
          std::ranges::find_if(part.cases, [&](const Case& one) { return one.id.ends_with(which); });
      return found == part.cases.end() ? std::vector<Node>{} : nodes_of(found->settings);
    };
    const auto c = expression("-C"), d = expression("-D");
    ASSERT_FALSE(c.empty());
    ASSERT_EQ(c.size(), d.size());
    bool operands_differ = false;
    for (std::size_t k = 0; k < c.size(); ++k) {
      EXPECT_EQ(c[k].op, d[k].op);
      operands_differ = operands_differ || c[k].a != d[k].a || c[k].b != d[k].b;
    }
    EXPECT_TRUE(operands_differ);
  }
}

}  // namespace
}  // namespace roofline::grader::fusion
