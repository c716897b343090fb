// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Everything that goes wrong in an instructor's night, through `lab batch`: each fault has its class, and
// nothing is lost.
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/batch/course.h"
#include "grader/batch/journal.h"
#include "grader/batch/tests/batch_folder.h"
#include "grader/box/box.h"
#include "grader/box/process.h"

namespace roofline::grader::faults {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Lab 06 C is host code: what a submission does wrong takes a line.
std::string share(const std::string& before, const std::string& first) {
  return "#include <cuda_runtime.h>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n#include "
         "\"share.h\"\n" +
         before + "\nvoid share(const Tensor* tensors, int n, std::uint64_t* offsets) {\n" + first +
         "\n  std::uint64_t at = 0;\n  for (int i = 0; i < n; ++i) offsets[i] = at, at += "
         "tensors[i].bytes;\n}\n";
}

class Faults : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    try {
      require_sandbox(Sandbox::kNamespaces);
    } catch (const InfrastructureError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void hand_in(const std::string& student, const std::string& text) {
    write_file(folder_ / "class" / student / "share.cu", text);
  }
  std::vector<std::string> batch(const fs::path& out) const {
    return {ROOFLINE_BUILD "/bin/lab",
            "batch",
            (folder_ / "class").string(),
            "--out",
            out.string(),
            "--lab",
            "06c",
            "--device",
            "sim",
            "--seed",
            "11"};
  }
};

TEST_F(Faults, ABadNightLosesNothing) {
  hand_in("fine", read_file(ROOFLINE_SOURCE "/solutions/06-memory/share.cu"));
  hand_in("hung-kernel", share("__global__ void hang() { while (true) __nanosleep(1000); }",
                               "  hang<<<1, 1>>>();\n  cudaDeviceSynchronize();"));
  hand_in("device-memory",
          share("", "  for (void* p; cudaMalloc(&p, std::size_t{1} << 30) == cudaSuccess;);"));
  hand_in("host-memory", share("", "  std::vector<char> all(std::size_t{64} << 30);"));
  hand_in("full-disk", share("",
                             "  std::FILE* file = std::fopen(\"/tmp/all\", \"w\");\n"
                             "  std::vector<char> piece(1 << 20);\n"
                             "  while (std::fwrite(piece.data(), 1, piece.size(), file) == piece.size());\n"
                             "  std::abort();"));
  std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"fine", {"pass", ""}},
      {"hung-kernel", {"fail", "timeout"}},
      {"device-memory", {"fail", "memory-limit"}},
      {"host-memory", {"fail", "crashed"}},
      {"full-disk", {"fail", "crashed"}}};
  if (fs::exists(ROOFLINE_BUILD "/bin/unpack")) {
    const CommandResult packed = run_command(
        {"sh", "-c",
         "tar cz fine | head -c 300 > cut.tar.gz && head -c 5000 /dev/urandom > noise.zip && : > empty.zip"},
        {.directory = folder_ / "class"});
    ASSERT_TRUE(packed.ok()) << packed.output;
    for (const char* broken : {"cut", "noise", "empty"}) expected[broken] = {"fail", "not-implemented"};
  }

  std::vector<std::string> night = {ROOFLINE_SOURCE "/grader/tests/faults/night", folder_.string(),
                                    JUMPING_CLOCK};
  const std::vector<std::string> command = batch(folder_ / "graded");
  night.insert(night.end(), command.begin(), command.end());
  const CommandResult morning = run_command(night, {.limit = std::chrono::seconds(800)});
  const auto said = [&](const char* when) { return read_file(folder_ / (std::string(when) + ".txt")); };
  EXPECT_NE(morning.output.find("end 0\n"), std::string::npos) << morning.output << said("end");
  if (fs::exists(folder_ / "disk.txt")) {
    EXPECT_NE(morning.output.find("disk 3\n"), std::string::npos) << morning.output;
    EXPECT_NE(said("disk").find("No space left"), std::string::npos) << said("disk");
  }

  for (const auto& [student, verdict] : expected) {
    const Json result =
        Json::parse(read_file(folder_ / "kept/results" / (student + ".json"))).at("results").at(0);
    EXPECT_EQ(result.at("verdict"), verdict.first) << student << result.at("checks").dump(1);
    EXPECT_EQ(result.value("class", Json()).is_null() ? "" : result.at("class"), verdict.second) << student;
  }

  std::map<std::string, int> done;
  Seconds last = 0;
  for (const Json& event : read_journal(read_file(folder_ / "kept/journal.jsonl")).events) {
    if (event.at("event") == "done") ++done[event.at("key")];
    last = parse_time(event.at("at").get<std::string>()).value_or(0);
  }
  int twice = 0;  // the course's own solution, which vouches for each start anew
  for (const auto& [key, times] : done) twice += times > 1 ? 1 : 0;
  EXPECT_EQ(done.size(), 5U + 2U);
  EXPECT_LE(twice, 1);
  EXPECT_GT(std::abs(last - static_cast<Seconds>(std::time(nullptr))), 86400) << "the clock did not jump";
}

// Breaks when a machine without user namespaces lets submissions run without a box, or says more than a
// sentence, or when `./lab doctor` does not tell before.
TEST_F(Faults, WithoutNamespacesNothingRuns) {
  hand_in("fine", "");
  const auto without = [](const std::vector<std::string>& inner) {
    std::vector<std::string> command = {
        "bwrap", "--unshare-user", "--disable-userns", "--uid", "1000", "--dev-bind", "/", "/", "--"};
    command.insert(command.end(), inner.begin(), inner.end());
    return run_command(command, {.limit = std::chrono::seconds(60)});
  };
  const CommandResult refused = without(batch(folder_ / "graded"));
  EXPECT_EQ(refused.exit_code, 3) << refused.output;
  EXPECT_NE(refused.output.find("cannot be boxed on this machine"), std::string::npos) << refused.output;
  EXPECT_EQ(std::ranges::count(refused.output, '\n'), 1) << refused.output;
  EXPECT_FALSE(fs::exists(folder_ / "graded/results"));
  const CommandResult told = without({ROOFLINE_BUILD "/bin/lab", "doctor"});
  EXPECT_NE(told.output.find("cannot box submissions of others here"), std::string::npos) << told.output;
}

}  // namespace
}  // namespace roofline::grader::faults
