// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/chain_reference.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "random/philox.h"

namespace roofline::grader {
namespace {

using Matrix = std::vector<float>;

/// c[0..n) = fma(a, b[0..n), c[0..n)). With the instruction where the CPU has it; the library's function,
/// which is exact and slow, elsewhere.
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2,fma"))) void add_scaled_fast(float a, const float* b, float* c, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) c[j] = __builtin_fmaf(a, b[j], c[j]);
}
bool has_fma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
void add_scaled_fast(float a, const float* b, float* c, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) c[j] = std::fma(a, b[j], c[j]);
}
bool has_fma() { return false; }
#endif

void add_scaled(float a, const float* b, float* c, std::size_t n) {
  static const bool fast = has_fma();
  if (fast) {
    add_scaled_fast(a, b, c, n);
    return;
  }
  for (std::size_t j = 0; j < n; ++j) c[j] = std::fma(a, b[j], c[j]);
}

/// c (rows x columns) = a * b, a(i, k) = a[i * row_step + k * step]; b is depth x columns. k ascends for
/// every element.
void multiply(const float* a, std::size_t row_step, std::size_t step, const float* b, float* c,
              std::size_t rows, std::size_t columns, std::size_t depth) {
  std::fill(c, c + rows * columns, 0.0F);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < depth; ++k)
      add_scaled(a[i * row_step + k * step], b + k * columns, c + i * columns, columns);
}

Matrix transposed(const float* matrix, std::size_t n) {
  Matrix result(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) result[j * n + i] = matrix[i * n + j];
  return result;
}

struct Gradients {
  std::uint64_t seed = 0;
  std::size_t layers = 0, batch = 0, width = 0;
  const float* x = nullptr;
  Matrix dx, dweights;
};

class ChainOnHost {
 public:
  explicit ChainOnHost(const CallView& call)
      : x_(call.input<float>("x")),
        weights_(call.input<float>("weights")),
        dy_(call.input<float>("dy")),
        layers_(static_cast<std::size_t>(call.scalar("layers"))),
        batch_(static_cast<std::size_t>(call.scalar("batch"))),
        width_(static_cast<std::size_t>(call.scalar("width"))),
        seed_(static_cast<std::uint64_t>(call.scalar("seed"))),
        threshold_(static_cast<std::uint32_t>(call.scalar("threshold"))),
        scale_(static_cast<float>(call.scalar("scale"))) {}

  Gradients run() {
    std::vector<Matrix> kept = {Matrix(x_.begin(), x_.end())};
    for (std::size_t k = 0; k < layers_; ++k) kept.push_back(forward(k, kept.back()));
    Gradients result{seed_, layers_, batch_, width_, x_.data(), {dy_.begin(), dy_.end()}, {}};
    result.dweights.resize(weights_.size());
    for (std::size_t k = layers_; k-- > 0;) backward(k, kept[k], kept[k + 1], result);
    return result;
  }

 private:
  Matrix forward(std::size_t layer, const Matrix& in) const {
    Matrix out(in.size());
    multiply(in.data(), width_, 1, weights_.data() + layer * width_ * width_, out.data(), batch_, width_,
             width_);
    for (std::size_t group = 0; group < out.size() / 4; ++group) {
      const PhiloxBlock random = philox(seed_ + layer, group);
      for (std::size_t k = 0; k < 4; ++k) {
        float& v = out[4 * group + k];
        v = v > 0 && random.word[k] >= threshold_ ? v * scale_ : 0.0F;
      }
    }
    return out;
  }

  void backward(std::size_t layer, const Matrix& in, const Matrix& out, Gradients& gradients) const {
    Matrix dz(out.size());
    for (std::size_t i = 0; i < dz.size(); ++i) dz[i] = out[i] > 0 ? gradients.dx[i] * scale_ : 0.0F;
    multiply(in.data(), 1, width_, dz.data(), gradients.dweights.data() + layer * width_ * width_, width_,
             width_, batch_);
    const Matrix w = transposed(weights_.data() + layer * width_ * width_, width_);
    multiply(dz.data(), width_, 1, w.data(), gradients.dx.data(), batch_, width_, width_);
  }

  std::span<const float> x_, weights_, dy_;
  std::size_t layers_, batch_, width_;
  std::uint64_t seed_;
  std::uint32_t threshold_;
  float scale_;
};

/// Of the call asked for last: its outputs are compared piece by piece, from several threads.
std::shared_ptr<const Gradients> gradients_of(const CallView& call) {
  static std::mutex mutex;
  static std::shared_ptr<const Gradients> last;
  const std::lock_guard lock(mutex);
  const bool known = last && last->seed == static_cast<std::uint64_t>(call.scalar("seed")) &&
                     last->x == call.input<float>("x").data() &&
                     static_cast<double>(last->layers) == call.scalar("layers") &&
                     static_cast<double>(last->batch) == call.scalar("batch") &&
                     static_cast<double>(last->width) == call.scalar("width");
  if (!known) last = std::make_shared<const Gradients>(ChainOnHost(call).run());
  return last;
}

Output exact(const std::string& argument, Matrix Gradients::*member) {
  return {.argument = argument,
          .reference =
              [member](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
                const auto all = gradients_of(call);
                for (auto i = begin; i < end; ++i) expected[i - begin] = {((*all).*member)[i], 0};
              },
          .tolerance = {.c = 0},
          .columns = [](const Settings& s) { return s["width"]; }};
}

}  // namespace

std::vector<Argument> chain_arguments(std::vector<Argument> rest) {
  const Extent one = [](const Settings& s) { return s["batch"] * s["width"]; };
  const Extent all = [](const Settings& s) { return s["layers"] * s["width"] * s["width"]; };
  std::vector<Argument> arguments = {in("x", one), between(-0.11, 0.11, in("weights", all)), in("dy", one),
                                     out("dx", one), out("dweights", all)};
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  return arguments;
}

std::vector<Output> chain_outputs() {
  return {exact("dx", &Gradients::dx), exact("dweights", &Gradients::dweights)};
}

NamedValues chain_settings(int layers, int batch, int width) {
  return {
      {"layers", layers}, {"batch", batch}, {"width", width}, {"threshold", 429496730}, {"scale", 1 / 0.9}};
}

double activation_bytes(const Settings& settings) { return 4 * settings["batch"] * settings["width"]; }

double chain_flops(const Settings& s, double again) {
  return 2 * s["batch"] * s["width"] * s["width"] * (3 * s["layers"] + again);
}

}  // namespace roofline::grader
