// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Small programs with one known weakness each, through the built `lab run`. A line that ends in
// "// advice: RULE" must get that advice, and no other line may get any: the clean twins stand in the same
// files. Broken by: a rule that names the wrong line, cries wolf, or stays silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "grader/base/paths.h"
#include "grader/build/toolkit.h"
#include "grader/profile/advisor.h"

#define SIMULATOR_BUILD ROOFLINE_BUILD "/simulator"
#define SIMULATOR_SOURCE ROOFLINE_SOURCE "/common/simulator"
#define CUDA_HOME grader::find_toolkit().home.string()
#include "simulator/tests/program.h"

namespace roofline::advice_programs {
namespace {

using namespace sim::test;
using Json = nlohmann::json;

fs::path source_of(const std::string& name) {
  return fs::path(ROOFLINE_SOURCE "/grader/tests/advice") / (name + ".cu");
}

/// Every program of the corpus.
std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(ROOFLINE_SOURCE "/grader/tests/advice"))
    if (file.path().extension() == ".cu") names.push_back(file.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// "17 bank-conflict" of every marked line; line 0 is the program as a whole.
std::set<std::string> marks(const std::string& name) {
  std::set<std::string> found;
  std::istringstream text(read_file(source_of(name)));
  unsigned number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    for (const std::string& mark : {std::string("// program advice: "), std::string("// advice: ")}) {
      const size_t at = line.find(mark);
      if (at == std::string::npos) continue;
      const bool whole = mark[3] == 'p';
      found.insert(std::to_string(whole ? 0 : number) + " " + line.substr(at + mark.size()));
    }
  }
  return found;
}

std::string flags(const fs::path& source) {
  const std::string text = read_file(source), mark = "// nvcc: ";
  const size_t at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size(), text.find('\n', at) - at - mark.size());
}

fs::path build_file(const Folder& folder, const fs::path& source, const std::string& lines = "-lineinfo") {
  std::vector<std::string> command = {fs::path(CUDA_HOME) / "bin" / "nvcc", "-std=c++17", "-O3", "-gencode",
                                      "arch=compute_80,code=compute_80",    source};
  if (!lines.empty()) command.push_back(lines);
  std::istringstream more(flags(source));
  for (std::string flag; more >> flag;) command.push_back(flag);
  const fs::path program = folder / source.stem().string();
  compile_once(command, {source}, program);
  return program;
}

fs::path build(const Folder& folder, const std::string& name, const std::string& lines = "-lineinfo") {
  return build_file(folder, source_of(name), lines);
}

Result verb(const char* name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {ROOFLINE_BUILD "/bin/lab", name});
  return run(arguments);
}
Result lab_run(const std::vector<std::string>& arguments) { return verb("run", arguments); }

class Advice : public testing::TestWithParam<std::string> {};

TEST_P(Advice, NamesTheMarkedLinesAndNoOther) {
  const Folder folder;
  const fs::path json = folder / "run.json";
  const Result result = lab_run({"--json", json.string(), build(folder, GetParam()).string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::set<std::string> found;
  std::string messages;
  const Json log = Json::parse(read_file(json));
  for (const Json& finding : log.at("findings")) {
    found.insert(std::to_string(finding.at("line").get<unsigned>()) + " " +
                 finding.at("rule").get<std::string>());
    messages += finding.dump() + "\n";
  }
  EXPECT_EQ(found, marks(GetParam())) << messages;
}
INSTANTIATE_TEST_SUITE_P(Programs, Advice, testing::ValuesIn(programs()),
                         [](const auto& each) { return each.param; });

// Broken by: a rule without a program that draws it.
TEST(AdviceRules, EachHasAProgram) {
  std::set<std::string> drawn;
  for (const std::string& name : programs())
    for (const std::string& mark : marks(name)) drawn.insert(mark.substr(mark.find(' ') + 1));
  for (const grader::AdviceRule& rule : grader::all_advice_rules())
    EXPECT_TRUE(drawn.contains(rule.id)) << rule.id << " is drawn by no file of grader/tests/advice";
}

/// A program of the corpus, and what its text becomes where somebody follows every advice about it: most
/// bring the better twin along.
struct Followed {
  const char* name;
  std::vector<std::pair<std::string, std::string>> changes;
};
void PrintTo(const Followed& followed, std::ostream* out) { *out << followed.name; }

Json log_of(const Folder& folder, const fs::path& program) {
  const fs::path json = folder / "run.json";
  const Result result = lab_run({"--json", json.string(), program.string()});
  if (result.status != 0) throw std::runtime_error(result.err);
  return Json::parse(read_file(json));
}

class FollowedAdvice : public testing::TestWithParam<Followed> {};

// Broken by: an advice that does not help, helps less than a quarter of what it promises, or is given again
// to whoever followed it.
TEST_P(FollowedAdvice, SavesWhatItPromises) {
  const Folder folder;
  const Json before = log_of(folder, build(folder, GetParam().name));
  std::string text = read_file(source_of(GetParam().name));
  for (const auto& [old_text, new_text] : GetParam().changes) {
    const size_t at = text.find(old_text);
    ASSERT_NE(at, std::string::npos) << old_text;
    text.replace(at, old_text.size(), new_text);
  }
  const fs::path changed =
      fs::path(ROOFLINE_BUILD "/advice-followed") / (std::string(GetParam().name) + ".cu");
  fs::create_directories(changed.parent_path());
  std::ofstream(changed) << text;  // always in the same place, so that it is compiled once
  const Json after = log_of(folder, build_file(folder, changed));
  double promised = 0;
  for (const Json& finding : before.at("findings"))
    promised += finding.at("simulated_seconds_saved").get<double>();
  ASSERT_GT(promised, 0);
  const double saved =
      before.at("simulated_seconds").get<double>() - after.at("simulated_seconds").get<double>();
  EXPECT_GE(saved, promised / 4) << before.at("findings").dump(1);
  EXPECT_TRUE(after.at("findings").empty()) << after.at("findings").dump(1);
}
INSTANTIATE_TEST_SUITE_P(
    Programs, FollowedAdvice,
    testing::Values(
        Followed{"stride",
                 {{"strided<<<n / 256, 256>>>(x, y, n, stride)", "coalesced<<<n / 256, 256>>>(x, y, n)"}}},
        Followed{"doubles", {{"v * 0.999 + 0.1;", "v * 0.999f + 0.1f;"}}},
        Followed{"transpose",
                 {{"transpose_tile<0>", "transpose_tile<1>"},
                  {"through_columns<<<dim3(n / 32, n / 8), block>>>", "padded<<<grid, block>>>"}}},
        Followed{"divergence", {{"threadIdx.x % 2 == 0", "threadIdx.x / 32 % 2 == 0"}}},
        Followed{"local_array", {{"indexed<<<n / 256, 256>>>(index, y)", "unrolled<<<n / 256, 256>>>(y)"}}},
        Followed{"atomics", {{"one_address<<<n / 256,", "by_block<<<n / 2048,"}}},
        Followed{"vectors",
                 {{"one_by_one<<<n / 256, 256>>>(x, y)",
                   "as_vector<<<n / 256, 256>>>(reinterpret_cast<const float4*>(x), y)"}}},
        Followed{"shape",
                 {{"one_block<<<1, 256>>>", "many_blocks<<<n / 256, 256>>>"},
                  {"odd_blocks<<<n / 40 + 1, 40>>>", "odd_blocks<<<n / 256, 256>>>"}}},
        Followed{"uneven", {{"one_warp<<<", "all_warps<<<"}}},
        Followed{"occupancy", {{"few_warps<<<", "many_warps<<<"}}},
        Followed{"tail", {{"two_waves<<<360, 384>>>(y, 1000)", "one_wave<<<324, 384>>>(y, 1000)"}}},
        Followed{"flight",
                 {{"one_at_a_time<<<108, 128>>>(x, y, 100)", "all_at_once<<<n / 256, 256>>>(x, y)"}}},
        Followed{"barriers", {{"by_block<<<", "by_warp<<<"}}},
        Followed{"launches",
                 {{"y[threadIdx.x] += 1.0f;", "y[threadIdx.x] += 1000.0f;"},
                  {"for (int k = 0; k < 1000; ++k) tiny", "tiny"}}},
        Followed{"copies",
                 {{"  for (int k = 0; k < 10; ++k) {\n    cudaMemcpy(y, host.data(), sizeof(float) * n, "
                   "cudaMemcpyHostToDevice);\n",
                   "  cudaMemcpy(y, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice);\n"
                   "  for (int k = 0; k < 10; ++k) {\n"},
                  {"    cudaMemcpy(host.data(), y, sizeof(float) * n, cudaMemcpyDeviceToHost);\n  }\n",
                   "  }\n  cudaMemcpy(host.data(), y, sizeof(float) * n, cudaMemcpyDeviceToHost);\n"}}}),
    [](const auto& each) { return std::string(each.param.name); });

/// Broken by: a source line that is not shown beside its counts, a sentence without its numbers.
TEST(Counters, ShowTheSourceAndTheSentence) {
  const Folder folder;
  const Result result = lab_run({"--counters", build(folder, "stride").string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("return 2.0f * x[i * stride];"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("touches 32 sectors a warp request, 4 would do: neighbours in the warp read "
                            "addresses 128 bytes apart"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("32/4"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("a warp's time: long scoreboard"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\033'), std::string::npos) << "not a terminal";
}

TEST(Counters, WithoutLineInformationShowPtx) {
  const Folder folder;
  const Result result = lab_run({"--counters", build(folder, "stride", "").string()});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("ld.global"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("nvcc -lineinfo"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("PTX line"), std::string::npos) << result.err;
}

/// Broken by: a count that depends on the number of host threads.
TEST(Counters, DoNotDependOnThreads) {
  const Folder folder;
  for (const char* name : {"transpose", "atomics"}) {
    const std::string program = build(folder, name).string();
    const Result one = lab_run({"--threads", "1", "--json", "-", program});
    const Result two = lab_run({"--threads", "2", "--json", "-", program});
    ASSERT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(one.out, two.out);
  }
}

/// Broken by: a file that is not SARIF, a place that an editor cannot find.
TEST(Counters, SarifNamesRelativeFiles) {
  const Folder folder;
  const std::string program = build(folder, "stride").string();
  const fs::path file = folder / "run.sarif";
  const fs::path before = fs::current_path();
  fs::current_path(ROOFLINE_SOURCE);
  const Result result = lab_run({"--sarif", file.string(), program});
  fs::current_path(before);
  ASSERT_EQ(result.status, 0) << result.err;
  const Json log = Json::parse(read_file(file));
  EXPECT_EQ(log.at("version"), "2.1.0");
  const Json& results = log.at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 1u) << results.dump();
  const Json& place = results[0].at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"), "grader/tests/advice/stride.cu");
  EXPECT_EQ(place.at("region").at("startLine"), 7);
}

/// Broken by: a value, an address or a branch that is not the thread's own.
TEST(Explain, FollowsOneThread) {
  const Folder folder;
  const std::string program = build(folder, "stride").string();
  const Result result = lab_run({"--explain", "2,5", "--kernel", "strided", program});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"strided, launch 1: block (2,0,0), thread (5,0,0)", "stride.cu:7  return 2.0f * x[i * stride];",
        // Block 2, thread 5 is element 517; it reads 517 * 32 floats behind x and writes float 517 of y.
        "argument 1 + 66176 of 16777216 bytes", "argument 2 + 2068 of 524288 bytes", "not taken"})
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n" << result.err;
  const Result triple = lab_run({"--explain", "(2,0,0),(5,0,0)", "--kernel", "strided", program});
  EXPECT_EQ(triple.err, result.err);
}

TEST(Explain, SaysWhenThereIsNoSuchThread) {
  const Folder folder;
  const std::string program = build(folder, "launches").string();
  EXPECT_NE(lab_run({"--explain", "3,5", program}).err.find("there is no such block"), std::string::npos);
  EXPECT_NE(lab_run({"--explain", "0,300", program}).err.find("there is no such thread"), std::string::npos);
  EXPECT_NE(lab_run({"--explain", "0,0", "--kernel", "other", program}).err.find("No such kernel"),
            std::string::npos);
  EXPECT_NE(lab_run({"--explain", "0,0", "--launch", "2000", program}).err.find("1000 times only"),
            std::string::npos);
  for (const char* wrong : {"5", "a,b", "(0,0", "0,0,0", "(0,0,0,0),1"}) {
    const Result result = lab_run({"--explain", wrong, program});
    EXPECT_EQ(result.status, 2) << wrong;
    EXPECT_NE(result.err.find("(0,5)"), std::string::npos) << result.err;
  }
}

/// Broken by: loops printed whole, threads that wait in silence, unoptimised code that is not understood.
TEST(Explain, FoldsLoopsAndShowsWaiting) {
  const Folder folder;
  const std::string program = build(folder, "divergence", "-lineinfo").string();
  const Result waits = lab_run({"--explain", "0,3", "--kernel", "by_thread", program});
  ASSERT_EQ(waits.status, 0) << waits.err;
  EXPECT_NE(waits.err.find("waits while other threads of its warp execute"), std::string::npos) << waits.err;
  const std::string unoptimised = build(folder, "local_array", "-G").string();
  const Result debug =
      lab_run({"--explain", "1,2", "--kernel", "indexed", "--explain-limit", "60", unoptimised});
  ASSERT_EQ(debug.status, 0) << debug.err;
  EXPECT_NE(debug.err.find("iterations 3 to 16 of the loop"), std::string::npos) << debug.err;
  EXPECT_NE(debug.err.find("--explain-limit N"), std::string::npos) << debug.err;
  EXPECT_NE(debug.err.find("local memory + "), std::string::npos) << debug.err;
}

/// Broken by: lanes of another warp, a page without the picture, a line that is refused without a word.
TEST(Show, DrawsTheLanesOfOneLine) {
  const Folder folder;
  const std::string program = build(folder, "stride").string();
  const std::string page = (folder / "show.html").string(), figure = (folder / "show.svg").string();
  const std::string source = source_of("stride").string();
  const Result result =
      verb("show", {source + ":7", "--warp", "1", "--html", page, "--svg", figure, program, "--warp"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"warp 1 of 8", "32 sectors of 32 bytes, 4 would do; of 1024 bytes moved 128 are used",
        "     4096  | 00 ", "NVIDIA A100-SXM4-40GB"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  const std::string html = read_file(page);
  for (const char* part :
       {"id=\"request-1\"", "Active lanes over time", "byte 4096", "Content-Security-Policy"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_NE(read_file(figure).find("<desc>load of 4 bytes a lane"), std::string::npos);
  const Result store = verb("show", {source + ":12", "--html", page, program});
  EXPECT_NE(store.out.find("Which thread wrote which element"), std::string::npos) << store.out;
  const Result other = verb("show", {source + ":2", "--html", page, program});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("lines that access memory: 7 12"), std::string::npos) << other.err;
}

// Breaks when an array of a lab's function is called by its number in the kernel, or a line that reads one
// array and writes another mixes them up.
TEST(Show, NamesTheArgumentsOfALab) {
  const Result result = verb("show", {ROOFLINE_SOURCE "/solutions/01-pointwise/variants/2-scalar.cu:15"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"load of 4 bytes a lane, 32 lanes, your argument x", " elements of your argument y, written by "})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  EXPECT_EQ(result.out.find("argument 1"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace roofline::advice_programs
