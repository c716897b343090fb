// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "grader/lab/chain_reference.h"
#include "grader/lab/memory_roofs.h"
#include "share.h"

namespace roofline::grader {
namespace {

// ---- what A and B share: a chain of layers in an arena ----

constexpr double kUnit = 256;
constexpr unsigned kTile = 64, kThreads = 256;  ///< of a product (chain/layer.h)

/// Bytes of an arena for this many activations.
Value budget(const NamedValues& chain, double activations) {
  const Settings s(chain, {});
  return std::floor(activations * activation_bytes(s) / kUnit) * kUnit;
}

Program chain_program(const std::string& name, const std::string& function) {
  return {.header = name + ".h",
          .source = name + ".cu",
          .function = function,
          .arguments = chain_arguments({out("memory", "budget", Type::kU8), random_integer("seed", 53),
                                        size("threshold", Type::kU32), scalar("scale"),
                                        size("layers", Type::kS32), size("batch", Type::kS32),
                                        size("width", Type::kS32), size("budget"), stream()}),
          .outputs = chain_outputs(),
          .device_memory = [](const Settings&) { return 0; }};
}

/// The chain, with a budget of so many activations.
NamedValues with_budget(NamedValues chain, double activations) {
  chain.emplace_back("budget", budget(chain, activations));
  return chain;
}

/// Some layers of a chain, within a budget that the number of layers decides.
Case chain_case(double (*activations)(int layers), int layers, int batch, int width) {
  const std::string shape = std::to_string(batch) + "x" + std::to_string(width);
  return {.id = std::to_string(layers) + "-layers-" + shape,
          .title = std::to_string(layers) + (layers == 1 ? " layer of " : " layers of ") + shape,
          .settings = with_budget(chain_settings(layers, batch, width), activations(layers))};
}

/// The case with `telling` layers is the first in which the budget and the order of copies matter.
std::vector<Case> chain_cases(double (*activations)(int layers), int telling, const std::string& tells) {
  std::vector<Case> cases;
  for (const int layers : {1, 2, 3, 4, 5, 7, 10, 17}) {
    cases.push_back(chain_case(activations, layers, 64, 64));
    if (layers == telling) cases.back().tells = tells;
  }
  cases.push_back(chain_case(activations, 6, 128, 64));
  cases.push_back(chain_case(activations, 9, 64, 128));
  cases.push_back(chain_case(activations, 12, 256,
                             64));  // the gradients of all weights have less room than four activations
  return cases;
}

/// Products that a step cannot do without; `again`: forward passes of a layer beside the first. Only those of
/// the lab's kernels count, by their shape, one after the other: what is timed is the order of copies and
/// kernels, and faster products would pass for hidden copies.
StructureCheck computes_on_the_device(double again = 0) {
  return {"products", "every product of the step is computed on the device, by the lab's kernels in turn",
          [again](const Observation& seen) -> std::optional<std::string> {
            const double wide = seen.settings["width"] / kTile, tall = seen.settings["batch"] / kTile;
            const double one = chain_flops(seen.settings, 1) - chain_flops(seen.settings, 0);
            double flops = 0;
            std::vector<std::pair<double, double>> spans;
            for (const auto& kernel : seen.region.kernels) {
              const auto blocks = static_cast<double>(kernel.grid.count());
              const auto done =
                  static_cast<double>(kernel.counters.flops[static_cast<std::size_t>(sim::FlopType::kF32)]);
              if (kernel.block.count() != kThreads || (blocks != wide * wide && blocks != wide * tall) ||
                  done < one)
                continue;
              flops += done;
              spans.emplace_back(kernel.start, kernel.end);
            }
            const double needed = chain_flops(seen.settings, again);
            if (flops < needed)
              return std::to_string(static_cast<long long>(flops * 1e-6)) +
                     " MFLOP were computed by products, a step within the budget has " +
                     std::to_string(static_cast<long long>(needed * 1e-6)) + " at least";
            if (most_at_a_time(spans) > 1)
              return "two products ran at the same time: those of a step take turns";
            return {};
          }};
}

// ---- A: recompute ----

/// Two gradients, and sqrt(layers) twice: the kept ones and a segment.
double few_activations(int layers) { return 1.1 * (2 * std::sqrt(layers) + 2); }

/// Whoever holds no more than the budget, and a gradient in the memory of dx, computes the others again:
/// fewer layers would say that activations wait somewhere else, in the memory of dweights perhaps.
double least_again() { return 16 - std::floor(few_activations(16)) - 1; }

Part recompute() {
  return {
      .letter = "a",
      .title = "memory A: recompute",
      .program = chain_program("recompute", "train_step"),
      // With 36 layers short segments are over the budget, too: 17 + 2 + 2 activations, and it has 15.
      .cases = chain_cases(few_activations, 10, "the budget") +
               std::vector<Case>{chain_case(few_activations, 36, 64, 64)},
      .goals = {{.id = "time",
                 .title = "a step, beside keeping everything and computing the segments again",
                 .settings = with_budget(timed_chain(), few_activations(16)),
                 .roof = "recompute",
                 .work = [](const Settings& s) { return chain_flops(s, computed_again(s)); },
                 // A whole forward pass more, and 15 % on top, passes.
                 .thresholds = {{0, {.pass = 0.77, .good = 1 / 1.08, .excellent = 1 / 1.05}}}}},
      .structure = {computes_on_the_device(least_again())},
      .predictions = {{.key = "a_held",
                       .question = "64 layers, every 8th activation kept: most activations held at a time, "
                                   "with two for gradients",
                       .expected = 17},
                      {.key = "a_again",
                       .question = "and how many layers are computed again",
                       .expected = 49},
                      {.key = "a_held_all",
                       .question = "activations held when all are kept, with two for gradients",
                       .expected = 66}},
      .adapter = "recompute_worker.cu",
      .given = {"arena.h"},
  };
}

// ---- B: swap ----

constexpr int kOnDevice = 6, kGradients = 2;
double six_activations(int) { return kOnDevice; }

/// Bytes that cannot stay on the device while the gradients are there too.
double swapped_bytes(const Settings& s) {
  return std::max(0.0, s["layers"] - (kOnDevice - kGradients)) * activation_bytes(s);
}

StructureCheck swaps() {
  return {"swaps", "activations wait in host memory",
          [](const Observation& seen) -> std::optional<std::string> {
            const double bytes = swapped_bytes(seen.settings);
            const auto out = static_cast<double>(seen.region.device_to_host_bytes),
                       back = static_cast<double>(seen.region.host_to_device_bytes);
            if (out >= bytes && back >= bytes) return {};
            return std::to_string(static_cast<long long>(out)) + " bytes left the device and " +
                   std::to_string(static_cast<long long>(back)) + " came back; " +
                   std::to_string(static_cast<long long>(bytes)) + " do not fit beside the gradients";
          }};
}

Part swap() {
  Program program = chain_program("swap", "swap_step");
  // Room for the host memory of the shape before, too: it goes when the next one comes.
  program.host_memory = [](const Settings& s) { return s["layers"] * activation_bytes(s) + 1024 * 1024; };
  return {
      .letter = "b",
      .title = "memory B: swap",
      .program = std::move(program),
      .cases = chain_cases(six_activations, 7, "the budget, copies that nobody waits for"),
      .overlaps = {{.id = "overlap",
                    .title = "12 of 16 activations leave and come back while kernels run",
                    .settings = with_budget(timed_chain(), kOnDevice),
                    .kernels = {"keep-all", [](const Settings& s) { return chain_flops(s, 0); }},
                    .copies = {{"link-out-256k", swapped_bytes}, {"link-in-256k", swapped_bytes}},
                    .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {computes_on_the_device(), swaps()},
      .steps = {{.id = "right",
                 .title = "right within the budget: activations leave and come back",
                 .how = "One stream is enough: copy out after the kernel, copy in before it is needed.",
                 .checks = {"swaps"}},
                {.id = "out",
                 .title = "the way out hides behind kernels",
                 .how = "Give the copies out a stream of their own, and an event after each kernel.",
                 .measurement = "overlap",
                 .at_least = 0.20},
                {.id = "both",
                 .title = "the way back hides too",
                 .how = "Ask for an activation a layer or more before the kernel that needs it.",
                 .measurement = "overlap",
                 .at_least = 0.60},
                {.id = "ahead",
                 .title = "nothing waits in the middle",
                 .how = "How many layers ahead may you ask, with the buffers that you have?",
                 .measurement = "overlap",
                 .at_least = 0.90}},
      .predictions = {{.key = "b_copy_microseconds",
                       .question = "time of an activation of 64 MiB over the A100's link, 25 GB/s one way",
                       .expected = 2684,
                       .factor = 1.1,
                       .unit = "us"},
                      {.key = "b_width",
                       .question =
                           "width of a layer whose product takes as long, at 19.5 TFLOP/s, as its output "
                           "takes to leave",
                       .expected = 1560,
                       .factor = 1.2},
                      {.key = "b_pointwise",
                       .question = "the output of a pointwise operation: swap or recompute?",
                       .word = "recompute"}},
      .adapter = "swap_worker.cu",
      .given = {"arena.h"},
  };
}

// ---- C: share ----

enum class Instance : int {
  kCut,       ///< cut from a full rectangle: a plan without a gap exists
  kRandom,    ///< any lifetimes
  kTogether,  ///< all alive in the same steps: nothing can be shared
  kNested,    ///< as activations are: made going forward, used last going back
  kLarge      ///< all alive in the same steps, and 32 bits do not count their bytes
};

std::span<const Tensor> tensors_in(const CallView& call) {
  const auto numbers = call.input<std::uint64_t>("tensors");
  return {reinterpret_cast<const Tensor*>(numbers.data()), numbers.size() / 3};
}

struct Draw {
  std::mt19937_64 random;
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : random() % n; }
};

/// Cuts a rectangle of steps and memory into n: first in time, so that sharing halves the memory at least,
/// then mostly in memory: many small tensors.
std::vector<Tensor> cut_rectangle(Draw& draw, std::size_t n) {
  struct Piece {
    std::uint64_t first, steps, units;
  };
  std::vector<Piece> pieces = {{0, 4 * n, 64 * n}};
  while (pieces.size() < n) {
    // The largest of three: pieces of about one size.
    std::size_t which = draw.below(pieces.size());
    for (int k = 0; k < 2; ++k) {
      const std::size_t other = draw.below(pieces.size());
      if (pieces[other].steps * pieces[other].units > pieces[which].steps * pieces[which].units)
        which = other;
    }
    Piece& piece = pieces[which];
    const bool in_time = pieces.size() == 1 || draw.below(8) == 0;
    std::uint64_t& extent = in_time ? piece.steps : piece.units;
    if (extent < 8) continue;
    const std::uint64_t cut = extent / 4 + draw.below(extent / 2 + 1);
    Piece rest = piece;
    (in_time ? rest.steps : rest.units) = extent - cut;
    if (in_time) rest.first = piece.first + cut;
    extent = cut;
    pieces.push_back(rest);
  }
  std::vector<Tensor> tensors;
  for (const Piece& piece : pieces)
    tensors.push_back({piece.first, piece.first + piece.steps - 1, 16 * 256 * piece.units});
  return tensors;
}

void draw_tensors(const Settings& settings, std::uint64_t seed, std::span<std::byte> array) {
  Draw draw{std::mt19937_64(seed)};
  const std::size_t n = array.size() / sizeof(Tensor);
  const auto kind = static_cast<Instance>(static_cast<int>(settings["kind"]));
  std::vector<Tensor> tensors;
  if (kind == Instance::kCut && n > 0) tensors = cut_rectangle(draw, n);
  while (tensors.size() < n) {
    const std::uint64_t units =
        kind == Instance::kLarge ? (1U << 23) + draw.below(1U << 23) : 1 + draw.below(4096);
    const std::uint64_t bytes = 256 * units, k = tensors.size();
    std::uint64_t first = 5, last = 9;
    if (kind == Instance::kRandom) {
      first = draw.below(2 * n);
      last = first + draw.below(n / 2 + 1);
    } else if (kind == Instance::kNested) {
      first = k;
      last = 2 * n - k;
    }
    tensors.push_back({first, last, bytes});
  }
  std::ranges::shuffle(tensors, draw.random);
  std::memcpy(array.data(), tensors.data(), array.size());
}

std::vector<std::uint64_t> offsets_in(std::span<const std::byte> output) {
  std::vector<std::uint64_t> offsets(output.size() / sizeof(std::uint64_t));
  std::memcpy(offsets.data(), output.data(), output.size());
  return offsets;
}

constexpr double kMebi = 1024 * 1024;

/// The most bytes alive in a step.
double lower_bound(const CallView& call) {
  const auto tensors = tensors_in(call);
  std::uint64_t most = 0;
  for (const Tensor& at : tensors) {
    std::uint64_t alive = 0;
    for (const Tensor& other : tensors)
      if (other.first <= at.first && at.first <= other.last) alive += other.bytes;
    most = std::max(most, alive);
  }
  return static_cast<double>(most) / kMebi;
}

double peak(const CallView& call, std::span<const std::byte> output) {
  const auto tensors = tensors_in(call);
  const auto offsets = offsets_in(output);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) end = std::max(end, offsets[i] + tensors[i].bytes);
  return static_cast<double>(end) / kMebi;
}

std::string name_of(const Tensor& tensor, std::size_t i, std::uint64_t offset) {
  return "tensor " + std::to_string(i) + " (steps " + std::to_string(tensor.first) + " to " +
         std::to_string(tensor.last) + ", bytes " + std::to_string(offset) + " to " +
         std::to_string(offset + tensor.bytes) + ")";
}

/// What is wrong with a plan; empty when nothing is.
std::string complaint(std::span<const Tensor> tensors, const std::vector<std::uint64_t>& offsets) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 48;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (offsets[i] >= kFar) return "tensor " + std::to_string(i) + " has no offset";
    if (offsets[i] % 256 != 0) return name_of(tensors[i], i, offsets[i]) + " is not at a multiple of 256";
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const bool together = tensors[i].first <= tensors[k].last && tensors[k].first <= tensors[i].last;
      const bool same_bytes =
          offsets[i] < offsets[k] + tensors[k].bytes && offsets[k] < offsets[i] + tensors[i].bytes;
      if (together && same_bytes)
        return name_of(tensors[k], k, offsets[k]) + " and " + name_of(tensors[i], i, offsets[i]) +
               " overlap while both hold values";
    }
  return {};
}

Case instance(Instance kind, const std::string& id, const std::string& words, int n) {
  return {.id = id + "-" + std::to_string(n),
          .title = std::to_string(n) + (n == 1 ? " tensor, " : " tensors, ") + words,
          .settings = {{"n", n}, {"kind", static_cast<int>(kind)}}};
}

std::vector<Case> share_cases() {
  std::vector<Case> cases;
  for (const int n : {1, 2, 3, 33, 100, 200})
    cases.push_back(instance(Instance::kRandom, "random", "any lifetimes", n));
  cases.push_back(instance(Instance::kTogether, "together", "all alive at once", 20));
  cases.back().tells = "nothing to share";
  cases.push_back(instance(Instance::kLarge, "large", "some GB each, all alive at once", 5));
  cases.back().tells = "offsets beyond 2^32";
  cases.push_back(instance(Instance::kNested, "nested", "made forward, used backward", 64));
  cases.back().tells = "lifetimes of activations";
  for (const int n : {2, 7, 50}) cases.push_back(instance(Instance::kCut, "cut", "cut from a rectangle", n));
  cases.push_back(instance(Instance::kRandom, "random", "any lifetimes", 0));
  return cases;
}

Quality packing(int n) {
  return {.id = "peak-" + std::to_string(n),
          .title = "peak of " + std::to_string(n) + " tensors that fit without a gap",
          .unit = "MiB",
          .settings = {{"n", n}, {"kind", static_cast<int>(Instance::kCut)}},
          .bound = lower_bound,
          .value = peak,
          .thresholds = {.pass = 1 / 1.25, .good = 1 / 1.1, .excellent = 1 / 1.02}};
}

Program share_program() {
  Argument tensors = in(
      "tensors", [](const Settings& s) { return 3 * s["n"]; }, Type::kU64);
  tensors.fill = draw_tensors;
  return {.header = "share.h",
          .source = "share.cu",
          .function = "share",
          .arguments = {tensors, out("offsets", "n", Type::kU64), size("n", Type::kS32), stream()},
          .outputs = {{.argument = "offsets",
                       .whole = [](const CallView& call, const Settings&, std::span<const std::byte> got,
                                   std::uint64_t) -> WholeCheck {
                         return {.complaint = complaint(tensors_in(call), offsets_in(got))};
                       }}},
          .host_memory = [](const Settings& s) { return 8 * s["n"]; }};
}

Part share_part() {
  return {
      .letter = "c",
      .title = "memory C: share",
      .program = share_program(),
      .cases = share_cases(),
      .qualities = {packing(32), packing(64), packing(128)},
      .predictions = {{.key = "c_bound",
                       .question = "steps 0-3: 4 MB, 2-5: 2 MB, 4-7: 4 MB, 6-7: 2 MB; the least memory that "
                                   "holds the four tensors",
                       .expected = 6,
                       .unit = "MB"},
                      {.key = "c_apart", .question = "and without sharing", .expected = 12, .unit = "MB"}},
      .deadline_seconds = 10,
      .adapter = "share_worker.cu",
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "memory: recompute, swap, share", .parts = {recompute(), swap(), share_part()}};
}

}  // namespace roofline::grader
