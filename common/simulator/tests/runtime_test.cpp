// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Real nvcc programs on the simulated libcudart.so.13. What a program can check by itself stands in
// programs/; here is what only the outside sees: output, messages, signals, processes.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "program.h"
#include "simulator/host/session.h"

namespace roofline::sim::runtime {
namespace {

using namespace test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Broken by: output that comes early, late or twice.
TEST(Runtime, KernelOutputComesInOrder) {
  const Folder folder;
  const Result result = run({compile(folder, "output")}, simulated());
  EXPECT_EQ(result.out,
            "before\nround 1 thread 0 text 0.50\nround 1 thread 1 text 0.50\nbetween\n"
            "round 2 thread 0 text 0.50\nround 3 thread 0 text 0.50\nafter\n");
  EXPECT_EQ(result.err, "");
}

/// Broken by: a fault that is not sticky, not named, or named more than once.
TEST(Runtime, FaultIsStickyAndNamedOnce) {
  const Folder folder;
  const Result result =
      run({compile(folder, "fault",
                   {"-cudart", "shared", "-lineinfo", "-gencode", "arch=compute_80,code=compute_80"})},
          simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "fault.cu")) << result.err;
  EXPECT_TRUE(contains(result.err, "block (1,0,0), thread (0,0,0)")) << result.err;
  const size_t first = result.err.find("simulated GPU:");
  EXPECT_EQ(result.err.find("simulated GPU:", first + 1), std::string::npos) << result.err;
}

/// Broken by: an exception that leaves a destructor when the device is gone.
TEST(Runtime, HungUpIsAnErrorNotACrash) {
  const Folder folder;
  const Result result = run({compile(folder, "hung_up")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "111111111 ended\n") << result.err;
}

/// Broken by: peers that need no leave, a fault that takes every GPU along, records that do not say which GPU
/// it was.
TEST(Runtime, PeerMemoryNeedsLeave) {
  const Folder folder;
  const fs::path program = compile(folder, "peer_fault");
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .gpus = 2});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "device 1; allow it with cudaDeviceEnablePeerAccess")) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.kernels.size(), 3u);
  EXPECT_EQ(region.kernels[0].device, 0u);
  EXPECT_EQ(region.kernels[1].device, 1u);
  EXPECT_EQ(region.kernels[2].device, 0u);
  EXPECT_EQ(region.traps.size(), 1u);
}

/// Broken by: device memory that the host can read.
TEST(Runtime, HostDereferenceFaults) {
  const Folder folder;
  const Result result = run({compile(folder, "host_dereference")}, simulated());
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_EQ(result.out, "about to read\n");
}

/// Broken by: PTX errors that do not name what is wrong.
TEST(Runtime, RuntimeLoadedCodeIsExplained) {
  const Folder folder;
  const Result result = run({compile(folder, "library")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "frobnicate")) << result.err;
}

/// Broken by: a launch that succeeds although its kernel can never run; the next call told.
TEST(Runtime, LaunchOfAnUnknownInstructionFailsItself) {
  const Folder folder;
  const Result result = run({compile(folder, "unknown_instruction")}, simulated());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "frobnicate.u32")) << result.err;
  EXPECT_TRUE(contains(result.err, "line")) << result.err;
}

TEST(Runtime, MissingFunctionIsNamedOnce) {
  const Folder folder;
  const Result result = run({compile(folder, "missing_api")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "cudaImportExternalMemory is not supported")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

/// Broken by: memory that is still reached when its process has freed it or is gone, a wait for that process,
/// an error without a sentence.
TEST(Runtime, SharedMemoryGoesWithItsProcess) {
  const Folder folder;
  const fs::path program = compile(folder, "shared_memory_gone");
  for (const std::string what : {"frees", "ends", "is-killed"}) {
    // The process that has the memory is the first to use CUDA: under `lab run` its machine outlives it.
    Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .sharing = true});
    const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
    const pid_t pid = start({program, what}, environment, folder / "out", folder / "err", session.guest_fd());
    session.close_guest_fd();
    const Result result{finish(pid), {}, read_file(folder / "err")};
    EXPECT_EQ(result.status, 0) << what << result.err;
    EXPECT_TRUE(contains(result.err, "freed 4096 bytes that this process has opened, or has ended"))
        << what << result.err;
    EXPECT_TRUE(contains(result.err, "what this handle stands for is gone")) << what << result.err;
    EXPECT_TRUE(contains(result.err, ", which freed it or has ended")) << what << result.err;
  }
}

/// A grade starts its machine so. Broken by: a graded program that reaches another one's GPU, or lends its
/// own.
TEST(Runtime, AGradedProgramSharesNothing) {
  const Folder folder;
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  const Result result =
      run({compile(folder, "sharing_refused", {"-cudart", "shared", "-L", SIMULATOR_BUILD, "-lcuda"})},
          simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())}), session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "a graded program has its simulated GPU to itself")) << result.err;
}

/// Broken by: a texture that reads otherwise than it was asked to, without a word.
TEST(Runtime, WhatTexturesLackIsNamed) {
  const Folder folder;
  const Result result = run({compile(folder, "missing_textures")}, simulated());
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* what :
       {"a channel format other than signed, unsigned and float", "a sparse array",
        "a texture object with a resource view", "filtering across the edges of a cubemap (seamlessCubemap)",
        "made without cudaArraySurfaceLoadStore", "anisotropic filtering is not simulated"})
    EXPECT_TRUE(contains(result.err, what)) << what << "\n" << result.err;
}

/// Broken by: a program with machine code only that fails silently.
TEST(Runtime, ProgramWithoutPtxSaysHowToRebuild) {
  const Folder folder;
  const Result result =
      run({compile(folder, "output", {"-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80"})},
          simulated());
  EXPECT_TRUE(contains(result.err, "PTX")) << result.err;
  EXPECT_FALSE(contains(result.out, "round"));
}

/// Broken by: an unknown device that is taken for another.
TEST(Runtime, DeviceComesFromTheEnvironment) {
  const Folder folder;
  const fs::path program = compile(folder, "device_name");
  EXPECT_EQ(run({program}, simulated()).out, "NVIDIA A100-SXM4-40GB 8.0\n");
  EXPECT_EQ(run({program}, simulated({"ROOFLINE_DEVICE=t4"})).out, "Tesla T4 7.5\n");
  const Result unknown = run({program}, simulated({"ROOFLINE_DEVICE=gtx9999"}));
  EXPECT_NE(unknown.status, 0);
  EXPECT_TRUE(contains(unknown.err, "gtx9999")) << unknown.err;
}

/// Broken by: a device of a new compute capability, for which an attribute is only guessed.
TEST(Runtime, EveryDeviceHasItsAttributes) {
  const Folder folder;
  const fs::path program = compile(folder, "device_name");
  for (const auto& file : fs::directory_iterator(SIMULATOR_SOURCE "/devices")) {
    const std::string id = file.path().stem();
    const Result result = run({program}, simulated({"ROOFLINE_DEVICE=" + id}));
    EXPECT_EQ(result.status, 0) << id << result.out << result.err;
  }
}

std::set<std::string> listed(const std::string& pattern) {
  const std::string text = read_file(SIMULATOR_SOURCE "/runtime/api.list");
  const std::regex line("\n" + pattern + "\\((\\w+)[,)]");
  std::set<std::string> names;
  for (auto i = std::sregex_iterator(text.begin(), text.end(), line); i != std::sregex_iterator(); ++i)
    names.insert((*i)[1]);
  return names;
}

std::set<std::string> exported(const std::string& library) {
  const Result result = run({"nm", "-D", "--defined-only", "--with-symbol-versions", library});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::regex line("[TWi] (_*cuda\\w+)@@libcudart\\.so\\.13\n");
  std::set<std::string> names;
  for (auto i = std::sregex_iterator(result.out.begin(), result.out.end(), line); i != std::sregex_iterator();
       ++i)
    names.insert((*i)[1]);
  return names;
}

/// Broken by: a name that is missing, misspelt, without the version node, or not in the list.
TEST(Runtime, ExportsExactlyTheRealLibrarysNames) {
  std::set<std::string> all = listed("DONE");
  all.merge(listed("MISSING"));
  EXPECT_EQ(all.size(), 422u);
  EXPECT_EQ(exported(SIMULATOR_BUILD "/libcudart.so.13"), all);
  const fs::path real = CUDA_HOME "/lib64/libcudart.so.13";
  if (fs::exists(real)) {
    EXPECT_EQ(exported(real), all);
  }
}

/// Processes of the machine that belong to `parent`.
std::vector<pid_t> machines_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (!std::isdigit(entry.path().filename().string()[0])) continue;
    const std::string stat = read_file(entry.path() / "stat");
    const size_t name = stat.find("(simulated-gpu");
    if (name == std::string::npos) continue;
    const std::string rest = stat.substr(stat.rfind(')') + 2);  // state, then parent
    if (std::stoi(rest.substr(2)) == parent) found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 500 && !condition(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return condition();
}

/// Gone, or a zombie that nobody has collected.
bool is_over(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat.empty() || stat.at(stat.rfind(')') + 2) == 'Z';
}

/// Broken by: a machine that outlives the program, above all while a kernel runs.
TEST(Runtime, KilledProgramLeavesNoMachine) {
  const Folder folder;
  const fs::path program = compile(folder, "spin");
  Started spin(start({program}, simulated(), folder / "out", folder / "err"));
  const pid_t pid = spin.pid();
  ASSERT_TRUE(wait_until([&] { return read_file(folder / "out") == "ready\n"; }))
      << read_file(folder / "err");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // into the kernel
  const auto machines = machines_of(pid);
  ASSERT_EQ(machines.size(), 1u);
  kill(pid, SIGKILL);
  EXPECT_EQ(spin.finish(), 128 + SIGKILL);
  EXPECT_TRUE(wait_until([&] { return is_over(machines[0]); }));
}

/// The trusted side: what the judge and `lab run` see of a program that knows nothing of them.
TEST(Session, SeesKernelsCopiesAndTime) {
  const Folder folder;
  const fs::path program = compile(folder, "output");
  Session session = Session::start(SIMULATOR_BUILD, {.device = "a100-sxm4-40gb", .threads = 2});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  session.close_guest_fd();
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.kernels.size(), 3u);
  EXPECT_TRUE(contains(region.kernels[0].name, "speak"));
  EXPECT_EQ(region.kernels[0].block.x, 2u);
  EXPECT_GT(region.kernels[1].start, region.kernels[0].start);
  EXPECT_GE(region.virtual_seconds, region.kernels[2].end - region.kernels[0].start);
  EXPECT_GT(region.kernels[0].counters.warp_instructions, 0u);
  EXPECT_FALSE(region.kernels[0].limiter.empty());
  EXPECT_TRUE(region.traps.empty());
  const auto lines = session.lines();
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(contains(lines[0].kernel, "speak"));
  u64 warps = 0;
  for (const auto& line : lines) warps += line.counters.warps;
  u64 expected = 0;
  for (const auto& kernel : region.kernels) expected += kernel.counters.warp_instructions;
  EXPECT_EQ(warps, expected);
  EXPECT_TRUE(session.end_region().kernels.empty());
}

TEST(Session, CountsBytesByDirection) {
  const Folder folder;
  const fs::path program = compile(folder, "copies");
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  constexpr u64 kBytes = 10'000'000;
  EXPECT_EQ(region.host_to_device_bytes, 2 * kBytes);  // pageable and pinned
  EXPECT_EQ(region.device_to_device_bytes, kBytes);
  EXPECT_EQ(region.device_to_host_bytes, kBytes);
  EXPECT_EQ(region.fill_bytes, kBytes);
  EXPECT_GE(region.device_bytes_peak, 2 * kBytes);
  EXPECT_GE(region.host_visible_bytes, kBytes);
  EXPECT_LT(region.host_visible_bytes, 2 * kBytes);
  // 30 MB over a link of at most 32 GB/s and 10 MB within the device.
  EXPECT_GT(region.virtual_seconds, 30e6 / 32e9);
  EXPECT_LT(region.virtual_seconds, 0.1);
}

/// What the observer saw of a program.
std::string observed(const fs::path& program, const MachineOptions& options) {
  Session session = Session::start(SIMULATOR_BUILD, options);
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  EXPECT_FALSE(region.kernels.empty());
  std::ostringstream text;
  text.precision(17);
  text << region.virtual_seconds << '\n';
  for (const auto& kernel : region.kernels) {
    text << kernel.name << ' ' << kernel.start << ' ' << kernel.end << ' ' << kernel.seconds << ' '
         << kernel.limiter;
    const auto* sums =
        reinterpret_cast<const u64*>(&kernel.counters);  // all of them, whatever they are called
    for (size_t i = 0; i < offsetof(KernelCounters, per_instruction) / sizeof(u64); i++)
      text << ' ' << sums[i];
    text << '\n';
  }
  for (const auto& line : session.lines())
    text << line.ptx << ' ' << line.counters.lanes << ' ' << line.counters.sectors << '\n';
  return text.str();
}

/// Broken by: a result, counter or time that depends on the number of host cores or on chance.
TEST(Session, IsDeterministic) {
  const Folder folder;
  const fs::path program = compile(folder, "memory");
  const std::string once = observed(program, {.threads = 1});
  EXPECT_EQ(observed(program, {.threads = 1}), once);
  EXPECT_EQ(observed(program, {.threads = 2}), once);
  EXPECT_EQ(observed(program, {.threads = 5}), once);
}

/// Broken by: a kernel that cannot be stopped.
TEST(Session, TimeLimitStopsAKernel) {
  const Folder folder;
  const fs::path program = compile(folder, "spin");
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .time_limit = 0.3});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.traps.size(), 1u);
  EXPECT_EQ(region.traps[0].kind, TrapKind::kTimeout);
}

TEST(Session, EndsItsMachine) {
  pid_t pid = 0;
  {
    const Session session = Session::start(SIMULATOR_BUILD, {});
    pid = session.machine_pid();
    EXPECT_FALSE(is_over(pid));
  }
  EXPECT_TRUE(is_over(pid));
}

}  // namespace
}  // namespace roofline::sim::runtime
