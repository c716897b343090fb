// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "simulator/machine/device.h"

/// Hand-written PTX through Device: scheduling, divergence, calls, barriers, traps, determinism.
namespace roofline::sim {
namespace {

constexpr const char* kHeader = ".version 7.8\n.target sm_80\n.address_size 64\n";

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

constexpr const char* kSaxpy = R"(
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
  ld.param.u32 %r2, [n];
  ld.param.f32 %f1, [a];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $DONE;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f2, [%rd5];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f2, %f1, %f3;
  st.global.f32 [%rd7], %f4;
$DONE:
  ret;
})";

TEST(Machine, SaxpyComputesAndCounts) {
  Machine m(kSaxpy);
  const u32 n = 1000;  // the last warp is partly beyond the end
  std::vector<f32> x(n), y(n);
  for (u32 i = 0; i < n; ++i) x[i] = static_cast<f32>(i), y[i] = 1;
  const u64 dx = m.upload(x), dy = m.upload(y);
  const LaunchResult r = m.launch("saxpy", {4}, {256}, n, 2.0f, dx, dy);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<f32>(dy, n);
  for (u32 i = 0; i < n; ++i) ASSERT_EQ(got[i], 2.0f * static_cast<f32>(i) + 1) << i;
  EXPECT_EQ(r.counters.flops[static_cast<size_t>(FlopType::kF32)], 2 * n);
  EXPECT_EQ(m.count_of(r, "fma.rn"), 32u);
  // Every PTX instruction is counted, also those that need no execution: 9 loads of values and 11 others a
  // warp.
  EXPECT_EQ(m.count_of(r, "ld.param.u64 %rd1"), 32u);
  EXPECT_EQ(m.count_of(r, "cvta"), 32u);
  EXPECT_EQ(r.counters.global_load_bytes, 8 * n);
  EXPECT_GT(r.time.seconds, 0);
}

}  // namespace
}  // namespace roofline::sim
