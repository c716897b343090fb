// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_description.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "simulator/timing/model_version.h"

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

// Peaks that follow from the numbers must be the data sheets'.
TEST(Devices, AgreeWithTheirDataSheets) {
  const struct {
    const char* id;
    double fp32_teraflops, f16_f32_teraflops, gbps;
    u32 l2_megabytes, major, minor;
  } sheets[] = {{"t4", 8.1, 65, 320, 4, 7, 5},
                {"a10", 31.2, 125, 600, 6, 8, 6},
                {"a100-pcie-40gb", 19.5, 312, 1555, 40, 8, 0},
                {"a100-sxm4-40gb", 19.5, 312, 1555, 40, 8, 0},
                {"a100-sxm4-80gb", 19.5, 312, 2039, 40, 8, 0},
                {"l4", 30.3, 121, 300, 48, 8, 9},
                {"l40s", 91.6, 362, 864, 96, 8, 9},
                {"rtx3090", 35.6, 71, 936, 6, 8, 6},
                {"rtx4090", 82.6, 165, 1008, 72, 8, 9},
                {"rtx5090", 104.8, 209.5, 1792, 96, 12, 0},
                {"h100-pcie", 51, 756, 2039, 50, 9, 0},
                {"h100-sxm", 67, 989, 3350, 50, 9, 0},
                {"h200", 67, 989, 4800, 50, 9, 0},
                {"b200", 75, 2250, 8000, 126, 10, 0}};
  EXPECT_EQ(known_devices(kDevices).size(), std::size(sheets));
  for (const auto& sheet : sheets) {
    const auto gpu = load_device(kDevices, sheet.id);
    EXPECT_EQ(gpu.id, sheet.id);
    EXPECT_NEAR(gpu.sms * gpu.fma_rate * 64 * gpu.clock_mhz * 1e-6 / sheet.fp32_teraflops, 1, 0.02) << gpu.id;
    EXPECT_NEAR(
        gpu.sms * gpu.tensor_f16_f32_flops_per_clock * gpu.tensor_clock_mhz * 1e-6 / sheet.f16_f32_teraflops,
        1, 0.02)
        << gpu.id;
    EXPECT_NEAR(2 * gpu.memory_clock_mhz * 1e-3 * gpu.memory_bus_bits / 8 / sheet.gbps, 1, 0.01) << gpu.id;
    EXPECT_EQ(gpu.dram_gbps, sheet.gbps) << gpu.id;
    EXPECT_EQ(gpu.l2_bytes, u64{sheet.l2_megabytes} << 20) << gpu.id;
    EXPECT_EQ(gpu.compute_major * 10 + gpu.compute_minor, sheet.major * 10 + sheet.minor) << gpu.id;
  }
}

TEST(Devices, EveryFileIsPlausible) {
  for (const auto& id : known_devices(kDevices)) {
    const auto gpu = load_device(kDevices, id);
    EXPECT_FALSE(gpu.sources.empty());
    EXPECT_EQ(gpu.max_warps_per_sm * 32, gpu.max_threads_per_sm) << id;
    EXPECT_LE(gpu.shared_per_block_optin + gpu.shared_reserved_per_block, gpu.shared_per_sm) << id;
    EXPECT_LE(gpu.shared_per_sm, gpu.l1_bytes) << id;
    for (const double share : {gpu.dram_read_efficiency, gpu.dram_write_efficiency, gpu.dram_copy_efficiency})
      EXPECT_TRUE(share > 0.7 && share < 1) << id;
    EXPECT_LE(gpu.dram_copy_efficiency, gpu.dram_write_efficiency) << id;
    EXPECT_LT(gpu.l1_latency, gpu.l2_latency) << id;
    EXPECT_LT(gpu.l2_latency, gpu.dram_latency) << id;
    EXPECT_GT(gpu.l2_gbps, gpu.dram_gbps) << id;
    EXPECT_LT(gpu.pageable_gbps, gpu.pinned_gbps) << id;
    EXPECT_LT(gpu.graph_node_us, gpu.kernel_gap_us + gpu.kernel_start_us) << id << ": graphs are quicker";
    EXPECT_LE(gpu.tensor_f16_f32_flops_per_clock, gpu.tensor_f16_flops_per_clock) << id;
    EXPECT_EQ(gpu.tensor_tf32_flops_per_clock * 2,
              gpu.compute_major < 8 ? 0 : gpu.tensor_bf16_flops_per_clock)
        << id;
  }
}

/// "key = [value, "source"]" of a line of a device file.
const std::regex kEntry("(\\w+) = \\[\"?([^,\"]+)\"?, \"(\\w+)\"\\](?:  # (.*))?");

/// docs/devices.md: every number of every file, by the files' sections, with its source.
std::string devices_page() {
  std::string text =
      "# Devices\n\nEvery constant of every simulated GPU, from `common/simulator/devices/`, where each "
      "number "
      "names its source. Rates are warp instructions a clock and SM, latencies are clocks, times "
      "microseconds. "
      "Next to a number is its source; *estimate* and *kepler* mark what is not measured on that GPU. The "
      "page "
      "is made by `ROOFLINE_UPDATE_PAGES=1 ctest -R Devices.PageIsCurrent`; what the constants do is "
      "explained in "
      "[the "
      "time "
      "model](simulator-model.md).\n\n"
      "**A GPU that does not exist.** `--device` also takes changes of these numbers, after commas: "
      "`sim:h200,sms=66`, "
      "`sim:a100-sxm4-40gb,dram_gbps=3110,l2_gbps=11000`. `./lab run`, `grade`, `watch`, `roofs` and `bench` "
      "take it. So "
      "you can ask which number your kernel waits for: twice that number, half the time. A number may become "
      "up to a "
      "factor of thirty larger or smaller; names and the compute capability stay. Every number is changed on "
      "its own, "
      "with two exceptions: `tensor_clock_mhz` follows `clock_mhz` and `memory_clock_mhz` follows "
      "`dram_gbps` "
      "where only "
      "the first is given; a `memory_bus_bits` that is given stops `memory_clock_mhz` from following. "
      "Numbers that would contradict each other (threads and warps of an SM, the sizes "
      "of "
      "shared memory) "
      "are refused with the ones to give together. A changed GPU carries the "
      "change in its "
      "name and in `device.id` and `device.changes` of a result, has roofs of its own, is compared with "
      "nothing but itself, and "
      "does not count as "
      "progress<!-- instructors: -->; "
      "`./lab batch`, `export` and `statistics` refuse it<!-- :instructors -->. Where a program runs without "
      "`./lab`, the "
      "environment variable "
      "`ROOFLINE_DEVICE=h200,sms=66` names it in the same way.\n\n| device | GPU | compute capability "
      "|\n|---|---|---|\n";
  for (const auto& id : known_devices(kDevices)) {
    const auto gpu = load_device(kDevices, id);
    text += "| `" + id + "` | " + gpu.name + " | " + std::to_string(gpu.compute_major) + "." +
            std::to_string(gpu.compute_minor) + " |\n";
  }
  for (const auto& id : known_devices(kDevices)) {
    text += "\n## " + id + "\n";
    std::istringstream lines(text_of(kDevices / (id + ".toml")));
    std::string line, section;
    while (std::getline(lines, line)) {
      std::smatch match;
      if (std::regex_match(line, match, kEntry)) {
        if (!section.empty())
          text += "\n**" + section + "**\n\n| key | value | source | |\n|---|---|---|---|\n";
        section.clear();
        text += "| `" + match[1].str() + "` | " + match[2].str() + " | " + match[3].str() + " | " +
                match[4].str() + " |\n";
      } else if (line.starts_with("# ")) {
        section = line.substr(2);
      }
    }
    text += "\nSources:\n\n";
    for (const auto& source : load_device(kDevices, id).sources) text += "- " + source + "\n";
  }
  return text;
}

TEST(Devices, PageIsCurrent) {
  const std::string path = SIMULATOR_SOURCE "/../../docs/devices.md", now = devices_page();
  if (std::getenv("ROOFLINE_UPDATE_PAGES")) std::ofstream(path) << now;
  EXPECT_EQ(text_of(path), now) << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R Devices.PageIsCurrent";
}

// Each number can be changed, and says so in the name and in the version of the model.
TEST(Changed, EveryNumberCanBeHalvedOrDoubled) {
  const DeviceDescription plain = load_device(kDevices, "h200");
  std::istringstream lines(values_text(plain));
  std::string key, equals, value;
  size_t changed = 0;
  while (lines >> key >> equals && std::getline(lines >> std::ws, value)) {
    if (key == "name" || key.starts_with("compute_") || std::stod(value) == 0) continue;
    bool any = false;
    for (const double factor : {0.5, 2.0}) {
      std::ostringstream id;
      id << "h200," << key << "=" << std::setprecision(12) << factor * std::stod(value);
      try {
        const DeviceDescription other = load_device(kDevices, id.str());
        EXPECT_EQ(other.id, id.str());
        EXPECT_EQ(other.name, plain.name + ", " + id.str().substr(5)) << "the name does not say so";
        EXPECT_NE(model_version(other), model_version(plain)) << id.str();
        any = true;
      } catch (const std::runtime_error& error) {
        // Half of an odd number, less than a GPU may have, or a number that has to go with another.
        const std::string said = error.what();
        EXPECT_TRUE(said.find("whole number") != std::string::npos ||
                    said.find("must lie between") != std::string::npos ||
                    said.find("give both") != std::string::npos)
            << said;
        any = any || said.find("give both") != std::string::npos;
      }
    }
    EXPECT_TRUE(any) << key;
    ++changed;
  }
  EXPECT_GT(changed, 80U);
}

TEST(Changed, SeveralNumbersAtOnce) {
  const DeviceDescription d = load_device(kDevices, "a100-sxm4-40gb,sms=54,dram_gbps=3110");
  EXPECT_EQ(d.sms, 54U);
  EXPECT_EQ(d.dram_gbps, 3110);
  const DeviceDescription plain = load_device(kDevices, "a100-sxm4-40gb");
  EXPECT_EQ(d.clock_mhz, plain.clock_mhz);
  EXPECT_EQ(d.tensor_clock_mhz, plain.tensor_clock_mhz);
  EXPECT_EQ(d.memory_clock_mhz, 2 * plain.memory_clock_mhz) << "programs ask for it";
  EXPECT_EQ(plain_device(d.id), "a100-sxm4-40gb");
}

// Breaks when a clock is doubled and part of the GPU keeps the old one, or a number that was given does not
// count.
TEST(Changed, WhatFollowsFollows) {
  const DeviceDescription plain = load_device(kDevices, "h200");
  EXPECT_DOUBLE_EQ(load_device(kDevices, "h200,clock_mhz=3960").tensor_clock_mhz,
                   plain.tensor_clock_mhz * 3960 / plain.clock_mhz);
  EXPECT_EQ(load_device(kDevices, "h200,clock_mhz=3960,tensor_clock_mhz=1000").tensor_clock_mhz, 1000);
  EXPECT_EQ(load_device(kDevices, "h200,tensor_clock_mhz=1000").clock_mhz, plain.clock_mhz);
  EXPECT_EQ(load_device(kDevices, "h200,dram_gbps=9600,memory_bus_bits=12288").memory_clock_mhz,
            plain.memory_clock_mhz);
  EXPECT_EQ(load_device(kDevices, "h200,max_threads_per_sm=1024,max_warps_per_sm=32").max_warps_per_sm, 32U);
}

TEST(Devices, NoNumbersContradictEachOther) {
  for (const std::string& id : known_devices(kDevices))
    EXPECT_EQ(contradiction(load_device(kDevices, id)), "") << id;
}

// A slip gets a sentence that says what is meant.
TEST(Changed, MistakesAreNamed) {
  const struct {
    const char *change, *words;
  } mistakes[] = {{"sms", "write KEY=NUMBER"},
                  {"sms=", "is no number for sms"},
                  {"sms=fifty", "\"fifty\" is no number for sms"},
                  {"sms=54x", "is no number"},
                  {"sms=nan", "is no number"},
                  {"sms=54.5", "must be a whole number"},
                  {"sms=0", "must lie between 4 and 3240; the a100-sxm4-40gb has 108"},
                  {"sms=-1", "must lie between"},
                  {"dram_gbps=1e30", "must lie between"},
                  {"smss=54", "Did you mean \"sms\"? docs/devices.md lists them all."},
                  {"colour=1", "docs/devices.md lists them all."},
                  {"sms=54,sms=66", "sms is given twice"},
                  {"max_threads_per_sm=1024", "must be 32 times max_warps_per_sm (64); give both"},
                  {"shared_per_sm=262144", "may not be more than l1_bytes (196608); give both"},
                  {"name=A101", "is a text"},
                  {"compute_major=9", "stays as it is"},
                  {"", "write KEY=NUMBER"},
                  {"sms=54,", "write KEY=NUMBER"}};
  for (const auto& mistake : mistakes) {
    try {
      load_device(kDevices, std::string("a100-sxm4-40gb,") + mistake.change);
      ADD_FAILURE() << mistake.change << " was taken";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(mistake.words), std::string::npos)
          << mistake.change << ": " << error.what();
    }
  }
}

TEST(Devices, UnknownNameListsWhatThereIs) {
  // A folder of its own: a new GPU may be the nearest name.
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "devices-by-name";
  std::filesystem::create_directories(folder);
  for (const char* id : {"a100-pcie-40gb", "a100-sxm4-40gb", "h200", "rtx4090"})
    std::ofstream(folder / (std::string(id) + ".toml"));
  const auto message = [&folder](const std::string& id) -> std::string {
    try {
      load_device(folder, id);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& [id, meant] :
       {std::pair{"a100", "a100-pcie-40gb"}, std::pair{"h20", "h200"}, std::pair{"rtx4080", "rtx4090"}}) {
    EXPECT_NE(message(id).find("Did you mean \"" + std::string(meant) + "\""), std::string::npos)
        << message(id);
    EXPECT_NE(message(id).find("Known devices: a100-pcie-40gb, a100-sxm4-40gb, h200, rtx4090."),
              std::string::npos)
        << message(id);
  }
  EXPECT_EQ(message("entirely-different-hardware").find("Did you mean"), std::string::npos);
  EXPECT_NE(message("../devices-by-name/h200").find("No device"), std::string::npos) << "a name is no path";
  std::filesystem::remove_all(folder);
}

TEST_F(DeviceFile, UnchangedCopyLoads) { EXPECT_EQ(error_after("# The GPU", "# A GPU"), ""); }

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

// Breaks when a device changes and what is made of it does not say so.
TEST_F(DeviceFile, EveryValueIsInTheVersionOfTheModel) {
  const auto version_after = [&](const std::string& from, const std::string& to) {
    EXPECT_EQ(error_after(from, to), "");
    return model_version(load_device(directory_, "card"));
  };
  const std::string version = model_version(load_device(kDevices, "a100-sxm4-40gb"));
  EXPECT_TRUE(std::regex_match(version, std::regex("[0-9a-f]{8}"))) << version;
  EXPECT_EQ(version_after("\n", "\n# a comment\n\n"), version);
  EXPECT_EQ(version_after("alu_latency = \\[", "alu_latency =  [ "), version);
  EXPECT_NE(version_after("alu_latency = \\[", "alu_latency = [1"), version);
  EXPECT_NE(version_after("dram_gbps = \\[1555", "dram_gbps = [1555.001"), version);
  std::set<std::string> versions;
  for (const std::string& id : known_devices(kDevices))
    versions.insert(model_version(load_device(kDevices, id)));
  EXPECT_EQ(versions.size(), known_devices(kDevices).size());
}

}  // namespace
}  // namespace roofline::sim
