// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "simulator/device/device.h"

/// Small kernels in PTX on a simulated A100, for tests of the machine.
namespace roofline::sim {

class KernelTest : public testing::Test {
 protected:
  /// A module with one kernel `k` of two pointer parameters, already in %rd1 and %rd2; %r1 is the thread's
  /// number in its block. `outside` stands before the kernel (variables), `body` inside.
  static std::string module_of(const std::string& body, const std::string& outside = "") {
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + outside +
           "\n.visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
           ".reg .pred %p<8>;\n.reg .b16 %rs<16>;\n.reg .b32 %r<32>;\n.reg .f32 %f<16>;\n.reg .b64 %rd<32>;\n"
           ".reg .f64 %fd<16>;\n"
           "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %tid.x;\n" +
           body + "\nret;\n}\n";
  }

  LaunchResult run(const std::string& body, u64 p0 = 0, u64 p1 = 0, u32 threads = 32, u32 blocks = 1,
                   const std::string& outside = "") {
    const ModuleFacts module = device_.load_module(module_of(body, outside), {});
    Launch launch;
    function_ = launch.function = module.functions.at(0).id;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &p0, 8);
    std::memcpy(launch.parameters.data() + 8, &p1, 8);
    EXPECT_EQ(device_.check_launch(launch), "");
    return device_.launch(launch);
  }

  /// The same, for kernels that must end well.
  LaunchResult run_well(const std::string& body, u64 p0 = 0, u64 p1 = 0, u32 threads = 32, u32 blocks = 1,
                        const std::string& outside = "") {
    LaunchResult result = run(body, p0, p1, threads, blocks, outside);
    EXPECT_FALSE(result.trap) << result.trap->message;
    return result;
  }

  /// How often warps issued the first instruction with `text` in the kernel that ran last.
  u64 issues_of(const LaunchResult& result, const std::string& text) {
    const auto& info = device_.instructions_of(function_);
    for (std::size_t i = 0; i < info.size(); ++i)
      if (info[i].text.find(text) != std::string::npos) return result.counters.per_instruction[i].warps;
    ADD_FAILURE() << "no instruction " << text;
    return 0;
  }

  /// Where messages say that the first `text` of `body` is: "PTX line 20".
  static std::string place_of(const std::string& body, const std::string& text) {
    const std::string module = module_of(body);
    const std::size_t at = module.find(text, module.find(body));
    EXPECT_NE(at, std::string::npos) << text;
    return "PTX line " +
           std::to_string(1 + std::count(module.begin(), module.begin() + static_cast<s64>(at), '\n'));
  }

  /// PTX that stores a 32-bit register into the thread's element of the vector at p0.
  static std::string store(const std::string& value) {
    return "mul.wide.u32 %rd30, %r1, 4;\nadd.s64 %rd31, %rd1, %rd30;\nst.global.u32 [%rd31], " + value +
           ";\n";
  }

  /// Device memory that holds `values`.
  template <class T>
  u64 upload(const std::vector<T>& values, const std::string& origin = "test") {
    const u64 address = device_.allocate(values.size() * sizeof(T), origin);
    EXPECT_NE(address, 0u);
    std::memcpy(device_.at(address), values.data(), values.size() * sizeof(T));
    return address;
  }

  template <class T>
  std::vector<T> download(u64 address, std::size_t n) {
    std::vector<T> values(n);
    std::memcpy(values.data(), device_.at(address), n * sizeof(T));
    return values;
  }

  u32 function_ = 0;  ///< that ran last
  Device device_{load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb"), 2};
};

}  // namespace roofline::sim
