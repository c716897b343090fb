// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace roofline::sim {

/// What ptxas makes of a module for sm_80: the bytes of an ELF file. Throws where it refuses.
inline std::string assembled(const std::string& module) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("assembled-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "module.ptx") << module;
  const std::string command = CUDA_HOME "/bin/ptxas -arch=sm_80 " + (folder / "module.ptx").string() +
                              " -o " + (folder / "module.elf").string();
  const int status = std::system(command.c_str());
  std::ifstream file(folder / "module.elf", std::ios::binary);
  std::string elf{std::istreambuf_iterator<char>(file), {}};
  fs::remove_all(folder);
  if (status != 0) throw std::runtime_error("failed: " + command);
  return elf;
}

}  // namespace roofline::sim
