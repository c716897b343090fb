// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Text that people read: widths, tables, bars, numbers, SVG.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "grader/base/units.h"
#include "grader/result/result_text.h"
#include "grader/result/sweep_figure.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

constexpr Terminal kPlain{.interactive = false, .colour = false, .utf8 = false, .width = 60};
constexpr Terminal kRich{.interactive = true, .colour = true, .utf8 = true, .width = 60};

// Breaks when escapes or continuation bytes are counted as columns.
TEST(Terminal, WidthCountsCodePointsOnly) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("µs ✓"), 4);
  EXPECT_EQ(display_width(kRich.paint(Colour::kRed, "é!")), 2);
  EXPECT_EQ(pad_left("✓", 3), "  ✓");
}

// Breaks when a program under test can move the cursor, set the title or smuggle invalid UTF-8 into the
// terminal.
// Breaks when colour reaches a pipe.
TEST(Terminal, NoColourMeansNoEscapes) {
  EXPECT_EQ(kPlain.paint(Colour::kGreen, "ok"), "ok");
  EXPECT_NE(kRich.paint(Colour::kGreen, "ok"), "ok");
}

// Breaks when colours or UTF-8 shift a column.
TEST(Table, ColumnsStayAlignedWithColoursAndUtf8) {
  Table table({{"a"}, {"b", Column::Align::kRight}});
  table.add({kRich.paint(Colour::kRed, "✗"), "1"});
  table.add({"long", "12345"});
  const std::string text = table.render(kPlain, 0);
  EXPECT_EQ(text,
            "a         b\n-----------\n" + kRich.paint(Colour::kRed, "✗") + "         1\nlong  12345\n");
}

// Breaks when a long message runs over the terminal's edge or loses a word.
TEST(Table, WrapsTheWideColumn) {
  Table table({{"name"}, {"message", Column::Align::kWrap}});
  table.add({"n", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"});
  const std::string text = table.render(kPlain, 2);
  int lines = 0;
  for (const std::string& line : wrap(text, 1 << 20)) {
    EXPECT_LE(display_width(line), kPlain.width);
    lines += !line.empty();
  }
  EXPECT_EQ(lines, 4);
  EXPECT_NE(text.find("fourteen"), std::string::npos);
}

// Breaks when a long message is squeezed into its column again, or a list in it loses its indentation.
TEST(Table, NoteHasTheWholeWidth) {
  Table table({{"check"}, {"verdict"}});
  table.add({"first", "fail"});
  table.note("one two three four five\n  six seven eight nine ten");
  table.add({"second", "pass"});
  Terminal narrow = kPlain;
  narrow.width = 24;
  const std::string text = table.render(narrow);
  EXPECT_NE(text.find("\n  first   fail\n       one two three\n       four five\n         six seven eight\n"
                      "         nine ten\n  second  pass\n"),
            std::string::npos)
      << text;
}

// Breaks when a table runs over the edge of a narrow terminal, or what its columns said is lost there.
TEST(Table, ColumnsGoWhereThereIsNoRoom) {
  using Align = Column::Align;
  using enum Column::Narrow;
  Table table({{"kernel"},
               {"roof", Align::kRight, kGoesBelow},
               {"bar", Align::kLeft, kGoes},
               {"limit", Align::kLeft, kGoesBelow}});
  table.add({"first", "1364 GB/s", "##########", "DRAM"});
  table.rule();
  table.add({"second", "", "####", "latency"});
  Terminal narrow = kPlain;
  narrow.width = 40;
  EXPECT_EQ(table.render(narrow),
            "  kernel       roof  bar         limit\n  --------------------------------------\n"
            "  first   1364 GB/s  ##########  DRAM\n  --------------------------------------\n"
            "  second             ####        latency\n");
  narrow.width = 30;
  EXPECT_EQ(table.render(narrow),
            "  kernel       roof  limit\n  --------------------------\n  first   1364 GB/s  DRAM\n"
            "  --------------------------\n  second             latency\n");
  narrow.width = 24;
  EXPECT_EQ(table.render(narrow),
            "  kernel       roof\n  -----------------\n  first   1364 GB/s\n       limit DRAM\n"
            "  -----------------\n  second\n       limit latency\n");
  narrow.width = 16;
  EXPECT_NE(table.render(narrow).find("  second\n       limit latency"), std::string::npos);
}

TEST(Table, RefusesMoreCellsThanColumns) {
  Table table({{"only"}});
  EXPECT_THROW(table.add({"a", "b"}), std::logic_error);
}

// Breaks when a bar is longer than asked for, or NaN and out-of-range values are drawn as something.
TEST(Bar, HasItsWidthAndShowsThresholds) {
  EXPECT_EQ(bar(kPlain, 0.5, 10, {0.8}), "#####...|.");
  EXPECT_EQ(bar(kPlain, 0.9, 10, {0.8}), "#########.");
  EXPECT_EQ(bar(kPlain, NAN, 4), "....");
  EXPECT_EQ(bar(kPlain, -3, 4), "....");
  EXPECT_EQ(bar(kPlain, 17, 4), "####");
  EXPECT_EQ(bar(kPlain, 0, 4, {1.0}), "...|");
  for (const double fraction : {0.0, 0.01, 0.33, 0.5, 0.874, 0.999, 1.0})
    EXPECT_EQ(display_width(bar(kRich, fraction, 13, {0.6, 0.9})), 13) << fraction;
}

TEST(Numbers, CompactKeepsSignificantDigits) {
  EXPECT_EQ(compact(1381.4, 4), "1381");
  EXPECT_EQ(compact(0.25), "0.25");
  EXPECT_EQ(compact(0.01234), "0.0123");
  EXPECT_EQ(compact(19.0, 3), "19");
  EXPECT_EQ(significant(19.0, 3), "19.0");
  EXPECT_EQ(compact(0), "0");
  EXPECT_EQ(compact(1e12), "1e+12");
  EXPECT_EQ(compact(std::numeric_limits<double>::infinity()), "-");
}

// Breaks when text in a figure can open a tag, or a control character makes the file invalid XML.
TEST(Svg, EscapesText) {
  Svg svg(10, 10, "a < b", "\"&\"");
  svg.text({1, 2}, "<script>\x01", "label");
  const std::string text = svg.str();
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_NE(text.find("&lt;script&gt;<"), std::string::npos);
  EXPECT_NE(text.find("<title>a &lt; b</title>"), std::string::npos);
}

// Breaks when a value falls outside its axis or decades are not equally long.
TEST(Svg, LogScaleHoldsItsValuesAndDecadesAreEqual) {
  const LogScale scale = log_scale({3, 250, -1, NAN}, 100, 0);
  EXPECT_DOUBLE_EQ(scale.low, 2);
  EXPECT_DOUBLE_EQ(scale.high, 500);
  EXPECT_NEAR(scale.at(10) - scale.at(100), scale.at(4) - scale.at(40), 1e-9);
  EXPECT_EQ(scale.ticks(10, 6), (std::vector<double>{10, 100}));
  EXPECT_LE(scale.ticks(2, 4).size(), 4U);
  const LogScale flat = log_scale({1000, 1001}, 0, 1);
  EXPECT_DOUBLE_EQ(flat.low, 1000);
  EXPECT_DOUBLE_EQ(flat.high, 10000);
  for (const double value : {0.001, 0.7, 1.0, 5.0, 5.1, 99.0, 123456.0}) {
    const LogScale one = log_scale({value}, 0, 1);
    EXPECT_GE(one.at(value), -1e-9) << value;
    EXPECT_LE(one.at(value), 1 + 1e-9) << value;
  }
}

SweepResult sweep() {
  SweepResult result;
  result.id = "intensity";
  result.title = "fused multiply-adds";
  result.argument = "repeat";
  result.memory_roof = {
      .id = "copy", .title = "", .unit = "GB/s", .value = 1381, .data_sheet = 1555, .time = {}};
  result.compute_roof = {
      .id = "fma", .title = "", .unit = "TFLOP/s", .value = 19.2, .data_sheet = 19.5, .time = {}};
  result.ridge = 13.9;
  result.knee = 55.6;
  for (double repeat = 1; repeat <= 512; repeat *= 2) {
    SweepPoint point;
    point.argument = repeat;
    point.intensity = repeat / 4;
    point.gbps = std::min(1381.0, 19200 / point.intensity);
    point.tflops = point.gbps * point.intensity / 1000;
    point.time.median_us = 1000;
    result.points.push_back(point);
  }
  return result;
}

// 19500 GFLOP/s over 1555 GB/s is 12.54 FLOP/B; a repeat is a quarter of one.
TEST(SweepFigure, DataSheetKneeFollowsFromTheDataSheet) {
  EXPECT_NEAR(data_sheet_knee(sweep()).value(), 50.2, 0.1);
  SweepResult unknown = sweep();
  unknown.compute_roof.data_sheet = 0;
  EXPECT_FALSE(data_sheet_knee(unknown));
}

// Breaks when a curve, a roof or a knee is missing, or when a modelled figure does not say so.
TEST(SweepFigure, DrawsThreeCurvesWithRoofsAndKnees) {
  DeviceRecord device;
  device.name = "NVIDIA A100-SXM4-40GB";
  const std::string svg = sweep_svg(sweep(), device);
  const auto count = [&](const std::string& what) {
    size_t n = 0;
    for (size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<polyline class=\"series\""), 3U);
  EXPECT_EQ(count("<circle class=\"series\""), 30U);
  EXPECT_EQ(count("<line class=\"roof\""), 2U);
  EXPECT_EQ(count("<line class=\"knee\""), 3U);
  EXPECT_EQ(count("<line class=\"sheet\""), 3U);
  EXPECT_NE(svg.find("simulated NVIDIA A100-SXM4-40GB, modelled"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  device.simulated = false;
  EXPECT_NE(sweep_svg(sweep(), device).find("NVIDIA A100-SXM4-40GB, measured"), std::string::npos);
  EXPECT_TRUE(sweep_svg(SweepResult{}, device).empty());
}

Result result_with(Verdict verdict, Class reason) {
  Result result;
  result.lab = "01-pointwise";
  result.part = "01";
  result.title = "pointwise: the memory wall";
  result.source_path = "labs/01-pointwise/pointwise.cu";
  result.source_sha256 = std::string(64, 'a');
  result.device.name = "NVIDIA A100-SXM4-40GB";
  result.verdict = verdict;
  result.reason = reason;
  for (int i = 0; i < 4; ++i) {
    Check check;
    check.id = "n-" + std::to_string(i);
    check.title = "n = " + std::to_string(i);
    check.verdict = i == 3 ? verdict : Verdict::kPass;
    check.reason = i == 3 ? reason : Class::kNone;
    check.message = i == 3 ? "element 3 is \033[31mwrong" : "";
    result.checks.push_back(check);
  }
  return result;
}

// Breaks when a simulated result could be taken for a measured one, or a learner's output reaches the
// terminal raw.
TEST(ResultText, SaysWhatWasGradedAndOnWhat) {
  const std::string text = result_text(result_with(Verdict::kFail, Class::kWrongAnswer), kPlain);
  EXPECT_NE(text.find("labs/01-pointwise/pointwise.cu"), std::string::npos);
  EXPECT_NE(text.find("sha256 aaaaaaaaaaaa"), std::string::npos);
  EXPECT_NE(text.find("simulated NVIDIA A100-SXM4-40GB"), std::string::npos);
  EXPECT_NE(text.find("modelled, not measured"), std::string::npos);
  EXPECT_NE(text.find("correct in 3 cases"), std::string::npos);
  EXPECT_NE(text.find("element 3 is wrong"), std::string::npos);
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

Check failed_case(const std::string& title, const std::string& message, unsigned line = 0) {
  Check check;
  check.id = check.title = title;
  check.reason = Class::kOutOfBounds;
  check.message = message;
  check.line = line;
  if (line) check.file = "/home/me/course/labs/01-pointwise/pointwise.cu";
  return check;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Breaks when ten cases that fail for one reason fill the screen ten times, or the place is a path that the
// learner does not type.
TEST(ResultText, SaysTheSameThingOnce) {
  Result result = result_with(Verdict::kFail, Class::kOutOfBounds);
  result.checks = {failed_case("n = 1", "thread 1 reads past the end\nfix: compare i with n", 7),
                   failed_case("n = 31", "thread 31 reads past the end\nfix: compare i with n", 7),
                   failed_case("n = 32", "thread 9 writes past the end\nfix: compare i with n", 8)};
  for (int i = 0; i < 5; ++i)
    result.checks.push_back(failed_case("n = 25" + std::to_string(i), "reads past the end\nfix: compare", 7));
  for (int i = 0; i < 3; ++i) result.checks.push_back(failed_case("later", "not run: stopped"));
  Terminal wide = kPlain;
  wide.width = 160;
  const std::string text = result_text(result, wide);
  EXPECT_NE(text.find(" labs/01-pointwise/pointwise.cu:7: thread 1 reads"), std::string::npos) << text;
  EXPECT_EQ(count_of(text, "fix: compare"), 2U) << text;  // once a line
  EXPECT_NE(text.find("again at line 7"), std::string::npos) << text;
  EXPECT_NE(text.find("pointwise.cu:8: thread 9 writes"), std::string::npos) << text;
  EXPECT_NE(text.find("3 more cases"), std::string::npos) << text;
  EXPECT_EQ(count_of(text, "not run"), 1U) << text;
  EXPECT_NE(text.find("5 more cases"), std::string::npos) << text;
  EXPECT_NE(text.find("n = 250; n = 251; n = 252; n = 253; n = 254"), std::string::npos) << text;
}

// Breaks when a slow kernel is told that it is slow, and not which line to change.
TEST(ResultText, AdviceUntilTheBestMedal) {
  Result result = result_with(Verdict::kFail, Class::kTooSlow);
  result.profile.advice = {
      {.line = 8, .rule = "uncoalesced-access", .message = "Swap the indices.", .gain = 0.85},
      {.line = 9, .rule = "small", .message = "Not worth it.", .gain = 0.01}};
  EXPECT_NE(result_text(result, kPlain).find("advice  pointwise.cu:8: Swap the indices."), std::string::npos);
  EXPECT_EQ(result_text(result, kPlain).find("Not worth it"), std::string::npos);
  result.medal = Medal::kExcellent;
  EXPECT_EQ(result_text(result, kPlain).find("Swap"), std::string::npos);
}

// Breaks when what a check says is printed again as the program's output, or the program's own words are
// lost.
TEST(ResultText, TrapsAreNoOutputOfTheProgram) {
  Result result = result_with(Verdict::kFail, Class::kOutOfBounds);
  result.checks[3].message = "kernel 'k': 4-byte load: past the end\nat a.cu:7";
  result.program_output =
      "simulated GPU: kernel 'k': 4-byte load: past the end\n    at a.cu:7\n\nhello\n"
      "hello\nsimulated GPU: printf is full\n";
  EXPECT_EQ(output_of(result), "\nhello\nsimulated GPU: printf is full");
  result.program_output.resize(result.program_output.find("hello"));
  EXPECT_EQ(output_of(result), "");
  result.checks[3].message = "kernel 'k': load: past the end of an allocation (your argument x)\nat a.cu:7";
  result.program_output = "simulated GPU: kernel 'k': load: past the end of an allocation (cudaMalloc)\n";
  EXPECT_EQ(output_of(result), "") << "the check names the argument";
}

// Breaks when a printf in a kernel pushes the verdict out of the window.
TEST(ResultText, OfLongOutputTheFirstLinesAreShown) {
  Result result = result_with(Verdict::kPass, Class::kNone);
  for (int i = 0; i < 500; ++i) result.program_output += "line " + std::to_string(i) + "\n";
  const std::string text = result_text(result, kPlain);
  EXPECT_NE(text.find("    line 19\n    and 480 more lines\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("line 20"), std::string::npos);
}

TEST(ResultText, SummaryHasALineALabAndASum) {
  Result first = result_with(Verdict::kPass, Class::kNone),
         second = result_with(Verdict::kFail, Class::kWrongAnswer);
  first.points = 90;
  second.points = 20;
  const std::string text = summary_text({first, second}, kPlain);
  EXPECT_NE(text.find("+ 4"), std::string::npos);
  EXPECT_NE(text.find("x 3/4"), std::string::npos);
  EXPECT_NE(text.find("110/200"), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader
