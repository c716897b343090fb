// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Whose the entries of a class's folder are, and which of them are one submission.
#include <algorithm>
#include <cctype>
#include <regex>
#include <tuple>

#include "grader/base/file.h"
#include "grader/base/words.h"
#include "grader/batch/intake.h"
#include "grader/batch/layout.h"
#include "grader/batch/regular_file.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// An entry of the folder.
struct Entry {
  std::string raw;
  fs::path path;
  Layout layout;
};

/// What was handed in at one time, before it is known by whom.
struct Bundle {
  std::vector<Piece> pieces;
  Layout layout;
  std::string entry, label;
};

std::vector<Entry> entries_of(const fs::path& folder, const Search& search) {
  std::vector<Entry> entries;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::file_status status = entry.symlink_status();
    const std::string raw = entry.path().filename().string();
    if (is_nobodys(raw) || search.left_out.contains(entry.path())) continue;
    if (!fs::is_directory(status) && !fs::is_regular_file(status)) continue;
    if (fs::is_regular_file(status) && std::ranges::find(search.names, raw) != search.names.end())
      throw UsageError(folder.string() + " is what one student handed in: it holds " + raw +
                       " itself. Name the folder that holds a file, a folder or an archive for each student");
    entries.push_back({raw, entry.path(), layout_of(raw)});
  }
  std::ranges::sort(entries, {}, &Entry::raw);
  std::vector<std::string> repositories;
  for (const Entry& entry : entries)
    if (entry.layout.platform == Platform::kNone) repositories.push_back(entry.layout.id);
  const auto logins = logins_of(repositories);
  for (Entry& entry : entries)
    if (const auto known = logins.find(entry.layout.id);
        entry.layout.platform == Platform::kNone && known != logins.end())
      entry.layout.perhaps = known->second;
  return entries;
}

/// Entries of the same student and time; Canvas tells no time.
std::string bundle_key(const Entry& entry) {
  const Layout& layout = entry.layout;
  if (layout.platform == Platform::kNone || layout.file.empty()) return entry.raw;
  const std::string when =
      layout.platform == Platform::kBlackboard && layout.time ? std::to_string(*layout.time) : "";
  return std::to_string(static_cast<int>(layout.platform)) + "/" + layout.id + "/" + when;
}

/// What a file is, whatever copy number a platform gave it; empty: nothing that is graded.
std::string kind_of(const std::string& file, const std::vector<std::string>& names) {
  const std::string declared = declared_name(file, names);
  const std::string plain = declared.empty() ? without_copy_number(file) : declared;
  return !declared.empty() || plain.ends_with(".cu") || is_archive(plain) ? plain : "";
}

Bundle bundle_of(const std::vector<const Entry*>& entries) {
  Bundle bundle{.pieces = {}, .layout = entries.front()->layout, .entry = entries.front()->raw, .label = {}};
  for (const Entry* entry : entries) {
    bundle.pieces.push_back({entry->path, entry->layout.file.empty() ? entry->raw : entry->layout.file});
    bundle.label += (bundle.label.empty() ? "" : ", ") + bundle.pieces.back().name;
    bundle.layout.late = bundle.layout.late || entry->layout.late;
  }
  if (entries.size() == 1) bundle.label = bundle.entry;
  return bundle;
}

/// In a folder that several downloads were put into, a file that comes again begins a new attempt (Canvas
/// calls it pointwise-1.cu). What an attempt leaves out is as it was before.
std::vector<Bundle> attempts_of(std::vector<const Entry*> entries, const std::vector<std::string>& names) {
  std::ranges::stable_sort(entries, {}, [](const Entry* entry) { return entry->layout.number; });
  std::vector<Bundle> attempts;
  std::map<std::string, const Entry*> current, added;
  const auto finish = [&] {
    std::vector<const Entry*> files;
    for (const auto& [kind, entry] : current) files.push_back(entry);
    attempts.push_back(bundle_of(files));
    added.clear();
  };
  for (const Entry* entry : entries) {
    std::string kind = kind_of(entry->layout.file, names);
    if (kind.empty()) kind = "other/" + entry->raw;
    if (added.contains(kind)) finish();
    current[kind] = added[kind] = entry;
  }
  finish();
  return attempts;
}

/// Folders attempt-1, attempt-2 or attempt-2026-11-20-10-11-12 and nothing else in a student's.
std::vector<Bundle> attempt_folders(const Entry& entry) {
  static const std::regex kAttempt(
      "^attempt-([0-9]{1,9}|([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2})-([0-9]{2})-([0-9]{2}))$");
  std::vector<std::pair<unsigned long, Bundle>> found;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(entry.path))) return {};
  for (fs::directory_iterator it(entry.path, error), end; !error && it != end; it.increment(error)) {
    const std::string raw = it->path().filename().string();
    std::smatch match;
    if (is_nobodys(raw)) continue;
    if (raw.size() > 40 || !std::regex_match(raw, match, kAttempt) || !fs::is_directory(it->symlink_status()))
      return {};
    Bundle bundle{.pieces = {{it->path(), raw}},
                  .layout = entry.layout,
                  .entry = entry.raw,
                  .label = entry.raw + "/" + raw};
    if (match[2].matched) {
      bundle.layout.time =
          parse_time(match[2].str() + " " + match[3].str() + ":" + match[4].str() + ":" + match[5].str());
      bundle.layout.local_time = true;
    }
    found.emplace_back(match[2].matched ? 0 : std::stoul(match[1]), std::move(bundle));
  }
  std::ranges::sort(found, {}, [](const auto& one) {
    return std::tuple(one.first, one.second.layout.time.value_or(0), one.second.label);
  });
  std::vector<Bundle> attempts;
  for (auto& [number, bundle] : found) attempts.push_back(std::move(bundle));
  return attempts;
}

std::vector<Bundle> bundles_of(const std::vector<Entry>& entries, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::vector<const Entry*>>> groups;  // in the order of the entries
  std::map<std::string, std::size_t> known;
  for (const Entry& entry : entries) {
    const auto [place, is_new] = known.try_emplace(bundle_key(entry), groups.size());
    if (is_new) groups.emplace_back(place->first, std::vector<const Entry*>{});
    groups[place->second].second.push_back(&entry);
  }
  std::vector<Bundle> bundles;
  for (const auto& [key, group] : groups) {
    std::vector<Bundle> attempts;
    if (group.front()->layout.platform == Platform::kCanvas) attempts = attempts_of(group, names);
    if (group.front()->layout.platform == Platform::kNone) attempts = attempt_folders(*group.front());
    if (attempts.empty()) attempts.push_back(bundle_of(group));
    std::ranges::move(attempts, std::back_inserter(bundles));
  }
  return bundles;
}

/// Whose a bundle is: several people where a group handed it in.
std::vector<Layout> owners_of(const Bundle& bundle,
                              const std::map<std::string, GradescopeEntry>& gradescope) {
  const auto known = gradescope.find(bundle.entry);
  if (known == gradescope.end()) return {bundle.layout};
  std::vector<Layout> owners;
  for (const GradescopeEntry::Person& person : known->second.submitters)
    owners.push_back({.id = person.email.substr(0, person.email.find('@')),
                      .name = person.name,
                      .email = person.email,
                      .platform_id = person.student_id,
                      .time = known->second.time});
  return owners;
}

const Student* find_owner(const Layout& owner, const std::vector<Student>& roster) {
  const Student* student = find_student(roster, {owner.id, owner.email, owner.platform_id, owner.name});
  for (std::size_t i = 0; student == nullptr && i < owner.perhaps.size(); ++i)
    student = find_student(roster, {owner.perhaps[i]});
  return student;
}

/// Whose the submissions are. Two accounts of a platform are two people: where both fit one student, and only
/// by a name, nobody can tell which of them it is, and they are nobody in the roster.
class Accounts {
 public:
  explicit Accounts(const std::vector<Student>& roster) : roster_(roster) {}
  void add(const Layout& owner) {
    if (const Student* student = find_owner(owner, roster_)) accounts_[student].insert(account_of(owner));
  }
  const Student* of(const Layout& owner) const {
    const Student* student = find_owner(owner, roster_);
    if (student == nullptr || account_of(owner).empty()) return student;
    std::set<std::string> accounts = accounts_.at(student);
    accounts.erase("");
    const bool only_one = accounts.size() == 1;
    return only_one || find_student(roster_, {owner.email, owner.platform_id}) == student ? student : nullptr;
  }

 private:
  /// Empty: a folder that an instructor named, of which a student may have several.
  static std::string account_of(const Layout& owner) {
    return owner.platform == Platform::kNone ? owner.email : owner.id;
  }
  const std::vector<Student>& roster_;
  std::map<const Student*, std::set<std::string>> accounts_;
};

HandedIn handed_in_by(const Layout& owner, const Bundle& bundle, const Student* student, bool has_roster,
                      const std::string& time_zone) {
  HandedIn one{.id = owner.id,
               .name = one_line(owner.name),
               .email = one_line(owner.email),
               .label = one_line(bundle.label),
               .pieces = bundle.pieces,
               .time = owner.time,
               .marked_late = owner.late};
  if (one.time && owner.local_time) one.time = from_zone(*one.time, time_zone);
  one.in_roster = !has_roster || student != nullptr;
  if (student != nullptr) {
    one.id = student->id;
    one.name = student->name.empty() ? one.name : student->name;
    one.email = student->email.empty() ? one.email : student->email;
    if (!one.time) one.time = student->handed_in;
  }
  one.id = safe_id(one.id.empty() ? bundle.entry : one.id);
  return one;
}

}  // namespace

std::string safe_id(const std::string& id) {
  const std::string safe = file_name_of(id);
  return safe == id ? safe : safe + "_" + sha256_hex(id).substr(0, 6);
}

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    if (fine)
      name += c;
    else if (!name.ends_with('_'))
      name += '_';
  }
  while (name.starts_with('.') || name.starts_with('-')) name.erase(0, 1);
  if (name.size() > 80 || name.empty() || name == "_")
    name = name.substr(0, 60) + "_" + sha256_hex(text).substr(0, 8);
  return name;
}

std::vector<HandedIn> find_submissions(const fs::path& folder, const std::vector<Student>& roster,
                                       const Search& search) {
  std::error_code error;
  if (!fs::exists(folder, error)) throw UsageError("there is no folder " + folder.string());
  if (!fs::is_directory(folder, error))
    throw UsageError(folder.string() +
                     " is neither a folder nor an archive; name what the platform exported");
  std::map<std::string, GradescopeEntry> gradescope;
  if (const auto yml = read_regular(folder / "submission_metadata.yml", 16 << 20))
    gradescope = parse_gradescope(*yml);
  const std::vector<Bundle> bundles = bundles_of(entries_of(folder, search), search.names);
  Accounts accounts(roster);
  for (const Bundle& bundle : bundles)
    for (const Layout& owner : owners_of(bundle, gradescope)) accounts.add(owner);
  std::vector<HandedIn> found;
  for (const Bundle& bundle : bundles)
    for (const Layout& owner : owners_of(bundle, gradescope))
      found.push_back(handed_in_by(owner, bundle, accounts.of(owner), !roster.empty(), search.time_zone));
  if (found.empty()) throw UsageError("there is no submission in " + folder.string());
  std::ranges::stable_sort(found, {}, &HandedIn::id);
  return found;
}

std::vector<Student> without_submission(const std::vector<Student>& roster, std::set<std::string> ids) {
  std::vector<Student> absent;
  for (const Student& student : roster)
    if (ids.insert(safe_id(student.id)).second) absent.push_back(student);
  return absent;
}

void name_by_id(LatePolicy& late, const std::vector<Student>& roster) {
  std::map<std::string, Seconds> by_id;
  for (const auto& [name, until] : late.extensions) {
    const Student* student = find_student(roster, {name});
    if (student == nullptr)
      throw UsageError("the extension of " + name + " is nobody's in the roster, or several students'");
    by_id[lower(safe_id(student->id))] = until;
  }
  late.extensions = std::move(by_id);
}
}  // namespace roofline::grader
