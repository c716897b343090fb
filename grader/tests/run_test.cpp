// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// `lab run` as a person uses it: the built command, real programs. Broken by: an exit status that hides a
// fault, a message that does not say what to do, a process that is left behind.
#include <elf.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <thread>

#include "grader/base/paths.h"
#include "grader/build/toolkit.h"
#include "grader/profile/cuda_program.h"
#include "grader/profile/tests/trace_check.h"

#define SIMULATOR_BUILD ROOFLINE_BUILD "/simulator"
#define SIMULATOR_SOURCE ROOFLINE_SOURCE "/common/simulator"
#define CUDA_HOME grader::find_toolkit().home.string()
#include "simulator/tests/program.h"

namespace roofline::run_tests {
namespace {

using namespace sim::test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Result lab_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {ROOFLINE_BUILD "/bin/lab", "run"});
  return run(arguments);
}

TEST(Run, ShowsOutputAndCounters) {
  const Folder folder;
  const std::string program = compile(folder, "output");
  const Result plain = lab_run({program});
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_TRUE(contains(plain.out, "round 3 thread 0 text 0.50\nafter\n"));
  EXPECT_EQ(plain.err, "");
  const Folder older;
  const std::string for_t4 = compile(older, "output", {"-cudart", "shared", "-arch=compute_75"});
  const Result counted = lab_run({"--device", "sim:t4", "--counters", "--", for_t4});
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_EQ(counted.out, plain.out);
  EXPECT_TRUE(contains(counted.err, "speak")) << counted.err;
  EXPECT_TRUE(contains(counted.err, "t4, simulated")) << counted.err;
  EXPECT_TRUE(contains(counted.err, "limited by")) << counted.err;
}

TEST(Run, PassesArgumentsAndStatus) {
  const Folder folder;
  const std::string program = compile(folder, "arguments");
  const Result result = lab_run({program, "--counters", "a b", "7"});
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.out, "[--counters][a b][7]\n");
  EXPECT_EQ(result.err, "");
  const Result silent = lab_run({program});
  EXPECT_EQ(silent.status, 0);
  EXPECT_TRUE(contains(silent.err, "no kernel ran")) << silent.err;
}

/// A timeline of a real program: pinned copies overlap kernels, pageable ones do not; the same bytes every
/// time.
TEST(Run, WritesATimeline) {
  const Folder folder;
  const std::string program = compile(folder, "overlap", {"-cudart", "shared", "-arch=compute_75"}),
                    file = folder / "timeline.json";
  const auto timeline = [&](const std::string& device) {
    const Result result = lab_run({"--trace", file, "--device", device, "--", program});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(contains(result.err, "simulated timeline")) << result.err;
    EXPECT_TRUE(contains(result.err, "perfetto")) << result.err;
    return read_file(file);
  };
  for (const char* device : {"sim", "sim:t4"}) {
    const std::string text = timeline(device);
    const grader::ReadTrace trace = grader::read_trace(text);
    const auto copies = trace.named("memcpy HtoD", "memory");  // each in its stream and on its engine
    const auto busy = trace.named("busy", "kernel"), consume = trace.named("consume", "kernel");
    ASSERT_EQ(copies.size(), 4u);
    ASSERT_EQ(busy.size(), 2u);
    ASSERT_EQ(consume.size(), 1u);
    EXPECT_TRUE(copies[0].overlaps(busy[0])) << "pinned";
    EXPECT_GE(consume[0].start, copies[0].end) << "waits for the event";
    EXPECT_FALSE(copies[2].overlaps(busy[1])) << "pageable: the launch comes after it";
    EXPECT_EQ(trace.on("copy engine: host to device").size(), 2u);
    EXPECT_EQ(trace.named("cudaLaunchKernel", "call").size(), 3u);
    EXPECT_TRUE(busy[0].arguments.contains("limited by"));
    EXPECT_EQ(text, timeline(device)) << "the same run gives the same bytes";
  }
  const Result unwritable = lab_run({"--trace", folder / "no/such/folder.json", program});
  EXPECT_EQ(unwritable.status, 2);
  EXPECT_TRUE(contains(unwritable.err, "cannot be written")) << unwritable.err;
}

/// Broken by: host code that costs something after all, a clock that begins somewhere else in each run, a
/// program that is not told why its numbers change.
TEST(Run, HostTimeIsReproducibleWhereItIsFree) {
  const Folder folder;
  const std::string program = compile(folder, "host_clock_times");
  const Result once = lab_run({"--host-time", "free", program}),
               again = lab_run({"--host-time", "free", program});
  EXPECT_EQ(once.status, 0) << once.err;
  EXPECT_TRUE(contains(once.out, " ns in all")) << once.out;
  EXPECT_EQ(once.out, again.out);
  EXPECT_EQ(once.err, "");
  const Result measured = lab_run({program});
  EXPECT_TRUE(contains(measured.err, "--host-time free")) << measured.err;
  EXPECT_NE(measured.out, once.out) << "host code takes time";
  EXPECT_EQ(lab_run({"--host-time", "real", program}).err, "");
  EXPECT_EQ(lab_run({"--host-time", "none", program}).status, 2);
}

/// A check that does not exist, and one that finds nothing; what checks find stands in the simulator's
/// tests/bugs.
TEST(Run, ChecksAreChosenByName) {
  const Folder folder;
  const std::string program = compile(folder, "output");
  const Result wrong = lab_run({"--check", "memory,races", "--", program});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "\"races\"; choose from memory, init, race, sync, or all")) << wrong.err;
  const Result clean = lab_run({"--check", "init,race", program});
  EXPECT_EQ(clean.status, 0) << clean.err;
  EXPECT_TRUE(contains(clean.err, "check: 0 findings\n")) << clean.err;
}

/// By line where host code has lines, else by function.
TEST(Run, ChecksNameThePlaceOfAnAllocation) {
  const Folder folder;
  std::vector<std::string> options = {"-cudart", "shared", "-gencode", "arch=compute_80,code=compute_80"};
  const Result plain = lab_run({"--check", "memory", compile(folder, "allocation_sites", options)});
  for (const char* place :
       {"cudaMalloc no. 1 in main", "cudaMallocPitch no. 1 in make_weights", "cudaMalloc no. 2 in "})
    EXPECT_TRUE(contains(plain.err, place)) << place << '\n' << plain.err;
  options.emplace_back("-g");
  const Result debug = lab_run({"--check", "memory", compile(folder, "allocation_sites", options)});
  for (const char* place :
       {"cudaMalloc no. 1 at allocation_sites.cu:22", "cudaMallocPitch no. 1 at allocation_sites.cu:16"})
    EXPECT_TRUE(contains(debug.err, place)) << place << '\n' << debug.err;
}

/// Broken by: words that leave open whether a program launched anything.
TEST(Run, TellsRefusedLaunchesFromNone) {
  const Folder folder;
  const Result refused = lab_run({compile(folder, "refused_launch")});
  EXPECT_EQ(refused.status, 0) << refused.err;
  EXPECT_TRUE(contains(refused.err, "2048 threads, and 1024 are the most")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "no kernel ran: 2 launches were refused")) << refused.err;
  const Result none = lab_run({compile(folder, "arguments")});
  EXPECT_TRUE(contains(none.err, "launched none")) << none.err;
  EXPECT_FALSE(contains(none.err, "refused")) << none.err;
}

/// The programs end with status 0; something was wrong nevertheless.
TEST(Run, FaultsAndMissingFunctionsAreNotSuccess) {
  const Folder folder;
  const Result fault = lab_run({compile(folder, "fault")});
  EXPECT_EQ(fault.status, 1);
  EXPECT_TRUE(contains(fault.err, "past the end")) << fault.err;
  const Result missing = lab_run({compile(folder, "missing_api")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "cudaImportExternalMemory")) << missing.err;
  const Result instruction = lab_run({compile(folder, "missing_instruction")});
  EXPECT_EQ(instruction.status, 1);
  EXPECT_EQ(instruction.out, "done\n");
  EXPECT_TRUE(contains(instruction.err, "frobnicate")) << instruction.err;
  const Result machine_code_only = lab_run(
      {compile(folder, "no_synchronize", {"-cudart", "shared", "-gencode", "arch=compute_80,code=sm_80"})});
  EXPECT_EQ(machine_code_only.status, 1);
  EXPECT_TRUE(contains(machine_code_only.err, "PTX")) << machine_code_only.err;
  const Result unread = lab_run({compile(folder, "no_synchronize")});
  EXPECT_TRUE(contains(unread.err, "cudaDeviceSynchronize")) << unread.err;
}

/// Broken by: a process of which nothing is heard because another one used CUDA first.
TEST(Run, ReportsEachProcess) {
  const Folder folder;
  const std::string program = compile(folder, "processes"), json = folder / "run.json";
  const Result quiet = lab_run({"--device-memory", "256MiB", program});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out, "256 MiB\n") << "what the GPUs were asked to be holds for the child's";
  EXPECT_EQ(quiet.err, "") << "a kernel ran";
  const Result one = lab_run({"--counters", program});
  EXPECT_TRUE(contains(one.err, "of_child")) << one.err;
  EXPECT_FALSE(contains(one.err, "process ")) << one.err;
  const Result both = lab_run({"--counters", "--json", json, program, "both"});
  EXPECT_EQ(both.status, 0) << both.err;
  const size_t first = both.err.find("(processes): a100-sxm4-40gb, simulated"),
               second = both.err.find("(processes): a100-sxm4-40gb, simulated", first + 1);
  EXPECT_LT(first, both.err.find("of_parent")) << both.err;
  EXPECT_LT(both.err.find("of_parent"), second) << both.err;
  EXPECT_LT(second, both.err.find("of_child")) << both.err;
  const auto read = nlohmann::json::parse(read_file(json));
  EXPECT_EQ(read.at("kernels").at(0).at("name"), "of_parent");
  ASSERT_EQ(read.at("other_processes").size(), 1u);
  const auto& other = read["other_processes"][0];
  EXPECT_EQ(other.at("kernels").at(0).at("name"), "of_child");
  EXPECT_EQ(other.at("process").at("command"), "processes");
  EXPECT_NE(other["process"].at("id"), read.at("process").at("id"));
}

TEST(Run, WhatGoesWrongInAnyProcessCounts) {
  const Folder folder;
  const std::string program = compile(folder, "processes");
  const Result fault = lab_run({program, "fault"});
  EXPECT_EQ(fault.status, 1);
  EXPECT_TRUE(contains(fault.err, "1 kernel(s) faulted")) << fault.err;
  const Result freed = lab_run({"--check", "memory", program, "both", "free"});
  EXPECT_EQ(freed.status, 1);
  EXPECT_TRUE(contains(freed.out, "cudaErrorInvalidValue")) << freed.out;
  EXPECT_TRUE(contains(freed.err, "(processes)\nmemory: leak")) << freed.err;
  EXPECT_TRUE(contains(freed.err, "invalid-free")) << freed.err;
  const Result clean = lab_run({"--check", "all", program, "both"});
  EXPECT_EQ(clean.status, 0) << clean.err;
}

/// Broken by: a run that ends before the last of its program's processes.
TEST(Run, WaitsForProcessesThatUseCuda) {
  const Folder folder;
  const Result result = lab_run({"--counters", compile(folder, "processes"), "outlive"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "of_child")) << result.err;
}

TEST(Run, EachProcessHasATimeline) {
  const Folder folder;
  const std::string program = compile(folder, "processes");
  const Result traced = lab_run({"--trace", folder / "timeline.json", program, "both"});
  EXPECT_EQ(traced.status, 0) << traced.err;
  EXPECT_EQ(grader::read_trace(read_file(folder / "timeline.json")).named("of_parent", "kernel").size(), 1u);
  EXPECT_EQ(grader::read_trace(read_file(folder / "timeline-2.json")).named("of_child", "kernel").size(), 1u);
}

/// Without a limit the program would wait for its kernel for ever.
TEST(Run, AnEndlessKernelIsStopped) {
  const Folder folder;
  const Result result = lab_run({"--time-limit", "1", compile(folder, "spin")});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "spin")) << result.err;
}

TEST(Run, SignalBecomesStatus) {
  const Folder folder;
  const Result result = lab_run({compile(folder, "host_dereference")});
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_TRUE(contains(result.err, "device pointer")) << result.err;
}

/// Broken by: a program that names only the driver, or finds it while it runs, and is refused or gets no
/// device.
TEST(Run, ProgramsOfTheDriverApi) {
  const Folder folder;
  const fs::path linked = folder / "linked", opened = folder / "opened", source = folder / "opened.cpp";
  std::ofstream(source) << R"(
#include <cuda.h>
#include <dlfcn.h>
#include <cstdio>
int main(int, char** arguments) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* runtime = dlopen(arguments[1], RTLD_NOW);
  if (!driver || !runtime) return 1;
  int count = 0;
  auto init = reinterpret_cast<CUresult (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto devices = reinterpret_cast<CUresult (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const CUresult result = init(0) == CUDA_SUCCESS ? devices(&count) : CUDA_ERROR_UNKNOWN;
  int again = 0;
  reinterpret_cast<int (*)(int*)>(dlsym(runtime, "cudaGetDeviceCount"))(&again);
  std::printf("%d devices, %d devices\n", count, again);
  return result;
})";
  const std::string include = std::string("-I") + CUDA_HOME + "/include";
  const Result first = run({"c++", "-x", "c++", SIMULATOR_SOURCE "/tests/runtime_programs/driver_alone.cu",
                            include, "-L" ROOFLINE_BUILD "/simulator", "-lcuda", "-o", linked});
  ASSERT_EQ(first.status, 0) << first.err;
  const Result second = run({"c++", source, include, "-ldl", "-o", opened});
  ASSERT_EQ(second.status, 0) << second.err;
  const Result alone = lab_run({"--device", "sim:h200", linked});
  EXPECT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(alone.out, "NVIDIA H200\n6 * 7 = 42\n");
  EXPECT_EQ(alone.err, "");
  // The toolkit's runtime is asked for by its path, and is not what the program gets.
  const fs::path real = std::string(CUDA_HOME) + "/lib64/libcudart.so.13";
  const Result found = lab_run({"--gpus", "3", opened, fs::exists(real) ? real : real.filename()});
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out, "3 devices, 3 devices\n");
}

TEST(Run, SaysWhyAProgramCannotRun) {
  const Folder folder;
  const std::string script = folder / "script.sh";
  std::ofstream(script) << "#!/bin/sh\n";
  fs::permissions(script, fs::perms::owner_all);
  const std::string text = folder / "text";
  std::ofstream(text) << "hello";
  fs::permissions(text, fs::perms::owner_all);
  const std::string source = folder / "saxpy.cu";
  std::ofstream(source) << "int main() {}\n";
  const std::string elsewhere = folder / "elsewhere";
  std::string other_processors = read_file("/bin/true");
  other_processors[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_RISCV);
  std::ofstream(elsewhere) << other_processors;
  fs::permissions(elsewhere, fs::perms::owner_all);
  const std::pair<std::string, std::string> cases[] = {{script, "script"},
                                                       {source, "compile it first: ./lab nvcc -lineinfo -o "},
                                                       {text, "not an executable program"},
                                                       {elsewhere, "was not built for "},
                                                       {folder / "nothing", "no such file"},
                                                       {"no-such-command-here", "not found in PATH"},
                                                       {"/bin/true", "does not use CUDA"}};
  for (const auto& [program, words] : cases) {
    const Result result = lab_run({program});
    EXPECT_EQ(result.status, 2) << program;
    EXPECT_TRUE(contains(result.err, words)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  const Result device = lab_run({"--device", "sim:gtx9999", compile(folder, "arguments")});
  EXPECT_EQ(device.status, 2);
  EXPECT_TRUE(contains(device.err, "a100-sxm4-40gb")) << device.err;
}

/// Damaged files must read as "not a program", never crash.
TEST(Run, DamagedProgramsAreRefused) {
  const Folder folder;
  const std::string good = read_file(compile(folder, "arguments"));
  const fs::path damaged = folder / "damaged";
  for (size_t i = 0; i < 300; i++) {
    std::string bytes = good.substr(0, i % 3 ? good.size() : i * 37 % good.size());
    for (size_t at = i * 7 % 64; at < std::min<size_t>(bytes.size(), 2048); at += 61)
      bytes[at] = static_cast<char>(i * 31);
    std::ofstream(damaged, std::ios::binary) << bytes;
    fs::permissions(damaged, fs::perms::owner_all);
    try {
      (void)grader::examine_program(damaged.string());
    } catch (const grader::UsageError&) {
    }
  }
}

bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 500 && !condition(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return condition();
}

/// Live processes whose command line names `word`.
size_t processes(const std::string& word) {
  size_t n = 0;
  for (const auto& entry : fs::directory_iterator("/proc"))
    if (std::isdigit(entry.path().filename().string()[0]) &&
        contains(read_file(entry.path() / "cmdline"), word))
      n++;
  return n;
}

class Ending : public testing::TestWithParam<int> {};
TEST_P(Ending, LeavesNothingBehind) {
  const Folder folder;
  const std::string program = compile(folder, "spin");
  Started lab(start({ROOFLINE_BUILD "/bin/lab", "run", program}, {}, folder / "out", folder / "err"));
  ASSERT_TRUE(wait_until([&] { return read_file(folder / "out") == "ready\n"; }))
      << read_file(folder / "err");
  EXPECT_EQ(processes(program), 2u);  // lab and the program
  kill(lab.pid(), GetParam());
  const int status = lab.finish();
  EXPECT_EQ(status, 128 + GetParam());
  EXPECT_TRUE(wait_until([&] { return processes(program) == 0; }));
}
INSTANTIATE_TEST_SUITE_P(Run, Ending, testing::Values(SIGINT, SIGTERM, SIGKILL));

}  // namespace
}  // namespace roofline::run_tests
