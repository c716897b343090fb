// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "grader/lab/vectorised.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kHeadSize = 64;
constexpr double kScale = 0.125;  ///< 1 / sqrt(kHeadSize)

double elements(const Settings& s) { return s["heads"] * s["n"] * static_cast<double>(kHeadSize); }
/// Pairs of a query and a key that sees it, over all heads.
double pairs(const Settings& s) {
  return s["heads"] * s["n"] * (s["causal"] != 0 ? (s["n"] + 1) / 2 : s["n"]);
}
/// Two products of kHeadSize for each pair: a query with a key, a probability with a value.
double flops(const Settings& s) { return 4 * static_cast<double>(kHeadSize) * pairs(s); }
/// Queries, keys, values and results, each once.
double bytes(const Settings& s) { return 4 * 2 * elements(s); }

// ---- what q, k and v hold ----

/// As drawn, from -1 to 1; scores of hundreds; scores that rise, or fall, from key to key; scores of about
/// -1000; equal keys; values near 1. A setting that the function is not given.
enum Content : std::uint8_t { kDrawn, kLarge, kRising, kFalling, kNegative, kEqual, kOnes };

std::span<_Float16> halves(std::span<std::byte> array) {
  return {reinterpret_cast<_Float16*>(array.data()), array.size() / sizeof(_Float16)};
}

void fill_queries(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  switch (static_cast<Content>(s["content"])) {
    case kLarge:
      return fill_random(Type::kF16, array, seed, -30, 30);
    case kRising:
    case kFalling:
      return fill_random(Type::kF16, array, seed, 0.5, 1);
    case kNegative:
      return fill_random(Type::kF16, array, seed, 10, 11);
    default:
      return fill_random(Type::kF16, array, seed, -1, 1);
  }
}

void fill_keys(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto content = static_cast<Content>(s["content"]);
  if (content == kLarge) return fill_random(Type::kF16, array, seed, -30, 30);
  if (content == kNegative) return fill_random(Type::kF16, array, seed, -13, -12);
  fill_random(Type::kF16, array, seed, -1, 1);
  const auto keys = halves(array);
  const auto n = static_cast<std::size_t>(s["n"]);
  if (content == kEqual) std::ranges::fill(keys, _Float16{0});
  if (content != kRising && content != kFalling) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t key = i / kHeadSize % n;
    const double along = static_cast<double>(content == kRising ? key : n - 1 - key) / static_cast<double>(n);
    keys[i] = half_of(static_cast<float>(value_of(keys[i]) + 8 * along));
  }
}

void fill_values(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const bool ones = static_cast<Content>(s["content"]) == kOnes;
  fill_random(Type::kF16, array, seed, ones ? 0.99 : -1, 1);
}

// ---- the reference ----

/// Of one head: keys transposed, so that the scores of neighbouring keys are computed side by side, and
/// values.
struct Head {
  Head(std::span<const _Float16> k, std::span<const _Float16> v) : keys(k.size()), values(v.size()) {
    const std::size_t n = k.size() / kHeadSize;
    for (std::size_t row = 0; row < n; ++row) {
      double squares = 0;
      for (std::size_t c = 0; c < kHeadSize; ++c) {
        const double element = value_of(k[row * kHeadSize + c]);
        squares += element * element;
        keys[c * n + row] = static_cast<float>(element);
        values[row * kHeadSize + c] = static_cast<float>(value_of(v[row * kHeadSize + c]));
      }
      longest_key = std::max(longest_key, std::sqrt(squares));
    }
  }

  std::vector<float> keys, values;
  double longest_key = 0;
};

/// Heads are made when a row of theirs is asked for: of a large call only some are.
class Heads {
 public:
  explicit Heads(const CallView& call)
      : n(static_cast<std::size_t>(call.scalar("n"))),
        causal(call.scalar("causal") != 0),
        k_(call.input<_Float16>("k")),
        v_(call.input<_Float16>("v")),
        heads_(static_cast<std::size_t>(call.scalar("heads"))),
        made_(heads_.size()) {}

  const Head& at(std::size_t head) {
    std::call_once(made_[head], [&] {
      const std::size_t begin = head * n * kHeadSize, size = n * kHeadSize;
      heads_[head] = std::make_unique<Head>(k_.subspan(begin, size), v_.subspan(begin, size));
    });
    return *heads_[head];
  }

  std::size_t n;
  bool causal;

 private:
  std::span<const _Float16> k_, v_;
  std::vector<std::unique_ptr<Head>> heads_;
  std::vector<std::once_flag> made_;
};

/// scores[j] = q . k[j] / 8 for the first keys; n: how many there are.
ROOFLINE_VECTORISED void score(const double* q, const float* keys, std::size_t n, std::span<double> scores) {
  std::fill(scores.begin(), scores.end(), 0.0);
  double* sums = scores.data();
  const std::size_t count = scores.size();
  for (std::size_t c = 0; c < kHeadSize; ++c, keys += n)
    for (std::size_t j = 0; j < count; ++j) sums[j] += q[c] * static_cast<double>(keys[j]);
  for (std::size_t j = 0; j < count; ++j) sums[j] *= kScale;
}

/// Sums over the keys of power * value, of its square, and of absolute values of value alone.
struct Weighted {
  double sum[kHeadSize] = {}, squares[kHeadSize] = {}, values[kHeadSize] = {};
};

ROOFLINE_VECTORISED void weigh(std::span<const double> powers, const float* values, Weighted& of) {
  for (const double power : powers) {
    for (std::size_t c = 0; c < kHeadSize; ++c) {
      const double value = static_cast<double>(values[c]), product = power * value;
      of.sum[c] += product;
      of.squares[c] += product * product;
      of.values[c] += std::abs(value);
    }
    values += kHeadSize;
  }
}

/// |got - o| may be 2^-11 S. S is the value, as it is rounded to a half; what rounding each p to a half
/// changes, whose signs are random: 3 times the root of the sum of (p v)^2, seven standard deviations; 2^-25
/// for each p that is no normal half; and what an error of float scores does to powers. These are sums of
/// products of q and k, at most |q| |k|, and may be off by 32 roundings of that.
Reference attention_of(const CallView& whole_call) {
  return [heads = std::make_shared<Heads>(whole_call)](const CallView& call, std::uint64_t begin,
                                                       std::uint64_t end, Expected* expected) {
    const auto halves = call.input<_Float16>("q");
    std::vector<double> powers;
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t row = at / kHeadSize, last = std::min(end, (row + 1) * kHeadSize);
      const std::size_t n = heads->n, i = row % n;
      const Head& head = heads->at(row / n);
      double q[kHeadSize], length = 0;
      for (std::size_t c = 0; c < kHeadSize; ++c) {
        q[c] = value_of(halves[row * kHeadSize + c]);
        length += q[c] * q[c];
      }
      powers.resize(heads->causal ? i + 1 : n);
      score(q, head.keys.data(), n, powers);
      const double most = *std::ranges::max_element(powers);
      double sum = 0;
      for (double& power : powers) sum += power = std::exp(power - most);
      Weighted of;
      weigh(powers, head.values.data(), of);
      const double score_error =
          32 * kRoundoffF32 * kScale * std::sqrt(length) * head.longest_key / kRoundoffF16;
      for (; at < last; ++at) {
        const std::size_t c = at % kHeadSize;
        const double value = of.sum[c] / sum, spread = std::sqrt(of.squares[c]) / sum,
                     tiny = of.values[c] / sum * 0x1p-14;
        expected[at - begin] = {
            value, std::abs(value) + 3 * spread + tiny + score_error * (std::abs(value) + spread)};
      }
    }
  };
}

// ---- cases and goals ----

NamedValues settings(Value heads, double n, bool causal, Content content = kDrawn) {
  return {{"heads", std::move(heads)}, {"n", n}, {"causal", causal ? 1 : 0}, {"content", content}};
}

Case shape(int heads, int n, bool causal) {
  const std::string size = std::to_string(heads) + "x" + std::to_string(n);
  return {.id = size + (causal ? "-causal" : ""),
          .title = std::to_string(heads) + (heads == 1 ? " head" : " heads") + " of " + std::to_string(n) +
                   (causal ? ", causal" : ""),
          .settings = settings(heads, n, causal)};
}

Case special(const std::string& id, const std::string& title, int heads, int n, bool causal, Content content,
             const std::string& tells) {
  Case result{.id = id, .title = title, .settings = settings(heads, n, causal, content)};
  result.tells = tells;
  return result;
}

std::vector<Case> cases() {
  std::vector<Case> list = {shape(1, 64, false), shape(1, 64, true), shape(2, 128, false),
                            shape(2, 128, true)};
  for (const int n : {1, 15, 16, 17, 63, 65, 100, 127, 129, 257})
    for (const bool causal : {false, true}) {
      list.push_back(shape(n < 100 ? 3 : 2, n, causal));
      if (n == 100) list.back().tells = causal ? "the causal mask" : "keys that do not fill a tile";
    }
  list.insert(list.end(), {shape(0, 64, false), shape(3, 0, false), shape(2, 0, true), shape(1, 1000, false),
                           shape(1, 1000, true)});
  list.insert(
      list.end(),
      {special("large-scores", "scores of hundreds", 2, 200, false, kLarge, "large scores"),
       special("rising", "scores that rise from key to key", 2, 300, false, kRising,
               "a maximum that comes late"),
       special("falling", "scores that fall from key to key", 2, 300, false, kFalling, ""),
       special("rising-causal", "scores that rise from key to key, causal", 2, 300, true, kRising, ""),
       special("negative", "scores of about -1000", 2, 100, false, kNegative, "scores below zero"),
       special("equal", "equal scores", 1, 200, true, kEqual, ""),
       special("values-near-one", "values near 1: what is lost in a sum shows", 1, 2000, false, kOnes,
               "long sums")});
  Case huge = shape(33'600, 1024, false);
  huge.title = "more than 2^31 elements in each array";
  huge.gpu_only = true;
  huge.needs_memory = 18'000'000'000;
  list.push_back(huge);
  return list;
}

/// Rows are 128 for each of two blocks an SM where tiles are as large as on the page: no SM waits for another
/// at the end. Causal, with twice the heads, has the same number of pairs.
constexpr double kGradedRows = 1024;

Goal goal(const std::string& id, const std::string& title, bool causal) {
  const Value heads([causal](const DeviceFacts& device) {
    return std::floor(device.sms / (device.simulated ? 4.0 : 1.0)) * (causal ? 2 : 1);
  });
  return {.id = id,
          .title = title,
          .settings = settings(heads, kGradedRows, causal),
          .roof = "mma",
          .work = flops,
          .bytes = bytes,
          // From 9.0 on Tensor Cores do 1.3 times as much a clock, and what feeds them no more than before.
          .thresholds = {{80, {.pass = 0.15, .good = 0.25, .excellent = 0.35}},
                         {90, {.pass = 0.12, .good = 0.20, .excellent = 0.28}}}};
}

/// Tiles that the mask leaves nothing of are not computed.
StructureCheck masked_tiles_left_out() {
  constexpr double kLimit = 1.5;
  return {"masked", "tiles that nobody sees are not multiplied",
          [](const Observation& seen) -> std::optional<std::string> {
            double done = 0;
            for (const auto& kernel : seen.region.kernels)
              for (const auto each : kernel.counters.flops) done += static_cast<double>(each);
            const double ratio = done / flops(seen.settings);
            if (seen.settings["causal"] == 0 || ratio <= kLimit) return std::nullopt;
            std::ostringstream text;
            text << "kernels did " << std::fixed << std::setprecision(2) << ratio
                 << " times the operations of the pairs that a causal mask leaves (at most " << kLimit
                 << "): which tiles are masked as a whole?";
            return text.str();
          }};
}

const Program kProgram = {
    .header = "attention.h",
    .source = "attention.cu",
    .function = "attention",
    .arguments = {filled(in("q", elements, Type::kF16), fill_queries),
                  filled(in("k", elements, Type::kF16), fill_keys),
                  filled(in("v", elements, Type::kF16), fill_values), out("o", elements, Type::kF16),
                  size("heads", Type::kS32), size("n", Type::kS32), size("causal", Type::kU8), stream()},
    .outputs = {{.argument = "o",
                 .tolerance = {.c = 1, .u = kRoundoffF16},
                 .cost = [](const Settings& s) { return 4 * s["n"]; },
                 .sampled_rows = 1024,
                 .columns = [](const Settings&) { return static_cast<double>(kHeadSize); },
                 .reference_of = attention_of}},
    .device_memory = [](const Settings&) { return 0; },
};

std::vector<Prediction> predictions() {
  return {
      {.key = "flop_per_pair", .question = "FLOPs for each pair of a query and a key", .expected = 256},
      {.key = "tensor_us",
       .question = "32 heads of 4096 on the A100-40, Tensor Cores alone, from its data sheet",
       .expected = 440.5,
       .factor = 1.1,
       .unit = "us"},
      {.key = "exp_us", .question = "the exponentials alone", .expected = 220.4, .factor = 1.1, .unit = "us"},
      {.key = "fused_us",
       .question = "the bytes of q, k, v and o, each once",
       .expected = 43.2,
       .factor = 1.1,
       .unit = "us"},
      {.key = "unfused_us",
       .question = "the bytes of scores and probabilities, both written and read once as halves",
       .expected = 2762,
       .factor = 1.1,
       .unit = "us"},
      {.key = "shrink",
       .question = "factor of the sums so far when the largest score rises from 2 to 5",
       .expected = std::exp(-3),
       .factor = 1.02},
      {.key = "causal_steps",
       .question = "steps of a causal kernel over those of one without a mask, 1024 rows",
       .expected = 0.5625,
       .factor = 1.01},
      {.key = "regime", .question = "compute, memory or overhead?", .word = "compute"}};
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "attention: a softmax between two products",
      .parts = {{
          .program = kProgram,
          .cases = cases(),
          .goals = {goal("full", "every query sees every key", false),
                    goal("causal", "query i sees the keys 0 to i", true)},
          .structure = {one_kernel(), traffic_at_most(1.3, bytes), masked_tiles_left_out(),
                        no_local_memory()},
          .steps = {{.id = "right",
                     .title = "right for every shape, no score in memory",
                     .how = "One stage, each step waited for; scores through shared memory will do.",
                     .checks = {"kernels", "traffic"}},
                    {.id = "mask",
                     .title = "causal: nothing is multiplied that nobody sees",
                     .how = "The last row of the block says which keys it needs at most. A walk that ends "
                            "there copies no others, either.",
                     .checks = {"masked"}},
                    {.id = "registers",
                     .title = "scores stay in registers",
                     .how = "The sums of a tile, in pairs, are a left operand already.",
                     .measurement = "full",
                     .at_least = 0.25},
                    {.id = "two-blocks",
                     .title = "exponentials hide behind products",
                     .how = "Two blocks in each SM, 128 registers a thread, and one exponential a score.",
                     .measurement = "full",
                     .at_least = 0.40}},
          .predictions = predictions(),
          .minimum_capability = 80,
          .worst_goal_counts = true,
          .given = {"tiles.h"},
      }},
  };
}

}  // namespace roofline::grader
