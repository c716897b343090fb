// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/contender.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "grader/base/file.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kDirectiveLines = 8;

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (fs::directory_iterator it(folder, none), end; it != end; it.increment(none))
    if (is_submission_file(it->path())) files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

Contender contender(Contender::Kind kind, const fs::path& file, const BenchDirectives& said,
                    const Paths& paths) {
  return {.kind = kind,
          .name = said.name.empty() ? spaced(file.stem()) : said.name,
          .id = file.stem(),
          .source = submission_source(file, paths),
          .needs_gpu = said.needs_gpu,
          .checked = said.checked,
          .libraries = said.libraries,
          .simulated = said.simulated};
}

}  // namespace

std::string_view name_of(Contender::Kind kind) {
  switch (kind) {
    case Contender::Kind::kNaive:
      return "naive";
    case Contender::Kind::kRung:
      return "rung";
    case Contender::Kind::kSolution:
      return "solution";
    case Contender::Kind::kYours:
      return "yours";
    case Contender::Kind::kInstead:
      break;
  }
  return "instead";
}

BenchDirectives bench_directives(const std::string& text) {
  BenchDirectives said;
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < kDirectiveLines && std::getline(lines, line); ++i) {
    const auto after = [&](std::string_view key) { return directive(line, key); };
    if (const std::string name = after("bench"); !name.empty()) said.name = name;
    if (after("needs") == "gpu") said.needs_gpu = true;
    if (!after("not checked").empty()) said.checked = false;
    std::istringstream libraries(after("link")), sizes(after("simulated"));
    for (std::string word; libraries >> word;) said.libraries.push_back(word);
    for (std::string word; sizes >> word;) {
      const size_t equals = word.find('=');
      if (equals == std::string::npos) throw std::invalid_argument("no size: " + line);
      said.simulated.emplace_back(word.substr(0, equals), std::stod(word.substr(equals + 1)));
    }
  }
  return said;
}

std::vector<Contender> contenders_of(const Chosen& chosen, const Paths& paths) {
  std::vector<Contender> list;
  const auto add_folder = [&](const char* folder, Contender::Kind kind, bool only_named) {
    for (const fs::path& file : sources_in(chosen.versions(paths, folder))) {
      const BenchDirectives said = bench_directives(read_file(file));
      if (!only_named || !said.name.empty()) list.push_back(contender(kind, file, said, paths));
    }
  };
  add_folder("wrong", Contender::Kind::kNaive, true);
  add_folder("variants", Contender::Kind::kRung, false);
  std::error_code none;
  if (fs::exists(chosen.solution(paths), none))
    list.push_back({Contender::Kind::kSolution,
                    "the reference solution",
                    "solution",
                    chosen.solution(paths),
                    false,
                    true,
                    {},
                    {}});
  list.push_back({Contender::Kind::kYours, "your file", "yours", chosen.file(paths), false, true, {}, {}});
  add_folder("instead", Contender::Kind::kInstead, false);
  return list;
}

}  // namespace roofline::grader
