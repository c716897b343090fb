// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/portable.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/words.h"
#include "grader/handout/wheel.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {}  // namespace

void mirror(const std::vector<CourseFile>& files, const fs::path& folder) {
  std::set<fs::path> wanted;
  for (const CourseFile& file : files) {
    const fs::path place = folder / file.name;
    wanted.insert(place);
    std::error_code ignored;
    if (!fs::is_regular_file(place, ignored) || read_file(place) != file.bytes) write_file(place, file.bytes);
    if (file.executable) fs::permissions(place, fs::perms(0111), fs::perm_options::add);
  }
  std::vector<fs::path> others;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory() && !wanted.contains(entry.path())) others.push_back(entry.path());
  for (const fs::path& other : others) fs::remove(other);
}

fs::path build_portable(const Paths& paths, const std::vector<CourseFile>& files) {
  const fs::path script = paths.root / "cmake" / "portable" / "build";
  const fs::path work = paths.root / "build" / "handout", out = work / "built";
  if (!fs::exists(script))
    throw UsageError(
        "this is a course repository, which builds nothing for other machines: use the checkout it was made "
        "from");
  mirror(files, work / "source");
  std::string command = "bash";
  for (const fs::path& word : {script, work / "source", work, out})
    command += " " + shell_quoted(word.string());
  // A shell's child, so that Ctrl-C ends the compilers, too.
  if (std::system((command + " >&2").c_str()) != 0)
    throw InfrastructureError(
        "nothing was handed out: the programs could not be built for other machines; see above");
  return out;
}

std::vector<CourseFile> files_below(const fs::path& folder, const fs::path& prefix) {
  std::vector<CourseFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back({.name = prefix / entry.path().lexically_relative(folder),
                       .bytes = read_file(entry.path()),
                       .executable = is_executable(entry.path())});
  std::ranges::sort(files, {}, &CourseFile::name);
  return files;
}

void write_files(const std::vector<CourseFile>& files, const fs::path& folder) {
  for (const CourseFile& file : files) {
    write_file(folder / file.name, file.bytes);
    if (file.executable) fs::permissions(folder / file.name, fs::perms(0111), fs::perm_options::add);
  }
}

std::string write_simulator(const Paths& paths, const fs::path& built, const std::string& version,
                            const fs::path& folder) {
  const fs::path texts = paths.root / "grader" / "handout" / "simulator";
  std::vector<CourseFile> programs = files_below(built / "simulator", "simulator");
  programs.push_back(
      {.name = "bin/simulated-gpu", .bytes = read_file(built / "bin" / "simulated-gpu"), .executable = true});
  Wheel wheel{.name = "simulated-gpu", .version = version, .platform = kPlatformTag};
  const std::string file = wheel.file_name();
  const std::string readme = replaced(read_file(texts / "README.md.in"), "@WHEEL@", file);
  wheel.readme = readme;
  std::vector<CourseFile> licences = {
      {.name = "licenses/LICENSE", .bytes = read_file(paths.root / "LICENSE")}};
  if (fs::exists(built / "licenses"))
    std::ranges::move(files_below(built / "licenses", "licenses"), std::back_inserter(licences));
  for (const CourseFile& licence : licences)
    wheel.licences.push_back({.name = licence.name.generic_string(), .bytes = licence.bytes});
  for (const char* module : {"__init__.py", "__main__.py"})
    wheel.files.push_back({.name = module, .bytes = read_file(texts / module)});
  for (const CourseFile& program : programs)
    wheel.files.push_back(
        {.name = program.name.generic_string(), .bytes = program.bytes, .executable = program.executable});
  write_files(programs, folder);
  write_file(folder / "README.md", readme);
  write_files(licences, folder);
  write_file(folder / file, wheel.archive());
  return file;
}

}  // namespace roofline::grader
