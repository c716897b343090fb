// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// How a CUDA runtime that is linked into a program is found and replaced: symbols, jumps and where they are
// put. The whole of it, with real programs, stands in grader/tests/linked_runtime_test.cpp.
#include "simulator/static_runtime/redirection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>

#include "simulator/static_runtime/static_runtime.h"
#include "simulator/tests/program.h"

namespace roofline::sim::static_runtime {
namespace {

using test::Folder;
using test::read_file;

std::string hex(const Code& code) {
  std::string text;
  for (const std::byte byte : code) {
    char pair[4];
    std::snprintf(pair, sizeof pair, "%02x ", static_cast<unsigned>(byte));
    text += pair;
  }
  return text.substr(0, text.empty() ? 0 : text.size() - 1);
}

/// The bytes are those of GNU as. Broken by: a wrong opcode, distance or order of bytes.
TEST(Jumps, X86) {
  const JumpCode& jumps = x86_64_jumps();
  EXPECT_EQ(hex(jumps.far_jump(0x1122334455667788)), "ff 25 00 00 00 00 88 77 66 55 44 33 22 11");
  EXPECT_EQ(hex(jumps.far_jump_with(0x10, 0x20)),
            "48 bf 10 00 00 00 00 00 00 00 ff 25 00 00 00 00 20 00 00 00 00 00 00 00");
  EXPECT_EQ(hex(jumps.near[0].encode(0x100)), "e9 fb 00 00 00");
  EXPECT_EQ(hex(jumps.near[0].encode(-0x100)), "e9 fb fe ff ff");
  EXPECT_EQ(hex(jumps.near[1].encode(jumps.near[1].forth)), "eb 7f");
  EXPECT_EQ(hex(jumps.near[1].encode(jumps.near[1].back)), "eb 80");
  const Code marked{std::byte{0xf3}, std::byte{0x0f}, std::byte{0x1e}, std::byte{0xfa}, std::byte{0x55}};
  EXPECT_EQ(jumps.mark_size(marked), 4u);
  EXPECT_EQ(jumps.mark_size(std::span(marked).subspan(1)), 0u);
}

TEST(Jumps, Arm) {
  const JumpCode& jumps = aarch64_jumps();
  // ldr x16, .+8; br x16
  EXPECT_EQ(hex(jumps.far_jump(0x1122334455667788)), "50 00 00 58 00 02 1f d6 88 77 66 55 44 33 22 11");
  // ldr x0, .+12; ldr x16, .+16; br x16
  EXPECT_EQ(hex(jumps.far_jump_with(1, 2)),
            "60 00 00 58 90 00 00 58 00 02 1f d6 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00");
  EXPECT_EQ(hex(jumps.near[0].encode(8)), "02 00 00 14");
  EXPECT_EQ(hex(jumps.near[0].encode(-4)), "ff ff ff 17");
  const Code bti_c{std::byte{0x5f}, std::byte{0x24}, std::byte{0x03}, std::byte{0xd5}};
  EXPECT_EQ(jumps.mark_size(bti_c), 4u);
}

Redirection leading(std::string name, std::uint64_t address, std::uint64_t size, std::uint64_t target,
                    std::size_t mark = 0) {
  return {std::move(name), address, size, mark, x86_64_jumps().far_jump(target)};
}

/// Follows what was written from `address` on, as a processor would; 0 where it leads nowhere.
std::uint64_t destination(const std::vector<Patch>& patches, std::uint64_t address) {
  const auto at = std::find_if(patches.begin(), patches.end(),
                               [&](const Patch& patch) { return patch.address == address; });
  if (at == patches.end()) return 0;
  const Code& code = at->bytes;
  if (code[0] == std::byte{0xff}) {
    std::uint64_t target = 0;
    std::memcpy(&target, code.data() + 6, sizeof target);
    return target;
  }
  if (code[0] == std::byte{0xe9}) {
    std::int32_t distance = 0;
    std::memcpy(&distance, code.data() + 1, sizeof distance);
    return destination(patches, address + 5 + static_cast<std::uint64_t>(std::int64_t{distance}));
  }
  if (code[0] == std::byte{0xeb})
    return destination(patches, address + 2 + static_cast<std::uint64_t>(static_cast<std::int8_t>(code[1])));
  return 0;
}

/// Every function leads to its target, no two patches overlap, and no byte outside of the functions changes.
void expect_sound(const std::vector<Redirection>& functions, const std::vector<std::uint64_t>& targets) {
  const std::vector<Patch> patches = plan_patches(functions, x86_64_jumps());
  for (std::size_t i = 0; i < functions.size(); i++)
    EXPECT_EQ(destination(patches, functions[i].address + functions[i].mark), targets[i])
        << functions[i].name;
  std::set<std::uint64_t> written;
  for (const Patch& patch : patches)
    for (std::uint64_t at = patch.address; at < patch.address + patch.bytes.size(); at++) {
      EXPECT_TRUE(written.insert(at).second) << "written twice: " << at;
      EXPECT_TRUE(std::any_of(functions.begin(), functions.end(),
                              [&](const Redirection& one) {
                                return at >= one.address + one.mark && at < one.address + one.size;
                              }))
          << "not the runtime's: " << at;
    }
}

TEST(Redirection, SmallFunctionsBorrowRoomOfDeadOnes) {
  expect_sound({leading("large", 0x1000, 200, 11), leading("ten", 0x1100, 10, 22),
                leading("three", 0x1080 + 0x50, 3, 33), leading("marked", 0x2000, 30, 44, 4)},
               {11, 22, 33, 44});
}

TEST(Redirection, WhatCannotBeDoneIsSaid) {
  const auto message = [](const std::vector<Redirection>& functions) {
    try {
      plan_patches(functions, x86_64_jumps());
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({leading("three", 0x1000, 3, 1), leading("far", 0x9000, 100, 2)}).find("three"),
            std::string::npos);
  EXPECT_NE(message({leading("alone", 0x1000, 10, 1)}).find("alone"), std::string::npos);
  EXPECT_NE(message({leading("one", 0x1000, 50, 1), leading("other", 0x1000, 50, 2)}).find("--icf"),
            std::string::npos);
  EXPECT_EQ(message({leading("one", 0x1000, 50, 1), leading("alias", 0x1000, 50, 1)}), "");
}

/// Broken by: a public function of the real static runtime that is not found, or finds no room for its jump.
TEST(StaticRuntime, EveryFunctionOfTheRealOneIsReplaced) {
  const Folder folder;
  const std::string library = read_file(SIMULATOR_BUILD "/libcudart.so.13"),
                    program = read_file(
                        test::compile(folder, "arguments", {"-gencode", "arch=compute_80,code=compute_80"}));
  const ElfFile stand_in(std::as_bytes(std::span(library))), file(std::as_bytes(std::span(program)));
  std::vector<Function> exported = stand_in.exported_functions();
  std::erase_if(exported, [](const Function& function) { return function.name.starts_with("roofline"); });
  const StaticRuntime runtime = find_static_runtime(file, exported);
  ASSERT_EQ(runtime.presence, Presence::kFound);
  EXPECT_EQ(runtime.functions.size(), exported.size());
  std::vector<Redirection> redirections;
  std::vector<std::uint64_t> targets;
  for (const Function& function : runtime.functions) {
    targets.push_back(targets.size() + 1);
    redirections.push_back(
        leading(std::string(function.name), function.address, function.size, targets.back()));
  }
  expect_sound(redirections, targets);
  // Had the runtime a function that the library beside us does not know:
  std::erase_if(exported, [](const Function& function) { return function.name == "cudaMallocHost"; });
  const StaticRuntime newer = find_static_runtime(file, exported);
  EXPECT_EQ(newer.functions.size(), exported.size() + 1);
}

/// The default of CMake projects that install, and of link lines with -s.
TEST(StaticRuntime, PresenceIsReadFromSymbols) {
  const Folder folder;
  const auto presence = [](const test::fs::path& path) {
    const std::string bytes = read_file(path);
    return static_runtime_presence(ElfFile(std::as_bytes(std::span(bytes))));
  };
  const std::vector<std::string> ptx = {"-gencode", "arch=compute_80,code=compute_80"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), ptx.begin(), ptx.end());
    return more;
  };
  EXPECT_EQ(presence(test::compile(folder, "arguments", ptx)), Presence::kFound);
  EXPECT_EQ(presence(test::compile(folder, "arguments", with({"-Xlinker", "-s"}))), Presence::kStripped);
  ASSERT_EQ(
      test::run({"strip", "-x", "-o", folder / "no_locals", test::compile(folder, "arguments", ptx)}).status,
      0);
  EXPECT_EQ(presence(folder / "no_locals"), Presence::kStripped);
  EXPECT_EQ(presence(test::compile(folder, "arguments", with({"-cudart", "shared"}))), Presence::kNone);
  EXPECT_EQ(presence("/bin/true"), Presence::kNone);
  // Host code alone, for the driver API: an empty section of device code, and no runtime.
  std::ofstream(folder / "driver.cpp") << "int main() {}\n";
  ASSERT_EQ(
      test::run({CUDA_HOME "/bin/nvcc", "-O2", "-rdc=true", folder / "driver.cpp", "-o", folder / "driver"})
          .status,
      0);
  EXPECT_EQ(presence(folder / "driver"), Presence::kNone);
  // A function of that name is in the runtimes before CUDA 13 alone.
  std::ofstream(folder / "old.cpp") << "extern \"C\" int __cudaRegisterFatBinary() { return 1; }\n"
                                       "extern \"C\" int cudaThreadSynchronize() { return 2; }\n"
                                       "int main() {}\n";
  ASSERT_EQ(test::run({"g++", folder / "old.cpp", "-o", folder / "old"}).status, 0);
  EXPECT_EQ(presence(folder / "old"), Presence::kOlder);
}

}  // namespace
}  // namespace roofline::sim::static_runtime
