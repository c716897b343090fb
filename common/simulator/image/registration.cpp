// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/image/registration.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "simulator/image/bytes.h"
#include "simulator/image/container.h"

namespace roofline::sim::image {
namespace {

struct Search {
  u64 address;
  u64 room = 0;  ///< bytes from address to the end of the loaded segment; 0 while not found
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  for (u64 i = 0; i < object->dlpi_phnum; ++i) {
    const Elf64_Phdr& segment = object->dlpi_phdr[i];
    const u64 start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= start && search.address - start < segment.p_memsz) {
      search.room = segment.p_memsz - (search.address - start);
      return 1;
    }
  }
  return 0;
}

/// What may be read from `address` on. Memory outside all loaded objects was allocated by the program, which
/// vouches for the sizes in it.
u64 room_at(const void* address) {
  Search search{reinterpret_cast<u64>(address)};
  dl_iterate_phdr(visit, &search);
  return search.room == 0 ? ~u64{0} : search.room;
}

template <typename T>
T read(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

Wrapper wrapper_at(const void* address) {
  if (address == nullptr || read<u32>(address) != kWrapperMagic) {
    throw ImageError("The program registered device code that this library does not recognise.");
  }
  return read<Wrapper>(address);
}

Bytes container_at(const void* address) {
  const u64 room = room_at(address);
  u64 size = 0;
  // A container of size 0 is followed by the one that counts.
  while (room - size >= sizeof(ContainerHeader)) {
    const auto header = read<ContainerHeader>(static_cast<const std::byte*>(address) + size);
    if (header.magic != kContainerMagic || header.header_bytes < kContainerHeader) break;
    const u64 left = room - size;
    if (header.header_bytes > left || header.bytes > left - header.header_bytes) break;
    size += header.header_bytes + header.bytes;
    if (header.bytes != 0) return {static_cast<const std::byte*>(address), static_cast<std::size_t>(size)};
  }
  if (size == 0) throw ImageError("The registered device code is no fatbin container, or it is damaged.");
  return {static_cast<const std::byte*>(address), static_cast<std::size_t>(size)};
}

Bytes elf_at(const void* address) {
  const u64 room = room_at(address);
  if (room < sizeof(Elf64_Ehdr)) throw ImageError("The device ELF file is cut off.");
  const auto header = read<Elf64_Ehdr>(address);
  const std::byte* start = static_cast<const std::byte*>(address);
  const u64 table_end = header.e_shoff + u64{header.e_shnum} * sizeof(Elf64_Shdr);
  if (header.e_shoff > room || table_end > room) throw ImageError("The device ELF file is damaged.");
  u64 size = std::max<u64>(table_end, header.e_phoff + u64{header.e_phnum} * header.e_phentsize);
  for (u64 i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(start + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS) size = std::max(size, section.sh_offset + section.sh_size);
  }
  if (size > room) throw ImageError("The device ELF file is damaged.");
  return {start, static_cast<std::size_t>(size)};
}

}  // namespace

Bytes image_of_wrapper(const void* wrapper) {
  const Wrapper facts = wrapper_at(wrapper);
  // Without machine code nothing was linked: this container is empty, and what follows it belongs to others.
  if (facts.version == kLinkedWrapper && facts.image != nullptr &&
      read<ContainerHeader>(facts.image).bytes == 0 && read<u32>(facts.image) == kContainerMagic)
    return {static_cast<const std::byte*>(facts.image), sizeof(ContainerHeader)};
  return container_at(facts.image);
}

std::vector<Bytes> parts_of_wrapper(const void* wrapper) {
  std::vector<Bytes> parts;
  const Wrapper facts = wrapper_at(wrapper);
  if (facts.version != kLinkedWrapper || facts.parts == nullptr) return parts;
  for (const void* const* part = facts.parts; *part != nullptr; ++part) parts.push_back(container_at(*part));
  return parts;
}

Bytes image_at(const void* code) {
  if (code == nullptr) throw ImageError("There is no device code: the pointer is null.");
  const std::byte* start = static_cast<const std::byte*>(code);
  // Text may be shorter than a magic number, so bytes are compared one by one.
  const auto starts_with = [start](u32 magic) {
    for (int i = 0; i < 4; ++i) {
      if (start[i] != static_cast<std::byte>(magic >> (8 * i))) return false;
    }
    return true;
  };
  if (starts_with(kWrapperMagic)) return image_of_wrapper(code);
  if (starts_with(kContainerMagic)) return container_at(code);
  if (starts_with(kElfMagic)) return elf_at(code);
  return {start, std::strlen(static_cast<const char*>(code))};
}

}  // namespace roofline::sim::image
