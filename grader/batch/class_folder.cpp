// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/class_folder.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/batch/layout.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// With more archives than this in a folder they are the students'.
constexpr std::size_t kMostExports = 8;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.') || name == "__MACOSX"; });
  return names;
}

/// Where a path of an archive leads below `staging`; empty: nowhere.
fs::path place_below(const fs::path& staging, const std::string& path) {
  constexpr std::size_t kDeepest = 32, kLongest = 255;
  fs::path place = staging;
  std::size_t steps = 0;
  for (const fs::path& step : fs::path(path)) {
    const std::string name = step.string();
    if (name.empty() || name == ".") continue;
    if (name == ".." || name == "/" || name.size() > kLongest || ++steps > kDeepest) return {};
    place /= step;
  }
  return steps == 0 ? fs::path() : place;
}

/// As plain files and folders: links, permissions and times of the archive have nothing to act on.
void write_below(const fs::path& staging, const unpack::Contents& contents) {
  std::error_code error;
  fs::create_directories(staging, error);
  if (error) throw InfrastructureError("cannot make " + staging.string() + ": " + error.message());
  for (const unpack::File& file : contents.files) {
    const fs::path place = place_below(staging, file.path);
    if (place.empty() || fs::is_directory(place, error)) continue;
    try {
      write_file(place, file.bytes);
    } catch (const std::runtime_error& problem) {
      throw InfrastructureError(problem.what());
    }
  }
}

bool holds_an_export(const unpack::Contents& contents) {
  std::vector<std::string> top, below;
  for (const unpack::File& file : contents.files) {
    const fs::path path = fs::path(file.path).lexically_normal();
    auto step = path.begin();
    if (step == path.end()) continue;
    top.push_back(step->string());
    if (++step != path.end()) below.push_back(step->string());
  }
  std::erase_if(top, [](const std::string& name) { return name.starts_with('.') || name == "__MACOSX"; });
  if (is_an_export(top)) return true;
  const bool one_folder =
      std::ranges::all_of(top, [&](const std::string& name) { return name == top.front(); });
  return one_folder && is_an_export(below);
}

/// Into the one folder that there is, where the submissions lie in it.
fs::path submissions_in(const fs::path& folder, const std::vector<Student>& roster) {
  const std::vector<std::string> names = names_in(folder);
  if (names.size() != 1) return folder;
  const fs::path inner = folder / names.front();
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(inner, error)) ||
      layout_of(names.front()).platform != Platform::kNone)
    return folder;
  const std::vector<std::string> below = names_in(inner);
  const auto logins = logins_of(below);
  const auto students = std::ranges::count_if(below, [&](const std::string& name) {
    const Layout layout = layout_of(name);
    if (find_student(roster, {layout.id, layout.name}) != nullptr) return true;
    return logins.contains(name) && std::ranges::any_of(logins.at(name), [&](const std::string& login) {
             return find_student(roster, {login}) != nullptr;
           });
  });
  return is_an_export(below) || students > 1 ? inner : folder;
}

fs::path unpacked_below(const fs::path& archive, const fs::path& staging, const unpack::Contents& contents,
                        const std::vector<Student>& roster) {
  if (!contents.problem.empty())
    throw UsageError(archive.string() + ": " + printable(contents.problem) +
                     ". Download it again, or unpack it yourself and name the folder");
  write_below(staging, contents);
  return submissions_in(staging, roster);
}

/// Entries of a folder that are a platform's archives, not students'.
std::vector<fs::path> exports_in(const fs::path& folder, const Unpacker& unpacker) {
  std::vector<fs::path> archives;
  for (const std::string& name : names_in(folder))
    if (is_archive(name) && layout_of(name).platform == Platform::kNone &&
        fs::is_regular_file(fs::symlink_status(folder / name)))
      archives.push_back(folder / name);
  if (archives.size() > kMostExports) return {};
  std::erase_if(archives,
                [&](const fs::path& archive) { return !holds_an_export(unpack_class(unpacker, archive)); });
  std::ranges::sort(archives);
  return archives;
}

}  // namespace

std::vector<HandedIn> find_class(const fs::path& given, const fs::path& staging, const Unpacker& unpacker,
                                 const std::vector<Student>& roster, Search search) {
  std::error_code error;
  if (fs::is_regular_file(given, error) && is_archive(given.filename().string()))
    return find_submissions(unpacked_below(given, staging / "0", unpack_class(unpacker, given), roster),
                            roster, search);
  const fs::path folder = submissions_in(given, roster);
  std::vector<HandedIn> all;
  std::size_t count = 0;
  for (const fs::path& archive : exports_in(folder, unpacker)) {
    search.left_out.insert(archive);
    const fs::path inside =
        unpacked_below(archive, staging / std::to_string(count++), unpack_class(unpacker, archive), roster);
    std::ranges::move(find_submissions(inside, roster, search), std::back_inserter(all));
  }
  const std::size_t names = names_in(folder).size();
  if (all.empty() || names > count)
    std::ranges::move(find_submissions(folder, roster, search), std::back_inserter(all));
  std::ranges::stable_sort(all, {}, &HandedIn::id);
  return all;
}

}  // namespace roofline::grader
