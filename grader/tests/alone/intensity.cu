// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 02-intensity/intensity
#include "alone.h"
#include "intensity.h"

int main() {
  const alone::Stream stream;
  for (const std::size_t n : alone::kSizes)
    for (const int repeat : {1, 8, 512}) {
      alone::Array x(n + 1), y(n + 1);
      intensity(x.data(), y.data(), repeat, n, stream);
      intensity(x.data() + 1, y.data() + 1, repeat, n, stream);
      stream.wait();
      y.host();
    }
}
