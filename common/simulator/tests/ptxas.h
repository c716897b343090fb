// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/types.h"

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

/// One instruction of machine code from sm_70 on: 128 bits, the opcode in the lowest 12.
struct MachineInstruction {
  u64 low = 0, high = 0;
  u64 opcode() const { return low & 0xfff; }
  bool has_predicate() const { return (low >> 12 & 7) != 7; }
};

/// What ptxas makes of a module with one kernel, for sm_80.
inline std::vector<MachineInstruction> machine_code_of(const std::string& module) {
  const std::string elf = assembled(module);
  const auto word = [&](size_t at) {
    u64 value = 0;
    if (at + 8 <= elf.size()) std::memcpy(&value, elf.data() + at, 8);
    return value;
  };
  std::vector<MachineInstruction> code;
  const u64 headers = word(40), count = word(60) & 0xffff, names = word(62) & 0xffff;
  const u64 strings = word(headers + names * 64 + 24);
  for (u64 s = 0; s < count; ++s) {
    const u64 header = headers + s * 64, begin = word(header + 24), bytes = word(header + 32);
    const std::string name = elf.c_str() + strings + (word(header) & 0xffff'ffff);
    if (!name.starts_with(".text.")) continue;
    for (u64 at = begin; at + 16 <= begin + bytes; at += 16) code.push_back({word(at), word(at + 8)});
  }
  if (code.empty()) throw std::runtime_error("ptxas made no code");
  return code;
}

}  // namespace roofline::sim
