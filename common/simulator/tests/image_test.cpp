// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Reading embedded images as nvcc writes them, and after damage.
#include "simulator/image/image.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include "simulator/image/container.h"
#include "simulator/image/elf.h"
#include "simulator/image/registration.h"
#include "simulator/ptx/parser.h"

namespace roofline::sim::image {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Bytes bytes_of(const std::string& text) {
  const auto* start = reinterpret_cast<const std::byte*>(text.data());
  return {start, start + text.size()};
}

struct Compiled {
  Bytes image;
  std::string log;  ///< what ptxas -v said
};

/// The container for tests/ptx/kernels.cu. Each test runs in a process of its own, so the results are kept in
/// the build tree until the source is newer.
const Compiled& compiled(const std::string& options) {
  static std::map<std::string, Compiled> cache;
  const auto [entry, is_new] = cache.try_emplace(options);
  if (!is_new) return entry->second;
  const fs::path source = fs::path(SIMULATOR_SOURCE) / "tests/ptx/kernels.cu";
  const fs::path directory = fs::path(SIMULATOR_BUILD) / "image-test";
  fs::create_directories(directory);
  const std::string base = (directory / std::to_string(std::hash<std::string>()(options))).string();
  const fs::path image = base + ".fatbin", log = base + ".log";
  if (!fs::exists(image) || fs::last_write_time(image) < fs::last_write_time(source)) {
    const std::string mine = base + "-" + std::to_string(getpid());
    const std::string command = std::string(CUDA_HOME) + "/bin/nvcc -std=c++17 -fatbin -Xptxas -v " +
                                options + " -o " + mine + ".fatbin " + source.string() + " 2> " + mine +
                                ".log";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    fs::rename(mine + ".log", log);
    fs::rename(mine + ".fatbin", image);
  }
  entry->second = {bytes_of(contents(image)), contents(log)};
  return entry->second;
}

constexpr const char* kPlain = "-arch=sm_80 -no-compress";
constexpr const char* kZstd = "-arch=sm_90";
constexpr const char* kLz4 =
    "-gencode arch=compute_75,code=sm_75 -gencode arch=compute_75,code=compute_75 "
    "-gencode arch=compute_90,code=compute_90 -compress-mode=speed";

/// The number before `words`, 0 if they do not occur: 26 in "Used 26 registers, used 1 barriers" for "
/// registers".
u32 number_before(const std::string& line, const std::string& words) {
  const std::size_t at = line.find(words);
  if (at == line.npos) return 0;
  const std::size_t start = line.find_last_not_of("0123456789", at - 1) + 1;
  return static_cast<u32>(std::stoul(line.substr(start, at - start)));
}

/// The same kernels in the words of ptxas.
std::map<std::string, ElfKernel> kernels_of_log(const std::string& log) {
  std::map<std::string, ElfKernel> kernels;
  std::istringstream lines(log);
  std::string line, name;
  while (std::getline(lines, line)) {
    const std::size_t quote = line.find('\'');
    if (line.find("Compiling entry function") != line.npos) {
      name = line.substr(quote + 1, line.find('\'', quote + 1) - quote - 1);
    } else if (line.find("Function properties for") != line.npos && line.find(name) == line.npos) {
      name = "a device function";
    }
    ElfKernel& kernel = kernels[name];
    kernel.registers = std::max(kernel.registers, number_before(line, " registers"));
    kernel.barriers = std::max(kernel.barriers, number_before(line, " barriers"));
    kernel.shared_bytes = std::max<u64>(kernel.shared_bytes, number_before(line, " bytes smem"));
    kernel.spill_bytes = std::max<u64>(kernel.spill_bytes, number_before(line, " bytes spill stores"));
    kernel.local_bytes = std::max<u64>(kernel.local_bytes, number_before(line, " bytes stack frame"));
    if (const u32 refills = number_before(line, " bytes spill loads"); refills != 0)
      kernel.spills = {{.is_store = false, .bytes = refills}};
  }
  kernels.erase("a device function");
  kernels.erase("");
  return kernels;
}

u64 refilled(const ElfKernel& kernel) {
  u64 bytes = 0;
  for (const Spill& spill : kernel.spills)
    if (!spill.is_store) bytes += spill.bytes;
  return bytes;
}

void expect_kernels(const Compiled& program, std::size_t elf) {
  const Image image = read_image(program.image);
  ASSERT_GT(image.elf.size(), elf);
  const std::vector<ElfKernel> kernels = kernels_of_elf(image.elf[elf].bytes);
  const auto expected = kernels_of_log(program.log);
  ASSERT_EQ(kernels.size(), 4u);
  ASSERT_EQ(expected.size(), 4u);
  u64 spills = 0;
  for (const ElfKernel& kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    const auto same = expected.find(kernel.name);
    ASSERT_NE(same, expected.end());
    EXPECT_EQ(kernel.registers, same->second.registers);
    EXPECT_EQ(kernel.barriers, same->second.barriers);
    EXPECT_EQ(kernel.shared_bytes, same->second.shared_bytes);
    EXPECT_EQ(kernel.spill_bytes, same->second.spill_bytes);
    EXPECT_EQ(refilled(kernel), refilled(same->second));
    for (const Spill& spill : kernel.spills) EXPECT_LE(spill.place + spill.bytes, kernel.local_bytes);
    // The frame is rounded up to 8 bytes for functions that call others.
    EXPECT_GE(kernel.local_bytes, same->second.local_bytes);
    EXPECT_LE(kernel.local_bytes, same->second.local_bytes + 8);
    spills += kernel.spill_bytes;
    if (kernel.name.find("spilling") != kernel.name.npos) {
      EXPECT_EQ(kernel.max_threads, 1024u);
    }
    if (kernel.name.find("calls") != kernel.name.npos) {
      EXPECT_EQ(kernel.max_threads, 256u);
      EXPECT_EQ(kernel.shared_bytes, 32u * 33u * 4u);
    }
  }
  EXPECT_GT(spills, 0u);
}

/// How many spills are told to be of a line of PTX, each of one inside its kernel.
size_t expect_spills_inside(const Compiled& program) {
  const Image image = read_image(program.image);
  const ptx::Module module = ptx::parse(image.ptx.at(0).text, "kernels.ptx");
  size_t found = 0;
  for (const ElfKernel& kernel : kernels_of_elf(image.elf.at(0).bytes)) {
    const auto function = std::ranges::find(module.functions, kernel.name, &ptx::Function::name);
    EXPECT_NE(function, module.functions.end());
    for (const Spill& spill : kernel.spills) {
      EXPECT_GE(spill.part, 0);
      EXPECT_LT(spill.part, 1);
      if (spill.ptx_line == 0) continue;
      ++found;
      EXPECT_GE(spill.ptx_line, function->instructions.front().at.line);
      EXPECT_LE(spill.ptx_line, function->instructions.back().at.line);
    }
  }
  return found;
}

void expect_text(const PtxImage& ptx, u32 sm) {
  EXPECT_EQ(ptx.sm, sm);
  const ptx::Module module = ptx::parse(ptx.text, "kernels.ptx");
  EXPECT_EQ(module.target, sm);
  EXPECT_GE(module.functions.size(), 6u);
}

// Breaks when the container's layout, or plain entries, are misread.
// Broken by: link-time optimised code that is taken for a damaged image, or no way out in the message.
TEST(Containers, LinkTimeOptimisedCodeIsRefusedWithAWayOut) {
  Image image;
  image.has_lto = true;
  try {
    choose_ptx(image, 80);
    FAIL() << "there is no PTX";
  } catch (const ImageError& error) {
    EXPECT_NE(std::string(error.what()).find("Rebuild it without -dlto"), std::string::npos) << error.what();
  }
}

TEST(Containers, PlainText) {
  const Image image = read_image(compiled(kPlain).image);
  ASSERT_EQ(image.ptx.size(), 1u);
  expect_text(image.ptx[0], 80);
  expect_kernels(compiled(kPlain), 0);
}

// Breaks when zstd entries, or the facts of sm_90 (1 KB of shared memory reserved), are misread.
TEST(Containers, Zstd) {
  const Image image = read_image(compiled(kZstd).image);
  ASSERT_EQ(image.ptx.size(), 1u);
  expect_text(image.ptx[0], 90);
  expect_kernels(compiled(kZstd), 0);
}

TEST(Containers, Lz4WithTwoTexts) {
  const Image image = read_image(compiled(kLz4).image);
  ASSERT_EQ(image.ptx.size(), 2u);
  for (const PtxImage& ptx : image.ptx) expect_text(ptx, ptx.sm);
  EXPECT_EQ(choose_ptx(image, 75).sm, 75u);
  EXPECT_EQ(choose_ptx(image, 89).sm, 75u);
  EXPECT_EQ(choose_ptx(image, 90).sm, 90u);
  EXPECT_EQ(choose_ptx(image, 120).sm, 90u);
  expect_kernels(compiled(kLz4), 0);
}

TEST(Containers, SeveralBehindEachOther) {
  Bytes two = compiled(kPlain).image;
  const Bytes& second = compiled(kZstd).image;
  two.insert(two.end(), second.begin(), second.end());
  two.resize(two.size() + 8);  // padding
  const Image image = read_image(two);
  EXPECT_EQ(image.ptx.size(), 2u);
  EXPECT_EQ(image.elf.size(), 2u);
}

TEST(Containers, BareFiles) {
  const Image image = read_image(compiled(kPlain).image);
  const Image text = read_image(bytes_of(image.ptx[0].text + std::string(1, '\0')));
  ASSERT_EQ(text.ptx.size(), 1u);
  expect_text(text.ptx[0], 80);
  const Image elf = read_image(image.elf[0].bytes);
  ASSERT_EQ(elf.elf.size(), 1u);
  EXPECT_EQ(elf.elf[0].sm, 80u);
}

std::string error_of(const Bytes& bytes) {
  try {
    const Image image = read_image(bytes);
    for (const ElfImage& elf : image.elf) kernels_of_elf(elf.bytes);
  } catch (const ImageError& error) {
    return error.what();
  }
  return "";
}

TEST(Damage, OtherFilesAreNamed) {
  EXPECT_NE(error_of(bytes_of("")).find("no device code"), std::string::npos);
  EXPECT_NE(error_of(bytes_of("#!/bin/sh\n")).find("neither"), std::string::npos);
  EXPECT_NE(error_of(bytes_of(contents("/proc/self/exe").substr(0, 4096))).find("no NVIDIA device code"),
            std::string::npos);
}

// Breaks when a length in a header is trusted: each cut must be noticed, none may read beyond the bytes (run
// it under the address sanitizer; the vector has no spare room).
TEST(Damage, EveryTruncationIsNoticed) {
  for (const char* options : {kPlain, kZstd, kLz4}) {
    const Bytes& whole = compiled(options).image;
    for (std::size_t size = 0; size + 8 < whole.size(); size += size < 400 ? 1 : 997) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      cut.shrink_to_fit();
      EXPECT_NE(error_of(cut), "") << options << " cut to " << size;
    }
  }
}

// Breaks when flipped bits crash the reader; whether they are noticed depends on where they are.
TEST(Damage, FlippedBitsGiveAnErrorAtMost) {
  std::mt19937 random(1);
  int noticed = 0;
  for (const char* options : {kPlain, kZstd, kLz4}) {
    for (int round = 0; round < 300; ++round) {
      Bytes bytes = compiled(options).image;
      const std::size_t area = round % 2 == 0 ? 256 : bytes.size();
      for (int flips = 0; flips < 3; ++flips)
        bytes[random() % area] ^= static_cast<std::byte>(1u << (random() % 8));
      noticed += error_of(bytes).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(noticed, 300);
}

TEST(Choice, PrefersTheNewestThatIsNotNewer) {
  Image image;
  for (const u32 sm : {90u, 75u, 80u, 120u}) image.ptx.push_back({sm, ""});
  EXPECT_EQ(choose_ptx(image, 80).sm, 80u);
  EXPECT_EQ(choose_ptx(image, 86).sm, 80u);
  EXPECT_EQ(choose_ptx(image, 75).sm, 75u);
  EXPECT_EQ(choose_ptx(image, 200).sm, 120u);
}

std::string refusal(const Image& image, u32 capability) {
  try {
    choose_ptx(image, capability);
  } catch (const ImageError& error) {
    return error.what();
  }
  return "";
}

// Breaks when a device runs what a driver refuses to run on it, or refuses what one runs: machine code of its
// own major number and at most its minor, or PTX of at most its capability.
TEST(Choice, IsThatOfADriver) {
  struct Row {
    const char* options;
    std::vector<u32> runs, refuses;
  };
  const Row rows[] = {
      {"-arch=sm_80", {80, 86, 89, 90, 120}, {75}},
      {"-arch=sm_86", {86, 89, 90}, {75, 80}},
      {"-arch=compute_80", {80, 86, 90, 120}, {75}},
      {"-gencode arch=compute_80,code=compute_80", {80, 90, 120}, {75}},
      {"-gencode arch=compute_75,code=[sm_75,compute_75]", {75, 80, 90, 120}, {}},
      {"-gencode arch=compute_86,code=sm_86 -gencode arch=compute_90,code=compute_90",
       {86, 89, 90},
       {75, 80}},
      {"-arch=all-major", {75, 80, 86, 90, 100, 120}, {}},
  };
  for (const Row& row : rows) {
    const Image image = read_image(compiled(row.options).image);
    for (const u32 capability : row.runs)
      EXPECT_EQ(refusal(image, capability), "") << row.options << " on " << capability;
    for (const u32 capability : row.refuses)
      EXPECT_NE(refusal(image, capability), "") << row.options << " on " << capability;
  }
}

TEST(Choice, SaysThatADeviceIsTooOld) {
  Image image;
  image.ptx.push_back({80, ""});
  image.elf.push_back({80, {}});
  EXPECT_EQ(refusal(image, 75),
            "The program was built for compute capability 8.0 and newer; this GPU has 7.5. Rebuild it with "
            "-arch=sm_75, or choose a newer device.");
}

TEST(Choice, SaysHowToRebuildWithoutPtx) {
  Image image;
  image.elf.push_back({90, {}});
  try {
    choose_ptx(image, 80);
    ADD_FAILURE() << "no error";
  } catch (const ImageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "The program holds machine code for sm_90 only; the simulated GPU needs PTX. Rebuild it with "
              "-arch=sm_80 or with -gencode arch=compute_80,code=compute_80.");
  }
}

TEST(Choice, TakesMachineCodeOfTheSameMajorNumber) {
  Image image;
  for (const u32 sm : {75u, 80u, 86u, 90u}) image.elf.push_back({sm, {}});
  EXPECT_EQ(choose_elf(image, 80)->sm, 80u);
  EXPECT_EQ(choose_elf(image, 89)->sm, 86u);
  EXPECT_EQ(choose_elf(image, 100), nullptr);
  EXPECT_EQ(choose_elf(image, 70), nullptr);
  EXPECT_EQ(nearest_elf(image, 100)->sm, 90u);
  EXPECT_EQ(nearest_elf(image, 70)->sm, 75u);
  EXPECT_EQ(nearest_elf({}, 70), nullptr);
}

// Breaks when the line program of -lineinfo is decoded wrong, or the relocation that says whose lines they
// are.
TEST(Elf, SaysWhichPtxSpills) {
  for (const char* target : {"-arch=sm_80 -lineinfo", "-arch=sm_90 -lineinfo"})
    EXPECT_GT(expect_spills_inside(compiled(target)), 0u) << target;
  EXPECT_EQ(expect_spills_inside(compiled(kZstd)), 0u);
}

// Breaks when registration reads a wrapper's image short or long, or follows it into the next program's
// image.
TEST(Registration, FindsTheImageBehindAWrapper) {
  const Bytes& program = compiled(kPlain).image;
  Bytes memory = program;
  memory.insert(memory.end(), compiled(kZstd).image.begin(), compiled(kZstd).image.end());
  const Wrapper wrapper{kWrapperMagic, 1, memory.data(), nullptr};
  const auto found = image_of_wrapper(&wrapper);
  EXPECT_EQ(found.data(), memory.data());
  EXPECT_EQ(found.size(), program.size());
  EXPECT_TRUE(parts_of_wrapper(&wrapper).empty());
  const Wrapper wrong{0x12345678, 1, memory.data(), nullptr};
  EXPECT_THROW(image_of_wrapper(&wrong), ImageError);
}

TEST(Registration, SkipsAnEmptyContainer) {
  Bytes memory(sizeof(ContainerHeader));
  const ContainerHeader empty{kContainerMagic, 1, sizeof(ContainerHeader), 0};
  std::memcpy(memory.data(), &empty, sizeof(empty));
  const Bytes& program = compiled(kPlain).image;
  memory.insert(memory.end(), program.begin(), program.end());
  const Wrapper wrapper{kWrapperMagic, 1, memory.data(), nullptr};
  EXPECT_EQ(image_of_wrapper(&wrapper).size(), memory.size());
  EXPECT_EQ(read_image(image_of_wrapper(&wrapper)).ptx.size(), 1u);
}

TEST(Registration, ListsThePartsOfALinkedProgram) {
  const void* parts[] = {compiled(kPlain).image.data(), compiled(kZstd).image.data(), nullptr};
  const Wrapper wrapper{kWrapperMagic, kLinkedWrapper, compiled(kPlain).image.data(), parts};
  ASSERT_EQ(parts_of_wrapper(&wrapper).size(), 2u);
  EXPECT_EQ(parts_of_wrapper(&wrapper)[1].size(), compiled(kZstd).image.size());
}

TEST(Registration, RecognisesWhatLibrariesLoad) {
  const Image image = read_image(compiled(kPlain).image);
  EXPECT_EQ(image_at(image.ptx[0].text.c_str()).size(), image.ptx[0].text.size());
  EXPECT_EQ(image_at(compiled(kPlain).image.data()).size(), compiled(kPlain).image.size());
  const auto elf = image_at(image.elf[0].bytes.data());
  EXPECT_LE(elf.size(), image.elf[0].bytes.size());
  EXPECT_EQ(kernels_of_elf(elf).size(), 4u);
  EXPECT_EQ(image_at("").size(), 0u);
  EXPECT_THROW(image_at(nullptr), ImageError);
}

}  // namespace
}  // namespace roofline::sim::image
