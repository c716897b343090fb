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

/// PTX for the current device. When the source does not compile, prints the compiler's log and the source
/// with line numbers, and ends the program.
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
    std::fprintf(stderr, "NVRTC: %s\n%s\nThe source was\n", nvrtcGetErrorString(result), log.c_str());
    int line = 1;
    for (std::size_t begin = 0; begin < source.size(); ++line) {
      const std::size_t end = std::min(source.find('\n', begin), source.size());
      std::fprintf(stderr, "%4d  %s\n", line, source.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
    std::exit(1);
  }
  nvrtcGetPTXSize(program, &bytes);
  std::string ptx(bytes, '\0');
  nvrtcGetPTX(program, ptx.data());
  nvrtcDestroyProgram(&program);
  return ptx;
}

}  // namespace roofline
