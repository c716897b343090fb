// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/course.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/handout/student_page.h"
#include "grader/handout/zip.h"
#include "grader/lab/skeleton.h"
#include "grader/lab/spec_files.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Folders and files, relative to the checkout, that students do not get; beside these every folder `tests`.
const std::vector<std::string> kForInstructors = {
    ".ci",
    "cmake/portable",
    "docs/add-a-call.md",
    "docs/add-a-check.md",
    "docs/add-a-counter.md",
    "docs/add-a-format.md",
    "docs/add-a-gpu.md",
    "docs/add-a-lab.md",
    "docs/add-a-verb.md",
    "docs/add-an-instruction.md",
    "docs/batch.md",
    "docs/cluster.md",
    "docs/course-file.md",
    "docs/data-protection.md",
    "docs/term.md",
    "docs/instructor-guide.md",
    "docs/releases.md",
    "docs/similarity.md",
    "docs/results/files.md",
    "docs/what-we-refuse.md",
    "grader/handout/author_check.cpp",
    "grader/handout/author_check.h",
    "grader/handout/new_lab",
    "grader/handout/simulator",
    "grader/handout/exam.cpp",
    "grader/handout/exam.h",
    "grader/verbs/author_check.cpp",
    "grader/verbs/exam.cpp",
    "solutions",
};

/// All that is needed to grade; the rest of the checkout stays out of an autograder.
const std::vector<std::string> kToGrade = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "common", "grader", "lab", "labs"};

/// Beside those, what students get. A file that an instructor added elsewhere, tracked or not, is nobody
/// else's.
const std::vector<std::string> kToLearn = {".clang-format", ".clang-tidy", ".clangd", ".devcontainer",
                                           ".dockerignore", ".gitignore",  ".vscode", "Dockerfile",
                                           "README.md",     "docs"};

bool lies_in(const fs::path& name, const std::string& folder) {
  const std::string text = name.generic_string();
  return text == folder || text.starts_with(folder + "/");
}

bool lies_in_any(const fs::path& name, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) { return lies_in(name, folder); });
}

bool is_for_instructors(const fs::path& name) {
  return lies_in_any(name, kForInstructors) || std::ranges::find(name, fs::path("tests")) != name.end();
}

/// Tracked files, or in a copy without git the files below the folders that the project has.
std::vector<fs::path> project_files(const fs::path& root) {
  std::vector<std::string> places = kToGrade;
  places.insert(places.end(), kToLearn.begin(), kToLearn.end());
  std::vector<fs::path> names;
  std::error_code error;
  if (fs::exists(root / ".git", error)) {
    const CommandResult listed =
        run_command({"git", "-C", root.string(), "ls-files", "-z"}, {.output_limit = 16 << 20});
    if (listed.ok() && !listed.truncated) {
      std::istringstream text(listed.output);
      for (std::string name; std::getline(text, name, '\0');) names.emplace_back(name);
    }
  }
  if (names.empty()) {
    for (const std::string& place : places) {
      if (fs::is_regular_file(root / place, error)) names.emplace_back(place);
      for (fs::recursive_directory_iterator it(root / place, error), end; it != end; it.increment(error))
        if (it->is_regular_file(error)) names.push_back(it->path().lexically_relative(root));
    }
  }
  std::erase_if(names, [&](const fs::path& name) {
    return !lies_in_any(name, places) ||
           !fs::is_regular_file(fs::symlink_status(root / name, error));  // deleted, or a link
  });
  std::ranges::sort(names);
  return names;
}

/// Labs that nobody asked for stay at home; other folders are not labs.
bool is_of_another_lab(const fs::path& name, const std::vector<Chosen>& parts) {
  auto step = name.begin();
  if (step == name.end() || *step != "labs" || ++step == name.end()) return false;
  return std::ranges::none_of(parts, [&](const Chosen& part) { return part.lab->folder == *step; });
}

/// An instructor's hidden cases (hidden.h), which may lie beside the lab they are of.
bool holds_hidden_cases(const fs::path& file) {
  static const std::regex kCase(R"((^|\n)\s*\[\[\s*case\s*\]\])");
  return file.extension() == ".toml" && std::regex_search(read_file(file), kCase);
}

/// `key = 12  # comment` becomes `key = ""  # comment`.
std::string unanswered(const std::string& prediction) {
  static const std::regex kAnswer(R"(^(\s*\w+\s*=\s*)("[^"]*"|[^#\s]+))");
  std::istringstream lines(prediction);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    out += std::regex_replace(line, kAnswer, "$1\"\"", std::regex_constants::format_first_only) + "\n";
  return out;
}

/// The instructor may have solved the lab in this checkout.
void take_work_out(std::vector<CourseFile>& files, const Paths& paths, const std::vector<Chosen>& parts) {
  for (CourseFile& file : files) {
    for (const Chosen& part : parts) {
      const fs::path folder = fs::path("labs") / part.lab->folder;
      if (file.name == folder / part.lab->prediction) {
        file.bytes = unanswered(file.bytes);
        break;
      }
      if (file.name != folder / part.part->program.source) continue;
      if (const auto skeleton = find_skeleton(paths.root, paths.state, part.file(paths)))
        file.bytes = skeleton->text;
    }
  }
}

std::vector<CourseFile> read_files(const fs::path& root, const std::vector<fs::path>& names) {
  std::vector<CourseFile> files;
  for (const fs::path& name : names)
    files.push_back(
        {.name = name, .bytes = read_file(root / name), .executable = is_executable(root / name)});
  return files;
}

}  // namespace

std::vector<fs::path> unusual_files(const std::vector<CourseFile>& files, const std::vector<Chosen>& parts) {
  const auto belongs = [&](const fs::path& name) {  // below labs/NN-name/
    static const std::vector<std::string> kPages = {"README.md", "hints.md", "explanations.toml",
                                                    "quiz.toml"};
    const std::string text = name.filename().string(), folder = name.parent_path().filename().string();
    if (folder == "experiments" || folder == "broken" || folder == kSealedFolder) return true;
    if (std::ranges::find(kPages, text) != kPages.end()) return true;
    if (name.extension() == ".h" || name.extension() == ".svg" || is_spec(name) ||
        text.ends_with("_worker.cu"))
      return true;
    return std::ranges::any_of(parts, [&](const Chosen& part) {
      return folder == part.lab->folder &&
             (text == part.part->program.source || text == part.lab->prediction);
    });
  };
  std::vector<fs::path> unusual;
  for (const CourseFile& file : files)
    if (lies_in(file.name, "labs") && std::distance(file.name.begin(), file.name.end()) > 2 &&
        !belongs(file.name))
      unusual.push_back(file.name);
  return unusual;
}

std::vector<std::string> missing_labs(const std::vector<CourseFile>& files,
                                      const std::vector<Chosen>& parts) {
  std::vector<std::string> missing;
  for (const Chosen& part : parts) {
    const fs::path source = fs::path("labs") / part.lab->folder / part.part->program.source;
    const bool there =
        std::ranges::any_of(files, [&](const CourseFile& file) { return file.name == source; });
    if (!there && std::ranges::find(missing, part.lab->folder) == missing.end())
      missing.push_back(part.lab->folder);
  }
  return missing;
}

std::string with_rows_for_labs(const std::string& readme, const std::vector<Chosen>& parts) {
  std::string text = readme;
  for (const Chosen& part : parts) {
    const std::string page = "(labs/" + part.lab->folder + "/README.md)";
    if (text.find(page) != std::string::npos) continue;
    const size_t row = text.rfind("](labs/"), end = row == std::string::npos ? row : text.find('\n', row);
    if (end == std::string::npos) return text;  // no table to continue
    std::string name = part.lab->folder;
    std::ranges::replace(name, '-', ' ');
    text.insert(end + 1, "| [" + name + "]" + page + " | " + part.lab->title + " | |\n");
  }
  return text;
}

std::vector<CourseFile> student_files(const Paths& paths, const std::vector<Chosen>& parts) {
  std::vector<fs::path> names = project_files(paths.root);
  std::erase_if(names, [&](const fs::path& name) {
    return is_for_instructors(name) || is_of_another_lab(name, parts) ||
           holds_hidden_cases(paths.root / name);
  });
  std::set<std::string> there;  // files and folders
  for (const fs::path& name : names)
    for (fs::path step = name; !step.empty(); step = step.parent_path()) there.insert(step.generic_string());
  const auto kept = [&](const fs::path& target) {
    std::string name = target.generic_string();
    if (name.ends_with('/')) name.pop_back();
    return there.contains(name);
  };
  std::vector<CourseFile> files = read_files(paths.root, names);
  for (CourseFile& file : files)
    if (file.name == "README.md") file.bytes = with_rows_for_labs(file.bytes, parts);
  for (CourseFile& file : files)
    if (file.name.extension() == ".md") file.bytes = page_for_students(file.bytes, file.name, kept);
  take_work_out(files, paths, parts);
  return files;
}

std::vector<CourseFile> ladder_files(const Paths& paths, const std::vector<Chosen>& parts) {
  std::set<fs::path> names;  // a lab with parts has one answer
  std::error_code ignored;
  for (const Chosen& part : parts) {
    for (const auto& entry : fs::directory_iterator(part.versions(paths, "variants"), ignored))
      if (entry.path().extension() == ".cu") names.insert(entry.path().lexically_relative(paths.root));
    const fs::path answer = part.solutions(paths) / "answer.md";
    if (fs::is_regular_file(answer, ignored)) names.insert(answer.lexically_relative(paths.root));
  }
  return read_files(paths.root, {names.begin(), names.end()});
}

std::vector<CourseFile> autograder_files(const Paths& paths, const std::vector<Chosen>& parts) {
  std::vector<fs::path> names = project_files(paths.root);
  std::erase_if(names, [&](const fs::path& name) {
    return !lies_in_any(name, kToGrade) || is_for_instructors(name) || is_of_another_lab(name, parts) ||
           name.extension() == ".md" || name.extension() == ".svg" || holds_hidden_cases(paths.root / name);
  });
  std::vector<CourseFile> files = read_files(paths.root, names);
  take_work_out(files, paths, parts);
  return files;
}

std::string gradescope_zip(const Paths& paths, const std::vector<Chosen>& parts, const std::string& hidden,
                           const std::vector<CourseFile>& built) {
  std::vector<ZipEntry> entries;
  const fs::path scripts = paths.root / "grader" / "handout" / "autograder";
  for (const char* name : {"setup.sh", "run_autograder"})
    entries.push_back({.name = name, .bytes = read_file(scripts / name), .executable = true});
  std::string list;
  for (const Chosen& part : parts) list += part.id() + "\n";
  entries.push_back({.name = "parts", .bytes = list});
  if (!hidden.empty()) entries.push_back({.name = "hidden.toml", .bytes = hidden});
  std::vector<CourseFile> files = autograder_files(paths, parts);
  std::ranges::copy_if(built, std::back_inserter(files),
                       [](const CourseFile& file) { return lies_in(file.name, "built"); });
  for (CourseFile& file : files)
    entries.push_back({.name = "roofline-labs/" + file.name.generic_string(),
                       .bytes = std::move(file.bytes),
                       .executable = file.executable});
  return zip_archive(entries);
}

}  // namespace roofline::grader
