// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/image/elf.h"

#include <elf.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "simulator/image/bytes.h"
#include "simulator/image/container.h"
#include "simulator/image/line_table.h"

namespace roofline::sim::image {
namespace {

constexpr u16 kMachineCuda = 190;
/// In st_other of a kernel's symbol.
constexpr u8 kEntrySymbol = 0x10;
/// sm_90 and newer: the first KB of shared memory belongs to the system, and .nv.shared.<kernel> counts it.
constexpr u64 kReservedShared = 1024;

/// Attributes of .nv.info: one byte of form, one of name, then a value or a size and that many bytes.
enum class Form : u8 { kNone = 1, kByte = 2, kHalf = 3, kSized = 4 };
enum class Attribute : u8 {
  kMaxThreads = 0x05,     ///< u32 x, y, z
  kFrameSize = 0x11,      ///< u32 symbol, bytes
  kMinStackSize = 0x12,   ///< u32 symbol, bytes with the functions it calls
  kRegisterCount = 0x2f,  ///< u32 symbol, registers
  kBarriers = 0x4c,       ///< byte
  kSpills = 0x55          ///< pairs of u32: kind, address of an instruction that spills or refills
};

class DeviceElf {
 public:
  explicit DeviceElf(Bytes bytes);
  std::vector<ElfKernel> kernels();

 private:
  struct Section {
    std::string_view name;
    Elf64_Shdr header;
    Bytes contents;
  };

  std::string_view string_at(const Section& table, u64 offset) const;
  const Section* find(std::string_view name) const;
  std::string_view symbol_name(u32 index) const;
  void read_attributes(Bytes contents, std::string_view kernel);
  void apply(Attribute attribute, Bytes value, std::string_view kernel);
  void read_spills(Bytes pairs, std::string_view kernel, ElfKernel& facts) const;
  void read_lines_of_ptx();
  u64 shared_bytes(std::string_view kernel) const;

  Bytes bytes_;
  std::vector<Section> sections_;
  const Section* symbols_ = nullptr;
  const Section* strings_ = nullptr;
  std::map<std::string, ElfKernel, std::less<>> kernels_;
  std::vector<std::string_view> order_;
  std::map<std::string, LineSequence, std::less<>> lines_;  ///< by kernel, where -lineinfo says them
};

DeviceElf::DeviceElf(Bytes bytes) : bytes_(bytes) {
  const auto header = number_at<Elf64_Ehdr>(bytes, 0);
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    throw ImageError("The device ELF file is damaged: odd section headers.");
  sections_.resize(header.e_shnum);
  for (u64 i = 0; i < header.e_shnum; ++i) {
    Section& section = sections_[i];
    section.header = number_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
      section.contents = part(bytes, section.header.sh_offset, section.header.sh_size);
    }
  }
  if (header.e_shstrndx >= sections_.size())
    throw ImageError("The device ELF file is damaged: no section names.");
  for (Section& section : sections_)
    section.name = string_at(sections_[header.e_shstrndx], section.header.sh_name);
  symbols_ = find(".symtab");
  strings_ = find(".strtab");
}

std::string_view DeviceElf::string_at(const Section& table, u64 offset) const {
  const Bytes rest =
      part(table.contents, offset, table.contents.size() - std::min<u64>(offset, table.contents.size()));
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  return text.substr(0, text.find('\0'));
}

const DeviceElf::Section* DeviceElf::find(std::string_view name) const {
  for (const Section& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::string_view DeviceElf::symbol_name(u32 index) const {
  if (symbols_ == nullptr || strings_ == nullptr) return {};
  const auto symbol = number_at<Elf64_Sym>(symbols_->contents, u64{index} * sizeof(Elf64_Sym));
  return string_at(*strings_, symbol.st_name);
}

u64 DeviceElf::shared_bytes(std::string_view kernel) const {
  const Section* shared = find(".nv.shared." + std::string(kernel));
  if (shared == nullptr) return 0;
  const u64 size = shared->header.sh_size;
  const bool counts_reserved = elf_architecture(bytes_) >= 90;
  return counts_reserved && size >= kReservedShared ? size - kReservedShared : size;
}

std::vector<ElfKernel> DeviceElf::kernels() {
  constexpr std::string_view kInfo = ".nv.info";
  constexpr std::string_view kText = ".text.";
  std::set<std::string_view> entries;
  const u64 symbols = symbols_ == nullptr ? 0 : symbols_->contents.size() / sizeof(Elf64_Sym);
  for (u32 i = 0; i < symbols; ++i) {
    const auto symbol = number_at<Elf64_Sym>(symbols_->contents, u64{i} * sizeof(Elf64_Sym));
    if ((symbol.st_other & kEntrySymbol) != 0) entries.insert(symbol_name(i));
  }
  for (const Section& section : sections_) {
    if (!section.name.starts_with(kText)) continue;
    const std::string_view name = section.name.substr(kText.size());
    if (!entries.contains(name)) continue;  // a device function
    const auto [entry, is_new] = kernels_.try_emplace(std::string(name));
    if (!is_new) continue;
    order_.push_back(name);
    entry->second.name = name;
    entry->second.registers =
        static_cast<u32>(section.header.sh_info >> 24);  // until sm_89; newer: the attribute
    entry->second.shared_bytes = shared_bytes(name);
  }
  read_lines_of_ptx();
  for (const Section& section : sections_) {
    if (section.name == kInfo) {
      read_attributes(section.contents, {});
    } else if (section.name.starts_with(kInfo) && section.name.size() > kInfo.size() + 1) {
      read_attributes(section.contents, section.name.substr(kInfo.size() + 1));
    }
  }
  std::vector<ElfKernel> result;
  for (const std::string_view name : order_) result.push_back(kernels_.find(name)->second);
  return result;
}

void DeviceElf::read_attributes(Bytes contents, std::string_view kernel) {
  for (u64 offset = 0; offset + 4 <= contents.size();) {
    const auto form = static_cast<Form>(number_at<u8>(contents, offset));
    const auto attribute = static_cast<Attribute>(number_at<u8>(contents, offset + 1));
    const u64 size = form == Form::kSized ? number_at<u16>(contents, offset + 2) : 0;
    if (form == Form::kSized) {
      apply(attribute, part(contents, offset + 4, size), kernel);
    } else {
      apply(attribute, part(contents, offset + 2, 2), kernel);
    }
    offset += 4 + size;
  }
}

void DeviceElf::apply(Attribute attribute, Bytes value, std::string_view kernel) {
  const bool names_symbol = attribute == Attribute::kRegisterCount || attribute == Attribute::kFrameSize ||
                            attribute == Attribute::kMinStackSize;
  const auto found = kernels_.find(names_symbol ? symbol_name(number_at<u32>(value, 0)) : kernel);
  if (found == kernels_.end()) return;
  ElfKernel& facts = found->second;
  switch (attribute) {
    case Attribute::kRegisterCount:
      facts.registers = number_at<u32>(value, 4);
      break;
    case Attribute::kFrameSize:
      facts.local_bytes = number_at<u32>(value, 4);
      break;
    case Attribute::kMinStackSize:
      break;
    case Attribute::kBarriers:
      facts.barriers = number_at<u8>(value, 0);
      break;
    case Attribute::kMaxThreads:
      facts.max_threads = number_at<u32>(value, 0) * number_at<u32>(value, 4) * number_at<u32>(value, 8);
      break;
    case Attribute::kSpills:
      read_spills(value, kernel, facts);
      break;
  }
}

void DeviceElf::read_lines_of_ptx() {
  constexpr std::string_view kLines = ".nv_debug_line_sass", kText = ".text.";
  const Section* program = find(kLines);
  if (program == nullptr || symbols_ == nullptr) return;
  std::map<u64, std::string_view> kernel_at;  // by the place of its address
  // From sm_90 on relocations have an addend behind what all have.
  for (const auto& [kind, size] : {std::pair{".rel", sizeof(Elf64_Rel)}, {".rela", sizeof(Elf64_Rela)}}) {
    const Section* relocations = find(kind + std::string(kLines));
    if (relocations == nullptr) continue;
    for (u64 at = 0; at + size <= relocations->contents.size(); at += size) {
      const auto relocation = number_at<Elf64_Rel>(relocations->contents, at);
      const auto symbol =
          number_at<Elf64_Sym>(symbols_->contents, ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
      if (symbol.st_shndx >= sections_.size()) continue;
      const std::string_view code = sections_[symbol.st_shndx].name;
      if (code.starts_with(kText)) kernel_at[relocation.r_offset] = code.substr(kText.size());
    }
  }
  for (LineSequence& sequence : read_lines(program->contents))
    if (const auto kernel = kernel_at.find(sequence.start_at); kernel != kernel_at.end())
      lines_[std::string(kernel->second)] = std::move(sequence);
}

void DeviceElf::read_spills(Bytes pairs, std::string_view kernel, ElfKernel& facts) const {
  constexpr u64 kStoreLocal = 0x387, kLoadLocal = 0x983;  // STL and LDL, sm_70 and newer
  const Section* text = find(".text." + std::string(kernel));
  if (text == nullptr) return;
  const auto lines = lines_.find(kernel);
  for (u64 offset = 0; offset + 8 <= pairs.size(); offset += 8) {
    const u64 address = number_at<u32>(pairs, offset + 4);
    const auto low = number_at<u64>(text->contents, address);
    const auto high = number_at<u64>(text->contents, address + 8);
    const u64 operation = low & 0xfff;
    if (operation != kStoreLocal && operation != kLoadLocal) continue;
    // Width of the access: 0 to 3 are 8 and 16 bits, 4 is 32 bits, 5 is 64, 6 is 128.
    const u64 width = (high >> 9) & 7;
    Spill spill;
    spill.is_store = operation == kStoreLocal;
    spill.bytes = static_cast<u32>(width < 2 ? 1 : width < 4 ? 2 : u64{4} << (width - 4));
    spill.place = static_cast<u32>(low >> 40);
    spill.ptx_line = lines == lines_.end() ? 0 : lines->second.line_of(address);
    spill.part = static_cast<double>(address) / static_cast<double>(text->contents.size());
    facts.spills.push_back(spill);
    if (spill.is_store) facts.spill_bytes += spill.bytes;
  }
  std::ranges::stable_sort(facts.spills, {}, &Spill::part);
}

}  // namespace

u32 elf_architecture(Bytes bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || number_at<u32>(bytes, 0) != kElfMagic) return 0;
  const auto header = number_at<Elf64_Ehdr>(bytes, 0);
  const bool is_device = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kMachineCuda;
  return is_device ? (header.e_flags >> 8) & 0xff : 0;
}

std::vector<ElfKernel> kernels_of_elf(Bytes bytes) {
  const u32 architecture = elf_architecture(bytes);
  if (architecture == 0) throw ImageError("This is no ELF file with NVIDIA device code.");
  return DeviceElf(bytes).kernels();
}

}  // namespace roofline::sim::image
