// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "docs/tests/generated.h"
#include "grader/lab/spec.h"

// The page of the course: its picture of prerequisites, and that it agrees with the pages of the labs.
namespace roofline::docs {
namespace {

namespace fs = std::filesystem;
using grader::Point;
using grader::Svg;

/// A lab's paragraph of aims, prerequisites and time, as one line.
std::string opening(const std::string& lab) {
  const std::string text = text_of(kRoot / "labs" / lab / "README.md");
  const std::size_t from = text.find("**After this lab you can**"), to = text.find("\n\n", from);
  EXPECT_NE(from, std::string::npos) << lab << " does not say what one can do after it";
  return from == std::string::npos
             ? ""
             : std::regex_replace(text.substr(from, to - from), std::regex("\\s+"), " ");
}

/// A lab, where it is drawn, and the labs that its page says it builds on; "" is the page of CUDA basics.
struct Node {
  std::string id, name;
  Point at;
  std::vector<std::string> needs;
  std::size_t depth = 0;  ///< boxes before it
};

std::vector<std::string> needed_by(const std::string& lab) {
  const std::string text = opening(lab);
  const std::regex link("\\(\\.\\./([0-9]{2}-[a-z]+)/README\\.md\\)");
  std::vector<std::string> needs;
  for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found)
    needs.push_back((*found)[1]);
  if (needs.empty()) needs.emplace_back();
  return needs;
}

std::size_t depth_of(const std::string& id, const std::vector<Node>& nodes, std::size_t patience) {
  if (id.empty()) return 0;
  const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.id == id; });
  if (node == nodes.end()) throw std::runtime_error("a page needs a lab that is not there: " + id);
  if (patience == 0) throw std::runtime_error("labs that need each other: " + id);
  std::size_t depth = 0;
  for (const std::string& need : node->needs)
    depth = std::max(depth, depth_of(need, nodes, patience - 1) + 1);
  return depth;
}

constexpr double kHeight = 240, kTop = 50, kBottom = 190, kColumn = 150;

/// In columns by depth, each from top to bottom in the order of the numbers.
std::vector<Node> placed_nodes() {
  std::vector<Node> nodes = {{"", "CUDA basics", {}, {}}};
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "labs")) {
    if (!entry.is_directory()) continue;
    const std::string id = entry.path().filename().string();
    nodes.push_back({id, id.substr(0, 2) + " " + id.substr(3), {}, needed_by(id)});
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  std::map<std::size_t, std::vector<Node*>> columns;
  for (Node& node : nodes) {
    node.depth = depth_of(node.id, nodes, nodes.size());
    columns[node.depth].push_back(&node);
  }
  for (auto& [depth, column] : columns)
    for (std::size_t i = 0; i < column.size(); ++i) {
      const double share =
          column.size() == 1 ? 0.5 : 1.0 * static_cast<double>(i) / static_cast<double>(column.size() - 1);
      column[i]->at = {24 + kColumn * static_cast<double>(depth), kTop + (kBottom - kTop) * share};
    }
  return nodes;
}

const std::vector<Node>& nodes() {
  static const std::vector<Node> kNodes = placed_nodes();
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
  std::string said;
  std::size_t deepest = 0;
  for (const Node& to : nodes()) {
    deepest = std::max(deepest, to.depth);
    for (const std::string& id : to.needs)
      if (drawn(to, id)) said += (said.empty() ? "" : "; ") + node(id).name + " comes before " + to.name;
  }
  Svg svg(48 + kColumn * static_cast<double>(deepest) + kBoxWidth, kHeight, "Prerequisites of the labs",
          said);
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

// Breaks when a lab leaves out its time, the glossary, or what it builds on.
TEST(Course, EveryLabSaysWhatItNeeds) {
  for (const Node& lab : nodes()) {
    if (lab.id.empty()) continue;
    const std::string text = opening(lab.id);
    EXPECT_NE(text.find("**Time**"), std::string::npos) << lab.id;
    EXPECT_NE(text.find("/glossary.md"), std::string::npos) << lab.id;
    EXPECT_EQ(lab.needs.front().empty(), lab.id.starts_with("01"))
        << lab.id << ": only lab 01 needs no other";
  }
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

// Breaks when a page still has the number of labs from before the last one came.
TEST(Course, TheNumberOfLabsIsRight) {
  const char* const kWords[] = {"Six",    "Seven",    "Eight",    "Nine",    "Ten",    "Eleven",
                                "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen"};
  const std::size_t count = grader::all_labs().size();
  ASSERT_LT(count - 6, std::size(kWords));
  for (const char* page : {"docs/start.md", "docs/course.md"})
    EXPECT_NE(text_of(kRoot / page).find(std::string(kWords[count - 6]) + " labs"), std::string::npos)
        << page;
}

/// What the last column of a plan names: "03" and, of "03 A, B", "03a" and "03b"; of a lab named alone its
/// number.
std::set<std::string> named_in(const std::string& text) {
  std::string plan;
  for (const std::string& line : lines_of(text))
    if (line.starts_with("| ")) plan += line.substr(line.rfind(" | ", line.size() - 3)) + "\n";
  std::set<std::string> named;
  const std::regex lab("\\b([0-9]{2})\\b((?:,? [A-Z]\\b)*)");
  for (std::sregex_iterator found(plan.begin(), plan.end(), lab), end; found != end; ++found) {
    named.insert((*found)[1]);
    for (const char letter : std::string((*found)[2]))
      if (letter >= 'A' && letter <= 'Z')
        named.insert(std::string((*found)[1]) + static_cast<char>(letter - 'A' + 'a'));
  }
  return named;
}

// Breaks when the short plan leaves out a lab, or the long one a part.
TEST(Course, BothPlansHoldTheLabs) {
  const std::string text = text_of(kRoot / "docs/course.md");
  const std::size_t six = text.find("## Six weeks"), twelve = text.find("## Twelve weeks"),
                    end = text.find("## Next");
  ASSERT_TRUE(six < twelve && twelve < end);
  const std::set<std::string> in_six = named_in(text.substr(six, twelve - six)),
                              in_twelve = named_in(text.substr(twelve, end - twelve));
  for (const grader::Lab& lab : grader::all_labs()) {
    EXPECT_TRUE(in_six.contains(lab.number())) << lab.folder;
    for (const grader::Part& part : lab.parts)
      EXPECT_TRUE(in_twelve.contains(lab.id_of(part))) << lab.id_of(part);
  }
}

}  // namespace
}  // namespace roofline::docs
