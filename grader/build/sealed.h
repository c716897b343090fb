// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Programs that learners get compiled, without their source (docs/add-a-lab.md, "Sealed programs").
namespace roofline::grader {

struct SealedProgram {
  std::string name;              ///< of hexadecimal digits, as its source says: it tells nothing
  std::filesystem::path object;  ///< host code with the PTX in it, stripped: links with any glibc
};

/// How such an object is called where it is handed out.
constexpr const char* kSealedSuffix = ".program";

/// In the order of their names: compiled into `cache` from the .cu files in `sources` where that folder
/// exists, else the objects that were handed out in `given`; none where neither holds any. Throws
/// InfrastructureError for a source that does not compile.
std::vector<SealedProgram> sealed_programs(const std::filesystem::path& sources,
                                           const std::filesystem::path& given,
                                           const std::filesystem::path& cache);

/// Writes the executable, with `seed` behind its end, from which it draws its numbers.
void write_executable(const SealedProgram& program, std::uint64_t seed, const std::filesystem::path& cache,
                      const std::filesystem::path& executable);

}  // namespace roofline::grader
