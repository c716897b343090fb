// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The learner's page: nothing foreign becomes markup, nothing is loaded, everything said is there.
#include "grader/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "grader/judge/call_profile.h"
#include "grader/report/report_data.h"
#include "grader/report/report_figures.h"
#include "grader/report/report_page.h"
#include "grader/text/html.h"
#include "report_fixture.h"

namespace roofline::grader {
namespace {

size_t count(const std::string& text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

#define EXPECT_HOLDS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (part)

// ---- the writer ----

TEST(Html, EscapesTextAndAttributes) {
  Html html;
  html.open("p", {{"title", "a\"b<c>&\x01"}}).text("</p><script>\xff").close();
  EXPECT_EQ(html.str(), "<p title=\"a&quot;b&lt;c&gt;&amp;?\">&lt;/p&gt;&lt;script&gt;?</p>\n");
}

TEST(Html, RefusesUnbalancedElements) {
  Html html;
  EXPECT_THROW(html.close(), std::logic_error);
  html.open("p");
  EXPECT_THROW(html.str(), std::logic_error);
}

// ---- the page ----

/// Every string that comes from outside.
void poison(ReportData& data, const std::string& text) {
  data.heading = data.made = text;
  for (ReportPart& part : data.parts) {
    part.lab = part.title = part.file = part.id = text;
    for (Attempt& attempt : part.attempts) {
      attempt.source = text + "\n" + text;
      Result& r = attempt.result;
      r.lab = r.part = r.source_path = r.source_sha256 = r.started = r.program_output = text;
      r.device.name = r.device.capability = r.device.driver = r.device.toolkit = r.device.model = text;
      for (Check& check : r.checks) {
        check.id = check.title = check.message = check.file = text;
        check.line = 3;
        check.verdict = Verdict::kFail;
      }
      for (Measurement& line : r.measurements) line.id = line.title = line.roof.unit = line.roof.id = text;
      for (SweepResult& sweep : r.sweeps) sweep.title = sweep.argument = sweep.id = text;
      for (RooflinePoint& point : r.profile.points) point.id = text;
      for (LineAdvice& advice : r.profile.advice) advice.message = text, advice.line = 1;
      for (LineCounts& line : r.profile.lines) line.line = std::min(line.line, 2U);
      for (TimelineSpan& span : r.profile.timeline.spans) span.name = text;
      r.one_time = {{text, 3}};
    }
  }
}

// Breaks when any foreign string reaches the page as it is.
TEST(Report, NothingForeignBecomesMarkup) {
  ReportData data = fake_report(3);
  poison(data, "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>");
  const std::string page = report_page(data);
  EXPECT_EQ(count(page, "<script"), 1U);
  EXPECT_EQ(count(page, "</script"), 1U);
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "\"'>"), 0U);
  EXPECT_GT(count(page, "&lt;script&gt;alert(1)"), 100U);
}

// Breaks when a picture, font or style would be fetched from somewhere.
TEST(Report, LoadsNothing) {
  const std::string page = report_page(fake_report());
  for (const char* loads : {" src=", "url(", "@import", "<link", "http://", "https://"})
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
  EXPECT_HOLDS(page, "default-src 'none'");
}

// Breaks when a colour is missing in one of the lists: light, dark (twice), print.
TEST(Report, EachListHasAllColours) {
  const std::string style(kReportStyle);
  const std::regex name("(--[a-z]+):");
  std::vector<std::set<std::string>> lists;
  for (size_t at = style.find(" color-scheme:"); at != std::string::npos;
       at = style.find(" color-scheme:", at + 1)) {
    const std::string list = style.substr(at, style.find('}', at) - at);
    std::set<std::string>& names = lists.emplace_back();
    for (std::sregex_iterator one(list.begin(), list.end(), name), end; one != end; ++one)
      names.insert((*one)[1]);
  }
  ASSERT_EQ(lists.size(), 4U);
  EXPECT_TRUE(lists[0].contains("--gold"));
  for (const std::set<std::string>& names : lists) EXPECT_EQ(names, lists[0]);
}

// Sixty attempts at every part, and timelines as long as they get.
TEST(Report, SixLabsAreUnder300KB) {
  const std::string page = report_page(fake_report(60));
  EXPECT_LT(page.size(), 300'000U);
  RecordProperty("bytes", static_cast<int>(page.size()));
}

TEST(Report, SaysWhatIsSimulated) {
  ReportData data = fake_report(2);
  EXPECT_HOLDS(report_page(data), "modelled: simulated NVIDIA A100-SXM4-40GB");
  for (ReportPart& part : data.parts)
    for (Attempt& attempt : part.attempts) attempt.result.device.simulated = false;
  const std::string page = report_page(data);
  EXPECT_HOLDS(page, "measured: NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(page.find("modelled: "), std::string::npos);
}

// Breaks when a figure is there for eyes alone.
TEST(Report, EveryFigureHasNamesAndATable) {
  const std::string page = report_page(fake_report());
  EXPECT_GE(count(page, "<svg class=\"figure\""), 1U + 10 + 1 + 4);
  EXPECT_EQ(count(page, "<svg class=\"figure\""), count(page, "as a table</summary>"));
  EXPECT_EQ(count(page, "<svg class=\"figure\""), count(page, "<desc id="));
  for (const char* landmark : {"<header>", "<nav aria-label", "<main>", "<footer>", "lang=en"})
    EXPECT_HOLDS(page, landmark);
}

TEST(Report, WithoutAttemptsItSaysHowToBegin) {
  ReportData data = fake_report(0);
  EXPECT_EQ(next_step(data).command, "./lab grade 01");
  EXPECT_HOLDS(report_page(data), "not started");
}

TEST(Report, NextStepFollowsWhatWasReached) {
  ReportData data = fake_report(5);
  data.parts[3].attempts.resize(1);
  EXPECT_EQ(next_step(data).command, "./lab hint 03b");
  EXPECT_HOLDS(next_step(data).sentence, "3 of 7 elements are wrong");
  data = fake_report(9);
  data.parts[5].attempts.resize(3);
  EXPECT_EQ(next_step(data).command, "./lab hint 04") << "the lowest medal has most room";
  EXPECT_HOLDS(next_step(data).sentence, "Every lab is passed");
  data.of_some = true;
  EXPECT_HOLDS(next_step(data).sentence, "All that is on this page is passed");
  data.own = false;
  EXPECT_EQ(next_step(data).command, "") << "somebody else's page";
}

// Breaks when advice is not beside its line or a waste is not marked.
TEST(Report, SourceLinesCarryCountsAndAdvice) {
  const std::string page = report_page(fake_report());
  const size_t line = page.find("value12 ="), advice = page.find("this load touches", line),
               next = page.find("value13 =", line);
  ASSERT_NE(line, std::string::npos);
  EXPECT_LT(advice, next);
  EXPECT_HOLDS(page, "<td class=\"m bad\">2.00×");
}

TEST(Report, AFileOfResultsIsSomebodysPage) {
  Result known = fake_attempt(kFakeLabs[0], 3, false).result, other = known;
  other.part = "99z";
  const ReportData data = report_of_results(all_labs(), {other, known}, "Ada");
  const std::string page = report_page(data);
  EXPECT_HOLDS(page, "<h1>Ada</h1>");
  EXPECT_HOLDS(page, "id=lab-01");
  EXPECT_HOLDS(page, "id=lab-99z");
  EXPECT_EQ(page.find(">Next<"), std::string::npos);
}

// ---- figures ----

TEST(ReportFigures, OneRooflineADevice) {
  ReportData data = fake_report(4);
  data.parts[0].attempts[2].result.device.simulated = false;
  data.parts[0].attempts[2].result.device.name = "NVIDIA H200";
  Measurement elsewhere;  // of an attempt on the first device
  elsewhere.roof.id = "copy", elsewhere.roof.value = 4233;
  elsewhere.device = "NVIDIA H200";
  data.parts[0].attempts.back().result.measurements.push_back(elsewhere);
  const auto devices = rooflines_of(data);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].device.name, "NVIDIA H200");
  EXPECT_EQ(devices[1].points.size(), 1U);
  EXPECT_EQ(devices[0].roofs.copy_gbps, 1381);
  EXPECT_EQ(devices[0].roofs.fp32_tflops, 19.3) << "from the sweep";
  EXPECT_EQ(devices[0].roofs.tensor_tflops, 0) << "not measured: only the data sheet's line";
  const std::string svg = roofline_figure(devices[0]).embedded("f", "xy");
  EXPECT_HOLDS(svg, "copy 1381 GB/s");
  EXPECT_HOLDS(svg, "FP32 19.3 TFLOP/s");
  EXPECT_HOLDS(svg, "data sheet Tensor Cores 312 TFLOP/s");
  EXPECT_EQ(count(svg, "class=\"best\""), 10U);
  EXPECT_EQ(count(svg, "<circle"), devices[0].points.size());
}

TEST(ReportFigures, PointsStandAtTheirIntensity) {
  ReportData data = fake_report(2);
  const auto devices = rooflines_of(data);
  const PlacedPoint& point = devices.at(0).points.at(0);
  EXPECT_DOUBLE_EQ(point.intensity, 0.25);
  EXPECT_NEAR(point.tflops, 0.56 * 1.381 / 4, 1e-9);
  EXPECT_TRUE(point.best);
}

TEST(ReportFigures, LadderShowsEveryAttemptAndTheThresholds) {
  const ReportData data = fake_report(6);
  const auto svg = ladder_figure(data.parts[0]);
  ASSERT_TRUE(svg);
  const std::string text = svg->embedded("f");
  EXPECT_EQ(count(text, "<circle"), 6U);
  EXPECT_EQ(count(text, "class=\"failed\""), 1U);
  EXPECT_EQ(count(text, "class=\"best\""), 1U);
  for (const char* name :
       {"pass 60 %", "good 80 %", "excellent 90 %", "attempt 1, 2026-01-01T10:15:00Z: wrong-answer"})
    EXPECT_HOLDS(text, name);
  EXPECT_FALSE(ladder_figure(fake_report(1).parts[0])) << "one attempt is no ladder";
}

TEST(ReportFigures, TimelineHasARowForHostStreamsAndCopyEngines) {
  const auto svg = timeline_figure(fake_timeline(), {});
  ASSERT_TRUE(svg);
  const std::string text = svg->embedded("f", "x");
  for (const char* row : {">host<", ">stream 7<", ">copy in<", ">copy out<"}) EXPECT_HOLDS(text, row);
  EXPECT_EQ(count(text, "<rect"), fake_timeline().spans.size());
  EXPECT_FALSE(timeline_figure({}, {}));
}

// ---- what a grade keeps for it ----

sim::LineRecord instruction(const char* file, unsigned line, std::uint64_t warps) {
  sim::LineRecord result;
  result.kernel = "k";
  result.function = "k";
  result.file = file;
  result.line = line;
  result.ptx = "add.f32";
  result.ptx_line = line + 100;
  result.counters.warps = warps;
  result.counters.sectors = 4 * warps;
  return result;
}

TEST(CallProfile, CountsBelongToTheLearnersFile) {
  auto inlined = instruction("/usr/include/math.h", 9, 5);
  inlined.caller_file = "/home/me/labs/01/a.cu";
  inlined.caller_line = 3;
  const auto counts =
      counts_by_line({instruction("/home/me/labs/01/a.cu", 3, 10), inlined,
                      instruction("/home/me/labs/01/a.cu", 7, 0), instruction("b.cu", 3, 100)},
                     "labs/01/a.cu");
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].line, 3U);
  EXPECT_EQ(counts[0].warps, 15);
  EXPECT_EQ(counts[0].sectors, 60);
}

TEST(CallProfile, TakesOffWhatWasThereBefore) {
  const auto since =
      lines_since({instruction("a.cu", 3, 10), instruction("a.cu", 3, 1)},
                  {instruction("a.cu", 3, 15), instruction("a.cu", 3, 1), instruction("a.cu", 4, 2)});
  ASSERT_EQ(since.size(), 3U);
  EXPECT_EQ(since[0].counters.warps, 5U);
  EXPECT_EQ(since[1].counters.warps, 0U);
  EXPECT_EQ(since[2].counters.warps, 2U);
}

TEST(CallProfile, TheTimelineBeginsWithTheCallOfTheFirstKernel) {
  sim::Trace trace;
  const auto add = [&](sim::TraceSpan::Kind kind, const char* name, double from, double to,
                       std::uint64_t call, std::uint64_t kernel) {
    sim::TraceSpan span;
    span.kind = kind;
    span.name = name;
    span.start = from * 1e-6;
    span.end = to * 1e-6;
    span.call = call;
    span.kernel = kernel;
    trace.spans.push_back(span);
  };
  using Kind = sim::TraceSpan::Kind;
  add(Kind::kCall, "cudaMemcpy", 0, 50, 1, 0);
  add(Kind::kCall, "cudaLaunchKernel", 60, 62, 2, 0);
  add(Kind::kKernel, "_Z5scalePf", 63, 80, 2, 17);
  add(Kind::kCall, "cudaStreamSynchronize", 62, 81, 3, 0);
  add(Kind::kCall, "cudaMemcpy", 90, 95, 4, 0);
  sim::Region region;
  region.virtual_seconds = 21e-6;
  region.kernels.resize(1);
  region.kernels[0].ordinal = 17;
  const Timeline timeline = timeline_of(trace, region);
  ASSERT_EQ(timeline.spans.size(), 3U);
  EXPECT_EQ(timeline.spans[0].kind, "call");
  EXPECT_EQ(timeline.spans[0].start_us, 0);
  EXPECT_EQ(timeline.spans[1].kind, "wait");
  EXPECT_EQ(timeline.spans[2].name, "scale");
  EXPECT_NEAR(timeline.spans[2].start_us, 3, 1e-9);
  EXPECT_NEAR(timeline.whole_us, 21, 1e-9);
}

// Breaks when a host that makes many short calls leaves no room for what the device did.
TEST(CallProfile, BriefCallsMakeRoomForTheDevice) {
  sim::Trace trace;
  for (unsigned i = 0; i < 1000; ++i) {
    sim::TraceSpan call, kernel;
    call.kind = sim::TraceSpan::Kind::kCall;
    call.name = "cudaEventRecord";
    call.call = i + 1;
    call.start = i * 0.1e-6;
    call.end = call.start + 0.1e-6;
    trace.spans.push_back(call);
    if (i % 50 != 0) continue;
    kernel.kind = sim::TraceSpan::Kind::kKernel;
    kernel.name = "k";
    kernel.call = kernel.kernel = i + 1;
    kernel.start = i * 1e-6;
    kernel.end = kernel.start + 40e-6;
    trace.spans.push_back(kernel);
  }
  sim::Region region;
  region.virtual_seconds = 1e-3;
  region.kernels.resize(1);
  region.kernels[0].ordinal = 1;
  const Timeline timeline = timeline_of(trace, region);
  EXPECT_EQ(timeline.shown_us, timeline.whole_us);
  EXPECT_EQ(std::ranges::count(timeline.spans, "kernel", &TimelineSpan::kind), 20);
  EXPECT_EQ(timeline.spans[0].name, "cudaEventRecord and 999 more calls");
}

}  // namespace
}  // namespace roofline::grader
