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

constexpr double kBoxWidth = 120, kBoxHeight = 30, kTop = 50, kColumn = 150;

const Node& find_node(const std::vector<Node>& nodes, const std::string& id) {
  for (const Node& each : nodes)
    if (each.id == id) return each;
  throw std::runtime_error("no lab " + id);
}

/// The labs that a lab needs, without those that the labs in between need already.
std::vector<std::string> drawn_needs(const std::vector<Node>& nodes, const Node& to) {
  std::vector<std::string> drawn;
  for (const std::string& from : to.needs) {
    const bool implied = std::any_of(to.needs.begin(), to.needs.end(), [&](const std::string& other) {
      const std::vector<std::string>& before = find_node(nodes, other).needs;
      return std::find(before.begin(), before.end(), from) != before.end();
    });
    if (!implied) drawn.push_back(from);
  }
  return drawn;
}

/// A line from a lab to one that needs it: its height in each column that it passes.
struct Route {
  std::string from, to;
  std::vector<double> heights;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Route> routes;
  double height = 0;
};

/// What a column holds: a box, or a line that passes. `wish` is the height of what it comes from.
struct Item {
  double wish;
  Node* box;
  Route* line;
  double height() const { return box ? kBoxHeight + 10 : 14; }
};

std::vector<Item> items_of_column(Graph& graph, std::size_t depth) {
  const auto depth_at = [&](const std::string& id) { return find_node(graph.nodes, id).depth; };
  const auto height_of = [&](const Route& route) {  // where it leaves the column before
    return route.heights.empty() ? find_node(graph.nodes, route.from).at.y + kBoxHeight / 2
                                 : route.heights.back();
  };
  std::vector<Item> items;
  for (Node& each : graph.nodes) {
    if (each.depth != depth) continue;
    double sum = 0, n = 0;
    for (const Route& route : graph.routes)
      if (route.to == each.id) sum += height_of(route), n += 1;
    items.push_back({n > 0 ? sum / n : 0, &each, nullptr});
  }
  for (Route& route : graph.routes)
    if (depth_at(route.from) < depth && depth < depth_at(route.to))
      items.push_back({height_of(route), nullptr, &route});
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.wish < b.wish; });
  return items;
}

/// In columns by depth. A column holds boxes and the lines that pass between them, in the order of what they
/// come from, so that no line crosses a box.
Graph placed() {
  Graph graph;
  std::vector<Node>& nodes = graph.nodes;
  nodes = {{"", "CUDA basics", {}, {}}};
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "labs")) {
    if (!entry.is_directory()) continue;
    const std::string id = entry.path().filename().string();
    nodes.push_back({id, id.substr(0, 2) + " " + id.substr(3), {}, needed_by(id)});
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  std::size_t deepest = 0;
  for (Node& each : nodes) deepest = std::max(deepest, each.depth = depth_of(each.id, nodes, nodes.size()));
  for (const Node& to : nodes)
    for (const std::string& from : drawn_needs(nodes, to)) graph.routes.push_back({from, to.id, {}});

  for (std::size_t depth = 0; depth <= deepest; ++depth) {
    const std::vector<Item> items = items_of_column(graph, depth);
    double total = 0;
    for (const Item& item : items) total += item.height();
    double y = -total / 2;  // around the middle, which is 0
    for (const Item& item : items) {
      if (item.box)
        item.box->at = {24 + kColumn * static_cast<double>(depth), y + (item.height() - kBoxHeight) / 2};
      else
        item.line->heights.push_back(y + item.height() / 2);
      y += item.height();
    }
    graph.height = std::max(graph.height, total);
  }
  const double middle = kTop + graph.height / 2;
  for (Node& each : nodes) each.at.y += middle;
  for (Route& route : graph.routes)
    for (double& height : route.heights) height += middle;
  return graph;
}

const Graph& graph() {
  static const Graph kGraph = placed();
  return kGraph;
}

const std::vector<Node>& nodes() { return graph().nodes; }

std::string prerequisites_figure() {
  std::string said;
  std::size_t deepest = 0;
  for (const Node& each : nodes()) deepest = std::max(deepest, each.depth);
  for (const Route& route : graph().routes)
    said += (said.empty() ? "" : "; ") + find_node(nodes(), route.from).name + " comes before " +
            find_node(nodes(), route.to).name;
  Svg svg(48 + kColumn * static_cast<double>(deepest) + kBoxWidth, kTop + graph().height + 20,
          "Prerequisites of the labs", said);
  svg.text({24, 24}, "What builds on what", "title");
  for (const Route& route : graph().routes) {
    const Node &from = find_node(nodes(), route.from), &to = find_node(nodes(), route.to);
    std::vector<Point> line = {{from.at.x + kBoxWidth + 2, from.at.y + kBoxHeight / 2}};
    for (const double y : route.heights) {
      const double left = line.back().x + kColumn - kBoxWidth - 2;  // of the next column's boxes
      line.push_back({left, y});
      line.push_back({left + kBoxWidth + 2, y});
    }
    const Point end{to.at.x - 4, to.at.y + kBoxHeight / 2};
    line.push_back(end);
    svg.polyline(line, "axis");
    svg.dot(end, 3, "c0");
  }
  for (const Node& each : nodes()) {
    const Point corner = each.at;
    svg.polyline({corner,
                  {corner.x + kBoxWidth, corner.y},
                  {corner.x + kBoxWidth, corner.y + kBoxHeight},
                  {corner.x, corner.y + kBoxHeight},
                  corner},
                 "c0");
    svg.text({corner.x + kBoxWidth / 2, corner.y + 20}, each.name, "label", Svg::Anchor::kMiddle);
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
