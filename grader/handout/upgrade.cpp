// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/upgrade.h"

#include <algorithm>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/line_diff.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Of a regular file, or what a link leads to; empty: there is none.
std::string sum_of(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? sha256_hex(read_file(file)) : "";
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

std::string listed(const Edition& edition, const std::string& name) {
  const auto file = edition.files.find(name);
  return file == edition.files.end() ? "" : file->second;
}

/// Names below a folder, sorted.
std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (!it->is_directory(error)) names.push_back(it->path().lexically_relative(folder).generic_string());
  std::ranges::sort(names);
  return names;
}

void require(const std::error_code& error, const std::string& what) {
  if (error)
    throw InfrastructureError(what + ": " + error.message() +
                              ". Mend it and type ./lab upgrade again: "
                              "it goes on where it stopped");
}

}  // namespace

Upgrade::Upgrade(fs::path root, fs::path state) : root_(std::move(root)), state_(std::move(state)) {
  if (!root_.has_filename()) root_ = root_.parent_path();  // "course/"
}

bool Upgrade::pending() const { return is_there(ready()); }

fs::path Upgrade::backups(const Edition& after) const {
  std::string stamp = after.made;
  std::erase_if(stamp, [](char c) { return !((c >= '0' && c <= '9') || c == 'T'); });
  return state_ / "backups" / ("upgrade-" + stamp);
}

bool Upgrade::stage(const Incoming& incoming, const fs::path& program) {
  const std::optional<Edition> before = read_edition(root_);
  const Edition& after = incoming.edition;
  if (!before)
    throw UsageError(
        root_.string() + " has no " + Edition::kFile +
        ": it is no copy of a course that ./lab export wrote, or an old one. A checkout of the project "
        "is brought up to date with git pull; from an old copy, take labs/*/*.cu and prediction.toml "
        "over to a new one");
  if (after.made < before->made)
    throw UsageError("the new course was exported at " + after.made + ", before this copy (" + before->made +
                     "): ask for a newer one. Nothing was changed");
  std::error_code error;
  fs::remove_all(folder(), error);  // also what a kill left when all but this was done
  require(error, "cannot clear " + folder().string());
  if (after.files == before->files && after.executable == before->executable) return false;
  for (const auto& [name, bytes] : incoming.bytes) write_file(staged(name), bytes);
  write_file(staged(Edition::kFile), edition_text(after));
  if (!program.empty()) {
    fs::copy_file(program, folder() / "lab", error);
    require(error, "cannot copy " + program.string());
  }
  write_file(ready(), after.made + "\n");
  return true;
}

UpgradeReport Upgrade::apply(const std::function<void()>& before_step) {
  before_step_ = before_step;
  const std::optional<Edition> after = read_edition(folder() / "new"), before = read_edition(root_);
  if (!after || !before)
    throw InfrastructureError("the upgrade in " + folder().string() + " is not complete");
  for (const auto& [name, sha256] : after->files) exchange(*before, *after, name);
  for (const auto& [name, sha256] : before->files)
    if (!after->files.contains(name)) remove_gone(*before, name, *after);
  const UpgradeReport done = report(*before, *after);
  put(Edition::kFile, false);  // from here on the copy is the new edition
  std::error_code error;
  step();
  fs::remove(ready(), error);
  require(error, "cannot delete " + ready().string());
  fs::remove_all(folder(), error);
  return done;
}

void Upgrade::step() const {
  if (before_step_) before_step_();
}

void Upgrade::exchange(const Edition& before, const Edition& after, const std::string& name) {
  const std::string now = sum_of(root_ / name), was = listed(before, name), next = listed(after, name);
  const bool is_own = after.own.contains(name) && (was.empty() || before.own.contains(name));
  if (is_own && !now.empty() && now != was && now != next) {  // the owner's work
    note_skeleton(before, after, name);
    return;
  }
  if (now != next) {
    if (!now.empty() && now != was) back_up(name, after);
    clear_way(name, after);
    put(name, after.executable.contains(name));
  } else if (after.executable.contains(name)) {  // an archive may have lost it
    std::error_code ignored;
    fs::permissions(root_ / name, fs::perms(0111), fs::perm_options::add, ignored);
  }
}

/// For the report, also of the run that finishes one which was killed.
void Upgrade::note_skeleton(const Edition& before, const Edition& after, const std::string& name) {
  const auto was = before.own.find(name);
  const std::string old = was == before.own.end() ? "" : was->second, text = read_file(staged(name));
  const fs::path diff = backups(after) / "skeletons" / (name + ".diff");
  if (old == text || is_there(diff)) return;
  step();
  write_file(diff, line_diff(old, text, name));
}

void Upgrade::remove_gone(const Edition& before, const std::string& name, const Edition& after) {
  const fs::path file = root_ / name;
  if (!is_there(file)) return;
  const bool untouched = sum_of(file) == listed(before, name);
  if (!untouched && before.own.contains(name)) return;  // the owner's work stays, whatever becomes of the lab
  if (!untouched) back_up(name, after);
  step();
  std::error_code error;
  fs::remove_all(file, error);
  require(error, "cannot delete " + file.string());
  for (fs::path up = file.parent_path(); up != root_ && fs::is_empty(up, error); up = up.parent_path()) {
    step();
    if (!fs::remove(up, error)) break;
  }
}

/// In one step: a reader, or the next run, finds the old file or the new one.
void Upgrade::put(const std::string& name, bool executable) {
  const fs::path ours = folder() / "next", place = root_ / name;
  write_file(ours, read_file(staged(name)));
  std::error_code error;
  if (executable) fs::permissions(ours, fs::perms(0111), fs::perm_options::add, error);
  fs::create_directories(place.parent_path(), error);
  require(error, "cannot make " + place.parent_path().string());
  step();
  fs::rename(ours, place, error);
  require(error, "cannot write " + place.string());
}

/// A folder where a file has to be, or a file where a folder has to be, is the owner's.
void Upgrade::clear_way(const std::string& name, const Edition& after) {
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(root_ / name, error))) return back_up(name, after);
  fs::path up;
  for (const fs::path& part : fs::path(name).parent_path()) {
    up /= part;
    if (is_there(root_ / up) && !fs::is_directory(root_ / up, error))
      return back_up(up.generic_string(), after);
  }
}

/// Moves it, so that at no time there is none of it; a copy that is there already is kept, too.
void Upgrade::back_up(const std::string& name, const Edition& after) {
  const fs::path file = root_ / name;
  fs::path place = backups(after) / "files" / name;
  for (int n = 1; is_there(place); ++n) place = backups(after) / "files" / (name + "." + std::to_string(n));
  std::error_code error;
  fs::create_directories(place.parent_path(), error);
  require(error, "cannot make " + place.parent_path().string());
  step();
  fs::rename(file, place, error);
  require(error, "cannot keep " + file.string());
}

UpgradeReport Upgrade::report(const Edition& before, const Edition& after) const {
  UpgradeReport report{.before = before,
                       .after = after,
                       .backups = backups(after),
                       .backed_up = names_below(backups(after) / "files"),
                       .skeletons = {},
                       .labs_gone = {}};
  for (const auto& [name, sha256] : after.files) {
    report.added += before.files.contains(name) ? 0 : 1;
    report.changed += before.files.contains(name) && listed(before, name) != sha256 ? 1 : 0;
  }
  for (const auto& [name, sha256] : before.files) report.removed += after.files.contains(name) ? 0 : 1;
  for (const std::string& diff : names_below(backups(after) / "skeletons")) {
    if (!diff.ends_with(".diff")) continue;  // half of one, of a run that was killed
    report.skeletons.emplace_back(diff.substr(0, diff.size() - std::string(".diff").size()),
                                  read_file(backups(after) / "skeletons" / diff));
  }
  for (const std::string& lab : before.labs)
    if (std::ranges::find(after.labs, lab) == after.labs.end()) report.labs_gone.push_back(lab);
  return report;
}

}  // namespace roofline::grader
