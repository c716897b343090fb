// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Experiments that pages describe, done again: what a page says of them is what its commands print today.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>

#include "docs/tests/derivations.h"
#include "grader/bench/bench.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"

namespace roofline::docs {
namespace {

namespace fs = std::filesystem;

const std::string kLab = std::string(ROOFLINE_BUILD) + "/bin/lab";

/// Runs commands as a reader would, in this checkout or, where a learner's file is to be another one, in a
/// copy.
class Experiment : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// From now on commands run in a copy of the labs.
  void copy_labs() {
    root_ = folder_ / "copy";
    fs::create_directories(root_);
    for (const char* folder : {"labs", "solutions"})
      fs::copy(kRoot / folder, root_ / folder, fs::copy_options::recursive);
    fs::create_directory_symlink(kRoot / "common", root_ / "common");
  }

  /// What ./lab prints; the test fails where it does not succeed.
  std::string lab(std::vector<std::string> words) {
    words.insert(words.begin(), kLab);
    return output_of(words);
  }
  std::string output_of(const std::vector<std::string>& words) {
    const std::vector<std::string> environment = {
        "ROOFLINE_ROOT=" + root_.string(), "ROOFLINE_STATE=" + (kRoot / ".lab").string()};  // its cache
    const grader::CommandResult result = grader::run_command(
        words, {.directory = root_, .limit = std::chrono::minutes(5), .environment = environment});
    EXPECT_TRUE(result.ok()) << result.output;
    return result.output;
  }

  /// As the pages compile: ./lab nvcc -O3 -Icommon.
  std::string compiled(const fs::path& source) {
    std::string program = folder_ / source.stem();
    output_of({(grader::find_toolkit().home / "bin/nvcc").string(), "-O3", "-Icommon", "-o", program,
               source.string()});
    return program;
  }

  /// Microseconds of versions by the name of their work: `./lab bench`.
  std::map<std::string, double> timed(const std::vector<std::string>& labs, const std::string& device,
                                      const std::string& only) {
    const fs::path json = folder_ / "bench.json";
    std::vector<std::string> words = {"bench",  "--table", "--device", device,
                                      "--only", only,      "--json",   json.string()};
    words.insert(words.begin() + 1, labs.begin(), labs.end());
    lab(words);
    const nlohmann::json all = nlohmann::json::parse(text_of(json));
    std::map<std::string, double> us;
    for (const nlohmann::json& row : all["benchmarks"]) {
      const std::string name = row["name"];
      us[name.substr(0, name.find("/iterations"))] = row["real_time"];
    }
    return us;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("experiment-" + std::to_string(getpid()));
  fs::path root_ = kRoot;
};

/// The rows below a heading that begins with these words, up to an empty line, without indentation.
std::vector<std::string> rows_below(const std::string& text, const std::string& heading) {
  std::vector<std::string> rows;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (inside && trimmed(line).empty()) break;
    if (inside) rows.push_back(trimmed(line));
    inside = inside || trimmed(line).starts_with(heading);
  }
  return rows;
}

/// The numbers of a row: "16777216  207.19 us  204.83 us  1.01".
std::vector<double> numbers(const std::string& row) {
  std::vector<double> found;
  std::istringstream in(row);
  for (std::string word; in >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) found.push_back(std::stod(word));
  return found;
}

nlohmann::json stored(const std::string& table, const std::string& name) {
  const std::string file = "docs/results/simulated-" + table + ".bench.json";
  const nlohmann::json all = nlohmann::json::parse(text_of(kRoot / file));
  for (const nlohmann::json& row : all["benchmarks"])
    if (std::string(row["name"]).starts_with(name + "/iterations")) return row;
  ADD_FAILURE() << file << " has no " << name;
  return {};
}

const std::string kFusion = "labs/03-fusion/README.md";

// Breaks when the fusion that loses wins, on the A100 of the table or the H200 of the sentence.
TEST_F(Experiment, AFusionThatLoses) {
  const std::string program = compiled("labs/03-fusion/experiments/losing.cu"), heading = "neighbours";
  const std::string a100 = lab({"run", "--", program});
  EXPECT_EQ(rows_below(text_of(kRoot / kFusion), heading), rows_below(a100, heading));
  const auto h200 = rows_below(lab({"run", "--device", "sim:h200", "--", program}), heading);
  ASSERT_EQ(h200.size(), 4U);
  const double five = numbers(h200[2]).at(3), nine = numbers(h200[3]).at(3);
  expect_says(kFusion, "five neighbours gain only " + number(100 * (five - 1)) + " % and nine lose " +
                           number(100 * (1 - nine)) + " %");
}

// Breaks when two operations in one launch gain something else. The last row would take as long to simulate
// as everything else here; what it shows follows from the rows before it.
TEST_F(Experiment, SideBySide) {
  std::string source = text_of(kRoot / "labs/03-fusion/experiments/side_by_side.cu");
  const std::string largest = "n <= 1 << 24";
  ASSERT_NE(source.find(largest), std::string::npos);
  source.replace(source.find(largest), largest.size(), "n <= 1 << 20");
  const fs::path shorter = folder_ / "side_by_side.cu";
  write_text(shorter, source);
  const std::string heading = "elements";
  const auto now = rows_below(lab({"run", "--", compiled(shorter)}), heading);
  auto shown = rows_below(text_of(kRoot / kFusion), heading);
  ASSERT_EQ(shown.size(), 4U);
  const std::vector<double> last = numbers(shown.back()), before = numbers(shown[2]);
  shown.pop_back();
  EXPECT_EQ(shown, now);
  // A launch is saved, whatever the size, and the bytes of both move as those of lab 01's version with a
  // float a thread.
  EXPECT_NEAR(last.at(1) - last.at(2), before.at(1) - before.at(2), 0.1);
  EXPECT_NEAR(last.at(3), last.at(1) / last.at(2), 0.005);
  const double rate = stored("a100-sxm4-40gb", "01/bandwidth/2-scalar")["bytes/s"];
  EXPECT_NEAR(last.at(2), 2 * 8 * last.at(0) / rate * 1e6, 0.01 * last.at(2));
  expect_says("docs/whole-models.md", "a factor of " + number(numbers(shown[0]).at(3)) +
                                          " for small arrays, of " + number(last.at(3), 2) +
                                          " for large ones (*simulated*)");
}

/// Of a grade: the numbers of the lines of lab 03 C that are shown and not graded, by the function.
std::map<std::string, std::vector<double>> activations(const std::string& text) {
  const std::string before = "your compiler's ";
  std::map<std::string, std::vector<double>> found;
  for (const std::string& line : lines_of(text)) {
    const std::string row = trimmed(line);
    if (!row.starts_with(before) || row.find("not graded") == std::string::npos) continue;
    found[row.substr(before.size(), row.find(' ', before.size()) - before.size())] = numbers(row);
  }
  return found;
}

// Breaks when one of the functions no longer takes the time of its bytes.
TEST_F(Experiment, ActivationsCostTheSame) {
  const auto on_page = activations(text_of(kRoot / kFusion));
  ASSERT_EQ(on_page.size(), 4U);
  EXPECT_EQ(on_page, activations(lab({"grade", "03c", "--solution", "--device", "sim"})));
  const auto h200 = activations(lab({"grade", "03c", "--solution", "--device", "sim:h200"}));
  ASSERT_EQ(h200.size(), 4U);
  std::vector<double> shares;
  for (const auto& [function, row] : h200) shares.push_back(row.at(2));
  expect_says(kFusion, "they are between " + number(std::ranges::min(shares), 1) + " and " +
                           number(std::ranges::max(shares), 1) + " %");
}

// Breaks when lab 08 B's solution or its roof moves on a T4, which has no stored table.
TEST_F(Experiment, LayerNormOnAT4) {
  const fs::path json = folder_ / "t4.json";
  lab({"grade", "08b", "--solution", "--device", "sim:t4", "--json", json.string()});
  const nlohmann::json result = nlohmann::json::parse(text_of(json));
  const nlohmann::json& widths = result["measurements"];
  ASSERT_EQ(widths.size(), 3U);
  const auto rate = [&](std::size_t width) { return number(widths[width]["achieved"]); };
  expect_says("labs/08-rows/README.md", "on a T4 (" + number(widths[0]["roof"]["value"], 1) + ") " + rate(0) +
                                            ", " + rate(1) + " and " + rate(2) + ".");
}

// Breaks when a lab no longer moves with the number of its regime, or moves with the next lab's.
TEST_F(Experiment, ChangeTheGpu) {
  const std::string page = "docs/three-regimes.md", gpu = "sim:a100-sxm4-40gb,",
                    tensor = "tensor_f16_f32_flops_per_clock=4096",
                    shared = "shared_wavefronts_per_clock=2,l1_bytes_per_clock=256";
  const std::map<std::string, std::string> works = {
      {"01", "01/bandwidth"}, {"04", "04/product"}, {"05", "05/node"}};
  /// What a change of the GPU does to the times of these labs' solutions, in per cent.
  const auto change = [&](const std::string& numbers, const std::vector<std::string>& labs) {
    const auto us = timed(labs, gpu + numbers, "(bandwidth|product|node)/solution");
    std::map<std::string, double> by;
    for (const std::string& lab : labs) {
      const std::string version = works.at(lab) + "/solution";
      by[lab] = 100 * (us.at(version) / stored("a100-sxm4-40gb", version)["real_time"].get<double>() - 1);
    }
    return by;
  };
  const std::string changes[] = {"dram_gbps=3110", tensor, "graph_node_us=0.58,kernel_start_us=0.45"};
  for (std::size_t column = 0; column < 3; ++column) {
    expect_says(page, "--device " + gpu + changes[column]);
    for (const auto& [lab, by] : change(changes[column], {"01", "04", "05"})) {
      std::vector<std::string> cells;
      for (const std::string& line : lines_of(text_of(kRoot / page))) {
        if (!line.starts_with("| lab " + lab + ",")) continue;
        std::istringstream in(line.substr(1));
        for (std::string cell; std::getline(in, cell, '|');) cells.push_back(trimmed(cell));
      }
      ASSERT_EQ(cells.size(), 4U) << lab;
      EXPECT_EQ(cells[1 + column], std::abs(by) < 0.5 ? "0" : "**" + number(by) + " %**") << lab;
    }
  }
  const double little = -change(shared, {"04"}).at("04"),
               both = -change(shared + "," + tensor, {"04"}).at("04");
  expect_says(page, "(`" + shared + "`) gains " + number(little) + " %, both together gain **" +
                        number(both) + " %**");
}

/// The doubling test on lab 05's page: n, and of each version its time and what the last doubling cost.
std::map<double, std::vector<double>> doubling_on_the_page() {
  std::map<double, std::vector<double>> rows;
  for (const std::string& line : rows_below(text_of(kRoot / "labs/05-launch/README.md"), "n  sync after")) {
    std::vector<double> row;
    std::istringstream in(line);
    for (std::string word; in >> word;)
      if (word != "%") row.push_back(std::stod(word));
    rows[row.at(0)] = {row.begin() + 1, row.end()};
  }
  return rows;
}

/// As a table prints it: three digits.
double three_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

// Breaks when lab 05's table is not that of its picture.
TEST(DoublingTest, TableAndPictureAgree) {
  const auto page = doubling_on_the_page();
  ASSERT_EQ(page.size(), 6U);
  const std::string figure = text_of(kRoot / "labs/05-launch/times.svg");
  const auto drawn = [&](const std::string& version, double n) {
    const std::string mark = "<title>" + version + ", n = " + number(n) + ": ";
    const std::size_t at = figure.find(mark);
    EXPECT_NE(at, std::string::npos) << mark;
    return at == std::string::npos ? NAN : std::stod(figure.substr(at + mark.size()));
  };
  const char* const kVersions[] = {"sync after each", "stream order", "graph", "fused"};
  for (const auto& [n, cells] : page) {
    ASSERT_EQ(cells.size(), 8U) << n;
    for (std::size_t v = 0; v < 4; ++v) {
      const double us = drawn(kVersions[v], n), half = drawn(kVersions[v], n / 2);
      EXPECT_NEAR(cells[2 * v], us, 0.006 * us) << kVersions[v] << ", " << n;
      EXPECT_NEAR(cells[2 * v + 1], 100 * (us / half - 1), 0.6) << kVersions[v] << ", " << n;
    }
  }
}

// Breaks when doubling costs something else than lab 05's page says: its first two rows, and its last one.
TEST(DoublingTest, IsWhatThePageSays) {
  std::vector<grader::Lab> labs = grader::all_labs();
  const grader::Lab& lab = *std::ranges::find(labs, std::string("05-launch"), &grader::Lab::folder);
  grader::Part part = lab.parts.at(0);
  part.bench->values = {16384, 32768, 524288};
  std::erase_if(part.bench->versions, [](const grader::Version& version) { return version.file.empty(); });
  grader::Paths paths;
  paths.root = kRoot;
  paths.build = ROOFLINE_BUILD;
  paths.state = fs::path(testing::TempDir()) / "no-state";
  grader::Workbench workbench(paths, "sim");
  const auto page = doubling_on_the_page();
  std::size_t column = 0;
  for (const grader::BenchCurve& curve : bench_versions(workbench, {&lab, &part}, paths)) {
    ASSERT_EQ(curve.us.size(), 3U) << curve.name << ": " << curve.problem;
    for (std::size_t i = 0; i < 3; ++i) {
      const double us = page.at(part.bench->values[i]).at(column);
      EXPECT_NEAR(us, three_digits(curve.us[i]), 0.006 * us) << curve.name << ", " << part.bench->values[i];
    }
    column += 2;
  }
}

// Breaks when lab 05's page says another time of a graded step than the stored table: a call is 24 steps.
TEST(DoublingTest, AGradedStep) {
  const nlohmann::json row = stored("a100-sxm4-40gb", "05/node/solution");
  constexpr double kFlopsOfAStep = 42.0 * 16384;
  const double us = row["real_time"], steps = row["FLOP/s"].get<double>() * us * 1e-6 / kFlopsOfAStep;
  EXPECT_NEAR(steps, std::round(steps), 1e-6);
  expect_says("labs/05-launch/README.md", "A step of the graph costs " +
                                              number(doubling_on_the_page().at(16384).at(4)) +
                                              " µs here and " + number(us / steps) + " when it is graded");
}

// Breaks when two rows in an SM gain something else in lab 08 B: DRAM's GPU gains, the one that L2 limits
// does not.
TEST_F(Experiment, TwoRowsInAnSm) {
  const std::string page = "labs/08-rows/README.md", work = "08b/columns-131072";
  copy_labs();
  std::string source = text_of(root_ / "solutions/08-rows/layer_norm.cu");
  const std::string one = "layer_norm_kernel<1024, 4, kWhole><<<blocks, 1024,",
                    two = "layer_norm_kernel<512, 4, kWhole><<<blocks, 512,";
  ASSERT_NE(source.find(one), std::string::npos);
  source.replace(source.find(one), one.size(), two);
  write_text(root_ / "labs/08-rows/layer_norm.cu", source);
  struct Gpu {
    const char *id, *says, *after;
  };
  for (const Gpu& gpu : {Gpu{"a100-sxm4-40gb", "A100 rises from ", " GB/s"},
                         Gpu{"h200", "which L2 limits, gains nothing: ", "."}}) {
    const nlohmann::json before = stored(gpu.id, work + "/solution");
    const double rate = before["bytes/s"].get<double>() * 1e-9, us = before["real_time"],
                 now = timed({"08b"}, std::string("sim:") + gpu.id, work + "/yours").at(work + "/yours");
    const bool a100 = std::string(gpu.id) != "h200";
    const std::string from = gpu.says + number(rate) + (a100 ? " to " : " and ");
    const double said = read(page, from, gpu.after), is = rate * us / now;
    EXPECT_NEAR(said, is, 0.003 * is) << gpu.id;
  }
}

}  // namespace
}  // namespace roofline::docs
