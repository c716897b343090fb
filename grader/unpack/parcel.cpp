// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "grader/unpack/unpack.h"

namespace roofline::unpack {
namespace {

constexpr std::uint32_t kFile = 1, kEnd = 2;  // kEnd: the problem, or nothing; the last parcel
constexpr std::size_t kLongestPath = 4096;

struct Header {
  std::uint32_t kind, path_bytes;
  std::uint64_t bytes;
};

void add(std::string& out, std::uint32_t kind, std::string_view path, std::string_view bytes) {
  const Header header{kind, static_cast<std::uint32_t>(path.size()), bytes.size()};
  out.append(reinterpret_cast<const char*>(&header), sizeof header).append(path).append(bytes);
}

}  // namespace

Limits class_limits() {
  return {.files = 20'000,
          .file_bytes = 64 << 20,
          .entries = 100'000,
          .stream_bytes = 4ULL << 30,
          .kept_bytes = 512ULL << 20};
}

std::string packed(const Contents& contents) {
  std::string out;
  for (const File& file : contents.files)
    if (file.path.size() <= kLongestPath) add(out, kFile, file.path, file.bytes);
  add(out, kEnd, {}, contents.problem);
  return out;
}

Contents unpacked(std::string_view parcels, const Limits& limits) {
  Contents contents;
  while (parcels.size() >= sizeof(Header)) {
    Header header{};
    std::memcpy(&header, parcels.data(), sizeof header);
    parcels.remove_prefix(sizeof header);
    if (header.path_bytes > kLongestPath || header.bytes > limits.file_bytes ||
        header.path_bytes + header.bytes > parcels.size() || contents.files.size() > limits.files)
      break;
    const std::string_view path = parcels.substr(0, header.path_bytes);
    const std::string_view bytes = parcels.substr(header.path_bytes, header.bytes);
    parcels.remove_prefix(path.size() + bytes.size());
    if (header.kind == kEnd && parcels.empty() && path.empty()) {
      contents.problem = bytes;
      return contents;
    }
    if (header.kind != kFile || contents.files.size() == limits.files) break;
    contents.files.push_back({std::string(path), std::string(bytes)});
  }
  return {.files = {}, .problem = "the archive could not be unpacked: the unpacker did not end well"};
}

}  // namespace roofline::unpack
