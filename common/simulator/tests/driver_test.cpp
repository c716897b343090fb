// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// libcuda.so.1: what only the outside sees. What a program can check by itself stands in
// programs/driver_*.cu.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "program.h"
#include "simulator/host/session.h"

namespace roofline::sim::driver {
namespace {

using namespace test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The rows of a list of functions: what is done with each name, and why not.
struct Names {
  std::set<std::string> all;
  std::map<std::string, std::set<std::string>> missing;  ///< by reason
  size_t done = 0;
  size_t missing_for(const std::string& reason) const {
    const auto found = missing.find(reason);
    return found == missing.end() ? 0 : found->second.size();
  }
};
Names listed(const std::string& list) {
  Names names;
  const std::string text = read_file(SIMULATOR_SOURCE "/" + list);
  const std::regex row("\n(DONE|TWIN|MISSING)\\((\\w+)(?:,[^)]*?(\\w+))?\\)");
  for (auto i = std::sregex_iterator(text.begin(), text.end(), row); i != std::sregex_iterator(); ++i) {
    names.all.insert((*i)[2]);
    if ((*i)[1] == "MISSING")
      names.missing[(*i)[3]].insert((*i)[2]);
    else
      names.done++;
  }
  return names;
}

std::set<std::string> exported(const std::string& library) {
  const Result result = run({"nm", "-D", "--defined-only", library});
  EXPECT_EQ(result.status, 0) << result.err;
  std::set<std::string> names;
  const std::regex line(" T (\\w+)\n");
  for (auto i = std::sregex_iterator(result.out.begin(), result.out.end(), line); i != std::sregex_iterator();
       ++i)
    names.insert((*i)[1]);
  return names;
}

/// Broken by: a name that is missing, misspelt or not in the list. The toolkit's library for linking is the
/// oracle where it is installed.
TEST(Driver, ExportsExactlyTheRealLibrarysNames) {
  const Names names = listed("driver/names.list");
  EXPECT_EQ(names.all.size(), 637u);
  EXPECT_EQ(exported(SIMULATOR_BUILD "/libcuda.so.1"), names.all);
  for (const char* folder : {"/lib64/stubs", "/lib/stubs"}) {
    const fs::path real = std::string(CUDA_HOME) + folder + "/libcuda.so";
    if (!fs::exists(real)) continue;
    EXPECT_EQ(exported(real), names.all) << real;
    break;
  }
}

struct Api {
  const char *name, *error;
  Names names;
  /// What the page says of it in one sentence.
  std::regex sentence() const {
    return std::regex("\\d+(\\s+functions\\s+of\\s+the\\s+" + std::string(name) +
                      ",\\s+)\\d+(\\s+work\\s+and\\s+)\\d+(\\s+return\\s+`" + error + "`)");
  }
};

/// The page with the numbers of the lists: in a sentence about each API, and in the row of each reason.
std::string with_counts(std::string page, const Api& driver, const Api& runtime) {
  for (const Api* api : {&driver, &runtime}) {
    const Names& names = api->names;
    page = std::regex_replace(page, api->sentence(),
                              std::to_string(names.all.size()) + "$01" + std::to_string(names.done) + "$02" +
                                  std::to_string(names.all.size() - names.done) + "$03");
    for (const auto& [reason, functions] : names.missing)
      page = std::regex_replace(page, std::regex("(\n\\| `" + reason + "` \\| )\\d+ \\| \\d+ "),
                                "$01" + std::to_string(driver.names.missing_for(reason)) + " | " +
                                    std::to_string(runtime.names.missing_for(reason)) + " ");
  }
  return page;
}

/// Broken by: a page whose numbers or reasons are not those of the lists. ROOFLINE_UPDATE_PAGES=1 writes the
/// numbers.
TEST(Driver, PageTellsWhatIsMissing) {
  const fs::path file = SIMULATOR_SOURCE "/../../docs/driver-api.md";
  const Api driver{"driver", "CUDA_ERROR_NOT_SUPPORTED", listed("driver/names.list")},
      runtime{"runtime", "cudaErrorNotSupported", listed("runtime/api.list")};
  const std::string right = with_counts(read_file(file), driver, runtime);
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) std::ofstream(file) << right;
  const std::string page = read_file(file);
  EXPECT_EQ(page, right);
  std::set<std::string> reasons, rows;
  for (const Api* api : {&driver, &runtime}) {
    EXPECT_TRUE(std::regex_search(page, api->sentence())) << "no sentence about the " << api->name;
    for (const auto& [reason, functions] : api->names.missing) reasons.insert(reason);
  }
  const std::regex row("\n\\| `(\\w+)` \\| \\d+ \\| \\d+ \\| ");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), row); i != std::sregex_iterator(); ++i)
    EXPECT_TRUE(rows.insert((*i)[1]).second) << "two rows for " << (*i)[1];
  EXPECT_EQ(rows, reasons);
}

/// Broken by: a call that was added to the runtime, while its twin in the driver API is missing for a reason
/// that other calls of the runtime have, too.
TEST(Driver, TwinsOfTheRuntimesCallsAreThere) {
  const Names driver = listed("driver/names.list"), runtime = listed("runtime/api.list");
  std::set<std::string> missing;
  for (const auto& [reason, functions] : runtime.missing) missing.insert(functions.begin(), functions.end());
  for (const auto& [reason, functions] : driver.missing) {
    if (!runtime.missing.contains(reason)) continue;
    for (const std::string& name : functions) {
      const std::string twin = "cuda" + name.substr(2);
      EXPECT_TRUE(!runtime.all.contains(twin) || missing.contains(twin))
          << name << " is missing (" << reason << "), and " << twin << " is there";
    }
  }
}

fs::path compile_driver(const Folder& folder, const std::string& name) {
  return compile(
      folder, name,
      {"-cudart", "shared", "-L", SIMULATOR_BUILD, "-lcuda", "-gencode", "arch=compute_80,code=compute_80"});
}

/// Broken by: a program that names only libcuda.so.1 and finds no device, or another one.
TEST(Driver, AloneItBringsTheDevice) {
  const Folder folder;
  const fs::path program = folder / "program";
  const Result compiled = run({"c++", "-x", "c++", SIMULATOR_SOURCE "/tests/runtime_programs/driver_alone.cu",
                               "-I", CUDA_HOME "/include", "-L", SIMULATOR_BUILD, "-lcuda", "-o", program});
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  const Result needed = run({"readelf", "-d", program});
  EXPECT_TRUE(contains(needed.out, "libcuda.so.1")) << needed.out;
  EXPECT_FALSE(contains(needed.out, "libcudart")) << needed.out;
  const Result result = run({program}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "NVIDIA A100-SXM4-40GB\n6 * 7 = 42\n");
}

/// Broken by: a refusal without a sentence, or a sentence that comes twice.
TEST(Driver, WhatIsMissingIsNamedOnce) {
  const Folder folder;
  const Result result = run({compile_driver(folder, "driver_missing")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(
      contains(result.err, "cuMulticastCreate is not supported yet: it returns CUDA_ERROR_NOT_SUPPORTED"))
      << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

/// Broken by: bad PTX that is taken, or refused without its line, in the program's log and on the terminal.
TEST(Driver, BadPtxIsExplained) {
  const Folder folder;
  const Result result = run({compile_driver(folder, "driver_bad_ptx")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "undefined function 'square'")) << result.err;
  EXPECT_TRUE(contains(result.err, "bad.ptx:6:11: error")) << result.err;
}

/// Broken by: machine code that is taken for a program, or refused without the way out.
TEST(Driver, MachineCodeAloneIsRefused) {
  const Folder folder;
  const Result cubin = run({std::string(CUDA_HOME) + "/bin/nvcc", "-cubin", "-arch=sm_80", "-o",
                            folder / "k.cubin", SIMULATOR_SOURCE "/tests/runtime_programs/driver_kernel.cu"});
  ASSERT_EQ(cubin.status, 0) << cubin.err;
  const Result result = run({compile_driver(folder, "driver_cubin"), folder / "k.cubin"}, simulated());
  EXPECT_EQ(result.out, "CUDA_ERROR_NO_BINARY_FOR_GPU CUDA_ERROR_NO_BINARY_FOR_GPU\n") << result.err;
  EXPECT_TRUE(contains(result.err, "PTX")) << result.err;
}

/// Broken by: a faulted context that spoils the next one.
TEST(Driver, AFaultEndsWithItsContext) {
  const Folder folder;
  const Result result = run({compile_driver(folder, "driver_fault")}, simulated());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "poke")) << result.err;
}

/// Broken by: mapped memory that a device reaches without leave because it is its own, or because another one
/// may.
TEST(Driver, MappedMemoryNeedsLeave) {
  const Folder folder;
  const Result result =
      run({compile_driver(folder, "driver_mapped_without_access")}, simulated({"ROOFLINE_GPUS=2"}));
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "device 1 may not access; allow it with cuMemSetAccess")) << result.err;
}

/// Broken by: a mapped piece of another device that does not pass the link, one of the own that does, or one
/// that is still there when it is unmapped.
TEST(Driver, MappedMemoryOfAnotherDevicePassesTheLink) {
  const Folder folder;
  const fs::path program = compile_driver(folder, "driver_mapped_middle");
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .gpus = 2});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "no memory is mapped there")) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.kernels.size(), 3u);
  constexpr u64 kPiece = u64{2} << 20;
  const KernelCounters& spans = region.kernels[0].counters;
  EXPECT_EQ(spans.peer_read_bytes, kPiece);
  EXPECT_EQ(spans.peer_write_bytes, kPiece);
  EXPECT_EQ(spans.l2_write_sectors, 2 * kPiece / kSectorBytes);
  EXPECT_EQ(region.kernels[1].counters.peer_read_bytes, 0u) << "nothing of it is the other device's";
  EXPECT_GT(region.kernels[0].seconds, region.kernels[1].seconds);
}

}  // namespace
}  // namespace roofline::sim::driver
