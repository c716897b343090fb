// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 05-launch/launch
#include "alone.h"
#include "launch.h"

int main() {
  const alone::Stream stream;
  for (const std::size_t n : {1, 31, 257, 4099}) {
    alone::Array u(n), w(n), d(n), r(n), k(n), sum(n);
    const State state = {u.data(), w.data(), d.data(), r.data(), k.data(), sum.data(), n};
    Solver* solver = prepare(state, stream);
    for (const int steps : {3, 1, 2}) run(solver, steps, 0.01f * steps, stream);
    stream.wait();
    u.host();
    release(solver);
  }
}
