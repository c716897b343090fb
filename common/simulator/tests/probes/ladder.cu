// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The rungs of a published ladder of matrix products, in float and half. Each result is compared with the
// first way to compute it. To compare a simulated GPU with a real one, compile machine code for it, too:
// without it registers are estimated, and they decide how many blocks fit.
// needs: compute_80
#include "../tuned/product_ladder.h"
#include "probe.h"

using namespace probe;

template <typename T>
void ladder(const char* type, std::initializer_list<const char*> rungs, int n,
            const std::vector<std::string>& asked) {
  const size_t count = size_t(n) * n;
  std::vector<T> a(count), b(count);
  for (size_t i = 0; i < count; ++i) a[i] = T(float(int(i % 3) - 1)), b[i] = T(float(int(i % 5) - 2));
  const Array<T> d_a(a), d_b(b), d_c(count);
  const Matrices<T> all{size_t(n), size_t(n), size_t(n), T(1.0f), T(0.0f), d_a, d_b, d_c};
  std::vector<T> expected;
  for (const std::string rung : rungs) {
    if (!asked.empty() && std::find(asked.begin(), asked.end(), type + ("/" + rung)) == asked.end()) continue;
    const double time = seconds([&] { run(rung, all); });
    const std::vector<T> now = d_c.values();
    if (expected.empty()) expected = now;
    for (size_t i = 0; i < count; ++i) EXPECT(float(now[i]) == float(expected[i]));
    report("ladder" + key("n", n) + key("type", std::string(type)) + key("rung", rung),
           2.0 * n * n * n / time * 1e-12, "TFLOP/s");
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2048;
  const std::vector<std::string> asked(argv + std::min(argc, 2), argv + argc);
  ladder<float>("f32", {"00", "01", "02", "02v", "03", "03v", "04", "04v", "05", "05v", "06", "06v"}, n,
                asked);
  ladder<half>("f16",
               {"00", "01", "02", "02v", "03", "03v", "04", "04v", "05", "05v", "06", "06v", "07", "07v"}, n,
               asked);
}
