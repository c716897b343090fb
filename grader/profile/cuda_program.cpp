// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/cuda_program.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "grader/base/paths.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

using u64 = std::uint64_t;

constexpr const char* kLibrary = "libcudart.so.13";

/// The parts of an ELF file that matter here. Every offset is checked: a damaged file reads as empty parts.
class ElfFile {
 public:
  explicit ElfFile(const std::string& bytes) : bytes_(bytes) {}

  bool is_elf() const {
    return bytes_.size() >= sizeof(Elf64_Ehdr) && bytes_.compare(0, 4,
                                                                 "\x7f"
                                                                 "ELF") == 0;
  }
  bool is_x86_64() const {
    const auto header = get<Elf64_Ehdr>(0);
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
  }
  bool has_section(const std::string& wanted) const {
    const auto header = get<Elf64_Ehdr>(0);
    const auto names = get<Elf64_Shdr>(header.e_shoff + u64{header.e_shstrndx} * sizeof(Elf64_Shdr));
    for (u64 i = 0; i < header.e_shnum; i++)
      if (text(names.sh_offset + get<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)).sh_name) == wanted)
        return true;
    return false;
  }
  /// The strings of all dynamic entries with this tag.
  std::vector<std::string> dynamic(std::int64_t tag) const {
    std::vector<std::string> found;
    const auto header = get<Elf64_Ehdr>(0);
    for (u64 i = 0; i < header.e_phnum; i++) {
      const auto segment = get<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type != PT_DYNAMIC) continue;
      const u64 entries = segment.p_filesz / sizeof(Elf64_Dyn);
      for (u64 e = 0; e < entries; e++) {
        const auto entry = get<Elf64_Dyn>(segment.p_offset + e * sizeof(Elf64_Dyn));
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == tag) found.push_back(text(file_offset(string_table(segment)) + entry.d_un.d_val));
      }
    }
    return found;
  }

 private:
  template <class T>
  T get(u64 at) const {
    T value{};
    if (at <= bytes_.size() && sizeof value <= bytes_.size() - at)
      std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  std::string text(u64 at) const {
    if (at >= bytes_.size()) return {};
    return bytes_.substr(at, bytes_.find('\0', at) - at);
  }
  u64 string_table(const Elf64_Phdr& segment) const {
    for (u64 e = 0; e < segment.p_filesz / sizeof(Elf64_Dyn); e++) {
      const auto entry = get<Elf64_Dyn>(segment.p_offset + e * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_STRTAB) return entry.d_un.d_ptr;
      if (entry.d_tag == DT_NULL) break;
    }
    return 0;
  }
  /// Dynamic entries hold addresses; loadable segments say where those lie in the file.
  u64 file_offset(u64 address) const {
    const auto header = get<Elf64_Ehdr>(0);
    for (u64 i = 0; i < header.e_phnum; i++) {
      const auto segment = get<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    }
    return bytes_.size();
  }

  const std::string& bytes_;
};

fs::path find(const std::string& name) {
  const auto runnable = [](const fs::path& path) {
    return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    if (fs::is_directory(name)) throw UsageError(name + " is a folder, not a program");
    if (!fs::exists(name)) throw UsageError(name + ": there is no such file");
    if (!runnable(name)) throw UsageError(name + " is not an executable file");
    return fs::absolute(name);
  }
  std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (runnable(fs::path(folder) / name)) return fs::path(folder) / name;
  throw UsageError(name + ": not found in PATH" +
                   (fs::exists(name) ? "; for the file in this folder write ./" + name : ""));
}

}  // namespace

CudaProgram examine_program(const std::string& name) {
  CudaProgram program{find(name), false};
  std::ifstream in(program.path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.starts_with("#!"))
    throw UsageError(name + " is a script: give ./lab run the program that it starts");
  const ElfFile elf(bytes);
  if (!elf.is_elf()) throw UsageError(name + " is not an executable program (ELF file)");
  if (!elf.is_x86_64()) throw UsageError(name + " was not built for x86-64");
  std::string other;
  for (const std::string& library : elf.dynamic(DT_NEEDED)) {
    if (library == kLibrary) {
      program.needs_preload = !elf.dynamic(DT_RPATH).empty();
      return program;
    }
    if (library.starts_with("libcudart.so")) other = library;
  }
  if (!other.empty())
    throw UsageError(name + " uses " + other + ", but the simulated GPU stands in for " + kLibrary +
                     ": rebuild it with CUDA 13");
  if (elf.has_section(".nv_fatbin") || elf.has_section(".nvFatBinSegment"))
    throw UsageError(
        name +
        " has the CUDA runtime linked in (nvcc's default), so no other can take its place: rebuild it "
        "with `nvcc -cudart shared`, or set NVCC_APPEND_FLAGS=\"-cudart shared\" and run its build again");
  throw UsageError(name + " does not use the CUDA runtime (it does not need " + kLibrary + ")");
}

}  // namespace roofline::grader
