// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_description.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

namespace roofline::sim {
namespace {

const std::filesystem::path kDevices = SIMULATOR_SOURCE "/devices";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A directory with one changed copy of the A100's file.
class DeviceFile : public testing::Test {
 protected:
  DeviceFile() {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("devices-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(directory_);
  }
  ~DeviceFile() override { std::filesystem::remove_all(directory_); }

  /// What loading says after `from` was replaced by `to`; "" when nothing is wrong.
  std::string error_after(const std::string& from, const std::string& to) {
    const std::string before = text_of(kDevices / "a100-sxm4-40gb.toml");
    const std::string after =
        std::regex_replace(before, std::regex(from), to, std::regex_constants::format_first_only);
    EXPECT_NE(before, after) << "nothing was replaced";
    std::ofstream(directory_ / "card.toml") << after;
    try {
      load_device(directory_, "card");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  static bool names(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
  }
  std::filesystem::path directory_;
};

// Peaks that follow from the numbers must be the data sheet's.
TEST(Devices, AgreeWithTheirDataSheets) {
  const struct {
    const char* id;
    double fp32_teraflops, tensor_teraflops, gbps;
  } sheets[] = {{"a100-sxm4-40gb", 19.5, 312, 1555}, {"h200", 67, 989, 4800}, {"t4", 8.1, 65, 320}};
  for (const auto& sheet : sheets) {
    const auto gpu = load_device(kDevices, sheet.id);
    EXPECT_EQ(gpu.id, sheet.id);
    EXPECT_NEAR(gpu.sms * gpu.fma_rate * 64 * gpu.clock_mhz * 1e-6 / sheet.fp32_teraflops, 1, 0.01) << gpu.id;
    EXPECT_NEAR(gpu.sms * gpu.tensor_f16_f32_flops_per_clock * gpu.tensor_clock_mhz * 1e-6 / sheet.tensor_teraflops,
                1, 0.01)
        << gpu.id;
    EXPECT_NEAR(2 * gpu.memory_clock_mhz * 1e-3 * gpu.memory_bus_bits / 8 / sheet.gbps, 1, 0.01) << gpu.id;
    EXPECT_EQ(gpu.dram_gbps, sheet.gbps) << gpu.id;
    EXPECT_EQ(gpu.max_warps_per_sm * 32, gpu.max_threads_per_sm) << gpu.id;
    EXPECT_FALSE(gpu.sources.empty());
  }
}

TEST(Devices, EveryFileLoads) {
  const auto known = known_devices(kDevices);
  EXPECT_GE(known.size(), 3u);
  for (const auto& id : known) EXPECT_NO_THROW(load_device(kDevices, id)) << id;
}

// docs/simulator-model.md shows every number of the three files; it must not say anything else than they do.
TEST(Devices, ModelPageShowsTheseNumbers) {
  const std::string page = text_of(SIMULATOR_SOURCE "/../../docs/simulator-model.md");
  const std::regex entry("(\\w+) = \\[\"?([^,\"]+)\"?, \"\\w+\"\\].*");
  std::vector<std::string> rows;
  for (const char* id : {"a100-sxm4-40gb", "h200", "t4"}) {
    std::istringstream lines(text_of(kDevices / (std::string(id) + ".toml")));
    std::string line;
    for (size_t row = 0; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, entry)) continue;
      if (row == rows.size()) rows.push_back("| `" + match[1].str() + "` |");
      EXPECT_EQ(rows[row].find("| `" + match[1].str() + "` |"), 0u) << id << ": keys in another order";
      rows[row++] += " " + match[2].str() + " |";
    }
  }
  EXPECT_GT(rows.size(), 60u);
  for (const auto& row : rows) EXPECT_NE(page.find(row), std::string::npos) << row;
}

TEST(Devices, UnknownNameListsWhatThereIs) {
  const auto message = [](const std::string& id) -> std::string {
    try {
      load_device(kDevices, id);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& [id, meant] :
       {std::pair{"a100", "a100-sxm4-40gb"}, std::pair{"h20", "h200"}, std::pair{"t5", "t4"}}) {
    EXPECT_NE(message(id).find("Did you mean \"" + std::string(meant) + "\""), std::string::npos)
        << message(id);
    EXPECT_NE(message(id).find("Known devices: a100-sxm4-40gb, h200, t4"), std::string::npos);
  }
  EXPECT_EQ(message("entirely-different-hardware").find("Did you mean"), std::string::npos);
  EXPECT_NE(message("../devices/t4"), "") << "a name is no path";
}

TEST_F(DeviceFile, UnchangedCopyLoads) { EXPECT_EQ(error_after("# The card", "# A card"), ""); }

TEST_F(DeviceFile, UnknownKeyIsNamedWithItsLine) {
  const auto message = error_after("\nsms = ", "\nsm = ");
  EXPECT_TRUE(names(message, "card.toml:")) << message;
  EXPECT_TRUE(names(message, "unknown key \"sm\"")) << message;
  EXPECT_TRUE(names(message, "Known keys: name, compute_major")) << message;
  const auto typo = error_after("l2_latency", "l2_latncy");
  EXPECT_TRUE(names(typo, "Did you mean \"l2_latency\"")) << typo;
}

TEST_F(DeviceFile, MissingKeysAreAllNamed) {
  const auto message = error_after("\nsms = [^\n]*\nclock_mhz = [^\n]*", "");
  EXPECT_TRUE(names(message, "missing: sms, clock_mhz.")) << message;
}

TEST_F(DeviceFile, EveryNumberNeedsASource) {
  EXPECT_TRUE(names(error_after("sms = \\[108, \"sheet\"\\]", "sms = 108"), "sms = [value, \"source\"]"));
  const auto message = error_after("sms = \\[108, \"sheet\"\\]", "sms = [108, \"sheat\"]");
  EXPECT_TRUE(names(message, "not in [sources]")) << message;
  EXPECT_TRUE(names(message, "Did you mean \"sheet\"")) << message;
  EXPECT_TRUE(names(error_after("\\[sources\\]", "[citations]"), "no [sources] table"));
}

TEST_F(DeviceFile, NumbersAreNumbersOfTheRightKind) {
  EXPECT_TRUE(names(error_after("sms = \\[108", "sms = [\"many\""), "must be a"));
  EXPECT_TRUE(names(error_after("sms = \\[108", "sms = [108.5"), "whole number"));
  EXPECT_TRUE(names(error_after("sms = \\[108", "sms = [0"), "too small"));
  EXPECT_TRUE(names(error_after("dram_gbps = \\[1555", "dram_gbps = [-1"), "too small"));
  EXPECT_TRUE(names(error_after("dram_gbps = \\[1555", "dram_gbps = [nan"), "too small"));
}

TEST_F(DeviceFile, SyntaxErrorsHaveALine) {
  const auto message = error_after("sms = \\[108, \"sheet\"\\]", "sms = [108, ");
  EXPECT_TRUE(std::regex_search(message, std::regex("card\\.toml:[0-9]+: "))) << message;
}

}  // namespace
}  // namespace roofline::sim
