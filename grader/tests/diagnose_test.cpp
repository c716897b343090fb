// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Programs without source, as `./lab diagnose` gives them out: each waits for what its file is named after
// and for nothing else, and answers that are wrong are refused for their reason.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "grader/base/file.h"
#include "grader/base/units.h"
#include "grader/box/process.h"
#include "grader/build/sealed.h"
#include "grader/judge/diagnosis.h"
#include "grader/lab/spec.h"

namespace roofline::grader::diagnose {
namespace {
namespace fs = std::filesystem;

constexpr unsigned kPrograms = 12;
constexpr unsigned kDraw = 14, kOtherDraw = 15;  // of the files in solutions/14-detective

const fs::path kSolutions = fs::path(ROOFLINE_SOURCE) / "solutions" / "14-detective";
const fs::path kCache = fs::path(ROOFLINE_BUILD) / "diagnose-test";  // compiled once

/// A learner's checkout, without any work in it.
class Diagnose : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("roofline-diagnose-test-" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / ".lab");
    for (const char* part : {"labs", "solutions"})
      fs::copy(fs::path(ROOFLINE_SOURCE) / part, root_ / part, fs::copy_options::recursive);
    fs::remove(answers());
    fs::create_directory_symlink(fs::path(ROOFLINE_SOURCE) / "common", root_ / "common");
    fs::create_directories(kCache);
    fs::create_directory_symlink(kCache, root_ / ".lab" / "cache");
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path answers() const { return root_ / "labs" / "14-detective" / "diagnosis.toml"; }
  fs::path program(size_t index) const { return root_ / "results" / kSealedFolder / program_number(index); }

  CommandResult lab(std::vector<std::string> words) const {
    words.insert(words.begin(), std::string(ROOFLINE_BUILD) + "/bin/lab");
    return run_command(words,
                       {.directory = root_,
                        .limit = std::chrono::seconds(300),
                        .environment = {"ROOFLINE_ROOT=" + root_.string(),
                                        "ROOFLINE_STATE=" + (root_ / ".lab").string(), "LC_ALL=C.UTF-8"}});
  }

  nlohmann::json run(const fs::path& file, std::string_view change = "", unsigned times = 1) const {
    const std::string device =
        std::string("sim:") + kDiagnosisDevice + (change.empty() ? "" : "," + std::string(change));
    const fs::path json = root_ / "run.json";
    const CommandResult done = lab({"run", "--host-time", "free", "--device", device, "--json", json.string(),
                                    "--", file.string(), std::to_string(times)});
    EXPECT_TRUE(done.ok()) << done.output;
    return nlohmann::json::parse(read_file(json));
  }
  double seconds(const fs::path& file, std::string_view change = "", unsigned times = 1) const {
    return run(file, change, times).at("simulated_seconds").get<double>();
  }

  fs::path root_;
};

/// The programs by the names of their sources, with the numbers of a draw.
std::map<std::string, fs::path> named_programs(const fs::path& folder, std::uint64_t draw) {
  std::map<std::string, fs::path> programs;
  for (const auto& entry : fs::directory_iterator(kSolutions / kSealedFolder)) {
    if (entry.path().extension() != ".cu") continue;
    const std::string name = entry.path().stem().string();
    const fs::path alone = folder / name;  // so that its name is known
    fs::create_directories(alone);
    for (const fs::path& file : {entry.path(), kSolutions / kSealedFolder / "program.h"})
      fs::copy_file(file, alone / file.filename());
    const std::vector<SealedProgram> sealed = sealed_programs(alone, {}, kCache);
    write_executable(sealed.at(0), draw, kCache, alone / "executable");
    programs[name] = alone / "executable";
  }
  return programs;
}

// Breaks when a program no longer waits for what it is named after, or waits for something else as well.
TEST_F(Diagnose, EachProgramWaitsForOneThing) {
  constexpr double kOwn = 1.4, kOther = 1.2;  // around kBound
  static_assert(kOther < kBound && kBound < kOwn);
  const std::map<std::string, fs::path> programs = named_programs(root_ / "named", 7);
  ASSERT_EQ(programs.size(), regimes().size());
  for (const auto& [name, file] : programs) {
    ASSERT_NE(find_regime(name), nullptr) << name;
    const double base = seconds(file);
    for (const Regime& regime : regimes()) {
      const double faster = base / seconds(file, regime.change);
      const bool everything = regime.word == "starved";
      const bool helps = everything ? name != "starved" : regime.word == name;
      EXPECT_TRUE(helps ? faster >= kOwn : faster < kOther)
          << name << " is " << faster << " times as fast when this is twice as good: " << regime.word;
    }
  }
}

// Breaks when a learner cannot see in counters and times what an experiment then proves.
TEST_F(Diagnose, WhatTheToolsShowTellsIt) {
  const std::map<std::string, fs::path> programs = named_programs(root_ / "named", 7);
  const std::map<std::string, std::string> limiters = {
      {"fp32", "FMA"},        {"tensor", "tensor"},    {"dram", "DRAM"},      {"l2", "L2"},
      {"latency", "latency"}, {"conflicts", "shared"}, {"atomics", "atomics"}};
  for (const auto& [name, file] : programs) {
    const nlohmann::json seen = run(file);
    const double all = seen.at("simulated_seconds"), kernels = seen.at("simulated_kernel_seconds");
    const nlohmann::json& first = seen.at("kernels").at(0);
    const double launches = seen.at("launches");
    if (const auto limiter = limiters.find(name); limiter != limiters.end()) {
      EXPECT_GE(kernels / all, 0.6) << name;
      EXPECT_EQ(first.at("limiter"), limiter->second) << name;
    } else if (name != "faults") {
      EXPECT_LE(kernels / all, 0.4) << name;
    }
    EXPECT_EQ(launches >= 10, name == "launch" || name == "sync" || name == "starved") << name;
  }
}

/// Answers as a learner writes them.
std::string written(const DiagnosisFile& file, const std::string& comment) {
  std::string text = comment + "draw = " + std::to_string(file.draw) + "\n";
  for (size_t i = 0; i < file.programs.size(); ++i) {
    text += program_number(i) + " = { regime = \"" + file.programs[i].regime + "\"";
    for (size_t f = 0; f < kFigures.size(); ++f)
      text += ", " + std::string(kFigures[f].key) + " = " +
              format_number("%.2f", file.programs[i].figures[f].value_or(1));
    text += " }\n";
  }
  return text;
}

/// A file of solutions/14-detective: `./lab test` compares it, ROOFLINE_UPDATE_PAGES=1 writes it.
void expect_current(const fs::path& file, const std::string& text) {
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) write_file(file, text);
  ASSERT_TRUE(fs::exists(file)) << file;
  EXPECT_EQ(read_file(file), text) << file << ": ROOFLINE_UPDATE_PAGES=1 ./lab test -R Diagnose writes it";
}

std::string expectation(const std::string& words) { return "# expect: wrong-prediction " + words + "\n"; }

// Breaks when right answers are refused, or wrong ones are not, or not for their reason.
TEST_F(Diagnose, RightAnswersPassAndWrongOnesDoNot) {
  ASSERT_EQ(lab({"diagnose", "--draw", std::to_string(kDraw)}).exit_code, 1) << "nothing is answered yet";
  const std::map<std::string, fs::path> named = named_programs(root_ / "named", kDraw);
  DiagnosisFile right{.draw = kDraw, .programs = {}};
  DiagnosisFile busy = right;  // as GPU-Util sees it
  for (size_t i = 0; i < kPrograms; ++i) {
    const nlohmann::json seen = run(program(i));
    const double base = seen.at("simulated_seconds"), kernels = seen.at("simulated_kernel_seconds");
    Diagnosis truth;
    for (const auto& [name, file] : named)
      if (read_file(file) == read_file(program(i))) truth.regime = name;
    for (size_t f = 0; f < kFigures.size(); ++f)
      truth.figures[f] = kFigures[f].change.empty() ? seconds(program(i), "", 2) / base
                                                    : base / seconds(program(i), kFigures[f].change);
    right.programs.push_back(truth);
    truth.regime = kernels > base / 2 ? "fp32" : "starved";
    busy.programs.push_back(truth);
  }
  DiagnosisFile one = right, naive = right, other = right;
  for (Diagnosis& said : one.programs) said.regime = "dram";
  for (Diagnosis& said : naive.programs)
    for (size_t f = 0; f < kFigures.size(); ++f)
      said.figures[f] = f == 0 || kFigures[f].key == said.regime ? 2 : 1;
  other.draw = kOtherDraw;
  const fs::path wrong = kSolutions / "wrong" / "diagnosis";
  expect_current(kSolutions / "diagnosis.toml",
                 written(right, "# The right answers for the programs of this draw.\n"));
  expect_current(
      wrong / "one-for-all.toml",
      written(one, expectation("one answer for all") + "# Every program is said to wait for memory.\n"));
  expect_current(
      wrong / "gpu-util.toml",
      written(busy, expectation("is not it") +
                        "# Where a kernel runs most of the time the GPU is said to compute, where none does "
                        "to\n# have nothing to do: all that GPU-Util can tell.\n"));
  expect_current(
      wrong / "twice-or-nothing.toml",
      written(naive, expectation("is too large") +
                         "# The regimes are right, but each figure is 2 or 1: the rest of the time does not "
                         "become\n# shorter.\n"));
  expect_current(wrong / "another-draw.toml",
                 written(other, expectation("is not it") + "# Somebody else's answers.\n"));
  const auto judged = [&](const fs::path& file) {
    return lab({"diagnose", "--file", file.string(), "--draw", std::to_string(kDraw), "--json",
                (root_ / "diagnosis.json").string()});
  };
  const CommandResult passed = judged(kSolutions / "diagnosis.toml");
  EXPECT_EQ(passed.exit_code, 0) << passed.output;
  EXPECT_NE(passed.output.find("12 of 12 diagnosed"), std::string::npos) << passed.output;
  const nlohmann::json result = nlohmann::json::parse(read_file(root_ / "diagnosis.json"));
  EXPECT_EQ(result.at("verdict"), "pass");
  EXPECT_EQ(result.at("part"), "14i");
  EXPECT_EQ(result.at("score").at("points"), 100);
  EXPECT_EQ(result.at("device").at("kind"), "simulated");
  size_t refused = 0;
  for (const auto& entry : fs::directory_iterator(wrong)) {
    std::istringstream first(read_file(entry.path()));
    std::string line;
    std::getline(first, line);
    std::string words = line.substr(std::string("# expect: wrong-prediction ").size());
    if (entry.path().stem() == "another-draw")
      words = "of draw 15";  // where the judge says which draw counts
    const CommandResult answer = judged(entry.path());
    EXPECT_EQ(answer.exit_code, 1) << entry.path() << "\n" << answer.output;
    EXPECT_NE(answer.output.find(words), std::string::npos) << entry.path() << "\n" << answer.output;
    EXPECT_EQ(nlohmann::json::parse(read_file(root_ / "diagnosis.json")).at("class"), "wrong-prediction");
    if (entry.path().stem() == "one-for-all") {
      EXPECT_NE(answer.output.find(" 1 of 12 diagnosed"), std::string::npos) << answer.output;
    }
    ++refused;
  }
  EXPECT_EQ(refused, 4U);
}

// Breaks when a program's name, symbols or the order of the programs tells what it does.
TEST_F(Diagnose, NothingButItsBehaviourTells) {
  ASSERT_EQ(lab({"diagnose", "--draw", "1"}).exit_code, 1);
  std::string symbols;
  std::vector<std::string> first;
  for (size_t i = 0; i < kPrograms; ++i) {
    const std::string bytes = first.emplace_back(read_file(program(i)));
    for (const Regime& regime : regimes())
      EXPECT_EQ(bytes.find(regime.word + ".cu"), std::string::npos) << regime.word;
    EXPECT_EQ(bytes.find(kSolutions.string()), std::string::npos);
    EXPECT_EQ(bytes.find("cudafe"), std::string::npos) << "a compiler's names are left";
    const CommandResult listed = run_command({"nm", "-D", program(i).string()});
    ASSERT_TRUE(listed.ok());
    std::istringstream lines(listed.output);
    std::string names;
    for (std::string address, name; std::getline(lines, name);)
      names += name.substr(name.find_last_of(' ')) + "\n";
    if (symbols.empty()) symbols = names;
    EXPECT_EQ(names, symbols) << program(i);
    EXPECT_EQ(run(program(i)).at("kernels").at(0).at("name"), "kernel");
  }
  fs::remove(answers());
  ASSERT_EQ(lab({"diagnose", "--draw", "2"}).exit_code, 1);
  size_t moved = 0;
  const auto code = [](const std::string& bytes) { return bytes.substr(0, bytes.size() - 8); };
  for (size_t i = 0; i < kPrograms; ++i) moved += code(read_file(program(i))) != code(first[i]);
  EXPECT_GE(moved, kPrograms / 2) << "another learner has another order";
}

// Breaks when students get a source, or other programs than the instructor judges.
TEST_F(Diagnose, StudentsGetTheSameProgramsWithoutSources) {
  ASSERT_EQ(lab({"diagnose", "--draw", "3"}).exit_code, 1);
  const fs::path course = root_ / "course";
  const CommandResult exported =
      lab({"export", "--for", "students", "--lab", "14", "--out", course.string()});
  ASSERT_TRUE(exported.ok()) << exported.output;
  EXPECT_FALSE(fs::exists(course / "solutions"));
  size_t objects = 0;
  for (const auto& entry : fs::directory_iterator(course / "labs" / "14-detective" / kSealedFolder)) {
    EXPECT_EQ(entry.path().extension(), kSealedSuffix);
    ++objects;
  }
  EXPECT_EQ(objects, kPrograms);
  const CommandResult theirs =
      run_command({std::string(ROOFLINE_BUILD) + "/bin/lab", "diagnose", "--draw", "3"},
                  {.directory = course,
                   .limit = std::chrono::seconds(300),
                   .environment = {"ROOFLINE_ROOT=" + course.string(),
                                   "ROOFLINE_STATE=" + (course / ".lab").string(), "LC_ALL=C.UTF-8"}});
  EXPECT_EQ(theirs.exit_code, 1) << theirs.output;
  for (size_t i = 0; i < kPrograms; ++i)
    EXPECT_EQ(read_file(course / "results" / kSealedFolder / program_number(i)), read_file(program(i)));
}

// Breaks when a learner's draw changes between two days, or another learner's file is judged.
TEST_F(Diagnose, ADrawStaysAndFilesOfOthersAreNotJudged) {
  const CommandResult first = lab({"diagnose"});
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_NE(first.output.find("no answer yet"), std::string::npos) << first.output;
  EXPECT_NE(first.output.find("0 of 12 diagnosed"), std::string::npos) << first.output;
  const std::uint64_t draw = read_diagnosis(read_file(answers()), "diagnosis.toml", kPrograms).draw;
  const std::string program_one = read_file(program(0));
  fs::remove(answers());
  EXPECT_EQ(lab({"diagnose"}).exit_code, 1);
  EXPECT_EQ(read_diagnosis(read_file(answers()), "diagnosis.toml", kPrograms).draw, draw);
  EXPECT_EQ(read_file(program(0)), program_one);
  write_file(answers(), unanswered_diagnosis(draw + 1, kPrograms));
  const CommandResult theirs = lab({"diagnose"});
  EXPECT_EQ(theirs.exit_code, 1);
  EXPECT_NE(theirs.output.find("not judged"), std::string::npos) << theirs.output;
  // A clone on another machine: the file says which programs they are.
  fs::remove(root_ / ".lab" / "draw");
  const CommandResult cloned = lab({"diagnose"});
  EXPECT_NE(cloned.output.find("draw " + std::to_string(draw + 1)), std::string::npos) << cloned.output;
}

// Breaks when the file that is handed out is another than the one that is read.
TEST_F(Diagnose, TheFileIsHandedOutEmpty) {
  EXPECT_EQ(read_file(fs::path(ROOFLINE_SOURCE) / "labs" / "14-detective" / "diagnosis.toml"),
            unanswered_diagnosis(0, kPrograms));
}

// Breaks when answers are judged by ./lab diagnose alone: not as a part of the lab, by no grade and in no
// class.
TEST_F(Diagnose, AnswersAreAPartOfTheLab) {
  write_file(answers(), unanswered_diagnosis(0, kPrograms));
  const CommandResult untouched = lab({"grade", "14i"});
  EXPECT_EQ(untouched.exit_code, 1);
  EXPECT_NE(untouched.output.find("not-implemented"), std::string::npos) << untouched.output;
  EXPECT_EQ(lab({"diagnose", "--draw", std::to_string(kDraw)}).exit_code, 1);
  EXPECT_NE(read_file(answers()).find("draw = 14 "), std::string::npos) << read_file(answers());
  for (const auto& [who, file] :
       {std::pair{"ada", kSolutions / "diagnosis.toml"},
        std::pair{"bob", kSolutions / "wrong" / "diagnosis" / "one-for-all.toml"}}) {
    fs::create_directories(root_ / "class" / who);
    fs::copy_file(file, root_ / "class" / who / "diagnosis.toml");
  }
  const CommandResult batch =
      lab({"batch", (root_ / "class").string(), "--lab", "14i", "--out", (root_ / "graded").string()});
  EXPECT_EQ(batch.exit_code, 0) << batch.output;
  const std::string table = read_file(root_ / "graded" / "class.csv");
  EXPECT_NE(table.find("100"), std::string::npos) << table;
  EXPECT_NE(table.find("8.33"), std::string::npos) << table;
}

// Breaks when a slip in the words or in the file has no sentence that says where it is.
TEST_F(Diagnose, SlipsHaveASentence) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
    const CommandResult result = lab(words);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find(sentence), std::string::npos) << result.output;
  };
  refused({"diagnose", "01"}, "lab 01 has no programs without source; these have: 14");
  refused({"diagnose", "--file", "nowhere.toml"}, "there is no file nowhere.toml");
  refused({"diagnose", "--draw", "0"}, "--draw");
  write_file(answers(), "draw = 3\n\n01 = { regime = \"memory\" }\n");
  refused({"diagnose"}, "labs/14-detective/diagnosis.toml line 3: 01.regime is none of fp32, tensor");
}

}  // namespace
}  // namespace roofline::grader::diagnose
