// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A class that has to end, on the command line: what it did not reach is said, and the next command reaches
// it.
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/batch/tests/batch_folder.h"
#include "grader/box/box.h"
#include "grader/box/process.h"

namespace roofline::grader::class_ceiling {
namespace {
namespace fs = std::filesystem;

class ClassCeiling : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    try {
      require_sandbox(Sandbox::kNamespaces);
    } catch (const InfrastructureError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  CommandResult batch(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {ROOFLINE_BUILD "/bin/lab",
                                        "batch",
                                        (folder_ / "class").string(),
                                        "--out",
                                        (folder_ / "graded").string(),
                                        "--lab",
                                        "06c",
                                        "--device",
                                        "sim"};
    command.insert(command.end(), more.begin(), more.end());
    return run_command(command, {.limit = std::chrono::seconds(400)});
  }
  std::string csv() const { return read_file(folder_ / "graded/class.csv"); }
};

// A fast machine may reach Ada within the second, none reaches Bob. Breaks when a class does not end, when
// what was not reached has 0 points, or when the next command does not finish it; and when an endless
// submission has more than its budget.
TEST_F(ClassCeiling, EndsAndGoesOn) {
  write_file(folder_ / "class/ada/share.cu", read_file(ROOFLINE_SOURCE "/solutions/06-memory/share.cu"));
  write_file(folder_ / "class/bob/share.cu",
             "#include \"share.h\"\nvoid share(const Tensor*, int, std::uint64_t*) { for (volatile int i = "
             "0;; i = 1); }\n");
  const CommandResult cut = batch({"--ceiling", "1s", "--budget", "5s"});
  EXPECT_EQ(cut.exit_code, 3) << cut.output;
  EXPECT_NE(cut.output.find("of 2 different submissions were not reached within 1 s"), std::string::npos)
      << cut.output;
  EXPECT_NE(csv().find("\nbob,bob,,,100,not-reached,"), std::string::npos) << csv();

  const CommandResult whole = batch({"--budget", "5s"});
  EXPECT_EQ(whole.exit_code, 0) << whole.output;
  EXPECT_EQ(csv().find("not-reached"), std::string::npos) << csv();
  const auto result =
      nlohmann::json::parse(read_file(folder_ / "graded/results/bob.json")).at("results").at(0);
  EXPECT_EQ(result.at("class"), "timeout") << result.dump(1);
  EXPECT_NE(result.dump().find("5 s for all its calls together"), std::string::npos) << result.dump(1);
  EXPECT_EQ(
      nlohmann::json::parse(read_file(folder_ / "graded/results/ada.json")).at("results").at(0).at("verdict"),
      "pass");
}

TEST_F(ClassCeiling, ATimeThatIsNoneIsRefused) {
  fs::create_directories(folder_ / "class/ada");
  const CommandResult refused = batch({"--ceiling", "soon"});
  EXPECT_EQ(refused.exit_code, 2) << refused.output;
  EXPECT_NE(refused.output.find("--ceiling is no time such as"), std::string::npos) << refused.output;
}

}  // namespace
}  // namespace roofline::grader::class_ceiling
