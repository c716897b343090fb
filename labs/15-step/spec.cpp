// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "reference.h"

namespace roofline::grader {
namespace {

using step_reference::Numbers;
using step_reference::Tensors;

// ---- sizes ----

double tokens(const Settings& s) { return s["sequences"] * s["length"]; }
double elements(const Settings& s) { return tokens(s) * s["width"]; }
double parameters(const Settings& s) { return (12 * s["width"] + 2) * s["width"]; }
/// Numbers of one token, of all tokens: a matrix of `columns` times the width.
double data(const Settings& s) { return s["steps"] * elements(s); }
/// Weights and both means, the halves, and the losses: an array of floats.
double result_size(const Settings& s) { return 3.5 * parameters(s) + s["steps"]; }

constexpr double kBeta1 = static_cast<double>(0.9F), kBeta2 = static_cast<double>(0.999F);

// ---- inputs ----

/// About how large the gradient of a weight is: T terms of random sign, each some 1 / (T C).
double typical_gradient(const Settings& s) { return 1 / (std::sqrt(tokens(s)) * s["width"]); }

std::span<float> floats(std::span<std::byte> array) {
  return {reinterpret_cast<float*>(array.data()), array.size() / sizeof(float)};
}

/// Matrices in [-r, r) with a variance of 1 / inputs, so that every product is about as large as its input;
/// gammas in [0.5, 1.5).
void fill_weights(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF32, array, seed, -1, 1);
  const auto w = floats(array);
  const auto c = static_cast<std::size_t>(s["width"]);
  const Tensors at(c);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double inputs = static_cast<double>(i >= at.begin[3] ? 4 * c : c);
    w[i] = i >= at.begin[4] ? 1 + 0.5F * w[i] : w[i] * static_cast<float>(std::sqrt(3 / inputs));
  }
}

/// Training goes on from step `first`: the mean of gradients as it is then ...
void fill_means(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double most = typical_gradient(s) * (1 - std::pow(kBeta1, s["first"] - 1));
  fill_random(Type::kF32, array, seed, -1, 1);
  for (float& each : floats(array)) each *= static_cast<float>(most);
}
/// ... and the mean of their squares, which no weight has near zero: a step is then no more than some rates,
/// and its error in proportion to the gradient's.
void fill_squares(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double typical = typical_gradient(s), grown = 1 - std::pow(kBeta2, s["first"] - 1);
  fill_random(Type::kF32, array, seed, 1, 2);
  for (float& each : floats(array)) each *= each * static_cast<float>(typical * typical * grown);
}

/// Rows have means of their own, up to 1: who forgets to subtract it notices.
void fill_tokens(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, -1, 1);
  const std::span<_Float16> x{reinterpret_cast<_Float16*>(array.data()), array.size() / sizeof(_Float16)};
  const auto c = static_cast<std::size_t>(s["width"]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double mean = 2 * static_cast<double>(random_bits(~seed, i / c) >> 40U) * 0x1p-24 - 1;
    x[i] = half_of(static_cast<float>(value_of(x[i]) + mean));
  }
}

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

std::string percent(double share) {
  std::ostringstream text;
  text << std::setprecision(3) << 100 * share << " %";
  return text.str();
}

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
         << (off.of_all < 0.03 ? "only " : "") << percent(off.of_all)
         << " of what it should have changed by (" << percent(kOfAll) << " allowed), most at element "
         << off.worst << ": " << part(array, tensor)[off.worst] << ", expected "
         << array.expected[at_.begin[tensor.tensor] + off.worst];
    const bool is_mean = array.place == 1;
    if (off.unchanged)
      text << (is_mean ? "; it did not change at all" : "; m is right, this did not change at all");
    if (steps_ > 1)
      return text.str() +
             "; a step that goes wrong makes every tensor wrong in the next, and this is the farthest off";
    if (is_mean && tensor.tensor == 0) text << thirds(array);
    if (is_mean) text << ": look at the gradient " << tensor.gradient;
    return text.str();
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

WholeCheck check(const CallView& call, const Settings& s, std::span<const std::byte> bytes, std::uint64_t) {
  const std::span<const float> got{reinterpret_cast<const float*>(bytes.data()),
                                   bytes.size() / sizeof(float)};
  return {.complaint = Result(call, static_cast<std::size_t>(s["width"]), got).complaint()};
}

// ---- the budget ----

BudgetLine line(const std::string& what, Extent flops, Extent bytes) {
  BudgetLine result{
      what, {{"copy", [bytes = std::move(bytes)](const Settings& s) { return s["steps"] * bytes(s); }}}};
  if (flops)
    result.shares.push_back(
        {"mma", [flops = std::move(flops)](const Settings& s) { return s["steps"] * flops(s); }});
  return result;
}

/// Of T x C times C x `columns` C.
Extent product(double columns) {
  return [columns](const Settings& s) { return 2 * columns * elements(s) * s["width"]; };
}
/// Matrices of `activations` times T x C and `weights` times C x C, in halves; gradients of `gradients` times
/// C x C in floats.
Extent moved(double activations, double weights = 0, double gradients = 0) {
  return [=](const Settings& s) {
    return 2 * activations * elements(s) + (2 * weights + 4 * gradients) * s["width"] * s["width"];
  };
}
/// Of `count` products of a head's matrices with those of the scores' size.
Extent attention(double count) {
  return [count](const Settings& s) { return 2 * count * elements(s) * s["length"]; };
}

/// Operations as they are left when what is done to single elements is part of the one before.
std::vector<BudgetLine> budget() {
  std::vector<BudgetLine> lines = {
      line("a1 = norm(x) gamma1", {}, moved(2)), line("q k v = a1 Wqkv", product(3), moved(4, 3)),
      line("o = softmax(q k) v", attention(2), moved(4)), line("x1 = x + o Wout", product(1), moved(3, 1)),
      line("a2 = norm(x1) gamma2", {}, moved(2)), line("u = a2 Wup, gelu", product(4), moved(5, 4)),
      line("y = x1 + g Wdown, d", product(4), moved(7, 4)),
      line("du = d Wdown^T, gelu'", product(4), moved(9, 4)),
      line("dWdown = g^T d", product(4), moved(5, 0, 4)), line("da2 = du Wup^T", product(4), moved(5, 4)),
      line("dWup = a2^T du", product(4), moved(5, 0, 4)), line("dx1 = d + norm', dgamma2", {}, moved(4)),
      line("do = dx1 Wout^T", product(1), moved(2, 1)), line("dWout = o^T dx1", product(1), moved(2, 0, 1)),
      line("dq dk dv", attention(4), moved(8)), line("da1 = dqkv Wqkv^T", product(3), moved(4, 3)),
      line("dWqkv = a1^T dqkv", product(3), moved(4, 0, 3)), line("dgamma1", {}, moved(2)),
      // Gradient, weight and both means read, these three written, and the half.
      line("Adam", {}, [](const Settings& s) { return 30 * parameters(s); })};
  // Before the first step the worker copies weights and means, and rounds the weights.
  lines.push_back(
      {"parameters begin again", {{"copy", [](const Settings& s) { return 26 * parameters(s); }}}});
  return lines;
}

double product_flops(const Settings& s) {
  double flops = 0;
  for (const BudgetLine& each : budget())
    for (const RoofShare& share : each.shares)
      if (share.roof == "mma") flops += share.work(s);
  return flops;
}

// ---- rules ----

/// A step of some launches may give each some hundred bytes of parameters. Far less than a result.
constexpr std::uint64_t kParameterBytes = std::uint64_t{1} << 16;

/// The worker's arrays, what training needs as it is handed out, and some more.
double memory(const Settings& s) {
  const double given = 4 * data(s) + 12 * parameters(s) + 4 * result_size(s);
  return given + 2 * elements(s) * (28 + 2 * s["length"] / 64) + 5 * parameters(s);
}

// ---- cases and goals ----

NamedValues settings(Value sequences, double length, double width, double steps, double first = 10) {
  return {{"sequences", std::move(sequences)},
          {"length", length},
          {"width", width},
          {"steps", steps},
          {"first", first}};
}

/// A tile of 64 x 64 for each SM in products with as many columns as the width: 1728 tokens on an A100.
NamedValues timed() {
  constexpr double kLength = 192, kWidth = 256, kTile = 64, kSteps = 2;
  const Value sequences([](const DeviceFacts& device) {
    return std::floor(device.sms / (kLength / kTile * (kWidth / kTile)));
  });
  return settings(sequences, kLength, kWidth, kSteps);
}

Case shape(int sequences, int length, int width, int steps, const std::string& tells = "") {
  const auto text = [](int n) { return std::to_string(n); };
  return {.id = text(sequences) + "x" + text(length) + "x" + text(width) + "-" + text(steps),
          .title = text(steps) + (steps == 1 ? " step of " : " steps of ") + text(sequences) + " x " +
                   text(length) + " tokens, width " + text(width),
          .settings = settings(sequences, length, width, steps),
          .tells = tells};
}

std::vector<Case> cases() {
  // One step of every shape first: after several everything is wrong.
  std::vector<Case> list = {shape(1, 64, 64, 1, "forward and backward"),
                            shape(3, 64, 64, 1),
                            shape(1, 256, 64, 1, "sequences of several tiles"),
                            shape(2, 64, 128, 1),
                            shape(1, 64, 256, 1),
                            shape(1, 64, 64, 3, "data that changes"),
                            shape(2, 192, 128, 2),
                            shape(1, 64, 64, 20)};
  list.push_back({.id = "early",
                  .title = "from the second step on: means have only begun to grow",
                  .settings = settings(1, 64, 64, 2, 2),
                  .tells = "the beginning of Adam"});
  list.push_back({.id = "late", .title = "from step 5000 on", .settings = settings(1, 64, 64, 2, 5000)});
  return list;
}

std::vector<Prediction> predictions() {
  return {{.key = "products",
           .question =
               "FLOPs of the matrix products with weights for each token and weight, forward and backward",
           .expected = 6},
          {.key = "gflop",
           .question = "all of them: 1728 tokens, width 256, in GFLOP",
           .expected = 8.154,
           .factor = 1.05,
           .unit = "GFLOP"},
          {.key = "tensor_us",
           .question = "on the A100-40's Tensor Cores, from its data sheet",
           .expected = 26.1,
           .factor = 1.1,
           .unit = "us"},
          {.key = "adam_bytes",
           .question = "bytes that Adam moves for each parameter, with gradients as floats",
           .expected = 30},
          {.key = "adam_us",
           .question = "for all parameters, from the data sheet",
           .expected = 15.2,
           .factor = 1.1,
           .unit = "us"},
          {.key = "launches_us",
           .question = "what 38 launches cost at least, 2.62 us apart in a stream of the A100",
           .expected = 99.6,
           .factor = 1.05,
           .unit = "us"},
          {.key = "regime",
           .question = "the product of 1728 x 256 with 256 x 1024, all in DRAM: compute, memory or overhead?",
           .word = "memory"}};
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  const Extent state = parameters;
  return {
      .title = "step: the capstone",
      .parts = {{
          .program = {.header = "step.h",
                      .source = "step.cu",
                      .function = "step",
                      .arguments = {filled(in("x", data, Type::kF16), fill_tokens),
                                    in("targets", data, Type::kF16), filled(in("w0", state), fill_weights),
                                    filled(in("m0", state), fill_means),
                                    filled(in("v0", state), fill_squares), out("result", result_size),
                                    size("steps", Type::kS32), size("first", Type::kS32),
                                    size("sequences", Type::kS32), size("length", Type::kS32),
                                    size("width", Type::kS32), between(1e-3, 2e-3, scalar("rate")), stream()},
                      .outputs = {{.argument = "result", .whole = check}}},
          .cases = cases(),
          .goals = {{.id = "step",
                     .title = "two steps of 16 tokens an SM, width 256",
                     .settings = timed(),
                     .roof = "copy",
                     .budget = budget(),
                     .flops = {product_flops,
                               {sim::FlopType::kF16, sim::FlopType::kF32, sim::FlopType::kTensorF16,
                                sim::FlopType::kTensorF16F32, sim::FlopType::kTensorBf16,
                                sim::FlopType::kTensorTf32}},
                     // DRAM is three times as fast on compute capability 9.0 as on 8.0, and five times on
                     // 10.0; shared memory and launches are not.
                     .thresholds = {{80, {.pass = 0.20, .good = 0.30, .excellent = 0.45}},
                                    {90, {.pass = 0.11, .good = 0.17, .excellent = 0.23}},
                                    {100, {.pass = 0.06, .good = 0.10, .excellent = 0.13}},
                                    {120, {.pass = 0.20, .good = 0.30, .excellent = 0.45}}}}},
          .structure = {flops_at_least(product_flops), device_memory_at_most(memory), no_new_graph(),
                        host_does_not_wait()},
          .steps = {{.id = "right",
                     .title = "the step as it was handed out, complete",
                     .how = "Four kernels of a few lines each: the gradients of a norm, a softmax and gelu, "
                            "and Adam.",
                     .checks = {"host-waits"}},
                    {.id = "products",
                     .title = "products in tiles",
                     .how = "Most of the time: copy tiles to shared memory, as in lab 04, stages "
                            "ahead.",
                     .measurement = "step",
                     .at_least = 0.20},
                    {.id = "fused",
                     .title = "elements with the products, attention without scores",
                     .how = "Residuals, gelu, the loss: while the sums are at hand. Attention as in lab 11.",
                     .measurement = "step",
                     .at_least = 0.30},
                    {.id = "graph",
                     .title = "launches cost little",
                     .how = "One graph; only what reads the batch gets new parameters.",
                     .measurement = "step",
                     .at_least = 0.36},
                    {.id = "beyond",
                     .title = "what the budget lists and you need not do",
                     .how = "Who computes a gradient may use it at once: which bytes does Adam read then?",
                     .measurement = "step",
                     .at_least = 0.48}},
          .bench = Bench{.title = "One step, from the file as handed out to the last version",
                         .argument = "sequences",
                         .values = {1, 2, 4, 8},
                         .settings = settings(1, 192, 256, 1),
                         .work = [](const Settings&) { return 1; },
                         .unit = "us a step",
                         .timeline_at = 8,
                         .timeline_us = 700,
                         .versions = {{"as handed out", "wrong/1-as-handed-out.cu"},
                                      {"tiles", "variants/2-tiles.cu"},
                                      {"epilogues", "variants/4-epilogues.cu"},
                                      {"last", "step.cu"},
                                      {"yours", ""}}},
          .predictions = predictions(),
          .minimum_capability = 80,
          .any_block_order = true,
          .host_to_device_limit = kParameterBytes,
          .prepares = true,
          .adapter = "step_worker.cu",
          .given = {"tiles.h"},
      }}};
}

}  // namespace roofline::grader
