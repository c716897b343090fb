// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/exam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "grader/base/error.h"
#include "grader/base/units.h"

namespace roofline::grader {
namespace {

std::string number(double value) { return compact(value, 4); }
std::string number(int value) { return std::to_string(value); }
std::string bold(const std::string& text) { return "**" + text + "**"; }

struct Paragraphs {
  std::string text, answer;
};

std::string bandwidth(const ExamGpu& gpu) {
  return "The data sheet of the " + gpu.name + " says " + number(gpu.dram_gbps) + " GB/s. ";
}

Paragraphs least_time(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int inputs = draw.between(1, 4), power = draw.between(24, 28), bytes = draw.one_of({2, 4, 8});
  const double moved = (inputs + 1.0) * bytes * std::exp2(power), us = moved / gpu.dram_gbps * 1e-3;
  return {bandwidth(gpu) + "A kernel reads " + number(inputs) + (inputs == 1 ? " array" : " arrays") +
              " and writes one, each of 2^" + number(power) + " elements of " + number(bytes) +
              " bytes. What is the least time it can take?",
          "(" + number(inputs) + " + 1) · " + number(bytes) + " · 2^" + number(power) + " = " +
              number(moved * 1e-6) + " MB; divided by the bandwidth: " + bold(number(us) + " µs")};
}

Paragraphs in_flight(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int latency = draw.one_of({300, 350, 400, 450, 500, 600, 700}), width = draw.one_of({4, 8, 16});
  const double bytes = gpu.dram_gbps * latency, warps = bytes / gpu.sms / (32 * width);
  return {
      bandwidth(gpu) + "It has " + number(static_cast<int>(gpu.sms)) + " SMs. A load takes " +
          number(latency) +
          " ns. How many bytes must be in flight to reach this bandwidth, and how many warps an SM needs for "
          "that if each has one load of " +
          number(width) + " bytes a lane on its way?",
      "Little's law: " + number(gpu.dram_gbps) + " · " + number(latency) + " = " +
          bold(number(bytes * 1e-3) + " kB") + "; on each SM " + number(bytes / gpu.sms) +
          " bytes, over 32 · " + number(width) +
          " bytes a warp: " + bold(number(std::ceil(warps)) + " warps")};
}

Paragraphs sectors(Draw& draw) {
  const int distance = draw.between(1, 12), offset = draw.between(0, 7), width = draw.one_of({4, 8});
  std::set<int> touched;
  for (int lane = 0; lane < 32; ++lane) touched.insert((lane * distance + offset) * width / 32);
  const auto count = static_cast<double>(touched.size());
  return {
      "Lane *i* of a warp loads element " + number(distance) + "·*i* + " + number(offset) +
          " of an array whose first byte is at a multiple of 128. Elements have " + number(width) +
          " bytes. How many sectors of 32 bytes does the load touch, and what share of their bytes does it "
          "use?",
      "The sectors are those of the bytes " + number(width) + "·(" + number(distance) + "·*i* + " +
          number(offset) + ") for *i* = 0 ... 31: " + bold(number(count) + " sectors") + ", of whose " +
          number(32 * count) + " bytes " + number(32 * width) + " are used, " +
          bold(number(100 * width / count) + " %")};
}

Paragraphs ridge(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int bytes = draw.one_of({4, 8, 12, 16, 20, 24});
  const double intensity = gpu.fp32_tflops * 1e3 / gpu.dram_gbps;
  return {bandwidth(gpu) + "Its FP32 lanes do " + number(gpu.fp32_tflops) +
              " TFLOP/s. Where is the ridge point, and how many FMAs can a kernel that moves " +
              number(bytes) + " bytes an element do before they take longer than the bytes?",
          number(gpu.fp32_tflops * 1e3) + " / " + number(gpu.dram_gbps) + " = " +
              bold(number(intensity) + " FLOP/B") + "; an FMA is two FLOPs: " + number(intensity) + " · " +
              number(bytes) + " / 2 = " + bold(number(std::floor(intensity * bytes / 2)) + " FMAs")};
}

Paragraphs batch(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int width = draw.one_of({1024, 2048, 4096, 8192}), rows = draw.one_of({1, 8, 32, 64, 512, 2048});
  const double flops = 2.0 * rows * width * width, bytes = 2.0 * (1.0 * width * width + 2.0 * rows * width);
  const double arithmetic = flops / gpu.tensor_tflops * 1e-6, memory = bytes / gpu.dram_gbps * 1e-3;
  return {bandwidth(gpu) + "Its Tensor Cores do " + number(gpu.tensor_tflops) +
              " TFLOP/s. A layer multiplies " + number(rows) + (rows == 1 ? " row" : " rows") + " of " +
              number(width) + " halves by a " + number(width) + " x " + number(width) +
              " matrix of halves and writes halves. What limits it, and what is its least time?",
          "2·b·d² = " + number(flops * 1e-9) + " GFLOP take " + number(arithmetic) +
              " µs; 2·(d² + 2·b·d) = " + number(bytes * 1e-6) + " MB take " + number(memory) + " µs: " +
              bold(std::string(arithmetic > memory ? "compute" : "memory") + "-bound, " +
                   number(std::max(arithmetic, memory)) + " µs")};
}

Paragraphs fusion(Draw& draw) {
  const int kernels = draw.between(3, 7), extra = draw.between(1, kernels - 1);
  const int apart = 2 * kernels + extra, fused = 2 + extra;
  return {
      "A chain of " + number(kernels) + " elementwise kernels passes one matrix from each to the next. " +
          number(extra) +
          (extra == 1 ? " of them also reads a matrix of its own."
                      : " of them also read a matrix of their own.") +
          " How many passes over a matrix does the chain make, how many does one fused kernel make, and how "
          "much faster is it while bytes are the limit?",
      "2 · " + number(kernels) + " + " + number(extra) + " = " + bold(number(apart) + " passes") +
          " against 2 + " + number(extra) + " = " + bold(number(fused)) + ": " +
          bold(number(1.0 * apart / fused) + " times as fast")};
}

Paragraphs budget(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int bytes = draw.one_of({8, 12, 16}), efficiency = draw.one_of({85, 88, 90, 92}),
            cost = draw.between(20, 120);
  const double slots = gpu.fp32_tflops * 1e3 / 2 * bytes / (gpu.dram_gbps * efficiency / 100);
  return {bandwidth(gpu) + "A copy reaches " + number(efficiency) + " % of that. The FP32 lanes do " +
              number(gpu.fp32_tflops) + " TFLOP/s. A fused kernel moves " + number(bytes) +
              " bytes an element and does " + number(cost) +
              " FP32 instructions on it. How many fit into the time of the bytes, and is the kernel still "
              "memory-bound?",
          "An instruction counts two FLOPs: " + number(gpu.fp32_tflops * 1e3) + " / 2 · " + number(bytes) +
              " / (" + number(gpu.dram_gbps) + " · " + number(efficiency / 100.0) +
              ") = " + bold(number(slots) + " instructions") + ", so " + number(cost) + " leave it " +
              bold(cost < slots ? "memory-bound" : "compute-bound")};
}

Paragraphs tiles(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const int rows = draw.one_of({32, 64, 96, 128, 192, 256}), columns = draw.one_of({32, 64, 128, 256});
  const double intensity = 1.0 * rows * columns / (rows + columns);
  return {
      "Each block of a product of halves computes " + number(rows) + " x " + number(columns) +
          " elements of C. How many FLOPs does it do for each byte that it loads from L2, and what must L2 "
          "deliver to keep the Tensor Cores of the " +
          gpu.name + " (" + number(gpu.tensor_tflops) + " TFLOP/s) busy?",
      "For each step of K: 2·R·S FLOPs and 2·(R + S) bytes: R·S / (R + S) = " +
          bold(number(intensity) + " FLOP/B") + "; " + number(gpu.tensor_tflops) + " / " + number(intensity) +
          " = " + bold(number(gpu.tensor_tflops / intensity) + " TB/s")};
}

Paragraphs banks(Draw& draw) {
  const int halves = draw.one_of({32, 64, 128, 256}), padding = draw.one_of({0, 8, 16, 24, 32});
  const int distance = 2 * (halves + padding);
  std::array<int, 32> rows{};
  for (int row = 0; row < 8; ++row)
    for (int word = 0; word < 4; ++word) ++rows[static_cast<std::size_t>((row * distance / 4 + word) % 32)];
  const int passes = *std::max_element(rows.begin(), rows.end());
  return {
      "A tile in shared memory has rows of " + number(halves) + " halves, padded by " + number(padding) +
          ". Tensor Core operands are loaded as eight rows of 16 bytes, one below the other. Shared memory "
          "has 32 banks of 4 bytes. How many passes does such a load take?",
      "Rows are " + number(distance) + " bytes apart, so row *r* begins in bank " +
          number(distance / 4 % 32) + "·*r* modulo 32 and covers four banks; the busiest bank has " +
          bold(number(passes) + (passes == 1 ? " row: one pass" : " rows: " + number(passes) + " passes"))};
}

Paragraphs graph(Draw& draw) {
  const int kernels = draw.between(10, 60), once = 10 * draw.between(5, 60);
  const double stream = draw.between(22, 34) / 10.0, node = draw.between(8, 16) / 10.0;
  const double gain = kernels * (stream - node);
  return {"A step has " + number(kernels) + " small kernels, which start " + number(stream) +
              " µs apart in a stream and " + number(node) +
              " µs apart in a graph. Building the graph costs " + number(once) +
              " µs, once. After how many steps has it paid for itself?",
          "A replay saves " + number(kernels) + " · (" + number(stream) + " - " + number(node) +
              ") = " + number(gain) + " µs: " + number(once) + " / " + number(gain) + ", so after " +
              bold(number(std::floor(once / gain) + 1) + " steps")};
}

Paragraphs doubling(Draw& draw) {
  const int work = draw.between(5, 80), overhead = 100 - work, scale = draw.between(2, 9);
  const int first = 100 * scale, second = first + work * scale;
  return {"A training step takes " + number(first) + " µs. With twice the batch it takes " + number(second) +
              " µs. What share of the first step is overhead that does not depend on the batch, assuming "
              "that the "
              "rest is proportional to it?",
          "o + w = " + number(first) + ", o + 2·w = " + number(second) + ": w = " + number(second - first) +
              " µs, o = " + number(first - (second - first)) + " µs, " + bold(number(overhead) + " %")};
}

Paragraphs recompute(Draw& draw) {
  const int s = draw.between(3, 9), layers = s * s;
  return {
      "A network of " + number(layers) + " equal layers keeps every " + number(s) +
          "th activation and computes the others again, segment by segment; the last segment is never "
          "released. Two gradients are held as well. How many activations and gradients are held at most, "
          "instead of how many? How many layers are computed twice?",
      "L/s - 1 kept, s of a segment, 2 gradients: " + bold(number(2 * s + 1)) + " instead of " +
          number(layers + 2) + "; (√L - 1)² = " + bold(number((s - 1) * (s - 1)) + " layers")};
}

Paragraphs crossing(Draw& draw) {
  const ExamGpu& gpu = draw.gpu();
  const bool tensor = draw.between(0, 1) == 1;
  const double peak = tensor ? gpu.tensor_tflops : gpu.fp32_tflops, bytes = tensor ? 2 : 4;
  const double ratio = peak * 1e3 / gpu.link_gbps, width = ratio * bytes / 2;
  return {"The " + gpu.name + " does " + number(peak) + " TFLOP/s in " +
              (tensor ? "Tensor Cores (halves)" : "FP32 lanes (floats)") + " and has a link of " +
              number(gpu.link_gbps) +
              " GB/s to its host. From which width D on is it faster to bring an output of an N x D by D x D "
              "product back over the link than to compute it again?",
          "2·D FLOPs for " + number(bytes) + " bytes: D = " + number(bytes) + "/2 · " + number(peak * 1e3) +
              " / " + number(gpu.link_gbps) + " = " + bold(number(width))};
}

Paragraphs lifetimes(Draw& draw) {
  constexpr int kTensors = 6, kSteps = 8;
  std::array<int, kSteps> alive{};
  std::string table = "\n\n| tensor | first step | last step | MB |\n|---|---|---|---|\n";
  for (int t = 0; t < kTensors; ++t) {
    const int first = draw.between(0, kSteps - 2), last = draw.between(first, kSteps - 1),
              size = draw.between(1, 9);
    for (int step = first; step <= last; ++step) alive[static_cast<std::size_t>(step)] += size;
    table +=
        "| " + number(t + 1) + " | " + number(first) + " | " + number(last) + " | " + number(size) + " |\n";
  }
  const auto most = std::max_element(alive.begin(), alive.end());
  return {
      "Tensors may share memory unless both are alive in some step. What is the least memory that any plan "
      "for these can have, and in which step is it needed?" +
          table,
      "The most that is alive at once: " + bold(number(*most) + " MB") + ", in step " +
          number(static_cast<int>(most - alive.begin())) + " first"};
}

struct Subject {
  const char* id;
  Paragraphs (*ask)(Draw&);
};
constexpr Subject kBank[] = {
    {"01-least-time", least_time}, {"01-in-flight", in_flight}, {"01-sectors", sectors},
    {"02-ridge", ridge},           {"02-batch", batch},         {"03-fusion", fusion},
    {"03-budget", budget},         {"04-tiles", tiles},         {"04-banks", banks},
    {"05-graph", graph},           {"05-doubling", doubling},   {"06-recompute", recompute},
    {"06-crossing", crossing},     {"06-lifetimes", lifetimes}};

}  // namespace

std::vector<ExamQuestion> exam_questions(std::uint64_t seed, const std::vector<ExamGpu>& gpus) {
  if (gpus.empty()) throw UsageError("an exam needs a GPU to ask about");
  std::vector<ExamQuestion> questions;
  for (const Subject& subject : kBank) {
    Draw draw(seed, subject.id, gpus);
    Paragraphs paragraphs = subject.ask(draw);
    questions.push_back({subject.id, std::move(paragraphs.text), std::move(paragraphs.answer)});
  }
  return questions;
}

std::string exam_paper(const std::vector<ExamQuestion>& questions, std::uint64_t seed, bool key) {
  std::string text =
      key ? "# Exam: answer key\n\nSeed " + std::to_string(seed) + ". Accept rounding to two digits.\n"
          : "# Exam\n\nShow how you derive each number. A FLOP is one floating-point operation; an "
            "FMA counts two.\n";
  int n = 0;
  for (const ExamQuestion& question : questions) {
    text +=
        "\n## " + std::to_string(++n) + ". Lab " + question.id.substr(0, 2) + "\n\n" + question.text + "\n";
    if (key) text += "\n*" + question.id + ":* " + question.answer + "\n";
  }
  return text;
}

}  // namespace roofline::grader
