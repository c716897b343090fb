// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "simulator/tests/kernel_fixture.h"

/// PTX of old versions and for the first GPUs. The expectations are what ptxas 13 makes of these modules, but
/// for version 1.4 with sm_20: that is what a vendor's sample holds, and drivers took.
namespace roofline::sim {
namespace {

class OldVersions : public KernelTest {
 protected:
  /// `body` puts a word into %r2.
  u32 word_of(const std::string& version, const std::string& target, const std::string& body) {
    std::string text = module_of(body + store("%r2"));
    const std::string today = ".version 8.0\n.target sm_80\n";
    text.replace(text.find(today), today.size(), ".version " + version + "\n.target " + target + "\n");
    const u64 result = upload<u32>({0});
    Launch launch;
    launch.function = device_.load_module(text, {}).functions.at(0).id;
    launch.grid = {1, 1, 1};
    launch.block = {1, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &result, 8);
    const LaunchResult ran = device_.launch(launch);
    EXPECT_FALSE(ran.trap) << ran.trap->message;
    return *reinterpret_cast<const u32*>(device_.at(result));
  }
};

/// 3 * 2 + 1, and a sum whose terms and result are subnormal.
const std::string kMultiplyAdd =
    "mov.f32 %f1, 0f40400000;\nmov.f32 %f2, 0f40000000;\nmov.f32 %f3, 0f3f800000;\n"
    "mad.f32 %f4, %f1, %f2, %f3;\nmov.b32 %r2, %f4;\n";
const std::string kSmallSum = "mov.b32 %f1, 3;\nmov.b32 %f2, 4;\nadd.f32 %f3, %f1, %f2;\nmov.b32 %r2, %f3;\n";

/// Whether a subnormal number survives its way to a double.
const std::string kWiden =
    "mov.b32 %f1, 3;\ncvt.f64.f32 %fd1, %f1;\nmov.b64 %rd3, %fd1;\n"
    "setp.ne.u64 %p1, %rd3, 0;\nselp.u32 %r2, 1, 0, %p1;\n";

/// Broken when the rounding must be written, or may be left out where ptxas wants it.
TEST_F(OldVersions, MultiplyAddNeedsNoRounding) {
  const std::vector<std::pair<std::string, std::string>> old = {{"1.4", "sm_13"},
                                                                {"1.4", "sm_20, map_f64_to_f32"},
                                                                {"3.0", "sm_30"},
                                                                {"3.1", "sm_20"},
                                                                {"4.0", "sm_13"}};
  for (const auto& [version, target] : old)
    EXPECT_EQ(word_of(version, target, kMultiplyAdd), 0x40e00000u) << version << " " << target;
  for (const auto& [version, target] :
       std::vector<std::pair<std::string, std::string>>{{"3.2", "sm_20"}, {"3.2", "sm_30"}, {"8.0", "sm_80"}})
    EXPECT_THROW((void)word_of(version, target, kMultiplyAdd), std::runtime_error)
        << version << " " << target;
}

/// Broken when modules for sm_1x keep subnormal numbers, or others lose them.
TEST_F(OldVersions, TheFirstGpusFlush) {
  EXPECT_EQ(word_of("1.4", "sm_13", kSmallSum), 0u);
  EXPECT_EQ(word_of("1.4", "sm_20", kSmallSum), 7u);
  EXPECT_EQ(word_of("3.0", "sm_30", kSmallSum), 7u);
  EXPECT_EQ(word_of("1.4", "sm_13", kWiden), 1u);
  EXPECT_EQ(word_of("1.5", "sm_13", kWiden), 0u);
  EXPECT_EQ(word_of("1.5", "sm_20", kWiden), 1u);
}

}  // namespace
}  // namespace roofline::sim
