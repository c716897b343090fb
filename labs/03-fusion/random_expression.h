// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "expression.h"
#include "grader/lab/spec.h"

/// Expressions for part C, drawn anew in every run, and their values in double precision: the judge's side.
namespace roofline::grader {

/// Value of an expression and what the roundings on the way can add to it, in units of u: S of the bound.
inline Expected apply(Op op, Expected a, Expected b) {
  switch (op) {
    case Op::kNegate:
      return {-a.value, a.magnitude};
    case Op::kAbsolute:
      return {std::abs(a.value), a.magnitude};
    case Op::kRelu:
      return {std::fmax(a.value, 0), a.magnitude};
    case Op::kSine:
      return {std::sin(a.value), a.magnitude + 2};
    case Op::kTanh:
      return {std::tanh(a.value), a.magnitude + 2};
    case Op::kSigmoid:
      return {1 / (1 + std::exp(-a.value)), a.magnitude + 4};
    case Op::kAdd:
      return {a.value + b.value, a.magnitude + b.magnitude + std::abs(a.value + b.value)};
    case Op::kSubtract:
      return {a.value - b.value, a.magnitude + b.magnitude + std::abs(a.value - b.value)};
    case Op::kMultiply:
      return {a.value * b.value, std::abs(a.value) * b.magnitude + std::abs(b.value) * a.magnitude +
                                     std::abs(a.value * b.value)};
    case Op::kMaximum:
      return {std::fmax(a.value, b.value), std::max(a.magnitude, b.magnitude)};
    case Op::kMinimum:
      return {std::fmin(a.value, b.value), std::max(a.magnitude, b.magnitude)};
    case Op::kInput:
    case Op::kConstant:
      break;
  }
  return {};
}

/// Draws an expression in which every node is used: unary operations on open nodes, binary ones on two, until
/// a single node is left. One of the binary operations takes a node that was used before, too.
inline Expression random_expression(std::mt19937_64& random, int inputs, bool cheap) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  std::vector<Op> unary = {Op::kNegate, Op::kAbsolute, Op::kRelu},
                  binary = {Op::kAdd, Op::kSubtract, Op::kMultiply, Op::kMaximum, Op::kMinimum};
  if (!cheap) unary.insert(unary.end(), {Op::kSine, Op::kTanh, Op::kSigmoid});
  Expression e{.nodes_used = 0, .inputs_used = inputs, .nodes = {}, .constants = {}};
  std::vector<std::uint8_t> open;
  const auto add = [&](Op op, int a, int b) {
    e.nodes[e.nodes_used] = {op, static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)};
    open.push_back(static_cast<std::uint8_t>(e.nodes_used++));
  };
  const auto take = [&] {
    const auto at = open.begin() + below(static_cast<int>(open.size()));
    const std::uint8_t node = *at;
    open.erase(at);
    return node;
  };
  for (int k = 0; k < inputs; ++k) add(Op::kInput, k, 0);
  for (int k = 0, constants = 1 + below(2); k < constants; ++k) add(Op::kConstant, k, 0);
  const auto one_of = [&](const std::vector<Op>& ops) {
    return ops[static_cast<std::size_t>(below(static_cast<int>(ops.size())))];
  };
  bool shared = false;
  for (int unaries = 2 + below(3); unaries > 0 || open.size() > 1;) {
    if (unaries > 0 && (open.size() == 1 || below(2) == 0)) {
      --unaries;
      const std::uint8_t a = take();
      Op op = one_of(unary);
      while (op == e.nodes[a].op) op = one_of(unary);  // not twice the same in a row
      add(op, a, 0);
      continue;
    }
    const std::uint8_t a = take();
    const bool again = !std::exchange(shared, true) && a > 0;
    const int b = again ? below(a) : take();
    add(one_of(binary), a, b);
  }
  return e;
}

/// The same operations on other inputs: each input is replaced by its neighbour.
inline Expression rotated(Expression e) {
  for (Node& node : e.nodes)
    if (node.op == Op::kInput) node.a = static_cast<std::uint8_t>((node.a + 1) % e.inputs_used);
  return e;
}

using Leaves = std::array<double, Expression::kMostInputs + Expression::kMostConstants>;

inline double value_of(const Expression& e, const Leaves& leaves) {
  Expected value[Expression::kMostNodes];
  for (int k = 0; k < e.nodes_used; ++k) {
    const Node node = e.nodes[k];
    if (node.op == Op::kInput)
      value[k].value = leaves[node.a];
    else if (node.op == Op::kConstant)
      value[k].value = leaves[Expression::kMostInputs + std::size_t{node.a}];
    else
      value[k] = apply(node.op, value[node.a], value[node.b]);
  }
  return value[e.nodes_used - 1].value;
}

inline Leaves random_leaves(std::mt19937_64& random) {
  Leaves leaves;
  for (double& leaf : leaves) leaf = std::uniform_real_distribution<double>(-1, 1)(random);
  return leaves;
}

inline constexpr int kPoints = 64;
inline constexpr double kFar = 0.01;  ///< a difference that no rounding explains

/// Whether each input moves the result at a quarter of random points or more: none can be left out, by the
/// learner or by the compiler.
inline bool every_input_matters(std::mt19937_64& random, const Expression& e) {
  for (std::size_t input = 0; input < static_cast<std::size_t>(e.inputs_used); ++input) {
    int moved = 0;
    for (int point = 0; point < kPoints; ++point) {
      Leaves leaves = random_leaves(random);
      const double before = value_of(e, leaves);
      leaves[input] = random_leaves(random)[input];
      moved += std::abs(value_of(e, leaves) - before) > kFar;
    }
    if (4 * moved < kPoints) return false;
  }
  return true;
}

/// Whether the two, which have the same operations, differ as functions.
inline bool differ(std::mt19937_64& random, const Expression& left, const Expression& right) {
  for (int point = 0; point < kPoints; ++point) {
    const Leaves leaves = random_leaves(random);
    if (std::abs(value_of(left, leaves) - value_of(right, leaves)) > kFar) return true;
  }
  return false;
}

inline Expression sound_expression(std::mt19937_64& random, int inputs, bool cheap) {
  for (;;) {
    const Expression e = random_expression(random, inputs, cheap);
    if (every_input_matters(random, e)) return e;
  }
}

/// Three expressions that are alike but for one node, v1 - v10, v11 - v0 or v11 - v1. Written without
/// anything between operation and operands, the first two nodes are the same digits; the last two differ in
/// their second operand alone.
inline Expression alike(std::uint8_t a, std::uint8_t b) {
  return {.nodes_used = 14,
          .inputs_used = 2,
          .nodes = {{Op::kInput, 0, 0},
                    {Op::kInput, 1, 0},
                    {Op::kConstant, 0, 0},
                    {Op::kMultiply, 0, 2},
                    {Op::kAdd, 3, 1},
                    {Op::kSine, 4, 0},
                    {Op::kConstant, 1, 0},
                    {Op::kMultiply, 5, 6},
                    {Op::kSubtract, 7, 0},
                    {Op::kSigmoid, 8, 0},
                    {Op::kAdd, 9, 1},
                    {Op::kTanh, 10, 0},
                    {Op::kSubtract, a, b},
                    {Op::kMultiply, 12, 11}},
          .constants = {}};
}

/// "v0 = x0; v1 = c0; v2 = v0 * v1; y = v2", the constants by their values.
inline std::string text_of(const Expression& e) {
  std::string text;
  for (int k = 0; k < e.nodes_used; ++k) {
    const Node node = e.nodes[k];
    const std::string a = "v" + std::to_string(node.a), b = "v" + std::to_string(node.b);
    char number[32];
    const auto formula = [&]() -> std::string {
      switch (node.op) {
        case Op::kInput:
          return "x" + std::to_string(node.a);
        case Op::kConstant:
          std::snprintf(number, sizeof number, "%.9g", static_cast<double>(e.constants[node.a]));
          return number;
        case Op::kNegate:
          return "-" + a;
        case Op::kAbsolute:
          return "fabsf(" + a + ")";
        case Op::kRelu:
          return "fmaxf(" + a + ", 0)";
        case Op::kSine:
          return "sinf(" + a + ")";
        case Op::kTanh:
          return "tanhf(" + a + ")";
        case Op::kSigmoid:
          return "1 / (1 + expf(-" + a + "))";
        case Op::kAdd:
          return a + " + " + b;
        case Op::kSubtract:
          return a + " - " + b;
        case Op::kMultiply:
          return a + " * " + b;
        case Op::kMaximum:
          return "fmaxf(" + a + ", " + b + ")";
        case Op::kMinimum:
          return "fminf(" + a + ", " + b + ")";
      }
      return {};
    };
    text += (k == 0 ? "" : "; ") + (k + 1 < e.nodes_used ? "v" + std::to_string(k) : "y") + " = " + formula();
  }
  return text;
}

/// A, B, C, E have 1, 2, 3 and 4 inputs; D is C with its inputs exchanged, so that a cache must look at the
/// operands. F, G and H are the alike.
inline std::vector<Expression> random_expressions(std::mt19937_64& random) {
  std::vector<Expression> list;
  for (int inputs = 1; inputs <= 2; ++inputs) list.push_back(sound_expression(random, inputs, false));
  Expression c = sound_expression(random, 3, false);
  while (!differ(random, c, rotated(c))) c = sound_expression(random, 3, false);
  list.insert(list.end(),
              {c, rotated(c), sound_expression(random, 4, false), alike(1, 10), alike(11, 0), alike(11, 1)});
  return list;
}

}  // namespace roofline::grader
