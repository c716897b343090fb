// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the steps of a call should have left, and the first thing in it that is wrong.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "grader/lab/spec.h"
#include "reference.h"

namespace roofline::grader {

WholeCheck step_check(const CallView& call, const Settings& s, std::span<const std::byte> bytes,
                      std::uint64_t);

namespace {

using step_reference::kBeta1;
using step_reference::kBeta2;
using step_reference::Numbers;
using step_reference::Tensors;

// ---- the reference ----

/// All steps of a call.
struct Trained {
  Numbers w, m, v, losses;
  Numbers gradients;  ///< root mean squares over the steps, a number for each parameter
};

Numbers doubles(std::span<const float> from) { return {from.begin(), from.end()}; }
Numbers doubles(std::span<const _Float16> from) {
  Numbers to(from.size());
  std::ranges::transform(from, to.begin(), value_of);
  return to;
}

Trained trained(const CallView& call) {
  const step_reference::Size size{static_cast<std::size_t>(call.scalar("sequences")),
                                  static_cast<std::size_t>(call.scalar("length")),
                                  static_cast<std::size_t>(call.scalar("width"))};
  Trained of{doubles(call.input<float>("w0")),
             doubles(call.input<float>("m0")),
             doubles(call.input<float>("v0")),
             {},
             {}};
  of.gradients.resize(of.w.size());
  const std::size_t elements = size.tokens() * size.width;
  const auto steps = static_cast<std::size_t>(call.scalar("steps"));
  step_reference::Step step(size, of.w);
  for (std::size_t k = 0; k < steps; ++k) {
    of.losses.push_back(step.run(doubles(call.input<_Float16>("x").subspan(k * elements, elements)),
                                 doubles(call.input<_Float16>("targets").subspan(k * elements, elements))));
    const double t = call.scalar("first") + static_cast<double>(k),
                 rate = call.scalar("rate") / (1 + 0.5 * static_cast<double>(k));
    const double less1 = 1 - std::pow(kBeta1, t), less2 = 1 - std::pow(kBeta2, t);
    for (std::size_t i = 0; i < of.w.size(); ++i) {
      const double g = step.gradients()[i];
      of.m[i] = kBeta1 * of.m[i] + (1 - kBeta1) * g;
      of.v[i] = kBeta2 * of.v[i] + (1 - kBeta2) * g * g;
      of.w[i] -= rate * (of.m[i] / less1) / (std::sqrt(of.v[i] / less2) + 1e-8);
      of.gradients[i] += g * g / static_cast<double>(steps);
    }
  }
  for (double& each : of.gradients) each = std::sqrt(each);
  return of;
}

// ---- what is compared ----

/// Halves round by 2^-12 at most, 1.6e-4 at the mean; a gradient has passed some ten of them, each of random
/// sign, so it is off by some 5e-4 of what is typical for its tensor. Ten times that is allowed; a forgotten
/// term, or one data set for another, is off by a tenth and more. A single element may be off by ten times as
/// much again.
constexpr double kOfAll = 0.005, kOfOne = 0.05, kOfLoss = 1e-3;

struct TensorName {
  int tensor;
  const char* name;
  const char* gradient;
};
/// In the order of the backward pass: the first that is wrong is where to look.
constexpr TensorName kTensors[] = {{3, "Wdown", "dWdown"}, {2, "Wup", "dWup"},   {5, "gamma2", "dgamma2"},
                                   {1, "Wout", "dWout"},   {0, "Wqkv", "dWqkv"}, {4, "gamma1", "dgamma1"}};

std::string rounded(double value) {
  std::ostringstream text;
  if (std::abs(value) >= 1000)
    text << std::fixed << std::setprecision(0);
  else
    text << std::setprecision(3);
  text << value;
  return text.str();
}
std::string percent(double share) { return rounded(100 * share) + " %"; }
/// "43.3 % of", "28.1 times".
std::string share_of(double share) { return share < 10 ? percent(share) + " of" : rounded(share) + " times"; }

double root_mean_square(double squares, std::size_t n) { return std::sqrt(squares / static_cast<double>(n)); }

/// How far a tensor of w, m or v is from what is right, against how much it should have changed.
struct Error {
  double of_all = 0, of_one = 0;  ///< root of the mean square; the largest, against its own change as well
  std::size_t worst = 0;          ///< which element that is
  bool unchanged = false;
  /// Over what is allowed; NaN is.
  double excess() const {
    const double most = std::max(of_all / kOfAll, of_one / kOfOne);
    return std::isnan(of_all) ? std::numeric_limits<double>::infinity() : most;
  }
};

Error error_of(std::span<const float> start, std::span<const double> expected, std::span<const float> got) {
  double wanted = 0, done = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double from = static_cast<double>(start[i]), value = static_cast<double>(got[i]);
    wanted += (expected[i] - from) * (expected[i] - from);
    done += (value - from) * (value - from);
    error += (value - expected[i]) * (value - expected[i]);
  }
  const double change = root_mean_square(wanted, got.size());
  Error result{.of_all = root_mean_square(error, got.size()) / change,
               .unchanged = root_mean_square(done, got.size()) < 1e-3 * change};
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double own = std::abs(expected[i] - static_cast<double>(start[i])),
                 off = std::abs(static_cast<double>(got[i]) - expected[i]) / (change + own);
    if (off <= result.of_one) continue;
    result.of_one = off;
    result.worst = i;
  }
  return result;
}

/// What a call left: w, m and v, the halves, the losses.
class Result {
 public:
  Result(const CallView& call, std::size_t width, std::span<const float> got)
      : call_(call), right_(trained(call)), at_(width), got_(got), steps_(right_.losses.size()) {}

  /// What is wrong, the first thing first: the loss of the first step depends on its forward pass alone, a
  /// half on its weight. Empty where all is right.
  std::string complaint() const {
    if (steps_ == 0) return {};
    if (std::string wrong = wrong_loss(0); !wrong.empty())
      return wrong + (steps_ == 1 ? ": the forward pass" : all_losses());
    if (std::string wrong = wrong_half(); !wrong.empty()) return wrong;
    if (std::string wrong = wrong_tensor(); !wrong.empty()) return wrong;
    for (std::size_t k = 1; k < steps_; ++k)
      if (std::string wrong = wrong_loss(k); !wrong.empty()) return wrong + all_losses();
    return {};
  }

 private:
  struct Array {
    const char* name;
    const char* start;
    const Numbers& expected;
    std::size_t place;
  };

  std::string after() const {
    return ", after " + std::to_string(steps_) + (steps_ == 1 ? " step," : " steps,");
  }
  double loss(std::size_t k) const { return static_cast<double>(got_[7 * at_.count() / 2 + k]); }

  std::string wrong_loss(std::size_t k) const {
    if (std::abs(loss(k) - right_.losses[k]) <= kOfLoss * right_.losses[k]) return {};
    std::ostringstream text;
    text << std::setprecision(6) << "the loss of step " << k + 1 << " of " << steps_ << " is " << loss(k)
         << ", expected " << right_.losses[k];
    return text.str();
  }
  /// The first few: a loss in another's place shows.
  std::string all_losses() const {
    std::ostringstream text;
    text << std::setprecision(6) << "; of all steps:";
    for (std::size_t k = 0; k < std::min<std::size_t>(steps_, 3); ++k)
      text << (k == 0 ? " " : ", ") << loss(k) << " (" << right_.losses[k] << ")";
    return text.str() + (steps_ > 3 ? " ..." : "");
  }

  std::string wrong_half() const {
    std::span<const _Float16> h(reinterpret_cast<const _Float16*>(&got_[3 * at_.count()]), at_.count());
    for (const auto& [tensor, name, gradient] : kTensors)
      for (std::size_t i = at_.begin[tensor]; i < at_.begin[tensor + 1]; ++i) {
        const _Float16 wanted = half_of(got_[i]);
        if (h[i] == wanted || std::isnan(got_[i])) continue;
        std::ostringstream text;
        text << "h of " << name << after() << " is not w rounded to a half: element " << i - at_.begin[tensor]
             << " is " << value_of(h[i]) << ", and w is " << got_[i];
        return text.str();
      }
    return {};
  }

  /// After one step the first on the way back: what is wrong there makes all behind it wrong. After several
  /// everything is, and the farthest off shows most. m before v before w, which follow from it.
  std::string wrong_tensor() const {
    const Array arrays[] = {{"m", "m0", right_.m, 1}, {"v", "v0", right_.v, 2}, {"w", "w0", right_.w, 0}};
    double most = 1;
    for (const Array& array : arrays)
      for (const TensorName& tensor : kTensors) most = std::max(most, error(array, tensor).excess());
    if (!(most > 1)) return {};
    for (const Array& array : arrays) {
      const TensorName* shown = nullptr;
      double excess = 1;
      for (const TensorName& tensor : kTensors) {
        const double here = error(array, tensor).excess();
        if (here <= excess || (steps_ == 1 && shown != nullptr)) continue;
        shown = &tensor;
        excess = here;
      }
      const bool follows = steps_ > 1 && excess < most / 4;
      if (shown != nullptr && !follows) return described(array, *shown);
    }
    return {};
  }

  std::span<const float> part(const Array& array, const TensorName& tensor) const {
    const std::size_t begin = at_.begin[tensor.tensor], size = at_.begin[tensor.tensor + 1] - begin;
    return got_.subspan(array.place * at_.count() + begin, size);
  }
  Error error(const Array& array, const TensorName& tensor) const {
    const auto got = part(array, tensor);
    const std::size_t begin = at_.begin[tensor.tensor];
    return error_of(call_.input<float>(array.start).subspan(begin, got.size()),
                    std::span(array.expected).subspan(begin, got.size()), got);
  }

  std::string described(const Array& array, const TensorName& tensor) const {
    const Error off = error(array, tensor);
    std::ostringstream text;
    text << array.name << " of " << tensor.name << after() << " is off by "
         << (off.of_all < 0.03 ? "only " : "") << share_of(off.of_all) << " what it should have changed by ("
         << percent(kOfAll) << " allowed), most at element " << off.worst << ": "
         << part(array, tensor)[off.worst] << ", expected "
         << array.expected[at_.begin[tensor.tensor] + off.worst];
    const bool is_mean = array.place == 1;
    if (off.unchanged)
      text << (is_mean ? "; it did not change at all" : "; m is right, this did not change at all");
    if (steps_ > 1)
      return text.str() +
             "; a step that goes wrong makes every tensor wrong in the next, and this is the farthest off";
    if (is_mean && tensor.tensor == 0) text << thirds(array);
    if (const auto factor = is_mean ? factor_of_gradient(array, tensor) : std::nullopt)
      text << "; all of its gradient is " << rounded(*factor) << " times what it should be";
    if (is_mean) text << ": look at the gradient " << tensor.gradient;
    return text.str();
  }

  /// The one factor by which the whole gradient of a tensor is wrong: none where its elements differ in that.
  std::optional<double> factor_of_gradient(const Array& mean, const TensorName& tensor) const {
    const auto got = part(mean, tensor);
    const std::size_t begin = at_.begin[tensor.tensor];
    const auto start = call_.input<float>(mean.start).subspan(begin, got.size());
    double both = 0, wanted = 0, had = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double kept = kBeta1 * static_cast<double>(start[i]), right = mean.expected[begin + i] - kept,
                   here = static_cast<double>(got[i]) - kept;
      both += here * right;
      wanted += right * right;
      had += here * here;
    }
    constexpr double kAlike = 0.9999;  // the cosine; gradients that halves have rounded are closer than that
    if (!(both * both >= kAlike * wanted * had) || had == 0) return std::nullopt;
    return both / wanted;
  }

  /// The columns of q, k and v in Wqkv.
  std::string thirds(const Array& array) const {
    const std::size_t width = at_.begin[5] - at_.begin[4];
    const auto start = call_.input<float>(array.start), got = part(array, kTensors[4]);
    std::string text;
    for (std::size_t third = 0; third < 3; ++third) {
      double wanted = 0, error = 0;
      for (std::size_t row = 0; row < width; ++row)
        for (std::size_t i = (3 * row + third) * width; i < (3 * row + third + 1) * width; ++i) {
          const double from = static_cast<double>(start[i]),
                       off = static_cast<double>(got[i]) - array.expected[i];
          wanted += (array.expected[i] - from) * (array.expected[i] - from);
          error += off * off;
        }
      text += std::string(third == 0 ? "; columns of " : ", ") + "qkv"[third] + " " +
              percent(std::sqrt(error / wanted));
    }
    return text;
  }

  const CallView& call_;
  Trained right_;
  Tensors at_;
  std::span<const float> got_;
  std::size_t steps_;
};

}  // namespace

WholeCheck step_check(const CallView& call, const Settings& s, std::span<const std::byte> bytes,
                      std::uint64_t) {
  const std::span<const float> got{reinterpret_cast<const float*>(bytes.data()),
                                   bytes.size() / sizeof(float)};
  return {.complaint = Result(call, static_cast<std::size_t>(s["width"]), got).complaint()};
}

}  // namespace roofline::grader
