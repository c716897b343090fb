// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The advisor and the listing on counts made up for the purpose. Broken by: a rule that fires below its
// threshold, advice in the wrong order, a line that is wider than the terminal.
#include "grader/profile/advisor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/symbol_name.h"
#include "grader/base/units.h"
#include "grader/formats/counters_json.h"
#include "grader/profile/explain.h"
#include "grader/profile/listing.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;
using sim::InstructionCounters;
using sim::LineRecord;

sim::DeviceDescription device() {
  return sim::load_device(ROOFLINE_BUILD "/simulator/devices", "a100-sxm4-40gb");
}

sim::LineRecord instruction(unsigned line, const std::string& ptx, sim::u64 warps = 1000) {
  sim::LineRecord made;
  made.kernel = made.function = "_Z5scalePf";
  made.file = "/src/scale.cu";
  made.line = line;
  made.ptx_line = 100 + line;
  made.ptx = ptx;
  made.counters.warps = warps;
  made.counters.lanes = warps * 32;
  return made;
}

sim::LineRecord load(unsigned line, sim::u64 sectors, sim::u64 ideal, sim::s32 stride) {
  sim::LineRecord made = instruction(line, "ld.global.f32 %f1, [%rd1]");
  made.is_load = true;
  made.width = 4;
  made.pipe = sim::Pipe::kMemory;
  made.counters.requests = 1000;
  made.counters.sectors = sectors * 1000;
  made.counters.ideal_sectors = ideal * 1000;
  if (sectors > ideal) made.counters.stride_low = made.counters.stride_high = stride;
  return made;
}

/// One launch whose time is all DRAM.
ProgramProfile program(std::vector<sim::LineRecord> lines) {
  sim::Region region;
  sim::KernelRecord& launch = region.kernels.emplace_back();
  launch.name = "_Z5scalePf";
  launch.grid = {4096, 1, 1};
  launch.block = {256, 1, 1};
  launch.end = launch.seconds = region.virtual_seconds = 1e-3;
  launch.limiter = "DRAM";
  launch.bounds = {{"DRAM", 9e-4}, {"latency", 1e-4}};
  launch.occupancy = {8, 64, 1, "warps"};
  for (const auto& line : lines) {
    launch.counters.warp_instructions += line.counters.warps;
    launch.counters.lane_instructions += line.counters.lanes;
    launch.counters.global_load_sectors += line.counters.sectors;
    launch.counters.shared_wavefronts += line.counters.wavefronts;
    launch.counters.divergent_branches += line.counters.divergent;
  }
  return profile_of(std::move(region), std::move(lines), device());
}

std::string json_of(ProgramProfile p, std::vector<Finding> findings = {}) {
  std::vector<RunDocument> documents(1);
  documents[0].program = std::move(p);
  documents[0].findings = std::move(findings);
  return run_json(documents, "./scale", 0);
}

// Breaks when the launches of a kernel are not added up: sums of all four kinds, and what is a maximum.
TEST(KernelCountersOfSeveralLaunches, AreSumsAndMaxima) {
  sim::Region region;
  for (const sim::u64 n : {3, 5}) {
    sim::KernelRecord& launch = region.kernels.emplace_back();
    launch.name = "_Z5scalePf";
    launch.counters.flops[0] = launch.counters.pipe_warps[0] = n;
    launch.counters.shared_requests = launch.counters.branches = launch.counters.dram_read_bytes = n;
    launch.counters.atomic_slice_turns_max = launch.counters.atomic_same_address_max = n;
  }
  const ProgramProfile profile = profile_of(std::move(region), {}, device());
  ASSERT_EQ(profile.kernels.size(), 1U);
  const sim::KernelCounters& c = profile.kernels[0].counters;
  for (const sim::u64 sum : {c.flops[0], c.pipe_warps[0], c.shared_requests, c.branches, c.dram_read_bytes})
    EXPECT_EQ(sum, 8U);
  EXPECT_EQ(c.atomic_slice_turns_max, 5U);
  EXPECT_EQ(c.atomic_same_address_max, 5U);
}

std::vector<std::string> rules(const ProgramProfile& p) {
  std::vector<std::string> names;
  for (const Finding& finding : advise(p)) names.push_back(finding.rule);
  return names;
}

TEST(Advisor, CoalescedLoadsGetNoAdvice) {
  EXPECT_TRUE(rules(program({load(3, 4, 4, 4), load(4, 5, 4, 4)})).empty());
}

TEST(Advisor, NamesTheLineTheSectorsAndTheStride) {
  const auto found = advise(program({load(3, 4, 4, 4), load(14, 32, 4, 128)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "uncoalesced-access");
  EXPECT_EQ(found[0].file, "/src/scale.cu");
  EXPECT_EQ(found[0].line, 14u);
  EXPECT_EQ(
      found[0].message.find("this load touches 32 sectors a warp request, 4 would do: neighbours in the warp "
                            "read addresses 128 bytes apart."),
      0u)
      << found[0].message;
  EXPECT_GT(found[0].gain_seconds, 5e-4);
}

TEST(Advisor, TheLargestGainComesFirst) {
  const auto found = advise(program({load(3, 8, 4, 8), load(14, 32, 4, 128)}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].line, 14u);
  EXPECT_GT(found[0].gain_seconds, found[1].gain_seconds);
}

TEST(Advisor, WasteThatHardlyMattersIsNotMentioned) {
  EXPECT_TRUE(rules(program({load(3, 2, 1, 128), load(4, 16, 16, 16), load(5, 16, 16, 16)})).empty());
}

TEST(Advisor, FourNeighbouringFloatsAreAVector) {
  std::vector<sim::LineRecord> lines;
  for (int i = 0; i < 4; i++) lines.push_back(load(7, 16, 4, 16));
  const auto found = advise(program(lines));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "scalar-access");
  EXPECT_NE(found[0].message.find("float4"), std::string::npos);
}

// Breaks when the advice on halves names a vector of floats, or a type that does not exist ("float1").
TEST(Advisor, TwoNeighbouringHalvesAreAHalf2) {
  std::vector<sim::LineRecord> lines(2, load(7, 4, 2, 4));
  for (sim::LineRecord& line : lines) line.width = 2;
  const auto found = advise(program(lines));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(
      found[0].message.find("4 bytes side by side, piece by piece: take them with one access, as a half2"),
      std::string::npos)
      << found[0].message;
}

TEST(Advisor, BankConflictsNameTheStrideAndThePadding) {
  sim::LineRecord line = instruction(9, "ld.shared.f32 %f1, [%r1]");
  line.is_load = true;
  line.width = 4;
  line.counters.requests = line.counters.ideal_wavefronts = 1000;
  line.counters.wavefronts = 32000;
  line.counters.stride_low = line.counters.stride_high = 128;
  const auto found = advise(program({line}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "bank-conflict");
  EXPECT_NE(found[0].message.find("32-way"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("[32 + 1]"), std::string::npos) << found[0].message;
}

// Breaks when rows of 64 bytes that are read by 16 bytes get no advice that one can follow.
TEST(Advisor, RowsThatAreReadBySixteenBytesArePaddedByAsMuch) {
  sim::LineRecord line = instruction(9, "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1]");
  line.is_load = true;
  line.width = 16;
  line.counters.requests = 1000;
  line.counters.ideal_wavefronts = 4000;
  line.counters.wavefronts = 16000;
  line.counters.stride_low = line.counters.stride_high = 64;
  const auto found = advise(program({line}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("64 bytes apart"), std::string::npos) << found[0].message;
  EXPECT_NE(found[0].message.find("Pad the rows by 16 bytes"), std::string::npos) << found[0].message;
}

/// A thread's own memory: of an array, or of what ptxas spilled.
sim::LineRecord local(unsigned line, sim::u64 sectors, bool is_spill) {
  sim::LineRecord made = instruction(line, "ld.local.f32 %f1, [%rd1]");
  made.is_load = true;
  made.is_spill = is_spill;
  made.width = 4;
  made.counters.local_requests = 1000;
  made.counters.local_sectors = sectors;
  return made;
}

// Breaks when spilled registers count as an array: in the text of a line that has both, or at all.
TEST(Advisor, LocalArraysAreCountedWithoutWhatWasSpilled) {
  ProgramProfile both = program({load(3, 4, 4, 4), local(9, 4000, false), local(9, 2000, true)});
  both.kernels[0].counters.local_sectors = 6000;
  const auto found = advise(both);
  const auto array =
      std::ranges::find(found, std::string("local-array"), [](const Finding& f) { return f.rule; });
  ASSERT_NE(array, found.end());
  EXPECT_EQ(array->message.find("this line moves 4.00 k sectors of local memory, 40 %"), 0U)
      << array->message;
  ProgramProfile spilled = program({load(3, 4, 4, 4), local(9, 6000, true)});
  spilled.kernels[0].counters.local_sectors = 6000;
  for (const std::string& rule : rules(spilled)) EXPECT_NE(rule, "local-array");
}

TEST(Advisor, RuleNamesAreUniqueAndStable) {
  std::set<std::string> names;
  for (const AdviceRule& rule : all_advice_rules()) {
    EXPECT_TRUE(names.insert(rule.id).second) << rule.id;
    EXPECT_EQ(std::string(rule.id).find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos);
  }
  for (const char* known : {"uncoalesced-access", "bank-conflict", "divergent-branch", "register-spill"})
    EXPECT_TRUE(names.contains(known)) << known;
}

std::string page() { return read_file(fs::path(ROOFLINE_SOURCE) / "docs/counters.md"); }

// Breaks when a rule is missing in the page, or the page has one that there is no longer.
TEST(Advisor, ThePageListsTheRules) {
  std::set<std::string> rules, rows;
  for (const AdviceRule& rule : all_advice_rules()) rules.insert(rule.id);
  const std::string text = page();
  const size_t begin = text.find("| rule | fires when |");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream table(text.substr(begin));
  for (std::string row; std::getline(table, row) && row.starts_with("|");)
    if (row.starts_with("| `")) rows.insert(row.substr(3, row.find('`', 3) - 3));
  EXPECT_EQ(rows, rules);
}

class Width : public testing::TestWithParam<int> {};
TEST_P(Width, NothingIsWiderThanTheTerminal) {
  Terminal terminal;
  terminal.width = GetParam();
  terminal.colour = terminal.utf8 = true;
  sim::LineRecord long_ptx = instruction(0, "mad.lo.s32 " + std::string(200, 'x'));
  for (const auto& lines : {std::vector{load(3, 32, 4, 128), load(5, 4, 4, 4)}, std::vector{long_ptx}}) {
    ProgramProfile p = program(lines);
    if (lines.size() == 1) p.kernels[0].name = std::string(200, 'n');
    std::istringstream text(headline(p, terminal) + listing(p, terminal) +
                            findings_text(advise(p), p, terminal));
    for (std::string line; std::getline(text, line);) EXPECT_LE(display_width(line), terminal.width) << line;
  }
}
INSTANTIATE_TEST_SUITE_P(Listing, Width, testing::Values(80, 100, 120));

TEST(Listing, EveryTimeSaysThatItIsSimulated) {
  const ProgramProfile p = program({load(3, 32, 4, 128)});
  std::istringstream text(listing(p, {}) + findings_text(advise(p), p, {}));
  const std::regex time("[0-9] (ns|us|ms|s|ks)\\b");
  int times = 0;
  for (std::string line; std::getline(text, line);)
    if (std::regex_search(line, time)) {
      EXPECT_NE(line.find("simulated"), std::string::npos) << line;
      times++;
    }
  EXPECT_GT(times, 0) << "nothing was looked at";
}

// Breaks when a listing in a page lacks a column that the program prints by now.
TEST(Listing, PagesShowItsColumns) {
  std::set<std::string> titles;
  for (const int width : {80, 120}) {
    Terminal terminal;
    terminal.width = width;
    std::istringstream text(listing(program({load(3, 32, 4, 128)}), terminal));
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("   line instr%")) titles.insert(line);
  }
  ASSERT_EQ(titles.size(), 2U);
  int listings = 0;
  for (const char* folder : {"docs", "labs"})
    for (const auto& file : fs::recursive_directory_iterator(fs::path(ROOFLINE_SOURCE) / folder)) {
      if (file.path().extension() != ".md") continue;
      std::istringstream text(read_file(file.path()));
      for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("   line instr%")) continue;
        ++listings;
        EXPECT_TRUE(titles.contains(line)) << file.path() << ": " << line;
      }
    }
  EXPECT_GT(listings, 0);
}

// Breaks when reasons are swapped on their way to the reader, or name a line where warps do not wait.
TEST(Listing, SaysWhyWarpsWaitAndWhere) {
  sim::LineRecord user = instruction(5, "add.f32 %f2, %f1, %f1"), barrier = instruction(7, "bar.sync 0");
  user.stalls[sim::Stall::kLongScoreboard] = 6e-4;
  barrier.stalls[sim::Stall::kBarrier] = 3e-4;
  barrier.stalls[sim::Stall::kSelected] = 1e-4;
  ProgramProfile p = program({user, barrier});
  p.kernels[0].stalls.add(user.stalls);
  p.kernels[0].stalls.add(barrier.stalls);
  Terminal terminal;
  terminal.width = 120;
  const std::string text = listing(p, terminal);
  EXPECT_NE(
      text.find("a warp's time: long scoreboard 60 % (most in line 5), barrier 30 % (most in line 7); it "
                "issues 10 %"),
      std::string::npos)
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("\n +5 +50 +60 ")) &&
              std::regex_search(text, std::regex("\n +7 +50 +30 ")))
      << text;
  const auto json = nlohmann::json::parse(json_of(std::move(p)));
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("stalls").at(0).at("reason"), "long scoreboard");
  EXPECT_EQ(kernel["stalls"][1].at("simulated_seconds"), 3e-4);
  EXPECT_EQ(kernel.at("lines").at(1).at("stalls").at(0).at("reason"), "barrier");
}

TEST(Json, HoldsKernelsLinesAndFindings) {
  ProgramProfile p = program({load(3, 32, 4, 128)});
  std::vector<Finding> advice = advise(p);
  const auto json = nlohmann::json::parse(json_of(std::move(p), std::move(advice)));
  EXPECT_EQ(json.at("schema"), "lab/run/v1");
  EXPECT_EQ(json.at("device").at("kind"), "simulated");
  const auto& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("name"), "scale");
  EXPECT_EQ(kernel.at("lines").at(0).at("line"), 3);
  EXPECT_EQ(kernel["lines"][0].at("counters").at("sectors"), 32000);
  EXPECT_EQ(kernel["lines"][0]["counters"].at("stride_bytes").at("low"), 128);
  EXPECT_EQ(json.at("findings").at(0).at("rule"), "uncoalesced-access");
}

// Breaks when a count of a line is missing in the page's table of fields.
TEST(Json, ThePageListsTheCountsOfALine) {
  ProgramProfile p = program({load(3, 32, 4, 128)});
  const auto json = nlohmann::ordered_json::parse(json_of(std::move(p)));
  std::string fields;
  for (const auto& [name, value] : json["kernels"][0]["lines"][0]["counters"].items()) {
    fields += (fields.empty() ? "" : ", ") + name;
    if (!value.is_object()) continue;
    std::string inner;
    for (const auto& [member, number] : value.items()) inner += (inner.empty() ? "" : ", ") + member;
    fields += "{" + inner + "}";
  }
  EXPECT_NE(page().find("\n| `lines[].counters` | `" + fields + "` |\n"), std::string::npos) << fields;
}

TEST(Explain, ReadsBlockAndThread) {
  const sim::ThreadRequest counted = parse_thread("3,17");
  EXPECT_TRUE(counted.block_is_linear && counted.thread_is_linear);
  EXPECT_EQ(counted.block.x, 3u);
  EXPECT_EQ(counted.thread.x, 17u);
  const sim::ThreadRequest triples = parse_thread("(1,2,3),(4,5)");
  EXPECT_FALSE(triples.block_is_linear || triples.thread_is_linear);
  EXPECT_EQ(triples.block.z, 3u);
  EXPECT_EQ(triples.thread.y, 5u);
  for (const char* wrong : {"", "1", "1,", ",1", "(1,2),", "1,2,3", "(1,2,3,4),1", "-1,2", "99999999999,0"})
    EXPECT_THROW((void)parse_thread(wrong), UsageError) << wrong;
}

TEST(Units, AreForAReader) {
  EXPECT_EQ(count_text(12), "12");
  EXPECT_EQ(count_text(1234567), "1.23 M");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0.5), "50 %");
  EXPECT_EQ(readable_symbol("_Z5scalePf"), "scale");
  EXPECT_EQ(readable_symbol("plain_name"), "plain_name");
  EXPECT_EQ(
      readable_symbol("_ZN30_INTERNAL_91bc7b05_4_a_cu_main3lab32_GLOBAL__N__91bc7b05_4_a_cu_main5tableE"),
      "lab::table")
      << "a static variable, by the name that nvcc gives it";
}

}  // namespace
}  // namespace roofline::grader
