// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "grader/file.h"
#include "grader/formats/format.h"
#include "grader/formats/json.h"
#include "grader/selection.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// One file, or every NAME.json of a folder in the order of their names.
std::vector<Graded> read_results(const fs::path& from) {
  std::error_code ignored;
  if (!fs::exists(from, ignored)) throw UsageError("there is no " + from.string() + " to export from");
  if (!fs::is_directory(from, ignored)) return {read_graded(from)};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.is_regular_file() && entry.path().extension() == ".json") files.push_back(entry.path());
  if (files.empty()) throw UsageError("there is no result (*.json) in " + from.string());
  std::ranges::sort(files);
  std::vector<Graded> all;
  for (const fs::path& file : files) all.push_back(read_graded(file));
  return all;
}

FormatOptions options_of(const Paths& paths, const ExportRequest& request) {
  FormatOptions options;
  options.root = paths.root;
  options.column = request.column;
  if (!request.gradebook.empty()) options.gradebook = read_file(request.gradebook);
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
  write_file(request.out, text);
  std::printf("%s\n", request.out.c_str());
}

}  // namespace

int export_verb(const Paths& paths, const ExportRequest& request) {
  if (request.audience.empty() == request.format.empty())
    throw UsageError("export needs either --for students or --format NAME; see ./lab export --help");
  if (request.from.empty())
    throw UsageError("export --format " + format_named(request.format).name +
                     " needs --from: a file of ./lab grade --json, or the results folder of ./lab batch");
  export_results(paths, request);
  return 0;
}

}  // namespace roofline::grader
