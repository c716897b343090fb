// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 01-pointwise/pointwise
#include "alone.h"
#include "pointwise.h"

int main() {
  const alone::Stream stream;
  for (const std::size_t n : alone::kSizes)
    for (const std::size_t shift : {0, 1, 3}) {
      alone::Array x(n + shift), y(n + shift);
      pointwise(x.data() + shift, y.data() + shift, 2, 1, n, stream);
      pointwise(x.data() + shift, y.data(), 2, 1, n, stream);
      stream.wait();
      y.host();
    }
}
