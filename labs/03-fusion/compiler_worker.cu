// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part C: unpacks the expression, which arrives as numbers, and calls evaluate(). spec.cpp
// packs it.

#include "compiler.h"
#include "worker/worker.h"

namespace {

void call(const float* x0, const float* x1, const float* x2, const float* x3, float* y, std::uint64_t w0,
          std::uint64_t w1, std::uint64_t w2, std::uint64_t w3, std::uint64_t w4, std::uint64_t w5,
          std::uint64_t w6, std::uint64_t w7, float c0, float c1, float c2, float c3, int nodes, int inputs,
          std::size_t n, cudaStream_t stream) {
  const std::uint64_t words[] = {w0, w1, w2, w3, w4, w5, w6, w7};
  const float* const arrays[] = {x0, x1, x2, x3};
  Expression expression{
      .nodes_used = nodes, .inputs_used = inputs, .nodes = {}, .constants = {c0, c1, c2, c3}};
  for (int k = 0; k < nodes; ++k) {
    const auto bits = static_cast<std::uint32_t>(words[k / 2] >> (k % 2 * 24));
    expression.nodes[k] = {static_cast<Op>(bits & 255), static_cast<std::uint8_t>(bits >> 8),
                           static_cast<std::uint8_t>(bits >> 16)};
  }
  evaluate(expression, arrays, y, n, stream);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
