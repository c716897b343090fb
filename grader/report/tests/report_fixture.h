// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/judge/call_profile.h"
#include "grader/report/report.h"

/// Six labs' worth of attempts that nobody made.
namespace roofline::grader {

struct FakeLab {
  const char *id, *lab, *title;
};
inline constexpr FakeLab kFakeLabs[] = {{"01", "01-pointwise", "pointwise: the memory wall"},
                                        {"02", "02-intensity", "intensity: how many operations are free"},
                                        {"03a", "03-fusion", "fusion A: cos(cos(x)) in one kernel"},
                                        {"03b", "03-fusion", "fusion B: bias, gelu, dropout and residual"},
                                        {"03c", "03-fusion", "fusion C: a compiler that fuses"},
                                        {"04", "04-gemm", "gemm: Tensor Cores"},
                                        {"05", "05-launch", "launch: when the machine waits for you"},
                                        {"06a", "06-memory", "memory A: recompute"},
                                        {"06b", "06-memory", "memory B: swap"},
                                        {"06c", "06-memory", "memory C: share"}};

inline SweepResult fake_sweep() {
  SweepResult sweep;
  sweep.id = "intensity";
  sweep.title = "more and more FMAs";
  sweep.argument = "repeat";
  sweep.memory_roof = {
      .id = "copy", .title = "", .unit = "GB/s", .value = 1381, .data_sheet = 1555, .time = {}};
  sweep.compute_roof = {
      .id = "fma", .title = "", .unit = "TFLOP/s", .value = 19.3, .data_sheet = 19.5, .time = {}};
  sweep.ridge = 14;
  sweep.knee = 56;
  for (double repeat = 1; repeat <= 512; repeat *= 2) {
    SweepPoint point;
    point.argument = repeat;
    point.intensity = repeat / 4;
    point.tflops = std::min(point.intensity * 1.381, 19.3);
    point.gbps = point.tflops / point.intensity * 1e3;
    point.roof_fraction = 1;
    point.time = {.median_us = 200 + repeat, .q1_us = 200, .q3_us = 210, .n = 3};
    sweep.points.push_back(point);
  }
  return sweep;
}

inline Timeline fake_timeline() {
  Timeline timeline{.spans = {}, .shown_us = 400, .whole_us = 1000};
  for (unsigned i = 0; i < kMostSpans / 4; ++i) {
    const double at = 11.0 * i;
    timeline.spans.push_back({"call", "cudaLaunchKernel", 0, at, at + 2});
    timeline.spans.push_back({"wait", "cudaStreamSynchronize", 0, at + 2, at + 5});
    timeline.spans.push_back({"kernel", "diffuse<float, 4>", 7, at + 2, at + 4});
    timeline.spans.push_back({i % 2 ? "copy-in" : "copy-out", "host to device", 8 + i % 2, at + 1, at + 4.5});
  }
  return timeline;
}

/// The n-th attempt: better each time, the first is wrong.
inline Attempt fake_attempt(const FakeLab& lab, unsigned n, bool last) {
  Attempt attempt;
  Result& result = attempt.result;
  result.lab = lab.lab;
  result.part = lab.id;
  result.source_path = std::string("labs/") + lab.lab + "/file.cu";
  result.source_sha256 = std::string(62, 'a') + std::to_string(10 + n);
  result.device = {.simulated = true,
                   .name = "NVIDIA A100-SXM4-40GB",
                   .id = "",
                   .capability = "8.0",
                   .driver = "simulated",
                   .toolkit = "13.0.88",
                   .model = "3f9a1c2e",
                   .sheet = {1555, 19.5, 312},
                   .environment = {}};
  result.seed = 1234567890123;
  result.started = "2026-01-0" + std::to_string(1 + n % 9) + "T10:15:00Z";
  result.points = 8.0 * n;
  Check build, shape;
  build.id = build.title = "build";
  build.kind = CheckKind::kBuild;
  build.verdict = Verdict::kPass;
  result.checks = {build};
  for (int i = 0; i < 20; ++i) {
    shape.id = "n-" + std::to_string(i);
    shape.title = "n = " + std::to_string(i);
    shape.verdict = n == 0 && i == 7 ? Verdict::kFail : Verdict::kPass;
    shape.reason = n == 0 && i == 7 ? Class::kWrongAnswer : Class::kNone;
    shape.message = n == 0 && i == 7 ? "3 of 7 elements are wrong\n[4] expected 1.5, got 0" : "";
    result.checks.push_back(shape);
  }
  result.verdict = n == 0 ? Verdict::kFail : Verdict::kPass;
  result.reason = n == 0 ? Class::kWrongAnswer : Class::kNone;
  if (n == 0) return attempt;
  const double fraction = std::min(0.97, 0.5 + 0.06 * n);
  Measurement line;
  line.id = "bandwidth";
  line.title = "8 bytes an element, at the copy roof";
  line.roof = {.id = "copy", .title = "", .unit = "GB/s", .value = 1381, .data_sheet = 0, .time = {}};
  line.achieved = fraction * 1381;
  line.fraction = fraction;
  line.thresholds = {0.6, 0.8, 0.9};
  line.medal = fraction >= 0.9 ? Medal::kExcellent : fraction >= 0.8 ? Medal::kGood : Medal::kPass;
  result.medal = line.medal;
  result.measurements = {line};
  if (result.part == "02") result.sweeps = {fake_sweep()};
  result.profile.points = {{"bandwidth", 5e7, 2e8, 2e8 / (fraction * 1381e3), false}};
  if (!last) return attempt;
  attempt.source = "#include \"file.h\"\n";
  for (unsigned i = 2; i <= 90; ++i) {
    attempt.source +=
        "  const float value" + std::to_string(i) + " = fmaf(a, x[i], b);  // what a line says\n";
    if (i % 3 == 0)
      result.profile.lines.push_back({i, 1000.0 * i, 32000.0 * i, 800.0 * i, 400.0 * i, i * 8.0, i * 1.0, 0});
  }
  result.profile.advice = {
      {12, "uncoalesced-access", "this load touches 32 sectors a warp request, 4 would do.", 0.4},
      {0, "launches", "the kernels are short.", 0.1}};
  if (result.part >= "05") result.profile.timeline = fake_timeline();
  if (result.part == "03c")
    result.program_output = "the first kernel:\nextern \"C\" __global__ void fused()\n";
  return attempt;
}

inline ReportData fake_report(unsigned attempts = 10) {
  ReportData data;
  data.made = "2026-01-09 10:15 UTC";
  for (const FakeLab& lab : kFakeLabs) {
    ReportPart part{.id = lab.id, .lab = lab.lab, .title = lab.title, .file = "labs/file.cu", .attempts = {}};
    for (unsigned n = 0; n < attempts; ++n) part.attempts.push_back(fake_attempt(lab, n, n + 1 == attempts));
    data.parts.push_back(std::move(part));
  }
  return data;
}

}  // namespace roofline::grader
