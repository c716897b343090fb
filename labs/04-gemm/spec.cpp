// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "grader/lab/vectorised.h"

namespace roofline::grader {
namespace {

struct Sizes {
  std::size_t m, n, k;
  explicit Sizes(const CallView& call)
      : m(static_cast<std::size_t>(call.scalar("m"))),
        n(static_cast<std::size_t>(call.scalar("n"))),
        k(static_cast<std::size_t>(call.scalar("k"))) {}
};

/// B as floats in strips of kStrip columns, whose sums stay in vector registers: first all rows of the first
/// strip. What the last strip has beyond B is 0.
class Strips {
 public:
  static constexpr std::size_t kStrip = 16;

  Strips(std::span<const _Float16> b, std::size_t k, std::size_t n)
      : k_(k), numbers_((n + kStrip - 1) / kStrip * kStrip * k) {
    for (std::size_t row = 0; row < k; ++row)
      for (std::size_t column = 0; column < n; ++column)
        numbers_[(column / kStrip * k + row) * kStrip + column % kStrip] =
            static_cast<float>(value_of(b[row * n + column]));
  }
  const float* strip_with(std::size_t column) const { return &numbers_[column / kStrip * k_ * kStrip]; }

 private:
  std::size_t k_;
  std::vector<float> numbers_;
};

/// Products of a row of A with a strip.
ROOFLINE_VECTORISED void multiply(std::span<const double> a, const float* strip, Expected* sums) {
  double value[Strips::kStrip] = {}, magnitude[Strips::kStrip] = {};
  for (const double left : a) {
    for (std::size_t j = 0; j < Strips::kStrip; ++j) {
      const double term = left * static_cast<double>(strip[j]);
      value[j] += term;
      magnitude[j] += std::abs(term);
    }
    strip += Strips::kStrip;
  }
  for (std::size_t j = 0; j < Strips::kStrip; ++j) sums[j] = {value[j], magnitude[j]};
}

/// Elements begin .. end are the end of a row, whole rows, the beginning of one.
Reference product_of(const CallView& whole_call) {
  const Sizes size(whole_call);
  return [size, strips = std::make_shared<Strips>(whole_call.input<_Float16>("b"), size.k, size.n)](
             const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    const auto a = call.input<_Float16>("a");
    std::vector<double> left(size.k);
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t row = at / size.n, first = at % size.n, last = std::min(size.n, first + end - at);
      for (std::size_t k = 0; k < size.k; ++k) left[k] = value_of(a[row * size.k + k]);
      for (std::uint64_t column = first / Strips::kStrip * Strips::kStrip; column < last;
           column += Strips::kStrip) {
        Expected sums[Strips::kStrip];
        if (size.k != 0) multiply(left, strips->strip_with(column), sums);
        const std::uint64_t from = std::max(first, column), to = std::min(last, column + Strips::kStrip);
        std::copy_n(sums + (from - column), to - from, expected + (at - begin) + (from - first));
      }
      at += last - first;
    }
  };
}

constexpr double kC = 32;  ///< honest FP32 sums stay below 5, sums in half reach 400 and more
constexpr std::size_t kVectors = 16;
using Vectors = std::array<double, kVectors>;  ///< one element of each vector

/// Freivalds' check. For a vector x, C x must be A (B x), which takes n^2 operations instead of n^3. Rows
/// where it is not, for one of 16 random vectors of +1 and -1: what one vector overlooks by chance, 16 do
/// not. The errors that are allowed in the elements of a row add up to the error that is allowed here, so
/// that a row which fails has an element which fails.
WholeCheck freivalds(const CallView& call, const Settings&, std::span<const std::byte> got,
                     std::uint64_t seed) {
  const Sizes size(call);
  const auto a = call.input<_Float16>("a"), b = call.input<_Float16>("b");
  const float* c = reinterpret_cast<const float*>(got.data());
  std::vector<Vectors> x(size.n), bx(size.k);
  std::vector<double> magnitude(size.k);  // row sums of |B|
  for (std::size_t j = 0; j < size.n; ++j)
    for (std::size_t v = 0; v < kVectors; ++v) x[j][v] = (random_bits(seed, j) >> v & 1) != 0 ? 1 : -1;
  for (std::size_t k = 0; k < size.k; ++k)
    for (std::size_t j = 0; j < size.n; ++j) {
      const double element = value_of(b[k * size.n + j]);
      magnitude[k] += std::abs(element);
      for (std::size_t v = 0; v < kVectors; ++v) bx[k][v] += element * x[j][v];
    }
  WholeCheck found;
  for (std::size_t i = 0; i < size.m; ++i) {
    Vectors difference{};
    double bound = 0;
    for (std::size_t j = 0; j < size.n; ++j)
      for (std::size_t v = 0; v < kVectors; ++v)
        difference[v] += static_cast<double>(c[i * size.n + j]) * x[j][v];
    for (std::size_t k = 0; k < size.k; ++k) {
      const double element = value_of(a[i * size.k + k]);
      bound += std::abs(element) * magnitude[k];
      for (std::size_t v = 0; v < kVectors; ++v) difference[v] -= element * bx[k][v];
    }
    bound *= kC * kRoundoffF32;
    const bool right = std::ranges::all_of(difference, [&](double d) { return std::abs(d) <= bound; });
    if (right || found.suspects.size() > (std::size_t{1} << 16)) continue;
    for (std::size_t j = 0; j < size.n; ++j) found.suspects.push_back(i * size.n + j);
  }
  return found;
}

const Extent kElementsA = [](const Settings&s) { return s["m"] * s["k"]; },
             kElementsB = [](const Settings&s) { return s["k"] * s["n"]; },
             kElementsC = [](const Settings&s) { return s["m"] * s["n"]; };

const Program kProgram = {
    .header = "gemm.h",
    .source = "gemm.cu",
    .function = "gemm",
    .arguments = {in("a", kElementsA, Type::kF16), in("b", kElementsB, Type::kF16), out("c", kElementsC),
                  size("m", Type::kS32), size("n", Type::kS32), size("k", Type::kS32), stream()},
    .outputs = {{.argument = "c",
                 .tolerance = {.c = kC},
                 .cost = [](const Settings& s) { return s["k"]; },
                 .whole = freivalds,
                 .sampled_rows = 16,
                 .columns = [](const Settings& s) { return s["n"]; },
                 .reference_of = product_of}},
};

Case shape(int m, int n, int k, const std::string& why = "") {
  const std::string text = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  return {.id = "m" + std::to_string(m) + "-n" + std::to_string(n) + "-k" + std::to_string(k),
          .title = text + (why.empty() ? "" : ": " + why),
          .settings = {{"m", m}, {"n", n}, {"k", k}}};
}

std::vector<Case> cases() {
  std::vector<Case> list = {shape(64, 64, 64), shape(16, 16, 16, "one tile"), shape(1, 1, 1),
                            shape(128, 256, 64, "no matrix is square")};
  list.back().tells = "matrices that are not square";
  for (const int size : {15, 17, 31, 33, 127, 129}) {
    list.push_back(shape(size, size, size));
    if (size == 33) list.back().tells = "edges of tiles";
  }
  list.insert(list.end(),
              {shape(33, 65, 1, "an outer product"), shape(1, 257, 255, "a row"),
               shape(255, 1, 33, "a column"), shape(40, 72, 24, "multiples of 8, not of 16"),
               shape(0, 64, 64, "C has no rows"), shape(64, 0, 64, "C has no columns"),
               shape(64, 96, 0, "nothing to add up: C is zero"), shape(64, 64, 4096, "long sums")});
  // Aligned rows, tiles that reach past C, and one to three steps of the depths that are chosen for a stage:
  // where the last copies are still on their way, they meet the edge tiles' scratch memory.
  for (const int k : {40, 64, 96, 128, 192}) list.push_back(shape(72, 136, k, "an edge, copied by 16 bytes"));
  list.back().tells = "copies that nobody waits for";
  for (const unsigned elements : {1U, 4U}) {
    Case one = shape(64, 80, 96,
                     "pointers " + std::to_string(elements) + (elements == 1 ? " element" : " elements") +
                         " past an aligned address");
    one.id = "misaligned-" + std::to_string(elements);
    one.misaligned_elements = elements;
    if (elements == 1) one.tells = "unaligned pointers";
    list.push_back(one);
  }
  list.insert(list.end(), {shape(1003, 999, 1001), shape(1024, 1024, 1024)});
  return list;
}

/// Blocks of 128 x 256 of C, one for each SM: no SM waits for another at the end. As square as that goes.
double blocks_down(const DeviceFacts& device) {
  unsigned down = std::min(12U, device.sms);
  while (device.sms % down != 0) --down;
  return down;
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "gemm: Tensor Cores",
      .parts = {{
          .program = kProgram,
          .cases = cases(),
          .goals =
              {{.id = "product",
                .title = "2 m n k operations, at the rate of mma_sync",
                .settings = {{"m", Value([](const DeviceFacts& d) { return 128 * blocks_down(d); })},
                             {"n", Value([](const DeviceFacts& d) { return 256 * d.sms / blocks_down(d); })},
                             {"k", 4096}},
                .roof = "mma",
                .work = [](const Settings& s) { return 2 * s["m"] * s["n"] * s["k"]; },
                .bytes =
                    [](const Settings& s) { return 2 * (kElementsA(s) + kElementsB(s)) + 4 * kElementsC(s); },
                .thresholds = {{80, {.pass = 0.25, .good = 0.40, .excellent = 0.50}},
                               {90, {.pass = 0.35, .good = 0.55, .excellent = 0.70}}}}},
          .structure = {no_local_memory()},
          .predictions =
              {{.key = "tensor_over_cuda",
                .question = "how many times as fast Tensor Cores multiply halves as FP32 lanes floats",
                .expected = 16,
                .factor = 1.05},
               {.key = "flop_per_byte_4096",
                .question = "arithmetic intensity of a 4096 x 4096 x 4096 product, each matrix moved once",
                .expected = 1024,
                .unit = "FLOP/B"},
               {.key = "flop_per_byte_block",
                .question = "of a block that computes 128 x 256 of C: per byte of A and B that it loads",
                .expected = 85.3,
                .factor = 1.02,
                .unit = "FLOP/B"},
               {.key = "bank_conflict",
                .question = "passes for 8 rows of 16 bytes in shared memory, rows 512 bytes apart",
                .expected = 8},
               {.key = "regime_4096", .question = "4096^3: compute, memory or overhead?", .word = "compute"},
               {.key = "microseconds_4096",
                .question = "least time of 4096^3 on the A100-40, from its data sheet",
                .expected = 440.5,
                .factor = 1.1,
                .unit = "us"}},
          .minimum_capability = 80,
          .given = {"edges.h"},
      }},
  };
}

}  // namespace roofline::grader
