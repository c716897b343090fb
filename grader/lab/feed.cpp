// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/feed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "feed/pictures.h"
#include "grader/base/symbol_name.h"
#include "grader/base/units.h"
#include "grader/lab/case.h"

namespace roofline::grader {
namespace {

/// Batches of an epoch whose workers are timed: what the first one takes is a small part of it.
constexpr double kTimedBatches = 100;

/// The threads of the step's chain, and two operations for each multiply-add.
constexpr double kChainThreads = 256, kDecodeThreads = 32, kFma = 2;

double image_bytes(const Settings& s) { return s["image_bytes"]; }

/// Operations of the step beside which workers are timed: as long on every GPU, and longer than the copy of
/// its batch. Older GPUs have a slower link.
double source_step(const DeviceFacts& device) {
  const double of_an_a100 = 1400.0 / 1410;
  return std::floor(of_an_a100 * device.clock_mhz) * (device.simulated ? 1 : 4) *
         (device.capability < 80 ? 2 : 1);
}

/// What a picture does to the weights that begin at `first`.
void see(const std::uint8_t* picture, std::vector<std::uint32_t>& weights) {
  for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = weights[j] * feed::kForget + picture[j] + 1;
}

/// Picture `image` of an epoch, as the call's arguments say.
using Picture =
    std::function<void(const CallView& call, std::uint64_t epoch, std::uint64_t image, std::uint8_t* to)>;

/// Each epoch has a seed of its own, one more than the last's.
void picture_of_seed(const CallView& call, std::uint64_t epoch, std::uint64_t image, std::uint8_t* to) {
  feed::decode_picture(static_cast<std::uint64_t>(call.scalar("seed")) + epoch, image,
                       static_cast<std::size_t>(call.scalar("image_bytes")), to);
}

/// Each picture of each epoch has a file, which is a seed.
void picture_of_file(const CallView& call, std::uint64_t epoch, std::uint64_t image, std::uint8_t* to) {
  const auto images = static_cast<std::uint64_t>(call.scalar("images"));
  feed::decode_picture(call.input<std::uint64_t>("files")[epoch * images + image], 0,
                       static_cast<std::size_t>(call.scalar("image_bytes")), to);
}

/// Which pictures were learnt, and in which order, as far as a few of the weights tell: what went wrong is
/// looked for among the usual mistakes.
class Epochs {
 public:
  Epochs(const CallView& call, int epochs, const Picture& decode, std::span<const std::byte> got)
      : images_(static_cast<std::size_t>(call.scalar("images"))),
        batch_(static_cast<std::size_t>(call.scalar("batch"))),
        epochs_(static_cast<std::size_t>(epochs)) {
    const auto bytes = static_cast<std::size_t>(call.scalar("image_bytes"));
    std::vector<std::uint8_t> picture(bytes);
    for (std::size_t i = 0; i < epochs_ * images_; ++i) {
      decode(call, i / images_, i % images_, picture.data());
      for (std::size_t k = 0; k < kLook; ++k) pictures_.push_back(picture[place(k, bytes)]);
    }
    for (std::size_t k = 0; k < kLook; ++k) {
      std::uint32_t weight = 0;
      std::memcpy(&weight, &got[place(k, bytes) * sizeof weight], sizeof weight);
      weights_.push_back(weight);
    }
  }

  /// Empty when all is right, or is wrong in another way.
  std::string complaint() const {
    if (gives(in_order())) return {};
    if (gives({})) return "no batch was learnt: the weights are as they were";
    if (std::string all = of_all_epochs(); !all.empty()) return all;
    for (const std::size_t epochs : {std::size_t{1}, epochs_})
      for (std::size_t b = 0; b < epochs * batches(); ++b)
        if (std::string one = of_batch(b, epochs); !one.empty()) return one;
    return {};
  }

 private:
  using Order = std::vector<std::size_t>;      // pictures, numbered over all epochs
  static constexpr std::size_t kLook = 4;      // weights; equal by chance once in 2^128
  static constexpr std::size_t kFarthest = 8;  // between batches that are exchanged

  static std::size_t place(std::size_t k, std::size_t bytes) { return k * (bytes - 1) / (kLook - 1); }
  std::size_t batches() const { return (images_ + batch_ - 1) / batch_; }

  /// Pictures of batch b, numbered over all epochs.
  Order pictures_of(std::size_t b) const {
    const std::size_t first = b % batches() * batch_, epoch = b / batches();
    Order order;
    for (std::size_t i = first; i < std::min(images_, first + batch_); ++i)
      order.push_back(epoch * images_ + i);
    return order;
  }
  /// All batches, of which some are replaced by something else.
  Order in_order(const std::function<Order(std::size_t)>& replaced = {}) const {
    Order all;
    for (std::size_t b = 0; b < epochs_ * batches(); ++b) {
      const Order one = replaced ? replaced(b) : pictures_of(b);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  bool gives(const Order& order) const {
    for (std::size_t k = 0; k < kLook; ++k) {
      std::uint32_t weight = 0;
      for (const std::size_t i : order) weight = weight * feed::kForget + pictures_[kLook * i + k] + 1;
      if (weight != weights_[k]) return false;
    }
    return true;
  }
  std::string of_all_epochs() const {
    const std::size_t last = batches() - 1, rest = pictures_of(last).size();
    const auto is_last = [&](std::size_t b) { return b % batches() == last; };
    const std::string short_one = "the last batch of each epoch, of " + std::to_string(rest) +
                                  (rest == 1 ? " picture, " : " pictures, ");
    if (gives(in_order([&](std::size_t b) { return is_last(b) ? Order{} : pictures_of(b); })))
      return short_one + "was never learnt";
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, last); ++back)
      if (gives(in_order([&](std::size_t b) {
            Order order = pictures_of(b);
            if (!is_last(b)) return order;
            const Order before = pictures_of(b - back);
            order.insert(order.end(), before.begin() + static_cast<std::ptrdiff_t>(rest), before.end());
            return order;
          })))
        return short_one + "was learnt as a full one, with what batch " + std::to_string(last - back) +
               " had left in the buffer";
    if (gives(in_order([&](std::size_t b) { return pictures_of(b % batches()); })))
      return "each epoch learnt the pictures of the first one again";
    return {};
  }

  /// A batch is missing, or another one came in its place, or later: in every epoch, or in this one alone.
  std::string of_batch(std::size_t b, std::size_t epochs) const {
    const std::size_t all = epochs * batches();  // from here on what happens repeats itself
    const auto same = [&](std::size_t at, std::size_t one) { return at % all == one; };
    // Batch `to` in the epoch of batch `at`.
    const auto beside = [&](std::size_t at, std::size_t to) { return at / all * all + to; };
    const auto name = [&](std::size_t one) {
      return "batch " + std::to_string(one % batches()) + " of " +
             (epochs == 1 ? "each epoch" : "epoch " + std::to_string(one / batches()));
    };
    const std::string counted = " (counted from 0)";
    if (gives(in_order([&](std::size_t at) { return same(at, b) ? Order{} : pictures_of(at); })))
      return name(b) + " was never learnt" + counted;
    for (std::size_t other = b - std::min(b, kFarthest); other < std::min(all, b + kFarthest); ++other) {
      if (other == b) continue;
      if (gives(in_order([&](std::size_t at) { return pictures_of(same(at, b) ? beside(at, other) : at); })))
        return name(other) + " was learnt in the place of " + name(b) + counted;
      if (gives(in_order([&](std::size_t at) {
            return pictures_of(same(at, b) ? beside(at, other) : same(at, other) ? beside(at, b) : at);
          })))
        return name(b) + " and " + name(other) + " were exchanged" + counted;
    }
    return {};
  }

  std::size_t images_, batch_, epochs_;
  std::vector<std::uint8_t> pictures_;
  std::vector<std::uint32_t> weights_;
};

/// Weights that are known once all pictures have been seen.
Reference from(std::vector<std::uint32_t> weights) {
  return [weights = std::move(weights)](const CallView&, std::uint64_t begin, std::uint64_t end,
                                        Expected* expected) {
    for (std::uint64_t i = begin; i < end; ++i) expected[i - begin] = {static_cast<double>(weights[i]), 0};
  };
}

/// The weights after all epochs.
Output weights_after(int epochs, const Picture& decode) {
  return {.argument = "weights",
          .tolerance = {.c = 0},
          .whole =
              [=](const CallView& call, const Settings&, std::span<const std::byte> got, std::uint64_t) {
                return WholeCheck{.complaint = Epochs(call, epochs, decode, got).complaint()};
              },
          .reference_of =
              [=](const CallView& call) {
                const auto images = static_cast<std::uint64_t>(call.scalar("images"));
                std::vector<std::uint32_t> weights(static_cast<std::size_t>(call.scalar("image_bytes")));
                std::vector<std::uint8_t> picture(weights.size());
                for (int epoch = 0; epoch < epochs; ++epoch)
                  for (std::uint64_t i = 0; i < images; ++i) {
                    decode(call, static_cast<std::uint64_t>(epoch), i, picture.data());
                    see(picture.data(), weights);
                  }
                return from(std::move(weights));
              }};
}

/// The kernel of this name in common/feed, a template.
bool is_of_feed(const sim::KernelRecord& kernel, const std::string& name) {
  return readable_symbol(kernel.name).starts_with("roofline::feed::" + name + "<");
}

}  // namespace

std::vector<Argument> feed_arguments() {
  return {out("weights", image_bytes, Type::kU32),
          random_integer("seed", 53),
          size("images", Type::kS32),
          size("batch", Type::kS32),
          size("image_bytes"),
          size("work", Type::kS32),
          stream()};
}

Output feed_output(int epochs) { return weights_after(epochs, picture_of_seed); }

NamedValues feed_settings(double images, double batch, double bytes, const Value& work) {
  return {{"images", images}, {"batch", batch}, {"image_bytes", bytes}, {"work", work}};
}

double feed_batch_bytes(const Settings& s) { return s["batch"] * image_bytes(s); }
double feed_bytes(const Settings& s) { return s["images"] * image_bytes(s); }
double feed_flops(const Settings& s) { return kFma * kChainThreads * s["work"] * s["images"]; }

NamedValues timed_feed() {
  // On a GPU decoding takes time too, some 0.1 ms a batch: the step is longer.
  const Value work([](const DeviceFacts& device) { return device.simulated ? 1050.0 : 4200.0; });
  return feed_settings(388, 16, 3 * 148 * 148, work);
}

std::vector<Argument> source_arguments(int epochs) {
  return {in(
              "files", [epochs](const Settings& s) { return epochs * s["images"]; }, Type::kU64),
          out("weights", image_bytes, Type::kU32),
          size("images", Type::kS32),
          size("batch", Type::kS32),
          size("image_bytes"),
          size("work", Type::kS32),
          size("decode", Type::kS32),
          size("workers", Type::kS32),
          stream()};
}

Output source_output(int epochs) { return weights_after(epochs, picture_of_file); }

NamedValues source_settings(NamedValues feed, double workers, const Value& decode) {
  feed.emplace_back("decode", decode);
  feed.emplace_back("workers", workers);
  return feed;
}

double decode_flops(const Settings& s) {
  // Files differ: of 3000 pictures the sum is off by half a per cent.
  constexpr double kAtLeast = 0.97;
  return kAtLeast * kFma * kDecodeThreads * s["decode"] * s["images"];
}

NamedValues timed_source() {
  return source_settings(
      feed_settings(kTimedBatches * 16 - 12, 16, 3 * 148 * 148, Value(source_step)), 4,
      Value([](const DeviceFacts& device) { return std::floor(3.1 * source_step(device)); }));
}

namespace {

/// Operations of the chains of one kind, and what is wrong with them.
class Chains {
 public:
  Chains(std::string name, double threads) : name_(std::move(name)), threads_(threads) {}

  void see(const sim::KernelRecord& kernel) {
    if (readable_symbol(kernel.name) != name_ || kernel.grid.count() != 1 ||
        static_cast<double>(kernel.block.count()) != threads_)
      return;
    const auto flops =
        static_cast<double>(kernel.counters.flops[static_cast<std::size_t>(sim::FlopType::kF32)]);
    // A multiply-add waits four clocks for the one before it, on every GPU that there is a file of.
    constexpr double kClocks = 4, kRounding = 0.99;
    const double clocks = std::min(kernel.counters.block_cycles_l2, kernel.counters.block_cycles_dram);
    if (clocks < kRounding * kClocks * flops / (kFma * threads_)) return;
    done_ += flops;
    spans_.emplace_back(kernel.start, kernel.end);
  }

  double done() const { return done_; }
  unsigned most_at_a_time() const { return grader::most_at_a_time(spans_); }

 private:
  std::string name_;
  double threads_, done_ = 0;
  std::vector<std::pair<double, double>> spans_;
};

}  // namespace

StructureCheck chains_done(std::function<double(const Settings&)> steps,
                           std::function<double(const Settings&)> workers) {
  return {"work", "the device does all of the work",
          [steps = std::move(steps),
           workers = std::move(workers)](const Observation& seen) -> std::optional<std::string> {
            Chains think("roofline::feed::think<void>", kChainThreads),
                decode("roofline::feed::decode<void>", kDecodeThreads);
            for (const sim::KernelRecord& kernel : seen.region.kernels) {
              think.see(kernel);
              decode.see(kernel);
            }
            const auto missing = [&](double done, double needed, const char* whose) {
              return "the chains of the " + std::string(whose) + " did " +
                     format_number("%.2f", done / needed) +
                     " of the floating-point operations that the task has";
            };
            if (const double needed = steps(seen.settings); think.done() < needed)
              return missing(think.done(), needed, "steps");
            if (const double needed = workers ? workers(seen.settings) : 0; decode.done() < needed)
              return missing(decode.done(), needed, "workers");
            if (const unsigned most = think.most_at_a_time(); most > 1)
              return whole(most) +
                     " steps ran at the same time: each needs the weights that the one before leaves";
            return std::nullopt;
          }};
}

StructureCheck decoded_by_workers(int epochs) {
  return {"workers", "each batch is decoded by a worker",
          [epochs](const Observation& seen) -> std::optional<std::string> {
            const double workers = seen.settings["workers"],
                         batches = epochs * std::ceil(seen.settings["images"] / seen.settings["batch"]);
            std::vector<std::pair<double, double>> busy;
            double decoded = 0, delivered = 0;
            for (const sim::KernelRecord& kernel : seen.region.kernels) {
              const bool decodes = is_of_feed(kernel, "decode"), delivers = is_of_feed(kernel, "deliver");
              decoded += decodes ? 1 : 0;
              delivered += delivers ? 1 : 0;
              if (decodes || delivers)
                busy.emplace_back(kernel.start, kernel.end);
              else if (!is_of_feed(kernel, "learn") && !is_of_feed(kernel, "think"))
                return readable_symbol(kernel.name) + " is neither the workers' nor the step's";
            }
            if (decoded != batches || delivered != batches)
              return "workers decoded " + whole(std::max(decoded, delivered)) + " batches instead of " +
                     whole(batches);
            if (const unsigned most = most_at_a_time(busy); most > workers)
              return whole(most) + " batches were decoded at the same time, by " + whole(workers) +
                     " workers";
            if (seen.region.device_to_host_bytes > 0)
              return whole(static_cast<double>(seen.region.device_to_host_bytes)) +
                     " bytes were copied back to the host";
            return std::nullopt;
          }};
}

std::vector<Roof> feed_roofs() {
  Output weights{.argument = "weights", .tolerance = {.c = 0}, .reference_of = [](const CallView& call) {
                   const auto pictures = call.input<std::uint8_t>("pictures");
                   const auto images = static_cast<std::size_t>(call.scalar("images")),
                              batch = static_cast<std::size_t>(call.scalar("batch"));
                   std::vector<std::uint32_t> seen(pictures.size() / batch);
                   for (std::size_t i = 0; i < images; ++i) see(&pictures[i % batch * seen.size()], seen);
                   return from(std::move(seen));
                 }};
  Roof steps{.id = "feed-step",
             .title = "steps of training whose batches are on the device already",
             .unit = "TFLOP/s",
             .program = {.header = "feed_step.h",
                         .source = "feed_step.cu",
                         .function = "feed_step_roof",
                         .arguments = {in("pictures", feed_batch_bytes, Type::kU8),
                                       out("weights", image_bytes, Type::kU32), size("images", Type::kS32),
                                       size("batch", Type::kS32), size("image_bytes"),
                                       size("work", Type::kS32), stream()},
                         .outputs = {std::move(weights)}},
             .settings = timed_feed(),
             .work = feed_flops,
             .unit_scale = 1e12,
             .of_hardware = false};
  Roof longer = steps;  // the steps beside which workers are timed
  longer.id = "source-step";
  longer.settings = timed_source();
  return {std::move(steps), std::move(longer)};
}

}  // namespace roofline::grader
