// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Programs as nvcc links them unless told otherwise, with the CUDA runtime inside, under `lab run`. That all
// of its functions are led away: common/simulator/tests/redirection_test.cpp. The corpus of programs
// (common/simulator/tests/programs) is linked that way too. Broken by: a call that reaches the runtime
// inside, which finds no driver and answers with an error of its own.
#include <gtest/gtest.h>

#include "grader/build/toolkit.h"

#define SIMULATOR_BUILD ROOFLINE_BUILD "/simulator"
#define SIMULATOR_SOURCE ROOFLINE_SOURCE "/common/simulator"
#define CUDA_HOME grader::find_toolkit().home.string()
#include "simulator/tests/program.h"

namespace roofline::linked_runtime_tests {
namespace {

using namespace sim::test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Result lab_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {ROOFLINE_BUILD "/bin/lab", "run"});
  return run(arguments);
}

std::vector<std::string> ptx_and(std::vector<std::string> options) {
  options.insert(options.end(), {"-gencode", "arch=compute_80,code=compute_80"});
  return options;
}

/// nvcc's default, or the `options`, for a program whose text is `source`.
fs::path build(const Folder& folder, const std::string& name, const std::string& source,
               const std::vector<std::string>& options = {}) {
  const fs::path file = folder / (name + ".cu"), program = folder / name;
  std::ofstream(file) << source;
  std::vector<std::string> command = {CUDA_HOME + "/bin/nvcc", file, "-o", program};
  for (const std::string& option : ptx_and(options)) command.push_back(option);
  const Result made = run(command);
  EXPECT_EQ(made.status, 0) << made.err;
  return program;
}

/// Adds 5 on the GPU.
constexpr const char* kFive = R"(
#include <cstdio>
__global__ void add_five(int* p) { *p += 5; }
extern "C" int five(int value) {
  int* d;
  cudaMalloc(&d, sizeof(int));
  cudaMemcpy(d, &value, sizeof(int), cudaMemcpyHostToDevice);
  add_five<<<1, 1>>>(d);
  if (cudaError_t error = cudaMemcpy(&value, d, sizeof(int), cudaMemcpyDeviceToHost)) std::puts(cudaGetErrorString(error));
  cudaFree(d);
  return value;
}
)";
const std::string kMain = "int main() { std::printf(\"%d\\n\", five(37)); }\n";

TEST(LinkedRuntime, ProgramsRunHoweverTheyAreLinked) {
  const Folder folder;
  const std::vector<std::vector<std::string>> ways = {{},
                                                      {"-rdc=true"},
                                                      {"-default-stream", "per-thread"},
                                                      {"-Xcompiler", "-no-pie", "-Xlinker", "-no-pie"},
                                                      {"-Xcompiler", "-fcf-protection=full"},
                                                      {"-Xlinker", "--gc-sections", "-Xlinker", "-z,now"},
                                                      {"-cudart", "shared"}};
  for (const auto& way : ways) {
    const Result result = lab_run({build(folder, "five", kFive + kMain, way)});
    const std::string words = way.empty() ? "the default" : way.front();
    EXPECT_EQ(result.status, 0) << words << result.err;
    EXPECT_EQ(result.out, "42\n") << words;
    EXPECT_EQ(result.err, "") << words;
  }
}

/// Lines, checks and the place of an allocation are found as in any program.
TEST(LinkedRuntime, CountersAndChecksNameTheSource) {
  const Folder folder;
  const fs::path program = build(folder, "five", kFive + kMain, {"-lineinfo", "-g"});
  const Result counted = lab_run({"--counters", program});
  EXPECT_EQ(counted.status, 0);
  EXPECT_TRUE(contains(counted.err, "/five.cu\n")) << counted.err;
  EXPECT_TRUE(contains(counted.err, "__global__ void add_five")) << counted.err;
  const Result fault = lab_run({"--check", "all",
                                build(folder, "past", R"(
__global__ void write(int* p) { p[threadIdx.x] = 1; }
int main() {
  int* d;
  cudaMalloc(&d, 4 * sizeof(int));
  write<<<1, 5>>>(d);
  return cudaDeviceSynchronize() == cudaSuccess;
}
)",
                                      {"-lineinfo", "-g"})});
  EXPECT_TRUE(contains(fault.err, "past.cu:2")) << fault.err;
  EXPECT_TRUE(contains(fault.err, "cudaMalloc no. 1 at past.cu:5")) << fault.err;
  const Result explained = lab_run({"--explain", "0,0", program});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_TRUE(contains(explained.out + explained.err, "add_five")) << explained.err;
}

/// With a runtime in each library, and one in the program or none.
TEST(LinkedRuntime, LibrariesBringTheirOwn) {
  const Folder folder;
  build(folder, "libfive.so", kFive, {"-shared", "-Xcompiler", "-fPIC"});
  const std::string path = folder / "libfive.so";
  const std::string opening =
      "#include <cstdio>\n#include <dlfcn.h>\nint main() {\n  int n;\n"
      "  if (cudaGetDeviceCount(&n) != cudaSuccess) return 1;\n"
      "  void* library = dlopen(\"" +
      path +
      "\", RTLD_NOW);\n"
      "  std::printf(\"%d\\n\", ((int (*)(int))dlsym(library, \"five\"))(37));\n}\n";
  for (const std::string kind : {"static", "shared"}) {
    const Result result = lab_run({build(folder, "opens", opening, {"-cudart", kind})});
    EXPECT_EQ(result.out, "42\n") << kind << result.err;
  }
  const std::string calling = "#include <cstdio>\nextern \"C\" int five(int);\n" + kMain;
  std::ofstream(folder / "calls.cpp") << calling;
  const Result linked =
      run({"g++", folder / "calls.cpp", path, "-Wl,-rpath,$ORIGIN", "-o", folder / "calls"});
  ASSERT_EQ(linked.status, 0) << linked.err;
  const Result result = lab_run({folder / "calls"});
  EXPECT_EQ(result.out, "42\n") << result.err;
  ASSERT_EQ(run({"strip", path}).status, 0);
  const Result stripped = lab_run({folder / "calls"});
  EXPECT_TRUE(contains(stripped.err, "libfive.so has the CUDA runtime linked in and no symbols"))
      << stripped.err;
}

TEST(LinkedRuntime, WhatIsMissingIsNamed) {
  const Folder folder;
  const Result missing = lab_run({compile(folder, "missing_api", ptx_and({}))});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "cudaImportExternalMemory is not supported")) << missing.err;
  // A runtime of a later toolkit, with a function that nobody knows yet.
  const std::string home = CUDA_HOME;
  fs::copy_file(home + "/lib64/libcudart_static.a", folder / "libcudart_later.a");
  ASSERT_EQ(
      run({"objcopy", "--redefine-sym", "cudaProfilerStop=cudaOfTheFuture", folder / "libcudart_later.a"})
          .status,
      0);
  const Result later =
      lab_run({build(folder, "later",
                     "#include <cstdio>\nextern \"C\" int cudaOfTheFuture();\n"
                     "int main() { std::printf(\"%d\\n\", cudaOfTheFuture()); }\n",
                     {"-cudart", "none", "-L", folder / "", "-lcudart_later", "-ldl", "-lrt", "-lpthread"})});
  EXPECT_EQ(later.out, "801\n") << later.err;
  EXPECT_EQ(later.status, 1);
  EXPECT_TRUE(contains(later.err, "cudaOfTheFuture is not supported")) << later.err;
}

TEST(LinkedRuntime, WithoutSymbolsASentenceSaysWhatToDo) {
  const Folder folder;
  const fs::path program = build(folder, "five", kFive + kMain, {"-Xlinker", "-s"});
  const Result result = lab_run({program});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(contains(result.err, "no symbols")) << result.err;
  EXPECT_TRUE(contains(result.err, "nvcc -cudart shared")) << result.err;
  const Result whole = lab_run({build(folder, "whole", kFive + kMain, {"-Xcompiler", "-static"})});
  EXPECT_EQ(whole.status, 2);
  EXPECT_TRUE(contains(whole.err, "-static")) << whole.err;
}

}  // namespace
}  // namespace roofline::linked_runtime_tests
