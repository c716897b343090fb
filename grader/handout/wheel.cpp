// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/wheel.h"

#include <algorithm>
#include <cstdint>

#include "grader/base/file.h"

namespace roofline::grader {
namespace {

/// SHA-256 as RECORD wants it: base64 with - and _, without padding.
std::string record_hash(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::string hex = sha256_hex(bytes);
  std::string out;
  std::uint32_t held = 0;
  int bits = 0;
  for (const char digit : hex) {
    held = held << 4 | static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    for (bits += 4; bits >= 6; bits -= 6) out += kDigits[held >> (bits - 6) & 63];
  }
  if (bits > 0) out += kDigits[held << (6 - bits) & 63];
  return out;
}

}  // namespace

std::string Wheel::module() const {
  std::string text = name;
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string Wheel::file_name() const { return module() + "-" + version + "-py3-none-" + platform + ".whl"; }

std::string Wheel::archive() const {
  const std::string info = module() + "-" + version + ".dist-info/";
  std::vector<ZipEntry> entries;
  for (const ZipEntry& file : files) {
    entries.push_back(file);
    entries.back().name = module() + "/" + file.name;
  }
  entries.push_back({.name = info + "METADATA",
                     .bytes = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version +
                              "\nSummary: Runs CUDA programs on a simulated GPU\nLicense: Apache-2.0\n"
                              "Requires-Python: >=3.7\nDescription-Content-Type: text/markdown\n\n" +
                              readme});
  entries.push_back(
      {.name = info + "WHEEL",
       .bytes = "Wheel-Version: 1.0\nGenerator: roofline-labs\nRoot-Is-Purelib: false\nTag: py3-none-" +
                platform + "\n"});
  entries.push_back({.name = info + "entry_points.txt",
                     .bytes = "[console_scripts]\n" + name + " = " + module() + ":main\n"});
  for (const ZipEntry& licence : licences)
    entries.push_back({.name = info + licence.name, .bytes = licence.bytes});
  std::string record;
  for (const ZipEntry& entry : entries)
    record +=
        entry.name + ",sha256=" + record_hash(entry.bytes) + "," + std::to_string(entry.bytes.size()) + "\n";
  entries.push_back({.name = info + "RECORD", .bytes = record + info + "RECORD,,\n"});
  return zip_archive(entries);
}

}  // namespace roofline::grader
