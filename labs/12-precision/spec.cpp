// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
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

std::span<_Float16> halves(std::span<std::byte> array) {
  return {reinterpret_cast<_Float16*>(array.data()), array.size() / sizeof(_Float16)};
}

/// Gradients of a step begin at multiples of this many elements (adam_worker.cu).
constexpr double kAlign = 8;
double distance(double n) { return std::ceil(n / kAlign) * kAlign; }

/// Steps whose gradients overflow: a bit for each, the first in the lowest.
bool overflows(const Settings& s, int step) {
  return (static_cast<unsigned>(s["overflows"]) >> step & 1U) != 0;
}
int skipped_steps(const Settings& s) {
  const auto steps = static_cast<unsigned>(s["steps"]);
  return std::popcount(static_cast<unsigned>(s["overflows"]) & ((1U << steps) - 1));
}

/// Bytes for a parameter: its gradient and what is left as a half, weight and moments read and written. What
/// brings the state back to its beginning moves as many, and a step that is skipped the gradients alone.
constexpr double kParameterBytes = 2 + 2 + 3 * (4 + 4);
double adam_bytes(const Settings& s) {
  const double skipped = skipped_steps(s);
  return s["n"] * (kParameterBytes * (s["steps"] - skipped + 1) + 2 * skipped);
}

/// What gradients hold: anything from -1 to 1; up to the largest half; halves that are not normal.
enum Content : std::uint8_t { kDrawn, kLarge, kTiny };
/// Where an overflow is: anywhere; in the first gradient; in the last one.
enum Where : std::uint8_t { kAnywhere, kFirst, kLast };
/// And what: an infinity, or not a number.
enum What : std::uint8_t { kEither, kInfinity, kNotANumber };

void fill_gradients(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto content = static_cast<Content>(s["content"]);
  const double most = content == kLarge ? 65504 : content == kTiny ? 0x1p-15 : 1;
  fill_random(Type::kF16, array, seed, -most, most);
  const auto gradients = halves(array);
  const auto n = static_cast<std::size_t>(s["n"]), apart = static_cast<std::size_t>(distance(s["n"]));
  const auto where = static_cast<Where>(s["where"]);
  const auto what = static_cast<What>(s["what"]);
  constexpr std::uint16_t kInfinities[] = {0x7c00, 0xfc00}, kNaNs[] = {0x7e00, 0xfd01};
  for (int k = 0; k < static_cast<int>(s["steps"]); ++k) {
    const std::span<_Float16> of_step = gradients.subspan(static_cast<std::size_t>(k) * apart, n);
    if (content == kLarge) of_step[random_bits(~seed, static_cast<std::uint64_t>(k)) % n] = _Float16{65504};
    if (!overflows(s, k)) continue;
    const std::uint64_t bits = random_bits(seed ^ 0x5eedU, static_cast<std::uint64_t>(k));
    const std::size_t at = where == kFirst ? 0 : where == kLast ? n - 1 : (bits >> 8) % n;
    const bool infinite = what == kInfinity || (what == kEither && (bits & 2U) == 0);
    of_step[at] = std::bit_cast<_Float16>((infinite ? kInfinities : kNaNs)[bits & 1U]);
  }
}

/// n parameters in `count` tensors: every second one is small, as biases and norms are, and has any size; the
/// others share the rest.
void fill_sizes(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto count = static_cast<std::size_t>(s["count"]);
  auto rest = static_cast<std::uint64_t>(s["n"]);
  std::vector<std::uint32_t> sizes(count);
  const std::uint64_t small = std::min<std::uint64_t>(3000, rest / count);
  for (std::size_t t = 1; t < count; t += 2) {
    sizes[t] = static_cast<std::uint32_t>(random_bits(seed, t) % (small + 1));
    rest -= sizes[t];
  }
  const std::size_t large = (count + 1) / 2;
  for (std::size_t t = 0; t < count; t += 2) {
    const std::uint64_t fair = rest / (large - t / 2);
    const bool last = t / 2 + 1 == large;
    sizes[t] = static_cast<std::uint32_t>(last ? rest : fair / 2 + random_bits(seed, t) % (fair + 1));
    sizes[t] = static_cast<std::uint32_t>(std::min<std::uint64_t>(sizes[t], rest));
    rest -= sizes[t];
  }
  std::memcpy(array.data(), sizes.data(), array.size());
}

bool finite(_Float16 half) { return (std::bit_cast<std::uint16_t>(half) & 0x7c00U) != 0x7c00U; }

/// What steps do to all parameters alike.
struct Steps {
  struct Step {
    std::size_t first;             ///< of its gradients
    double unscale, less1, less2;  ///< 1 / scale, 1 - beta1^t, 1 - beta2^t
  };
  std::vector<Step> done;  ///< those without an overflow
  float scale;             ///< afterwards, as the two below
  std::uint32_t good = 0, step;
  double rate, beta1, beta2, epsilon;

  explicit Steps(const CallView& call)
      : scale(static_cast<float>(call.scalar("scale"))),
        step(static_cast<std::uint32_t>(call.scalar("step"))),
        rate(call.scalar("rate")),
        beta1(call.scalar("beta1")),
        beta2(call.scalar("beta2")),
        epsilon(call.scalar("epsilon")) {
    const auto gradients = call.input<_Float16>("gradients");
    const auto n = static_cast<std::size_t>(call.scalar("n")),
               apart = static_cast<std::size_t>(distance(call.scalar("n"))),
               steps = static_cast<std::size_t>(call.scalar("steps"));
    const double interval = call.scalar("interval");
    for (std::size_t k = 0; k < steps; ++k) {
      if (!std::ranges::all_of(gradients.subspan(k * apart, n), finite)) {
        scale *= 0.5F;
        good = 0;
        continue;
      }
      ++step;
      done.push_back(
          {k * apart, 1 / static_cast<double>(scale), 1 - std::pow(beta1, step), 1 - std::pow(beta2, step)});
      if (++good < interval) continue;
      scale *= 2;
      good = 0;
    }
  }
};

/// A number and by how many roundings of a float, each of the size of 1, it may be off.
struct Rounded {
  double value, error = 0;
};
struct Parameter {
  Rounded w, m, v;
};

/// One parameter after all steps. Each term of a moment is rounded at most four times (its factors, a square,
/// a sum). Of 1 - beta^t the power is off by four roundings at most, which is much where it is close to 1.
/// The quotient adds eight of its own. A weight that no step changes has its bits.
Parameter stepped(const Steps& steps, const CallView& call, std::size_t i) {
  const auto gradients = call.input<_Float16>("gradients");
  Parameter p{{static_cast<double>(call.input<float>("w0")[i])},
              {static_cast<double>(call.input<float>("m0")[i])},
              {static_cast<double>(call.input<float>("v0")[i])}};
  for (const Steps::Step& step : steps.done) {
    const double g = value_of(gradients[step.first + i]) * step.unscale, new_m = (1 - steps.beta1) * g,
                 new_v = (1 - steps.beta2) * g * g;
    p.m.error = steps.beta1 * p.m.error + 4 * (std::abs(steps.beta1 * p.m.value) + std::abs(new_m));
    p.m.value = steps.beta1 * p.m.value + new_m;
    p.v.error = steps.beta2 * p.v.error + 6 * (steps.beta2 * p.v.value + new_v);
    p.v.value = steps.beta2 * p.v.value + new_v;
    const double divisor = std::sqrt(p.v.value / step.less2) + steps.epsilon;
    const double change = steps.rate * p.m.value / step.less1 / divisor;
    const double of_root = p.v.value > 0 ? 0.5 * p.v.error / p.v.value : 0;
    p.w.value -= change;
    p.w.error += std::abs(p.w.value) + steps.rate * p.m.error / step.less1 / divisor +
                 std::abs(change) * (of_root + 8 + 4 / step.less1 + 2 / step.less2);
  }
  return p;
}

template <class Of>
Output of_parameters(const std::string& argument, double u, Of of) {
  return {.argument = argument,
          .tolerance = {.c = 1, .u = u},
          .cost = [](const Settings&) { return 400; },
          .reference_of = [of](const CallView& whole_call) -> Reference {
            return [of, steps = std::make_shared<Steps>(whole_call)](
                       const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
              for (std::uint64_t i = begin; i < end; ++i)
                expected[i - begin] = of(*steps, call, static_cast<std::size_t>(i));
            };
          }};
}

Expected expected_of(const Rounded& number) { return {number.value, number.error}; }

/// The weight rounded once more, which in a half that is not normal takes 2^-25.
Expected half_weight(const Steps& steps, const CallView& call, std::size_t i) {
  if (steps.done.empty()) return {value_of(call.input<_Float16>("h0")[i]), 0};
  const Rounded w = stepped(steps, call, i).w;
  return {w.value, std::abs(w.value) + w.error * kRoundoffF32 / kRoundoffF16 + 0x1p-14};
}

/// What the scaler holds is compared as a whole, so that a message can say it in words.
WholeCheck check_scaler(const CallView& call, const Settings&, std::span<const std::byte> got,
                        std::uint64_t) {
  const Steps steps(call);
  float scale = 0;
  std::uint32_t rest[2];
  std::memcpy(&scale, got.data(), sizeof scale);
  std::memcpy(rest, got.data() + sizeof scale, sizeof rest);
  if (scale == steps.scale && rest[0] == steps.good && rest[1] == steps.step) return {};
  std::ostringstream text;
  const auto all = static_cast<std::size_t>(call.scalar("steps"));
  text << "the scaler after " << all << (all == 1 ? " step, " : " steps, ") << all - steps.done.size()
       << " of them with an overflow: scale " << scale << ", good " << rest[0] << ", step " << rest[1]
       << "; expected scale " << steps.scale << ", good " << steps.good << ", step " << steps.step;
  return {.complaint = text.str()};
}

struct Run {
  double count = 1, n = 1;
  int steps = 3;
  unsigned overflows = 0;
  double interval = 2000;
  Content content = kDrawn;
  Where where = kAnywhere;
  What what = kEither;
  double scale = 1024, step = 0, epsilon = 1e-8, beta1 = 0.9, beta2 = 0.999;
};

NamedValues settings(const Run& run, Value n) {
  return {{"count", run.count},        {"n", std::move(n)},      {"steps", run.steps}, {"scale", run.scale},
          {"interval", run.interval},  {"step", run.step},       {"beta1", run.beta1}, {"beta2", run.beta2},
          {"epsilon", run.epsilon},    {"content", run.content}, {"where", run.where}, {"what", run.what},
          {"overflows", run.overflows}};
}

Case sized(double count, double n, const std::string& tells = "") {
  Case result{.id = whole(count) + "x" + whole(n),
              .title = whole(n) + (n == 1 ? " parameter in " : " parameters in ") + whole(count) +
                       (count == 1 ? " tensor" : " tensors"),
              .settings = settings({.count = count, .n = n}, n)};
  result.tells = tells;
  return result;
}

Case like(const std::string& id, const std::string& title, const Run& run, const std::string& tells = "") {
  Case result{.id = id, .title = title, .settings = settings(run, run.n)};
  result.tells = tells;
  return result;
}

std::vector<Case> adam_cases() {
  std::vector<Case> cases;
  for (const auto& [count, n] : std::initializer_list<std::pair<double, double>>{{1, 1},
                                                                                 {1, 0},
                                                                                 {1, 2},
                                                                                 {1, 31},
                                                                                 {2, 33},
                                                                                 {1, 255},
                                                                                 {3, 257},
                                                                                 {1, 4096},
                                                                                 {1, 4097},
                                                                                 {5, 12'289},
                                                                                 {300, 20'000}})
    cases.push_back(sized(count, n));
  cases.push_back(sized(9, 1023, "tensors of any size"));
  cases.push_back(sized(200, 100'003, "two hundred tensors"));
  const std::vector<Case> more = {
      like("overflow", "the second of three steps overflows", {.count = 7, .n = 9001, .overflows = 0b010},
           "a step with an overflow"),
      like("overflow-first", "an overflow in the first gradient",
           {.count = 3, .n = 5000, .overflows = 0b101, .where = kFirst}),
      like("overflow-last", "an overflow in the last gradient, once in a while",
           {.count = 3, .n = 20'001, .steps = 4, .overflows = 0b0101, .where = kLast},
           "an overflow that comes late"),
      like("not-a-number", "gradients that are not a number",
           {.count = 4, .n = 3001, .overflows = 0b100, .what = kNotANumber}, "a NaN"),
      like("infinite", "gradients that are infinite",
           {.count = 4, .n = 3001, .overflows = 0b100, .what = kInfinity}),
      like("nothing-but-overflows", "every step overflows",
           {.count = 2, .n = 600, .steps = 5, .overflows = 0b11111}),
      like("largest", "gradients up to the largest half, which is no overflow",
           {.count = 3, .n = 2001, .content = kLarge}, "the largest half"),
      like("tiny", "gradients that are not normal halves", {.count = 3, .n = 2001, .content = kTiny}),
      like("growth", "the scale doubles after each two good steps",
           {.count = 2, .n = 500, .steps = 7, .interval = 2}, "a scale that grows"),
      like("growth-each", "the scale doubles after each good step",
           {.count = 2, .n = 500, .steps = 4, .interval = 1}),
      like("growth-interrupted", "an overflow begins the count again",
           {.count = 2, .n = 500, .steps = 8, .overflows = 0b00010010, .interval = 3}, "good steps in a row"),
      like("long-run", "ten steps, three of them skipped",
           {.count = 6, .n = 3333, .steps = 10, .overflows = 0b0100100001, .interval = 2}),
      like("later", "from step 10000 on", {.count = 2, .n = 700, .step = 10'000}),
      like("large-epsilon", "an epsilon as large as gradients", {.count = 2, .n = 700, .epsilon = 1e-3}),
      like("other-betas", "beta1 0.5, beta2 0.9", {.count = 2, .n = 700, .beta1 = 0.5, .beta2 = 0.9}),
      like("any-scale", "a scale that is not a power of two",
           {.count = 2, .n = 700, .overflows = 0b010, .scale = 3000}),
      like("small-scale", "a scale below 1, and an overflow",
           {.count = 2, .n = 700, .overflows = 0b010, .scale = 0.125})};
  cases = cases + more;
  for (const unsigned elements : {1U, 4U}) cases.push_back(misaligned(sized(5, 9999), elements));
  // Gradients before the first group, and behind the last one, are looked at as well.
  for (const Where where : {kFirst, kLast}) {
    const std::string name = where == kFirst ? "first" : "last";
    Case shifted = like("misaligned-overflow-" + name,
                        "an overflow in the " + name + " gradient, 1 element past an aligned address",
                        {.count = 1, .n = 4000, .overflows = 0b010, .where = where});
    shifted.misaligned_elements = 1;
    cases.push_back(shifted);
  }
  return cases;
}

/// The host launches and never asks what came of it.
StructureCheck nothing_comes_back() {
  return {"host", "the host does not wait for a flag",
          [](const Observation& seen) -> std::optional<std::string> {
            if (seen.region.device_to_host_bytes == 0) return std::nullopt;
            return std::to_string(seen.region.device_to_host_bytes) +
                   " bytes were copied to the host, which waited for them: the device can decide by itself";
          }};
}

StructureCheck launches_a_step(double most) {
  return {"launches", "at most " + whole(most) + " launches a step, however many tensors there are",
          [most](const Observation& seen) -> std::optional<std::string> {
            // One kernel brings the state back to its beginning (adam_worker.cu).
            const double launches = static_cast<double>(seen.region.kernels.size()) - 1,
                         a_step = launches / seen.settings["steps"];
            if (a_step <= most) return std::nullopt;
            std::ostringstream text;
            text << a_step << " launches a step (at most " << most << ")";
            return text.str();
          }};
}

std::vector<Prediction> adam_predictions() {
  return {
      {.key = "a_bytes", .question = "bytes that a step moves for each parameter", .expected = 28},
      {.key = "a_floats",
       .question = "the same where gradients are floats and nobody needs halves",
       .expected = 28},
      {.key = "a_milliseconds",
       .question = "a step of 125 million parameters on the A100-40, from its data sheet",
       .expected = 2.25,
       .factor = 1.1,
       .unit = "ms"},
      {.key = "a_launches_us",
       .question = "400 launches in a stream of the A100, two for each of 200 tensors, 2.62 us apart",
       .expected = 1048,
       .factor = 1.05,
       .unit = "us"},
      {.key = "a_smallest_scale",
       .question =
           "the smallest power of two as a scale with which a gradient of 2^-30 is not zero in a half",
       .expected = 64},
      {.key = "a_scale_after",
       .question = "the scale after: 65536, 2000 good steps (interval 2000), an overflow, another overflow",
       .expected = 32768},
      {.key = "a_regime", .question = "compute, memory or overhead?", .word = "memory"}};
}

constexpr int kTimedSteps = 4;  // until a run draws how many
/// What may reach the device while a step is prepared: tensors and chunks, or how else blocks find theirs.
/// Less than the results of the larger cases.
constexpr std::uint64_t kTableBytes = std::uint64_t{1} << 18;

Part adam() {
  const Extent all_gradients = [](const Settings& s) { return s["steps"] * distance(s["n"]); };
  return {
      .letter = "a",
      .title = "precision A: a step of Adam",
      .program = {.header = "adam_step.h",
                  .source = "adam_step.cu",
                  .function = "adam_step",
                  .arguments = {filled(in("gradients", all_gradients, Type::kF16), fill_gradients),
                                in("w0", "n"),
                                between(-1e-3, 1e-3, in("m0", "n")),
                                between(0, 1e-6, in("v0", "n")),
                                in("h0", "n", Type::kF16),
                                early(filled(in("sizes", "count", Type::kU32), fill_sizes)),
                                out("w", "n"),
                                out("m", "n"),
                                out("v", "n"),
                                out("h", "n", Type::kF16),
                                out(
                                    "scaler", [](const Settings&) { return 3; }, Type::kU32),
                                size("steps", Type::kS32),
                                size("count", Type::kS32),
                                size("n"),
                                scalar("scale"),
                                size("step", Type::kU32),
                                between(1e-3, 1e-2, scalar("rate")),
                                scalar("beta1"),
                                scalar("beta2"),
                                scalar("epsilon"),
                                size("interval", Type::kU32),
                                stream()},
                  // What others are made of comes first: a message is about the cause.
                  .outputs = {{.argument = "scaler", .whole = check_scaler},
                              of_parameters("m", kRoundoffF32,
                                            [](const Steps& steps, const CallView& call, std::size_t i) {
                                              return expected_of(stepped(steps, call, i).m);
                                            }),
                              of_parameters("v", kRoundoffF32,
                                            [](const Steps& steps, const CallView& call, std::size_t i) {
                                              return expected_of(stepped(steps, call, i).v);
                                            }),
                              of_parameters("w", kRoundoffF32,
                                            [](const Steps& steps, const CallView& call, std::size_t i) {
                                              return expected_of(stepped(steps, call, i).w);
                                            }),
                              of_parameters("h", kRoundoffF16, half_weight)},
                  .arrays_move_together = true},
      .cases = adam_cases(),
      // Before 8.0 L2 is too small to remember gradients from one kernel to the next: 30 bytes instead of 28.
      // From 9.0 on a simulated step takes some 50 us, of which its two launches are a tenth.
      .goals = {{.id = "bandwidth",
                 .title = "28 bytes a parameter, at the copy roof",
                 .settings = settings({.count = 200, .steps = kTimedSteps, .overflows = 0b0010},
                                      l2_multiple({.bytes_per_element = kParameterBytes})),
                 .roof = "copy",
                 .work = adam_bytes,
                 .thresholds = {{0, {.pass = 0.60, .good = 0.70, .excellent = 0.80}},
                                {80, {.pass = 0.60, .good = 0.75, .excellent = 0.85}},
                                {90, {.pass = 0.60, .good = 0.72, .excellent = 0.82}}}}},
      .structure = {launches_a_step(3), nothing_comes_back(), traffic_at_most(1.12, adam_bytes),
                    no_local_memory()},
      .steps =
          {{.id = "right",
            .title = "every step is right, also those that are skipped",
            .how = "Three kernels: one looks at all gradients, a single thread decides, one updates.",
            .checks = {"launches", "host"}},
           {.id = "vectors",
            .title = "four fifths of the roof",
            .how =
                "Four parameters a thread; what is before the first aligned one, and behind the last group, "
                "one by one.",
            .measurement = "bandwidth",
            .at_least = 0.80},
           {.id = "last-block",
            .title = "nine tenths of the roof",
            .how =
                "A ticket for each block of the first kernel: the block with the last one decides. And the "
                "second kernel begins with the gradients that were looked at last.",
            .measurement = "bandwidth",
            .at_least = 0.90}},
      .predictions = adam_predictions(),
      .any_block_order = true,
      .host_to_device_limit = kTableBytes,
      .prepares = true,
      .adapter = "adam_worker.cu",
      .given = {"chunks.h"},
      // How many steps are timed, and which of them overflows, is new in every run.
      .draw =
          [](Part& part, std::uint64_t seed) {
            const std::uint64_t steps = 3 + random_bits(seed, 1) % 3;
            for (auto& [name, value] : part.goals.front().settings) {
              if (name == "steps") value = static_cast<double>(steps);
              if (name == "overflows") value = std::exp2(static_cast<double>(random_bits(seed, 0) % steps));
            }
          },
  };
}

}  // namespace

Part precision_product();  // spec_product.cpp

Lab ROOFLINE_LAB_SPEC() { return {.title = "precision: fewer bits", .parts = {adam(), precision_product()}}; }

}  // namespace roofline::grader
