// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/wishes.h"

#include <cstdlib>
#include <fstream>

#include "grader/base/file.h"
#include "grader/base/given_file.h"

namespace roofline::grader {
namespace {

/// In a workflow the summary is appended to the job's page and the annotations go to standard output, where
/// the runner reads them; elsewhere both are printed.
void to_github(const Graded& graded, const FormatWish& wish, const FormatOptions& options, std::FILE* out) {
  const std::string text = wish.format->text({graded}, options);
  const char* page = std::getenv("GITHUB_STEP_SUMMARY");
  if (wish.format->name == "github" && page != nullptr && *page != 0) {
    std::ofstream(page, std::ios::app) << text;
  } else {
    std::fputs(text.c_str(), out);
  }
  if (wish.format->name == "github")
    std::fputs(format_named("annotations").text({graded}, options).c_str(), out);
}

}  // namespace

std::vector<FormatWish> wishes_of(const std::vector<std::string>& texts) {
  std::vector<FormatWish> wishes;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const Format& format = format_named(text.substr(0, equals));
    if (format.of == Format::Of::kClass)
      throw UsageError(format.name + " is about a class: ./lab export --format " + format.name +
                       " --from RESULTS writes it");
    if (equals == std::string::npos && format.name != "github" && format.name != "annotations")
      throw UsageError("--format " + format.name + " needs a file: --format " + format.name + "=" +
                       format.file);
    if (equals != std::string::npos) require_place(text.substr(equals + 1));
    wishes.push_back({&format, equals == std::string::npos ? "" : text.substr(equals + 1)});
  }
  return wishes;
}

void write_wishes(const std::vector<FormatWish>& wishes, const std::vector<Result>& results,
                  const Paths& paths, std::FILE* out) {
  Graded graded;
  graded.results = results;
  FormatOptions options;
  options.root = paths.root;
  for (const FormatWish& wish : wishes) {
    if (wish.file.empty()) {
      to_github(graded, wish, options, out);
      continue;
    }
    write_file(wish.file, wish.format->text({graded}, options));
    std::fprintf(out, "  %-7s %s\n", wish.format->name.c_str(), paths.shown(wish.file).c_str());
  }
}

}  // namespace roofline::grader
