// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/unpack/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>

namespace roofline::unpack {
namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// libarchive converts names to the locale's characters and gives up where it cannot; the raw bytes are
/// always there in one of these.
std::string name_of(archive_entry* entry) {
  if (const char* raw = archive_entry_pathname(entry)) return raw;
  if (const char* utf8 = archive_entry_pathname_utf8(entry)) return utf8;
  return {};
}

enum class Read { kWhole, kTooLong, kOverBudget, kDamaged };

/// One entry's data; what is not kept is still counted.
Read read_data(archive* reader, std::size_t keep, std::uint64_t& budget, std::string& bytes) {
  const void* block = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  bool too_long = false;
  for (;;) {
    const int status = archive_read_data_block(reader, &block, &size, &offset);
    if (status == ARCHIVE_EOF) return too_long ? Read::kTooLong : Read::kWhole;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return Read::kDamaged;
    if (size > budget) return Read::kOverBudget;
    budget -= size;
    if (keep == 0) continue;
    // A sparse file: its holes are zeros that nobody sent.
    const auto end = static_cast<std::uint64_t>(std::max<la_int64_t>(offset, 0)) + size;
    too_long = too_long || end > keep;
    if (too_long) continue;
    bytes.resize(static_cast<std::size_t>(end) - size, '\0');
    bytes.append(static_cast<const char*>(block), size);
  }
}

/// "pointwise.cu", or "*.cu".
bool is_wanted(std::string_view name, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& wanted) {
    return wanted.starts_with('*') ? name.ends_with(wanted.substr(1)) : name == wanted;
  });
}

Contents read_archive(std::string_view bytes, const std::vector<std::string>& names, const Limits& limits,
                      bool name_all) {
  Contents contents;
  Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip(reader.get());
  archive_read_support_format_tar(reader.get());
  for (const auto support : {archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
                             archive_read_support_filter_xz, archive_read_support_filter_zstd})
    support(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    contents.problem = "it is not an archive that can be read (zip, tar)";
    return contents;
  }
  std::uint64_t budget = limits.stream_bytes, kept = 0;
  for (std::size_t entries = 0;; ++entries) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return contents;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
      contents.problem = entries == 0
                             ? "it is not an archive that can be read (zip, tar)"
                             : "the archive is damaged after " + std::to_string(entries) + " entries";
      return contents;
    }
    if (entries >= limits.entries) {
      contents.problem = "the archive holds more than " + std::to_string(limits.entries) + " entries";
      return contents;
    }
    const std::string path = name_of(entry);
    const bool regular =
        archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
    const bool wanted = regular && is_wanted(base_name(path), names);
    if (wanted && archive_entry_is_encrypted(entry) != 0) {
      contents.problem = "the archive is encrypted";
      return contents;
    }
    std::string data;
    switch (read_data(reader.get(), wanted ? limits.file_bytes : 0, budget, data)) {
      case Read::kOverBudget:
        contents.problem = "the archive becomes larger than " + std::to_string(limits.stream_bytes >> 20) +
                           " MiB when it is unpacked";
        return contents;
      case Read::kDamaged:
        contents.problem = "the archive is damaged at entry " + std::to_string(entries + 1);
        return contents;
      case Read::kTooLong:
        contents.problem = std::string(base_name(path)) + " is larger than " +
                           std::to_string(limits.file_bytes >> 10) + " KiB";
        break;
      case Read::kWhole:
        kept += data.size();
        if (wanted || (regular && name_all)) contents.files.push_back({path, std::move(data)});
        break;
    }
    if (kept > limits.kept_bytes) {
      contents.problem =
          "it holds more than " + std::to_string(limits.kept_bytes >> 20) + " MiB of sources and archives";
      return contents;
    }
    if (contents.files.size() > limits.files) {
      contents.files.pop_back();
      contents.problem = "more than " + std::to_string(limits.files) + " files" +
                         (name_all ? "" : " of the names that the lab declares");
      return contents;
    }
  }
}

}  // namespace

Contents unpack(std::string_view bytes, const std::vector<std::string>& names, const Limits& limits) {
  return read_archive(bytes, names, limits, false);
}

Contents unpack_class(std::string_view bytes, const std::vector<std::string>& names) {
  return read_archive(bytes, names, class_limits(), true);
}

}  // namespace roofline::unpack
