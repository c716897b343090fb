// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Part B of the lab: a product of 8-bit floats.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/e4m3.h"
#include "grader/lab/generate.h"
#include "grader/lab/spec.h"
#include "grader/lab/vectorised.h"

namespace roofline::grader {

Part precision_product();

namespace {

struct Sum {
  double value = 0, squares = 0;
};

/// Of products of two rows, eight sums side by side.
ROOFLINE_VECTORISED Sum products(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kSums = 8;
  double values[kSums] = {}, squares[kSums] = {};
  std::size_t x = 0;
  for (; x + kSums <= a.size(); x += kSums)
    for (std::size_t s = 0; s < kSums; ++s) {
      const double product = static_cast<double>(a[x + s]) * static_cast<double>(b[x + s]);
      values[s] += product;
      squares[s] += product * product;
    }
  Sum sum;
  for (; x < a.size(); ++x) {
    const double product = static_cast<double>(a[x]) * static_cast<double>(b[x]);
    sum.value += product;
    sum.squares += product * product;
  }
  for (std::size_t s = 0; s < kSums; ++s) {
    sum.value += values[s];
    sum.squares += squares[s];
  }
  return sum;
}

const Extent kElementsA = [](const Settings&s) { return s["m"] * s["k"]; },
             kElementsB = [](const Settings&s) { return s["k"] * s["n"]; },
             kElementsC = [](const Settings&s) { return s["m"] * s["n"]; };
double product_flops(const Settings& s) { return 2 * s["m"] * s["n"] * s["k"]; }
/// The longer k is, the fewer of the bytes are C's and the less DRAM counts. Simulating takes as long as
/// there are operations, so k is short where many SMs have a block of C.
double timed_depth(const DeviceFacts& d) { return d.simulated && d.sms > 100 ? 2048 : 4096; }

double product_bytes(const Settings& s) {
  return kElementsA(s) + kElementsB(s) + 4 * (s["m"] + s["n"]) + 2 * kElementsC(s);
}

/// Anything up to the largest number, as scaling by rows makes it; numbers that are not normal.
enum Numbers : std::uint8_t { kUpToLargest, kSubnormal };

void fill_e4m3(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double most = static_cast<Numbers>(s["numbers"]) == kSubnormal ? 0x1p-6 : kLargestE4M3;
  fill_random(Type::kE4M3, array, seed, -most, most);
}

/// So that results are about 1, whatever operands are; scales differ by up to a factor of eight.
void fill_scales(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double most = static_cast<Numbers>(s["numbers"]) == kSubnormal ? 0x1p5 : 0x1p-9;
  fill_random(Type::kF32, array, seed, most / 8, most);
}

/// Tensor Cores add 32 products of 8-bit floats at a time to an accumulator of which they keep about 13 bits
/// behind the leading one, whatever it is called: on Ada and Hopper sums of FP8 products have been seen to be
/// no better (SageAttention2, DeepSeek-V3). In each of k / 32 steps the sum so far, and each product beside
/// it, may lose what is below 2^-13 of the largest of them (arXiv 2511.10909 and 2512.07004), which is about
/// as large as the root of the sum of squares of all products; u is 2^-13. Scales and the result's own
/// rounding, 2^-11 of it, come on top.
Reference scaled_product(const CallView& whole_call) {
  std::vector<float> values(256);
  for (unsigned bits = 0; bits < 256; ++bits)
    values[bits] = static_cast<float>(value_of(E4M3{static_cast<std::uint8_t>(bits)}));
  const auto wide = [&values](std::span<const std::uint8_t> from) {
    std::vector<float> to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = values[from[i]];
    return to;
  };
  struct Operands {
    std::vector<float> a, b;
    std::size_t n, k;
  };
  const auto operands = std::make_shared<Operands>(Operands{
      wide(whole_call.input<std::uint8_t>("a")), wide(whole_call.input<std::uint8_t>("b")),
      static_cast<std::size_t>(whole_call.scalar("n")), static_cast<std::size_t>(whole_call.scalar("k"))});
  return [operands](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    const auto scale_a = call.input<float>("scale_a"), scale_b = call.input<float>("scale_b");
    const std::size_t k = operands->k;
    for (std::uint64_t e = begin; e < end; ++e) {
      const std::size_t i = e / operands->n, j = e % operands->n;
      const Sum sum = products({&operands->a[i * k], k}, {&operands->b[j * k], k});
      const double scale = static_cast<double>(scale_a[i]) * static_cast<double>(scale_b[j]);
      const double value = scale * sum.value, steps = std::ceil(static_cast<double>(k) / 32);
      // Twice 2^-13 for each step (products are cut as well), and two steps more for short sums.
      expected[e - begin] = {value, scale * (2 * steps + 2) * std::sqrt(sum.squares) + 4.5 * std::abs(value)};
    }
  };
}

/// Operands that were widened to halves first give the same sums, at half the rate.
StructureCheck multiplied_as_e4m3() {
  return {"e4m3", "Tensor Cores multiply 8-bit floats",
          [](const Observation& seen) -> std::optional<std::string> {
            double done = 0;
            for (const auto& kernel : seen.region.kernels)
              done += static_cast<double>(
                  kernel.counters.flops[static_cast<std::size_t>(sim::FlopType::kTensorF8)]);
            const double share = done / product_flops(seen.settings);
            if (share >= 0.95) return std::nullopt;
            std::ostringstream text;
            text << "Tensor Cores did " << std::round(100 * share)
                 << " % of the operations on 8-bit floats: the others were on wider numbers, or not at all";
            return text.str();
          }};
}

NamedValues sizes(Value m, Value n, Value k, Numbers numbers = kUpToLargest) {
  return {{"m", std::move(m)}, {"n", std::move(n)}, {"k", std::move(k)}, {"numbers", numbers}};
}

Case shape(int m, int n, int k, const std::string& why = "", const std::string& tells = "") {
  const std::string text = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  Case result{.id = "m" + std::to_string(m) + "-n" + std::to_string(n) + "-k" + std::to_string(k),
              .title = text + (why.empty() ? "" : ": " + why),
              .settings = sizes(m, n, k)};
  result.tells = tells;
  return result;
}

std::vector<Case> product_cases() {
  std::vector<Case> cases = {shape(128, 256, 64, "", "a block's tile"),
                             shape(16, 16, 32, "one tile"),
                             shape(1, 1, 1),
                             shape(64, 64, 64),
                             shape(40, 72, 48, "multiples of 8, not of 16", "edges of tiles"),
                             shape(33, 65, 1, "an outer product"),
                             shape(1, 257, 255, "a row"),
                             shape(255, 1, 33, "a column"),
                             shape(0, 64, 64, "C has no rows"),
                             shape(64, 0, 64, "C has no columns"),
                             shape(64, 96, 0, "nothing to add up: C is zero"),
                             shape(64, 64, 4096, "long sums", "long sums")};
  for (const int size : {15, 17, 31, 33, 127, 129}) cases.push_back(shape(size, size, size));
  for (const int k : {16, 80, 128, 192, 320})
    cases.push_back(
        shape(72, 136, k, "an edge, copied by 16 bytes", k == 192 ? "copies that nobody waits for" : ""));
  Case small = shape(50, 60, 96, "", "small numbers");
  small.id = "subnormal";
  small.title = "elements that are not normal numbers";
  small.settings = sizes(50, 60, 96, kSubnormal);
  cases.push_back(small);
  for (const unsigned elements : {1U, 2U}) cases.push_back(misaligned(shape(64, 80, 96), elements));
  cases.push_back(shape(515, 389, 1001));
  Case huge = shape(50'000, 64'000, 32);
  huge.id = "beyond-2^31";
  huge.title = "more than 2^31 elements of C";
  huge.gpu_only = true;
  huge.needs_memory = 6'600'000'000;
  cases.push_back(huge);
  return cases;
}

/// Blocks of 128 x 256 of C, one for nearly every SM, and about as many down as across: of 8 to 12 down, what
/// leaves the fewest SMs without one.
double blocks_down(const DeviceFacts& device) {
  unsigned best = 12;
  for (unsigned down = 12; down >= 8; --down)
    if (device.sms / down * down > device.sms / best * best) best = down;
  return best;
}

std::vector<Prediction> product_predictions() {
  return {{.key = "b_intensity",
           .question = "a block of 128 x 256 of C: FLOPs for each byte of A and B that it loads",
           .expected = 170.7,
           .factor = 1.02,
           .unit = "FLOP/B"},
          {.key = "b_largest_product",
           .question = "the largest product of two e4m3 numbers",
           .expected = 200704,
           .factor = 1.01},
          {.key = "b_step", .question = "distance from 256 to the next e4m3 number above", .expected = 32},
          {.key = "b_microseconds",
           .question = "4096^3 on the L40S, from its data sheet: 733 TFLOP/s",
           .expected = 187.5,
           .factor = 1.05,
           .unit = "us"}};
}

}  // namespace

Part precision_product() {
  return {
      .letter = "b",
      .title = "precision B: a product of 8-bit floats",
      .program = {.header = "gemm_e4m3.h",
                  .source = "gemm_e4m3.cu",
                  .function = "gemm_e4m3",
                  .arguments = {filled(in("a", kElementsA, Type::kE4M3), fill_e4m3),
                                filled(in("b", kElementsB, Type::kE4M3), fill_e4m3),
                                filled(in("scale_a", "m"), fill_scales),
                                filled(in("scale_b", "n"), fill_scales), out("c", kElementsC, Type::kF16),
                                size("m", Type::kS32), size("n", Type::kS32), size("k", Type::kS32),
                                stream()},
                  .outputs = {{.argument = "c",
                               .tolerance = {.c = 1, .u = 0x1p-13},
                               .cost = [](const Settings& s) { return s["k"]; },
                               .sampled_rows = 32,
                               .columns = [](const Settings& s) { return s["n"]; },
                               .reference_of = scaled_product}}},
      .cases = product_cases(),
      .goals = {{.id = "product",
                 .title = "2 m n k operations on e4m3, at the rate of mma.sync",
                 .settings = sizes(
                     Value([](const DeviceFacts& d) { return 128 * blocks_down(d); }),
                     Value([](const DeviceFacts& d) { return 256 * std::floor(d.sms / blocks_down(d)); }),
                     Value(timed_depth)),
                 .roof = "mma-f8",
                 .work = product_flops,
                 .bytes = product_bytes,
                 .thresholds = {{89, {.pass = 0.25, .good = 0.45, .excellent = 0.53}}}}},
      .structure = {one_kernel(), multiplied_as_e4m3(), no_local_memory()},
      .predictions = product_predictions(),
      .minimum_capability = 89,
      .capabilities_without = {90, 100},  // 8-bit products of mma.sync are products of halves there
      .given = {"tiles_e4m3.h"},
  };
}

}  // namespace roofline::grader
