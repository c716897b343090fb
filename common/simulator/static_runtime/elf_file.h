// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::sim::static_runtime {

/// What a program of this host has as its machine, and the name that people know it by.
#ifdef __aarch64__
inline constexpr std::uint16_t kHostMachine = EM_AARCH64;
inline constexpr const char* kHostName = "aarch64";
#else
inline constexpr std::uint16_t kHostMachine = EM_X86_64;
inline constexpr const char* kHostName = "x86-64";
#endif

/// A function in a symbol table.
struct Function {
  std::string_view name;      ///< in the file's bytes
  std::uint64_t address = 0;  ///< as linked: add where the file was loaded
  std::uint64_t size = 0;
};

/// A program or shared library of the host. Every offset is checked: a damaged file reads as empty parts.
class ElfFile {
 public:
  /// `bytes` must outlive this object and the names that it gives.
  explicit ElfFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool is_elf() const;
  bool is_64_bit() const;
  /// EM_X86_64, EM_AARCH64, ...
  std::uint16_t machine() const;
  bool has_section(std::string_view name) const;
  /// Whether a dynamic loader starts it: only then can libraries take the place of others.
  bool has_interpreter() const;
  /// The strings of all dynamic entries with this tag (DT_NEEDED, DT_RPATH).
  std::vector<std::string> dynamic(std::int64_t tag) const;
  /// The functions that .symtab (which `strip` removes) defines, hidden and local ones too.
  std::vector<Function> functions() const;
  /// The functions that the file exports to others.
  std::vector<Function> exported_functions() const;
  /// Whether it expects another file to export this symbol.
  bool imports(std::string_view name) const;

 private:
  template <class T>
  T get(std::uint64_t at) const;
  /// Entry `index` of a table that begins at `at`.
  template <class T>
  T entry(std::uint64_t at, std::uint64_t index) const;
  std::string_view text(std::uint64_t at) const;
  std::uint64_t file_offset(std::uint64_t address) const;
  template <class Visit>
  void each_symbol(std::uint32_t section_type, const Visit& visit) const;
  std::vector<Function> functions_of(std::uint32_t section_type) const;

  std::span<const std::byte> bytes_;
};

}  // namespace roofline::sim::static_runtime
