// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Lab 03, part C: an elementwise expression as a list of operations.

enum class Op : std::uint8_t {
  kInput,     ///< element i of input `a`
  kConstant,  ///< constants[a]
  kNegate,    ///< -a               from here on a and b are earlier nodes
  kAbsolute,  ///< fabsf(a)
  kRelu,      ///< fmaxf(a, 0)
  kSine,      ///< sinf(a)
  kTanh,      ///< tanhf(a)
  kSigmoid,   ///< 1 / (1 + expf(-a))
  kAdd,       ///< a + b
  kSubtract,  ///< a - b
  kMultiply,  ///< a * b
  kMaximum,   ///< fmaxf(a, b)
  kMinimum,   ///< fminf(a, b)
};

struct Node {
  Op op;
  std::uint8_t a, b;
};

/// The value of node k is defined by `nodes[k]`; operands always come earlier. The last node is the result. A
/// node may be used several times.
struct Expression {
  static constexpr int kMostNodes = 16, kMostConstants = 4, kMostInputs = 4;
  int nodes_used, inputs_used;
  Node nodes[kMostNodes];
  float constants[kMostConstants];
};
