// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/utc_now.h"
#include "grader/batch/course.h"
#include "grader/formats/format.h"
#include "grader/formats/json.h"
#include "grader/handout/course.h"
#include "grader/handout/portable.h"
#include "grader/handout/upgrade.h"
#include "grader/handout/zip.h"
#include "grader/lab/hidden.h"
#include "grader/lab/selection.h"
#include "grader/verbs/export_built.h"
#include "grader/verbs/sealed.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// One file, or every NAME.json of a folder in the order of their names.
std::vector<Graded> read_results(const fs::path& from) {
  std::error_code ignored;
  if (!fs::exists(from, ignored)) throw UsageError("there is no " + from.string() + " to export from");
  try {
    if (!fs::is_directory(from, ignored)) return {read_graded(from)};
    std::vector<Graded> all = read_graded_folder(from);
    if (all.empty()) throw UsageError("there is no result (*.json) in " + from.string());
    return all;
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

FormatOptions options_of(const Paths& paths, const ExportRequest& request) {
  FormatOptions options;
  options.root = paths.root;
  options.column = request.column;
  if (!request.gradebook.empty()) options.gradebook = read_given(request.gradebook);
  options.note = [](const std::string& what) { std::fprintf(stderr, "  note    %s\n", what.c_str()); };
  return options;
}

void export_results(const Paths& paths, const ExportRequest& request) {
  const Format& format = format_named(request.format);
  const std::vector<Graded> all = read_results(request.from);
  const FormatOptions options = options_of(paths, request);
  if (format.of == Format::Of::kSubmission && all.size() > 1) {
    if (request.out.empty())
      throw UsageError("a class needs a folder for its " + format.name + " files: name it with --out");
    const auto written = write_formats({format.name}, all, request.out, options);
    std::printf("%zu files in %s\n", written.size(), (request.out / format.name).c_str());
    return;
  }
  const std::string text = format.text(all, options);
  if (request.out.empty() || request.out == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  require_place(request.out);
  write_file(request.out, text);
  std::printf("%s\n", request.out.c_str());
}

/// An exam's hints stay at home: a page without a hint takes their place, so that ./lab hint says why.
void leave_hints_out(std::vector<CourseFile>& files, const Course& course, const std::vector<Chosen>& parts) {
  for (const Chosen& part : parts) {
    const Exam* exam = course.exam_of({part.id()});
    if (exam == nullptr || exam->hints) continue;
    for (CourseFile& file : files)
      if (file.name == fs::path("labs") / part.lab->folder / part.lab->hints)
        file.bytes = "# Hints\n\n## Hint 1\n\nThis lab is an exam: there are no hints.\n";
  }
}

/// A folder with something in it may be anybody's work: nothing is written into it, unless it is an earlier
/// edition of the course.
void require_place_for_course(const fs::path& out) {
  if (out.empty()) throw UsageError("name the folder for the course repository: --out FOLDER");
  if (out.extension() == ".zip") return require_place(out);
  std::error_code ignored;
  if (fs::exists(out, ignored) && !fs::is_directory(out, ignored))
    throw UsageError(out.string() + " is a file; name a folder for the course repository");
  if (fs::exists(out, ignored) && !fs::is_empty(out, ignored) && !read_edition(out))
    throw UsageError(out.string() +
                     " is not empty, and no earlier export: name a new folder, or the one that "
                     "holds the course to bring it up to date");
}

void write_zip(const fs::path& out, const std::vector<CourseFile>& files) {
  std::vector<ZipEntry> entries;
  for (const CourseFile& file : files)
    entries.push_back({.name = out.stem().string() + "/" + file.name.generic_string(),
                       .bytes = file.bytes,
                       .executable = file.executable});
  write_file(out, zip_archive(entries));
}

/// The earlier edition becomes this one: what went is deleted, what somebody changed there is kept beside.
void renew(const fs::path& out, const std::vector<CourseFile>& files, const Edition& edition) {
  Upgrade upgrade(fs::absolute(out).lexically_normal(), fs::absolute(out).lexically_normal() / ".lab");
  if (upgrade.pending()) (void)upgrade.apply();
  if (!upgrade.stage(incoming_of(files, edition))) {
    std::printf("%s is this edition already.\n", out.c_str());
    return;
  }
  const UpgradeReport done = upgrade.apply();
  std::printf("%zu files added, %zu changed, %zu deleted in %s\n", done.added, done.changed, done.removed,
              out.c_str());
  for (const std::string& name : done.backed_up)
    std::printf("  had been changed there, kept in %s\n", (done.backups / "files" / name).c_str());
  for (const auto& [name, diff] : done.skeletons)
    std::printf("  not a skeleton there, left as it is: %s\n", name.c_str());
}

void export_course(const Paths& paths, const ExportRequest& request, const std::vector<Chosen>& parts) {
  require_place_for_course(request.out);
  std::vector<CourseFile> files = student_files(paths, parts);
  if (!request.course.empty()) leave_hints_out(files, Course::read(request.course), parts);
  for (const std::string& lab : missing_labs(files, parts))
    throw UsageError("labs/" + lab +
                     " is not in git, so it would not go out: git add and commit it first, or name "
                     "the other labs with --lab");
  std::string unusual;
  for (const fs::path& name : unusual_files(files, parts)) unusual += "\n  " + name.string();
  if (!unusual.empty() && !request.yes)
    throw UsageError("these lie in a lab's folder and are no part of a lab that is known here:" + unusual +
                     "\nMove what is yours elsewhere; with --yes they go to students, too");
  std::ranges::move(sealed_files(parts, paths), std::back_inserter(files));
  if (request.built) {
    std::vector<CourseFile> built = built_files(paths, files, parts);
    for (const CourseFile& file : built)
      std::erase_if(files, [&](const CourseFile& given) { return given.name == file.name; });
    std::ranges::move(built, std::back_inserter(files));
  }
  if (request.ladders) {
    std::vector<CourseFile> ladders = ladder_files(paths, parts);
    std::printf(
        "%zu versions and answers go out; grades name them with each medal, but they can be read before\n",
        ladders.size());
    std::ranges::move(ladders, std::back_inserter(files));
  }
  const Edition edition = edition_of(files, parts, request.version, utc_now());
  std::string labs;
  for (const Chosen& part : parts)
    if (labs.find(part.lab->folder) == std::string::npos)
      labs += (labs.empty() ? "" : ", ") + part.lab->folder;
  std::printf("labs: %s%s%s\n", labs.c_str(), unusual.empty() ? "" : "\nand, as you asked:", unusual.c_str());
  std::error_code ignored;
  if (request.out.extension() != ".zip" && fs::exists(request.out / Edition::kFile, ignored))
    return renew(request.out, files, edition);
  files.push_back({.name = Edition::kFile, .bytes = edition_text(edition)});
  if (request.out.extension() == ".zip")
    write_zip(request.out, files);
  else
    write_files(files, request.out);
  std::printf("%zu files in %s. Students clone it and type %s.\n", files.size(), request.out.c_str(),
              request.built ? "./lab: it is built for every x86-64 Linux with glibc 2.31 or later"
                            : "./lab setup, then ./lab");
}

void export_autograder(const Paths& paths, const ExportRequest& request, const std::vector<Chosen>& parts) {
  if (request.format != "gradescope")
    throw UsageError("export --format " + request.format +
                     " needs --from: a file of ./lab grade --json, or the results folder of ./lab batch");
  if (request.out.empty()) throw UsageError("name the autograder's file: --out autograder.zip");
  std::string hidden;
  if (!request.hidden.empty()) {
    std::vector<Lab> labs = all_labs();
    add_hidden(labs, request.hidden, 0);  // a mistake in it shows here, not at Gradescope
    hidden = read_file(request.hidden);
  }
  require_place(request.out);
  std::vector<CourseFile> built;
  if (request.built) built = built_files(paths, student_files(paths, parts), parts);
  write_file(request.out, gradescope_zip(paths, parts, hidden, built));
  std::printf(
      "%s: upload it to Gradescope as the autograder (base image Ubuntu 24.04; 1 GB of memory and one "
      "core)\n",
      request.out.c_str());
}

void export_simulator(const Paths& paths, const fs::path& folder, const std::string& version) {
  std::error_code ignored;
  if (fs::exists(folder, ignored) && (!fs::is_directory(folder, ignored) || !fs::is_empty(folder, ignored)))
    throw UsageError(folder.string() + " is not an empty folder; name a new one for the simulator");
  const std::vector<Lab>& labs = all_labs();
  const fs::path built = build_portable(paths, student_files(paths, all_parts(labs)));
  const std::string wheel = write_simulator(paths, built, version, folder);
  std::printf(
      "%s runs wherever it is put: %s/bin/simulated-gpu run ./program\n"
      "For pip: %s\n",
      folder.c_str(), folder.c_str(), (folder / wheel).c_str());
}

}  // namespace

int export_verb(const Paths& paths, const ExportRequest& request) {
  if (!request.audience.empty() + !request.format.empty() + !request.simulator.empty() != 1)
    throw UsageError(
        "export needs one of --for students, --format NAME and --simulator FOLDER; see ./lab export --help");
  if (request.built && (!request.from.empty() || !request.simulator.empty()))
    throw UsageError("--built is for a course repository or an autograder");
  if (!request.simulator.empty()) {
    export_simulator(paths, request.simulator, request.version);
    return 0;
  }
  if (!request.audience.empty() && request.audience != "students")
    throw UsageError("there is no course repository for \"" + request.audience + "\", only for students");
  if (!request.format.empty()) (void)format_named(request.format);
  if (!request.from.empty()) {
    export_results(paths, request);
    return 0;
  }
  const std::vector<Lab>& labs = all_labs();
  const std::vector<Chosen> parts = request.labs.empty() ? all_parts(labs) : select(labs, request.labs);
  if (request.audience.empty()) {
    export_autograder(paths, request, parts);
  } else {
    export_course(paths, request, parts);
  }
  return 0;
}

}  // namespace roofline::grader
