// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "docs/tests/generated.h"

// The page of the course: its picture of prerequisites, and that it agrees with the pages of the labs.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;
using grader::Point;
using grader::Svg;

/// A lab, where it is drawn, and the labs that it builds on.
struct Node {
  std::string id, name;
  Point at;
  std::vector<std::string> needs;
};

const std::vector<Node>& nodes() {
  static const std::vector<Node> kNodes = {
      {"", "CUDA basics", {24, 130}, {}},
      {"01-pointwise", "01 pointwise", {174, 130}, {""}},
      {"02-intensity", "02 intensity", {334, 70}, {"01-pointwise"}},
      {"05-launch", "05 launch", {334, 190}, {"01-pointwise"}},
      {"03-fusion", "03 fusion", {534, 50}, {"01-pointwise", "02-intensity"}},
      {"04-gemm", "04 gemm", {534, 110}, {"01-pointwise", "02-intensity"}},
      {"06-memory", "06 memory", {534, 190}, {"01-pointwise", "05-launch"}},
      {"07-onchip", "07 onchip", {694, 50}, {"01-pointwise", "03-fusion"}}};
  return kNodes;
}

const Node& node(const std::string& id) {
  for (const Node& each : nodes())
    if (each.id == id) return each;
  throw std::runtime_error("no lab " + id);
}

constexpr double kBoxWidth = 120, kBoxHeight = 30;

/// What the labs in between say already is not drawn.
bool drawn(const Node& to, const std::string& from) {
  for (const std::string& other : to.needs)
    for (const std::string& before : node(other).needs)
      if (before == from) return false;
  return true;
}

std::string prerequisites_figure() {
  Svg svg(840, 240, "Prerequisites of the labs",
          "CUDA basics comes before lab 01; lab 01 before labs 02 and 05; lab 02 before labs 03 and 04; lab "
          "03 before lab 07; lab 05 before lab 06");
  svg.text({24, 24}, "What builds on what", "title");
  for (const Node& to : nodes()) {
    const Point corner = to.at;
    svg.polyline({corner,
                  {corner.x + kBoxWidth, corner.y},
                  {corner.x + kBoxWidth, corner.y + kBoxHeight},
                  {corner.x, corner.y + kBoxHeight},
                  corner},
                 "c0");
    svg.text({corner.x + kBoxWidth / 2, corner.y + 20}, to.name, "label", Svg::Anchor::kMiddle);
    for (const std::string& id : to.needs) {
      if (!drawn(to, id)) continue;
      const Point from{node(id).at.x + kBoxWidth + 2, node(id).at.y + kBoxHeight / 2},
          end{corner.x - 4, corner.y + kBoxHeight / 2};
      svg.line(from, end, "axis");
      svg.dot(end, 3, "c0");
    }
  }
  return svg.str();
}

TEST(Page, PrerequisitesFigureIsCurrent) {
  expect_current(kRoot / "docs/figures/prerequisites.svg", prerequisites_figure());
}

/// A lab's paragraph of aims, prerequisites and time, as one line.
std::string opening(const std::string& lab) {
  const std::string text = text_of(kRoot / "labs" / lab / "README.md");
  const std::size_t from = text.find("**After this lab you can**"), to = text.find("\n\n", from);
  EXPECT_NE(from, std::string::npos) << lab << " does not say what one can do after it";
  return from == std::string::npos
             ? ""
             : std::regex_replace(text.substr(from, to - from), std::regex("\\s+"), " ");
}

// Breaks when a lab says that it needs another lab than the picture shows, or leaves aims or time out.
TEST(Course, EveryLabSaysWhatItNeeds) {
  std::size_t labs = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "labs")) {
    if (!entry.is_directory()) continue;
    ++labs;
    const std::string lab = entry.path().filename().string(), text = opening(lab);
    EXPECT_NE(text.find("**Time**"), std::string::npos) << lab;
    EXPECT_NE(text.find("/glossary.md"), std::string::npos) << lab;
    for (const Node& other : nodes()) {
      if (other.id.empty() || other.id == lab) continue;
      const std::vector<std::string>& needs = node(lab).needs;
      EXPECT_EQ(text.find("(../" + other.id + "/README.md)") != std::string::npos,
                std::find(needs.begin(), needs.end(), other.id) != needs.end())
          << lab << " and " << other.id;
    }
  }
  EXPECT_EQ(labs + 1, nodes().size());
}

// Breaks when the sum of hours is not the table's.
TEST(Course, HoursAddUp) {
  double least = 0, most = 0;
  const std::string text = text_of(kRoot / "docs/course.md");
  const std::regex row("\\| ([0-9]+) to ([0-9]+) \\|\n");
  for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found) {
    least += std::stod((*found)[1]);
    most += std::stod((*found)[2]);
  }
  const std::string sum = "Together " + grader::compact(least) + " to " + grader::compact(most) + " hours";
  EXPECT_NE(text.find(sum), std::string::npos) << "docs/course.md does not say: " << sum;
}

// Breaks when a plan leaves out a lab or a part.
TEST(Course, BothPlansHoldEveryPart) {
  const std::string text = text_of(kRoot / "docs/course.md");
  const std::size_t six = text.find("## Six weeks"), twelve = text.find("## Twelve weeks"),
                    end = text.find("## Next");
  ASSERT_TRUE(six < twelve && twelve < end);
  const std::map<std::string, std::vector<std::string>> words = {
      {text.substr(six, twelve - six),
       {"**01**", "**02**", "**03 A, B**", "**07 A, B**", "03 C", "**04**", "**05**", "**06 A, B**"}},
      {text.substr(twelve, end - twelve),
       {"**01**", "**02**", "**03 A, B**", "**03 C**", "**04**", "**05**", "**06 A**", "**06 B**", "**06 C**",
        "**07 A**", "**07 B**"}}};
  for (const auto& [plan, parts] : words)
    for (const std::string& part : parts) EXPECT_NE(plan.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace roofline::docs
