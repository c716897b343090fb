// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/cuda_program.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <sstream>

#include "grader/base/paths.h"
#include "simulator/static_runtime/static_runtime.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

using sim::static_runtime::ElfFile;
using sim::static_runtime::Presence;

constexpr const char* kLibrary = "libcudart.so.13";
constexpr const char* kDriver = "libcuda.so.1";

/// The commands that make a program of a source file and run it.
std::string compile_and_run(const fs::path& source) {
  const fs::path program = fs::path(source).replace_extension();
  return "./lab nvcc -lineinfo -o " + program.string() + " " + source.string() + " && ./lab run " +
         (program.has_parent_path() ? "" : "./") + program.string();
}

fs::path find(const std::string& name) {
  const auto runnable = [](const fs::path& path) {
    return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
  };
  if (fs::path(name).extension() == ".cu" && fs::exists(name))
    throw UsageError(name + " is source code, not a program; compile it first: " + compile_and_run(name));
  if (name.find('/') != std::string::npos) {
    if (fs::is_directory(name)) throw UsageError(name + " is a folder, not a program");
    if (!fs::exists(name)) throw UsageError(name + ": there is no such file");
    if (!runnable(name)) throw UsageError(name + " is not an executable file");
    return fs::absolute(name);
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (runnable(fs::path(folder) / name)) return fs::path(folder) / name;
  throw UsageError(name + ": not found in PATH" +
                   (fs::exists(name) ? "; for the file in this folder write ./" + name : ""));
}

std::string contents_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Where the loader looks for libraries that are not the system's.
std::vector<fs::path> library_folders(const ElfFile& elf, const fs::path& file) {
  std::vector<std::string> lists = elf.dynamic(DT_RPATH);
  for (std::string& list : elf.dynamic(DT_RUNPATH)) lists.push_back(std::move(list));
  if (const char* set = std::getenv("LD_LIBRARY_PATH")) lists.emplace_back(set);
  std::vector<fs::path> folders;
  for (const std::string& list : lists) {
    std::istringstream parts(list);
    for (std::string folder; std::getline(parts, folder, ':');) {
      for (const std::string origin : {"$ORIGIN", "${ORIGIN}"})
        if (const auto at = folder.find(origin); at != std::string::npos)
          folder.replace(at, origin.size(), file.parent_path().string());
      folders.emplace_back(folder);
    }
  }
  return folders;
}

/// Whether it finds libraries itself while it runs, as Python does, so that what it needs cannot be told.
bool loads_libraries(const ElfFile& elf) {
  for (const std::string& name : elf.dynamic(DT_NEEDED))
    if (name.starts_with("libpython")) return true;
  return elf.imports("dlopen");
}

/// Whether one of the libraries that are loaded with `file` uses CUDA: the runtime, shared or linked in, or
/// the driver.
bool libraries_use_cuda(const ElfFile& elf, const fs::path& file, std::set<fs::path>& seen) {
  for (const std::string& name : elf.dynamic(DT_NEEDED)) {
    if (name == kLibrary || name == kDriver) return true;
    for (const fs::path& folder : library_folders(elf, file)) {
      const fs::path path = folder / name;
      std::error_code none;
      if (!fs::is_regular_file(path, none) || !seen.insert(path).second) continue;
      const std::string bytes = contents_of(path);
      const ElfFile library(std::as_bytes(std::span(bytes)));
      if (static_runtime_presence(library) != Presence::kNone || libraries_use_cuda(library, path, seen))
        return true;
    }
  }
  return false;
}

}  // namespace

CudaProgram examine_program(const std::string& name) {
  CudaProgram program{.path = find(name)};
  const std::string bytes = contents_of(program.path);
  if (bytes.starts_with("#!")) throw UsageError(name + " is a script: name the program that it starts");
  const ElfFile elf(std::as_bytes(std::span(bytes)));
  if (!elf.is_elf()) throw UsageError(name + " is not an executable program (ELF file)");
  if (!elf.is_64_bit() || elf.machine() != sim::static_runtime::kHostMachine)
    throw UsageError(name + " was not built for " + sim::static_runtime::kHostName);
  std::string other;
  bool uses_driver = false;
  for (const std::string& library : elf.dynamic(DT_NEEDED))
    program.is_sanitized |= library.starts_with("libasan.so") || library.starts_with("libtsan.so");
  for (const std::string& library : elf.dynamic(DT_NEEDED)) {
    if (library == kLibrary) {
      program.needs_preload = !elf.dynamic(DT_RPATH).empty();
      return program;
    }
    if (library.starts_with("libcudart.so")) other = library;
    uses_driver |= library == kDriver;
  }
  const Presence linked_in = static_runtime_presence(elf);
  if (!other.empty() || linked_in == Presence::kOlder)
    throw UsageError(name + " uses " + (other.empty() ? "the CUDA runtime of an older toolkit" : other) +
                     ", but the simulated GPU stands in for " + kLibrary + ": rebuild it with CUDA 13");
  if (linked_in == Presence::kStripped)
    throw UsageError(name +
                     " has the CUDA runtime linked in and no symbols, so no other can take its place: do not "
                     "strip it (-s), or rebuild it with `nvcc -cudart shared`");
  if (linked_in == Presence::kFound && !elf.has_interpreter())
    throw UsageError(name +
                     " is linked with -static, so nothing can take the place of its CUDA runtime: leave "
                     "that option out");
  std::set<fs::path> seen;
  if (linked_in == Presence::kFound || uses_driver || loads_libraries(elf) ||
      libraries_use_cuda(elf, program.path, seen)) {
    program.needs_preload = true;
    return program;
  }
  throw UsageError(name + " does not use CUDA (neither it nor a library of its own)");
}

}  // namespace roofline::grader
