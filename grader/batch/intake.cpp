// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/intake.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/batch/layout.h"
#include "grader/batch/regular_file.h"
#include "grader/unpack/unpack.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kDeepest = 6;  ///< folders below a submission's that are looked into
const unpack::Limits kLimits;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// What a submission holds, from wherever it came.
class Collector {
 public:
  Collector(const std::vector<Chosen>& parts, const Unpacker& unpacker)
      : unpacker_(unpacker), names_(declared_names(parts)) {}

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
  void take_as(const fs::path& path, const std::string& declared) { take_file(path, "/" + declared); }

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
      if (!name.starts_with('.') && name != "__MACOSX") entries.push_back(it->path());
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
    unpack::Contents contents = unpack_submission(unpacker_, archive, names_);
    if (!contents.problem.empty()) complain(name + ": " + printable(contents.problem));
    for (unpack::File& file : contents.files) {
      if (file.path.find("__MACOSX") != std::string::npos) continue;
      if (files_.size() >= kLimits.files) break;
      files_.push_back({shown + "/" + file.path, std::move(file.bytes)});
    }
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

/// A single source of another name can only be what is asked for.
void take_renamed(Collector& collector, const std::vector<Piece>& pieces, const std::string& source) {
  if (best_of(collector.files(), source, {}) != nullptr) return;
  const Piece* only = nullptr;
  for (const Piece& piece : pieces) {
    if (fs::path(piece.name).extension() != fs::path(source).extension()) continue;
    if (only != nullptr) return;
    only = &piece;
  }
  if (only != nullptr) collector.take_as(only->path, source);
}

}  // namespace

std::vector<std::string> declared_names(const std::vector<Chosen>& parts) {
  std::vector<std::string> names;
  for (const Chosen& part : parts)
    for (const std::string& name : {part.part->program.source, part.lab->prediction})
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

Intake take_in(const HandedIn& handed_in, const std::vector<Chosen>& parts, const Unpacker& unpacker) {
  unpacker.time->begin_submission();
  Collector collector(parts, unpacker);
  for (const Piece& piece : handed_in.pieces) collector.take(piece.path, piece.name, 0);
  if (parts.size() == 1) take_renamed(collector, handed_in.pieces, parts[0].part->program.source);
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
