// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/incoming.h"

#include <algorithm>
#include <sstream>

#include "grader/base/file.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kWhatToName =
    "name what ./lab export --for students wrote: the folder, or an archive of it";

bool leads_out(const std::string& name) {
  const fs::path path(name);
  return path.is_absolute() || std::ranges::find(path, fs::path("..")) != path.end();
}

/// CMake reads zip and tar, and everybody who built this has it.
void unpack(const fs::path& archive, const fs::path& folder) {
  const auto cmake = [&](const char* how) {
    const CommandResult result = run_command({"cmake", "-E", "tar", how, archive.string()},
                                             {.directory = folder, .output_limit = 16 << 20});
    if (!result.ok()) throw UsageError(archive.string() + " is no archive that can be read; " + kWhatToName);
    return result.output;
  };
  std::error_code error;
  fs::create_directories(folder, error);
  std::istringstream names(cmake("tf"));
  for (std::string name; std::getline(names, name);)
    if (leads_out(name))
      throw UsageError(archive.string() + " holds \"" + name + "\", which leads out of it");
  (void)cmake("xf");
}

/// The folder itself, or the one folder in it.
fs::path edition_in(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / Edition::kFile, error)) return folder;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error) && fs::exists(it->path() / Edition::kFile, error)) return it->path();
  return {};
}

}  // namespace

Edition edition_of(const std::vector<CourseFile>& files, const std::vector<Chosen>& parts,
                   const std::string& version, const std::string& made) {
  Edition edition{.version = version, .made = made, .labs = {}, .files = {}, .own = {}, .executable = {}};
  for (const CourseFile& file : files) {
    const std::string name = file.name.generic_string();
    edition.files[name] = sha256_hex(file.bytes);
    if (file.executable) edition.executable.insert(name);
    for (const Chosen& part : parts) {
      const fs::path folder = fs::path("labs") / part.lab->folder;
      if (file.name == folder / part.part->program.source || file.name == folder / part.lab->prediction)
        edition.own[name] = file.bytes;
    }
  }
  for (const Chosen& part : parts)
    if (std::ranges::find(edition.labs, part.lab->folder) == edition.labs.end())
      edition.labs.push_back(part.lab->folder);
  return edition;
}

Incoming incoming_of(const std::vector<CourseFile>& files, const Edition& edition) {
  Incoming incoming{.edition = edition, .bytes = {}};
  for (const CourseFile& file : files) incoming.bytes[file.name.generic_string()] = file.bytes;
  return incoming;
}

Incoming read_incoming(const fs::path& given, const fs::path& scratch) {
  std::error_code error;
  if (!fs::exists(given, error)) throw UsageError("there is no " + given.string() + "; " + kWhatToName);
  fs::path folder = given;
  if (!fs::is_directory(given, error)) {
    fs::remove_all(scratch, error);
    unpack(fs::absolute(given), scratch);
    folder = scratch;
  }
  folder = edition_in(folder);
  if (folder.empty())
    throw UsageError(given.string() + " holds no " + Edition::kFile +
                     ", so it is no course that ./lab export wrote; " + kWhatToName);
  Incoming incoming{.edition = *read_edition(folder), .bytes = {}};
  for (auto& [name, sha256] : incoming.edition.files) {
    if (!fs::is_regular_file(fs::symlink_status(folder / name, error)))
      throw UsageError(given.string() + " is not complete: " + name +
                       " is missing. Get it again; nothing was changed");
    std::string& bytes = incoming.bytes[name] = read_file(folder / name);
    sha256 = sha256_hex(bytes);  // an instructor may have changed a page since the export
    if (const auto own = incoming.edition.own.find(name); own != incoming.edition.own.end())
      own->second = bytes;
  }
  fs::remove_all(scratch, error);
  return incoming;
}

}  // namespace roofline::grader
