// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 03-fusion/cosine
#include "alone.h"
#include "cosine.h"

int main() {
  const alone::Stream stream;
  for (const std::size_t n : alone::kSizes) {
    alone::Array x(n + 1, 1e6f), y(n + 1);
    cosine_twice(x.data(), y.data(), n, stream);
    cosine_twice(x.data() + 1, y.data() + 1, n, stream);
    stream.wait();
    y.host();
  }
}
