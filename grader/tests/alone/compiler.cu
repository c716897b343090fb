// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 03-fusion/compiler
#include "alone.h"
#include "compiler.h"

int main() {
  const alone::Stream stream;
  // tanh(x0 * x1) + c0
  const Expression expression = {6,
                                 2,
                                 {{Op::kInput, 0, 0},
                                  {Op::kInput, 1, 0},
                                  {Op::kMultiply, 0, 1},
                                  {Op::kTanh, 2, 0},
                                  {Op::kConstant, 0, 0},
                                  {Op::kAdd, 3, 4}},
                                 {0.25f}};
  for (const std::size_t n : alone::kSizes) {
    alone::Array a(n + 1), b(n + 1), y(n + 1);
    const float* aligned[] = {a.data(), b.data()};
    const float* shifted[] = {a.data() + 1, b.data() + 1};
    evaluate(expression, aligned, y.data(), n, stream);
    evaluate(expression, shifted, y.data() + 1, n, stream);
    stream.wait();
    y.host();
  }
}
