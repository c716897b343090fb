// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/static_runtime/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace roofline::sim::static_runtime {

using u64 = std::uint64_t;

template <class T>
T ElfFile::get(u64 at) const {
  T value{};
  if (at <= bytes_.size() && sizeof value <= bytes_.size() - at)
    std::memcpy(&value, bytes_.data() + at, sizeof value);
  return value;
}

template <class T>
T ElfFile::entry(u64 at, u64 index) const {
  return get<T>(at + index * sizeof(T));
}

std::string_view ElfFile::text(u64 at) const {
  if (at >= bytes_.size()) return {};
  const char* begin = reinterpret_cast<const char*>(bytes_.data()) + at;
  return {begin, strnlen(begin, bytes_.size() - at)};
}

bool ElfFile::is_elf() const {
  return bytes_.size() >= sizeof(Elf64_Ehdr) && std::memcmp(bytes_.data(), ELFMAG, SELFMAG) == 0;
}

bool ElfFile::is_64_bit() const { return get<Elf64_Ehdr>(0).e_ident[EI_CLASS] == ELFCLASS64; }

std::uint16_t ElfFile::machine() const { return get<Elf64_Ehdr>(0).e_machine; }

bool ElfFile::has_section(std::string_view name) const {
  const auto header = get<Elf64_Ehdr>(0);
  const auto names = entry<Elf64_Shdr>(header.e_shoff, header.e_shstrndx);
  for (u64 i = 0; i < header.e_shnum; i++)
    if (text(names.sh_offset + entry<Elf64_Shdr>(header.e_shoff, i).sh_name) == name) return true;
  return false;
}

bool ElfFile::has_interpreter() const {
  const auto header = get<Elf64_Ehdr>(0);
  for (u64 i = 0; i < header.e_phnum; i++)
    if (entry<Elf64_Phdr>(header.e_phoff, i).p_type == PT_INTERP) return true;
  return false;
}

std::vector<std::string> ElfFile::dynamic(std::int64_t tag) const {
  std::vector<std::string> found;
  const auto header = get<Elf64_Ehdr>(0);
  for (u64 i = 0; i < header.e_phnum; i++) {
    const auto segment = entry<Elf64_Phdr>(header.e_phoff, i);
    if (segment.p_type != PT_DYNAMIC) continue;
    const u64 n = std::min<u64>(segment.p_filesz, bytes_.size()) / sizeof(Elf64_Dyn);
    u64 strings = 0;
    std::vector<u64> offsets;
    for (u64 e = 0; e < n; e++) {
      const auto one = entry<Elf64_Dyn>(segment.p_offset, e);
      if (one.d_tag == DT_NULL) break;
      if (one.d_tag == DT_STRTAB) strings = one.d_un.d_ptr;
      if (one.d_tag == tag) offsets.push_back(one.d_un.d_val);
    }
    for (const u64 offset : offsets) found.emplace_back(text(file_offset(strings) + offset));
  }
  return found;
}

/// Dynamic entries hold addresses; loadable segments say where those lie in the file.
u64 ElfFile::file_offset(u64 address) const {
  const auto header = get<Elf64_Ehdr>(0);
  for (u64 i = 0; i < header.e_phnum; i++) {
    const auto segment = entry<Elf64_Phdr>(header.e_phoff, i);
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return address - segment.p_vaddr + segment.p_offset;
  }
  return bytes_.size();
}

template <class Visit>
void ElfFile::each_symbol(std::uint32_t section_type, const Visit& visit) const {
  const auto header = get<Elf64_Ehdr>(0);
  for (u64 i = 0; i < header.e_shnum; i++) {
    const auto section = entry<Elf64_Shdr>(header.e_shoff, i);
    if (section.sh_type != section_type) continue;
    const u64 names = entry<Elf64_Shdr>(header.e_shoff, section.sh_link).sh_offset;
    const u64 n = std::min<u64>(section.sh_size, bytes_.size()) / sizeof(Elf64_Sym);
    for (u64 s = 0; s < n; s++) {
      const auto symbol = entry<Elf64_Sym>(section.sh_offset, s);
      visit(text(names + symbol.st_name), symbol);
    }
  }
}

std::vector<Function> ElfFile::functions_of(std::uint32_t section_type) const {
  std::vector<Function> found;
  each_symbol(section_type, [&](std::string_view name, const Elf64_Sym& symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
      found.push_back({name, symbol.st_value, symbol.st_size});
  });
  return found;
}

std::vector<Function> ElfFile::functions() const { return functions_of(SHT_SYMTAB); }

std::vector<Function> ElfFile::exported_functions() const { return functions_of(SHT_DYNSYM); }

bool ElfFile::imports(std::string_view wanted) const {
  bool found = false;
  each_symbol(SHT_DYNSYM, [&](std::string_view name, const Elf64_Sym& symbol) {
    found = found || (symbol.st_shndx == SHN_UNDEF && name == wanted);
  });
  return found;
}

}  // namespace roofline::sim::static_runtime
