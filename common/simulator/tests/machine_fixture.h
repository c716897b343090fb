// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "simulator/device/device.h"

/// Hand-written PTX through Device, without a runtime.
namespace roofline::sim {

inline constexpr const char* kHeader = ".version 7.8\n.target sm_80\n.address_size 64\n";

/// A device with one module, and vectors on it.
class Machine {
 public:
  explicit Machine(const std::string& ptx, unsigned threads = 1)
      : device_(load_device(std::string(SIMULATOR_SOURCE) + "/devices", "a100-sxm4-40gb"), threads) {
    device_.set_time_limit(60);
    facts_ = device_.load_module(kHeader + ptx, {});
  }

  template <class T>
  u64 upload(const std::vector<T>& values) {
    const u64 address = device_.allocate(values.size() * sizeof(T), "test");
    std::memcpy(device_.at(address), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(u64 address, size_t n) {
    std::vector<T> values(n);
    std::memcpy(values.data(), device_.at(address), n * sizeof(T));
    return values;
  }

  template <class... P>
  LaunchResult launch(const std::string& kernel, Dim3 grid, Dim3 block, P... parameters) {
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    for (const FunctionFacts& f : facts_.functions) {
      if (f.name != kernel) continue;
      launch.function = f.id;
      launch.parameters.resize(f.parameter_bytes);
      size_t i = 0;
      ((std::memcpy(launch.parameters.data() + f.parameter_offsets.at(i++), &parameters, sizeof parameters)),
       ...);
    }
    EXPECT_EQ(device_.check_launch(launch), "");
    return device_.launch(launch);
  }

  u32 count_of(const LaunchResult& result, const std::string& text) {
    const auto& info = device_.instructions_of(facts_.functions.front().id);
    for (size_t i = 0; i < info.size(); ++i)
      if (info[i].text.find(text) != std::string::npos)
        return static_cast<u32>(result.counters.per_instruction[i].warps);
    ADD_FAILURE() << "no instruction " << text;
    return 0;
  }

  Device& device() { return device_; }
  const ModuleFacts& facts() const { return facts_; }

 private:
  Device device_;
  ModuleFacts facts_;
};

}  // namespace roofline::sim
