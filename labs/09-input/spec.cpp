// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <cmath>
#include <string>

#include "grader/lab/feed.h"
#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

constexpr std::uint64_t kColours = 3;

// ---- A: bytes to halves ----

double elements(const Settings& s) { return s["images"] * s["pixels"] * kColours; }

/// S has, beside the value, what float arithmetic may add to it, in units of the half's roundoff: a
/// difference, a product, and both again where the compiler was asked for x * scale - mean * scale.
void normalise_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<std::uint8_t>("nhwc");
  const auto means = call.input<float>("mean"), scales = call.input<float>("scale");
  const auto pixels = static_cast<std::uint64_t>(call.scalar("pixels"));
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t plane = i / pixels, pixel = i % pixels, image = plane / kColours,
                        c = plane % kColours;
    const double byte = x[(image * pixels + pixel) * kColours + c], mean = means[c], scale = scales[c];
    const double value = (byte - mean) * scale;
    const double error = 4 * kRoundoffF32 * (byte + std::abs(mean)) * std::abs(scale);
    expected[i - begin] = {value, std::abs(value) + error / kRoundoffF16};
  }
}

NamedValues pictures(double images, double pixels) { return {{"images", images}, {"pixels", pixels}}; }

Case batch(double images, double pixels, const std::string& tells = "") {
  Case result{.id = whole(images) + "x" + whole(pixels),
              .title = whole(images) + (images == 1 ? " image of " : " images of ") + whole(pixels) +
                       (pixels == 1 ? " pixel" : " pixels"),
              .settings = pictures(images, pixels)};
  result.tells = tells;
  return result;
}

std::vector<Case> normalise_cases() {
  std::vector<Case> cases;
  for (const auto& [images, pixels] : std::initializer_list<std::pair<double, double>>{{0, 64},
                                                                                       {5, 0},
                                                                                       {1, 1},
                                                                                       {1, 8},
                                                                                       {3, 16},
                                                                                       {1, 255},
                                                                                       {2, 256},
                                                                                       {1, 257},
                                                                                       {7, 1024},
                                                                                       {3, 1023},
                                                                                       {1, 65'536},
                                                                                       {700, 32},
                                                                                       {2, 50'176},
                                                                                       {20'011, 8},
                                                                                       {1, 349'527},
                                                                                       {7, 50'178}})
    cases.push_back(batch(images, pixels));
  cases.push_back(batch(5, 1001, "pictures of an odd number of pixels"));
  cases.push_back(batch(3, 3364, "a multiple of four pixels, not of eight"));
  cases.push_back(batch(67'000, 4, "more images than a grid has rows"));
  for (const unsigned by : {1U, 2U, 4U})
    cases.push_back(misaligned(batch(9, 256, by == 1 ? "unaligned pointers" : ""), by));
  Case huge = batch(14'300, 50'176);
  huge.id = "beyond-2^31";
  huge.title = "more than 2^31 elements";
  huge.gpu_only = true;
  huge.needs_memory = 6'600'000'000;
  cases.push_back(huge);
  return cases;
}

Part normalise() {
  const auto colours = [](const Settings&) { return static_cast<double>(kColours); };
  const auto bytes = [](const Settings& s) { return 3 * elements(s); };
  return {
      .letter = "a",
      .title = "input A: bytes become numbers on the GPU",
      .program = {.header = "normalise.h",
                  .source = "normalise.cu",
                  .function = "normalise",
                  .arguments = {in("nhwc", elements, Type::kU8), out("nchw", elements, Type::kF16),
                                between(90, 140, in("mean", colours)),
                                between(0.012, 0.02, in("scale", colours)), size("images", Type::kS32),
                                size("pixels", Type::kS32), stream()},
                  .outputs = {{.argument = "nchw",
                               .reference = normalise_reference,
                               .tolerance = {.c = 1, .u = kRoundoffF16},
                               .columns = [](const Settings& s) { return s["pixels"]; }}}},
      .cases = normalise_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "3 bytes an element, at the copy roof",
                 .settings = {{"images", rows_beyond_l2({.row_bytes = 9 * 50'176})}, {"pixels", 50'176}},
                 .roof = "copy",
                 .work = bytes,
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {one_kernel(), traffic_at_most(1.1, bytes), no_local_memory()},
      .second_device = "h200",
      .predictions = {{.key = "a_bytes",
                       .question = "DRAM bytes for one element: a byte in, a half out",
                       .expected = 3,
                       .unit = "B"},
                      {.key = "a_link_ms",
                       .question = "256 images of 3 x 224 x 224 bytes over a link of 25 GB/s",
                       .expected = 1.541,
                       .factor = 1.05,
                       .unit = "ms"},
                      {.key = "a_link_ms_floats",
                       .question = "and as floats from ordinary memory, at 10 GB/s",
                       .expected = 15.41,
                       .factor = 1.05,
                       .unit = "ms"},
                      {.key = "a_sectors",
                       .question = "sectors that a warp writes where each thread stores one half",
                       .expected = 2},
                      {.key = "a_microseconds",
                       .question = "time to convert these images on the A100-40 at its data-sheet bandwidth",
                       .expected = 74.3,
                       .factor = 1.25,
                       .unit = "us"}},
  };
}

// ---- B: the feed ----

constexpr double kEpochs = 2, kBuffers = 2;  // feed_worker.cu runs two epochs

std::vector<Case> feed_cases() {
  std::vector<Case> cases;
  const auto add = [&](double images, double batch, double bytes, const std::string& tells = "") {
    cases.push_back({.id = whole(images) + "-in-" + whole(batch) + "s-of-" + whole(bytes),
                     .title = whole(images) + (images == 1 ? " picture of " : " pictures of ") +
                              whole(bytes) + " bytes, " + whole(batch) + " a batch",
                     .settings = feed_settings(images, batch, bytes, 100)});
    cases.back().tells = tells;
  };
  add(12, 4, 1200);
  add(9, 4, 1200, "a short last batch, a buffer that is used again");
  add(1, 1, 4);
  add(5, 5, 300);
  add(3, 8, 768);
  add(0, 4, 64);
  add(20, 1, 48);
  add(17, 2, 4096);
  add(50, 7, 2500);
  add(26, 8, 12'288);
  return cases;
}

double link_bytes(const Settings& s) { return kEpochs * feed_bytes(s); }

Part feed_part() {
  const auto link = [](const std::string& roof) { return RoofShare{roof, link_bytes}; };
  const auto both_buffers = [](const Settings& s) { return kBuffers * feed_batch_bytes(s); };
  return {
      .letter = "b",
      .title = "input B: the next batch travels while this one computes",
      .program = {.header = "feed.h",
                  .source = "feed.cu",
                  .function = "feed_epoch",
                  .arguments = feed_arguments(),
                  .outputs = {feed_output(static_cast<int>(kEpochs))},
                  // Room for floats, too: that they take too long is what a learner should read.
                  .host_memory = [](const Settings& s) { return 5 * link_bytes(s) + 1024 * 1024; }},
      .cases = feed_cases(),
      .overlaps = {{.id = "overlap",
                    .title = "two epochs of 24 batches and a short one: copies behind steps",
                    .settings = timed_feed(),
                    .kernels = {"feed-step", [](const Settings& s) { return kEpochs * feed_flops(s); }},
                    .copies = {link("link-in-1m")},
                    .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {over_the_link(1.05, link_bytes), pinned_at_most(both_buffers),
                    device_memory_at_most([](const Settings& s) {
                      return kBuffers * feed_batch_bytes(s) + 4 * s["image_bytes"];
                    }),
                    chains_done([](const Settings& s) { return kEpochs * feed_flops(s); })},
      .steps = {{.id = "bytes",
                 .title = "right, and bytes travel",
                 .how = "One buffer on each side and one stream will do: decode, copy, step, wait.",
                 .checks = {"link"}},
                {.id = "hidden",
                 .title = "copies run beside steps",
                 .how = "Pinned memory, a stream for the copies, and a second buffer on each side.",
                 .measurement = "overlap",
                 .at_least = 0.40},
                {.id = "events",
                 .title = "streams wait for each other, not the host for both, with two buffers on each side",
                 .how = "Record an event behind each copy and behind each step. Who has to wait for which?",
                 .measurement = "overlap",
                 .at_least = 0.90,
                 .checks = {"link", "pinned-buffers", "device-buffers"}}},
      .predictions = {{.key = "b_turns_ms",
                       .question = "100 batches, one after the other: a copy of 1.5 ms, a step of 2 ms",
                       .expected = 350,
                       .unit = "ms"},
                      {.key = "b_two_ms",
                       .question = "and with two buffers",
                       .expected = 201.5,
                       .factor = 1.005,
                       .unit = "ms"},
                      {.key = "b_three_ms",
                       .question = "and with three",
                       .expected = 201.5,
                       .factor = 1.005,
                       .unit = "ms"},
                      {.key = "b_utilisation",
                       .question = "percent of the time in which a step runs, with one buffer",
                       .expected = 57.1,
                       .factor = 1.02,
                       .unit = "%"},
                      {.key = "b_who",
                       .question = "decoding into a pinned buffer again: who waits, the host or a stream?",
                       .word = "host"}},
      .prepares = true,
      .adapter = "feed_worker.cu",
  };
}

// ---- C: the workers ----

std::vector<Case> workers_cases() {
  std::vector<Case> cases;
  const auto add = [&](double images, double batch, double bytes, double workers,
                       const std::string& tells = "", double decode = 6000) {
    cases.push_back(
        {.id = whole(workers) + "-for-" + whole(images) + "-in-" + whole(batch) + "s-of-" + whole(bytes),
         .title = whole(workers) + (workers == 1 ? " worker, " : " workers, ") + whole(images) +
                  (images == 1 ? " picture of " : " pictures of ") + whole(bytes) + " bytes, " +
                  whole(batch) + " a batch",
         .settings = source_settings(feed_settings(images, batch, bytes, 100), workers, decode)});
    cases.back().tells = tells;
  };
  add(23, 2, 1200, 2);
  add(21, 2, 1200, 2, "a short last batch, buffers that are used again");
  // Slower than the host: it comes too early for each batch, and some later one may be ready. In fewer
  // than one of five hundred runs none is: with 24 batches it was one of sixty.
  add(36, 1, 304, 3, "batches that are ready out of order", 40'000);
  add(1, 1, 16, 1);
  add(5, 1, 64, 8);
  add(6, 3, 768, 4);
  add(0, 4, 64, 2);
  add(17, 2, 4096, 1);
  add(50, 3, 2512, 4);
  add(39, 4, 12'288, 3);
  return cases;
}

Part workers_part() {
  constexpr int kTwo = static_cast<int>(kEpochs);  // workers_worker.cu runs as many
  const auto flops = [](const Settings& s) { return kEpochs * feed_flops(s); };
  return {
      .letter = "c",
      .title = "input C: several workers decode what the next steps need",
      .program = {.header = "workers.h",
                  .source = "workers.cu",
                  .function = "loader_epoch",
                  .arguments = source_arguments(kTwo),
                  .outputs = {source_output(kTwo)},
                  .host_memory = [](const Settings& s) { return 5 * link_bytes(s) + 1024 * 1024; }},
      .cases = workers_cases(),
      .goals = {{.id = "utilisation",
                 .title = "two epochs of 100 batches: the share of the time in which a step runs",
                 .settings = timed_source(),
                 .roof = "source-step",
                 .work = flops,
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {decoded_by_workers(kTwo), over_the_link(1.05, link_bytes),
                    pinned_at_most([](const Settings& s) { return 2 * s["workers"] * feed_batch_bytes(s); }),
                    device_memory_at_most([](const Settings& s) {
                      return kBuffers * feed_batch_bytes(s) + 4 * s["image_bytes"] +
                             8 * kEpochs * s["images"];
                    }),
                    chains_done([](const Settings& s) { return kEpochs * feed_flops(s); },
                                [](const Settings& s) { return kEpochs * decode_flops(s); })},
      .steps = {{.id = "in-turn",
                 .title = "right, with one batch after the other",
                 .how = "Ask for batch i, wait for it, copy it, run the step, and begin again.",
                 .checks = {"link"}},
                {.id = "all-workers",
                 .title = "every worker has something to do",
                 .how = "Ask for as many batches as there are workers before you wait for the first, and for "
                        "another one whenever a pinned buffer is free.",
                 .measurement = "utilisation",
                 .at_least = 0.50},
                {.id = "ahead",
                 .title = "no worker waits, and no step, with the buffers that are allowed",
                 .how = "A worker that hands over its batch needs the next request already. And copies run "
                        "beside steps, as in part B.",
                 .measurement = "utilisation",
                 .at_least = 0.90,
                 .checks = {"link", "pinned-buffers", "device-buffers"}}},
      .predictions = {{.key = "c_turns",
                       .question =
                           "percent of the time in which a step runs: decode, copy and step take turns",
                       .expected = 12.9,
                       .factor = 1.03,
                       .unit = "%"},
                      {.key = "c_one",
                       .question = "and with one worker that always has something to do, copies beside steps",
                       .expected = 16.7,
                       .factor = 1.03,
                       .unit = "%"},
                      {.key = "c_four",
                       .question = "and with four workers",
                       .expected = 66.7,
                       .factor = 1.03,
                       .unit = "%"},
                      {.key = "c_workers",
                       .question = "the fewest workers with which steps need not wait",
                       .expected = 6},
                      {.key = "c_between",
                       .question = "batches that are being decoded or copied, on average, when no step waits",
                       .expected = 6.75,
                       .factor = 1.02}},
      .prepares = true,
      .adapter = "workers_worker.cu",
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "input: who feeds the GPU?", .parts = {normalise(), feed_part(), workers_part()}};
}

}  // namespace roofline::grader
