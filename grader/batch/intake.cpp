// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/intake.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/words.h"
#include "grader/batch/layout.h"
#include "grader/box/process.h"
#include "grader/text/terminal.h"
#include "grader/unpack/unpack.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestArchive = 64 << 20;
constexpr int kDeepest = 6;  ///< folders below a submission's that are looked into
const unpack::Limits kLimits;

/// A regular file that is not a link, read through a descriptor so that it cannot become one meanwhile.
std::optional<std::string> read_regular(const fs::path& file, std::size_t most) {
  const int fd = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat facts {};
  std::string bytes;
  bool ok =
      fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && static_cast<std::uint64_t>(facts.st_size) <= most;
  if (ok) {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
    ok = read(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  close(fd);
  if (!ok) return std::nullopt;
  return bytes;
}

bool is_archive(const std::string& name) {
  static constexpr const char* kEndings[] = {".zip",    ".tar",     ".tgz",    ".tar.gz",
                                             ".tar.xz", ".tar.bz2", ".tar.zst"};
  return std::ranges::any_of(kEndings, [&](const char* ending) { return name.ends_with(ending); });
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// What a submission holds, from wherever it came.
class Collector {
 public:
  Collector(const std::vector<Chosen>& parts, const Unpacker& unpacker) : unpacker_(unpacker) {
    for (const Chosen& part : parts)
      for (const std::string& name : {part.part->program.source, part.lab->prediction})
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  }

  void take(const fs::path& path, const std::string& shown, int depth) {
    const fs::file_status status = fs::symlink_status(path);
    const std::string name = base_name(shown);
    if (fs::is_directory(status)) {
      if (depth < kDeepest) take_folder(path, shown, depth);
    } else if (fs::is_regular_file(status)) {
      if (const std::string declared = declared_name(name, names_); !declared.empty()) {
        take_file(path, folder_of(shown) + "/" + declared);
      } else if (is_archive(name)) {
        take_archive(path, folder_of(shown));
      }
    }
  }

  /// A single file of another name, where there is only one it can be.
  void take_as(const fs::path& path, const std::string& declared) { take_file(path, declared); }

  const std::vector<unpack::File>& files() const { return files_; }
  const std::string& problem() const { return problem_; }

 private:
  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  void take_folder(const fs::path& folder, const std::string& shown, int depth) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (!name.starts_with(".") && name != "__MACOSX") entries.push_back(it->path());
      if (entries.size() > kLimits.entries) return complain("the folder holds too many files");
    }
    std::ranges::sort(entries);
    for (const fs::path& entry : entries) take(entry, shown + "/" + entry.filename().string(), depth + 1);
  }

  void take_file(const fs::path& path, const std::string& shown) {
    if (files_.size() >= kLimits.files)
      return complain("more than " + std::to_string(kLimits.files) +
                      " files of the names that the lab declares");
    std::optional<std::string> bytes = read_regular(path, kLimits.file_bytes);
    if (!bytes)
      return complain(base_name(shown) + " cannot be read, or is larger than " +
                      std::to_string(kLimits.file_bytes >> 10) + " KiB");
    files_.push_back({shown, std::move(*bytes)});
  }

  void take_archive(const fs::path& archive, const std::string& shown) {
    const std::string name = printable(archive.filename().string());
    std::error_code error;
    if (fs::file_size(archive, error) > kLargestArchive || error)
      return complain(name + " is larger than 64 MiB");
    if (unpacker_.program.empty())
      throw InfrastructureError(
          "archives cannot be unpacked: this build is without libarchive (install libarchive-dev, then ./lab "
          "setup)");
    if (!(unpacker_.time->left().count() > 0))
      return complain(name + ": the archives take more than 20 s to unpack");
    unpack::Contents contents = run_unpacker(archive);
    if (!contents.problem.empty()) complain(name + ": " + printable(contents.problem));
    for (unpack::File& file : contents.files) {
      if (file.path.find("__MACOSX") != std::string::npos) continue;
      if (files_.size() >= kLimits.files) break;
      files_.push_back({shown + "/" + file.path, std::move(file.bytes)});
    }
  }

  unpack::Contents run_unpacker(const fs::path& archive) const {
    const auto begin = std::chrono::steady_clock::now();
    const CommandOptions options{
        .limit = std::chrono::duration_cast<std::chrono::milliseconds>(unpacker_.time->left()),
        .output_limit = kLimits.files * (kLimits.file_bytes + 8192) + 8192};
    CommandResult result;
    if (unpacker_.sandbox == Sandbox::kNone) {
      std::vector<std::string> command = {unpacker_.program.string(), archive.string()};
      command.insert(command.end(), names_.begin(), names_.end());
      result = run_command(command, options);
    } else {
      Box box(unpacker_.sandbox, Box::Kind::kCompile, {});
      std::vector<std::string> command = {box.show(unpacker_.program, "unpack"),
                                          box.show(archive, "archive")};
      command.insert(command.end(), names_.begin(), names_.end());
      result = run_command(box.enter(command, {}, "", {}), options);
      if (!result.ok() && !result.timed_out && !box.was_entered())
        throw InfrastructureError("the box of the unpacker could not be made: " + printable(result.output));
    }
    unpacker_.time->spend(std::chrono::steady_clock::now() - begin);
    if (result.timed_out) return {.files = {}, .problem = "the archives take more than 20 s to unpack"};
    return unpack::unpacked(result.output, kLimits);
  }

  const Unpacker& unpacker_;
  std::vector<std::string> names_;
  std::vector<unpack::File> files_;
  std::string problem_;
};

/// How well a place fits a part's file: in the lab's own folder, else as near to the top as possible.
int misfit(const std::string& path, const std::string& lab_folder) {
  const std::string folder = "/" + folder_of(path) + "/";
  if (folder.ends_with("/labs/" + lab_folder + "/")) return 0;
  if (folder.ends_with("/" + lab_folder + "/")) return 1;
  if (folder.find("/solutions/") != std::string::npos) return 1000;  // a clone of the whole course
  return 2 + static_cast<int>(std::ranges::count(path, '/'));
}

const unpack::File* best_of(const std::vector<unpack::File>& files, const std::string& name,
                            const std::string& lab_folder) {
  const unpack::File* best = nullptr;
  for (const unpack::File& file : files) {
    if (base_name(file.path) != name) continue;
    if (best == nullptr || misfit(file.path, lab_folder) < misfit(best->path, lab_folder)) best = &file;
  }
  return best;
}

/// Two names that become one file name are two students.
std::string safe_id(const std::string& id) {
  const std::string safe = file_name_of(id);
  return safe == id ? safe : safe + "_" + sha256_hex(id).substr(0, 6);
}

/// Whose an entry is: several people where a group handed it in.
std::vector<Layout> owners_of(const std::string& entry,
                              const std::map<std::string, GradescopeEntry>& gradescope) {
  const auto known = gradescope.find(entry);
  if (known == gradescope.end()) return {layout_of(entry)};
  std::vector<Layout> owners;
  for (const GradescopeEntry::Person& person : known->second.submitters)
    owners.push_back({.id = person.email.substr(0, person.email.find('@')),
                      .name = person.name,
                      .email = person.email,
                      .platform_id = person.student_id,
                      .time = known->second.time});
  return owners;
}

HandedIn handed_in_by(const Layout& owner, const fs::path& path, const std::vector<Student>& roster) {
  const std::string raw = path.filename().string();
  HandedIn one{.id = owner.id,
               .name = printable(owner.name),
               .email = printable(owner.email),
               .label = printable(raw),
               .path = path,
               .time = owner.time};
  const Student* student = find_student(roster, {owner.id, owner.email, owner.platform_id, owner.name});
  one.in_roster = roster.empty() || student != nullptr;
  if (student != nullptr) {
    one.id = student->id;
    one.name = student->name.empty() ? one.name : student->name;
    one.email = student->email.empty() ? one.email : student->email;
    if (!one.time) one.time = student->handed_in;
  }
  one.id = safe_id(one.id.empty() ? raw : one.id);
  return one;
}

}  // namespace

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

std::vector<HandedIn> find_submissions(const fs::path& folder, const std::vector<Student>& roster) {
  std::error_code error;
  if (!fs::exists(folder, error)) throw UsageError("there is no folder " + folder.string());
  if (!fs::is_directory(folder, error))
    throw UsageError(folder.string() + " is not a folder; unpack what the platform exported into one");
  std::map<std::string, GradescopeEntry> gradescope;
  if (const auto yml = read_regular(folder / "submission_metadata.yml", 16 << 20))
    gradescope = parse_gradescope(*yml);
  std::vector<HandedIn> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::file_status status = entry.symlink_status();
    const std::string raw = entry.path().filename().string();
    if (raw.starts_with(".") || raw == "submission_metadata.yml" || raw == "__MACOSX") continue;
    if (!fs::is_directory(status) && !fs::is_regular_file(status)) continue;
    for (const Layout& owner : owners_of(raw, gradescope))
      found.push_back(handed_in_by(owner, entry.path(), roster));
  }
  if (found.empty()) throw UsageError("there is no submission in " + folder.string());
  std::ranges::sort(found, {},
                    [](const HandedIn& one) { return std::pair(one.id, one.path.filename().string()); });
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
      throw UsageError("late.extensions." + name + " names nobody in the roster, or several students");
    by_id[lower(safe_id(student->id))] = until;
  }
  late.extensions = std::move(by_id);
}

Intake take_in(const HandedIn& handed_in, const std::vector<Chosen>& parts, const Unpacker& unpacker) {
  unpacker.time->begin_submission();
  Collector collector(parts, unpacker);
  const std::string name = handed_in.path.filename().string();
  collector.take(handed_in.path, name, 0);
  if (collector.files().empty() && parts.size() == 1 && handed_in.path.extension() == ".cu")
    collector.take_as(handed_in.path, parts[0].part->program.source);
  Intake intake;
  intake.problem = collector.problem();
  bool any = false;
  for (const Chosen& part : parts) {
    PartFiles& files = intake.parts[part.id()];
    const unpack::File* source = best_of(collector.files(), part.part->program.source, part.lab->folder);
    if (source == nullptr) continue;
    any = files.found = true;
    files.source = source->bytes;
    // The prediction that lies beside the source, else the lab's, else any.
    const unpack::File* prediction = nullptr;
    for (const unpack::File& file : collector.files())
      if (base_name(file.path) == part.lab->prediction && folder_of(file.path) == folder_of(source->path))
        prediction = &file;
    if (prediction == nullptr)
      prediction = best_of(collector.files(), part.lab->prediction, part.lab->folder);
    if (prediction != nullptr) files.prediction = prediction->bytes;
  }
  if (!any && intake.problem.empty()) {
    intake.problem = "there is no file of the name that the lab asks for:";
    for (const Chosen& part : parts) intake.problem += " " + part.part->program.source;
  }
  return intake;
}

}  // namespace roofline::grader
