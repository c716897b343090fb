// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Takes the files that a lab declares out of what a student handed in. Nothing is ever extracted to disk: an
/// archive's links, absolute names, `..` and permissions have nothing to act on.
namespace roofline::unpack {

struct Limits {
  std::size_t files = 64;                     ///< accepted
  std::size_t file_bytes = 1 << 20;           ///< of an accepted file
  std::size_t entries = 20'000;               ///< of an archive, wanted or not
  std::uint64_t stream_bytes = 256ULL << 20;  ///< that may come out of decompression, wanted or not
  std::uint64_t kept_bytes = 64ULL << 20;     ///< of all accepted files
};
/// Of an archive that holds what a class handed in.
Limits class_limits();

/// Tells the unpacker that the archive is a class's: files that are not wanted come without their content.
inline constexpr const char* kWholeClass = "--class";

struct File {
  std::string path;  ///< as the archive names it, '/' between folders
  std::string bytes;
};

struct Contents {
  std::vector<File> files;
  std::string problem;  ///< one sentence: why nothing, or not everything, was taken
};

/// `names`: base names that are wanted, or "*" and how they end. Zip and tar, compressed with what libarchive
/// knows.
Contents unpack(std::string_view archive, const std::vector<std::string>& names, const Limits& limits = {});
/// The same of a class's archive: whatever else a student handed in is there as an empty file.
Contents unpack_class(std::string_view archive, const std::vector<std::string>& names);

/// The way from the unpacker's process to the grader: parcels of bytes, each with its lengths in front.
std::string packed(const Contents& contents);
/// What is not of this form is a problem, never an exception.
Contents unpacked(std::string_view parcels, const Limits& limits = {});

}  // namespace roofline::unpack
