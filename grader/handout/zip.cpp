// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/zip.h"

#include <array>
#include <cstdint>

namespace roofline::grader {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion = 20, kMadeOnUnix = 3 << 8 | kVersion;
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kMidnight = 0, kFirstDay = 0x21;  // 1980-01-01, the oldest that zip can say
constexpr std::uint32_t kFile = 0100644, kProgram = 0100755;

std::uint32_t crc32(const std::string& bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320U : 0U);
      table[i] = value;
    }
    return table;
  }();
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
  return ~crc;
}

void put16(std::string& out, std::uint32_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8 & 0xff);
}

void put32(std::string& out, std::uint32_t value) {
  put16(out, value & 0xffff);
  put16(out, value >> 16);
}

/// What the two headers of an entry share.
void put_common(std::string& out, const ZipEntry& entry, std::uint32_t crc) {
  const auto size = static_cast<std::uint32_t>(entry.bytes.size());
  put16(out, kVersion);
  put16(out, kUtf8Names);
  put16(out, 0);  // stored
  put16(out, kMidnight);
  put16(out, kFirstDay);
  put32(out, crc);
  put32(out, size);
  put32(out, size);
  put16(out, static_cast<std::uint32_t>(entry.name.size()));
  put16(out, 0);  // no extra field
}

}  // namespace

std::string zip_archive(const std::vector<ZipEntry>& entries) {
  std::string out, directory;
  for (const ZipEntry& entry : entries) {
    const std::uint32_t crc = crc32(entry.bytes);
    const auto offset = static_cast<std::uint32_t>(out.size());
    put32(out, kLocalHeader);
    put_common(out, entry, crc);
    out += entry.name + entry.bytes;

    put32(directory, kCentralHeader);
    put16(directory, kMadeOnUnix);
    put_common(directory, entry, crc);
    put16(directory, 0);  // no comment
    put16(directory, 0);  // disk
    put16(directory, 0);  // internal attributes
    put32(directory, (entry.executable ? kProgram : kFile) << 16);
    put32(directory, offset);
    directory += entry.name;
  }
  const auto start = static_cast<std::uint32_t>(out.size());
  const auto count = static_cast<std::uint32_t>(entries.size());
  out += directory;
  put32(out, kEnd);
  put16(out, 0);  // this disk
  put16(out, 0);  // the directory's disk
  put16(out, count);
  put16(out, count);
  put32(out, static_cast<std::uint32_t>(directory.size()));
  put32(out, start);
  put16(out, 0);  // no comment
  return out;
}

}  // namespace roofline::grader
