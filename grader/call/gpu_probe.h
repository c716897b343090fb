// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

struct Gpu {
  std::string name;
  int capability = 0;    ///< 90 for 9.0
  double memory_gb = 0;  ///< 10^9 bytes
};

struct GpuProbe {
  bool library = false;  ///< the driver's library is installed
  std::string folder;    ///< where it lies, with what it loads itself
  std::string driver;    ///< newest CUDA version that the driver serves: "13.0"
  std::string problem;   ///< why there is no GPU, when the library is there
  std::vector<Gpu> gpus;
};

/// Asks the driver (libcuda.so.1) in a child process: a driver that hangs or crashes takes nothing with it,
/// and the grader itself never opens a GPU. Asked once.
const GpuProbe& probe_gpus();

}  // namespace roofline::grader
