// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/contender.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "grader/file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kDirectiveLines = 8;

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (fs::directory_iterator it(folder, none), end; it != end; it.increment(none))
    if (it->path().extension() == ".cu") files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

Contender contender(Contender::Kind kind, const fs::path& source, const BenchDirectives& said) {
  return {.kind = kind,
          .name = said.name.empty() ? spaced(source.stem()) : said.name,
          .id = source.stem(),
          .source = source,
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
    const auto after = [&](std::string_view prefix) {
      return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string();
    };
    if (const std::string name = after("// bench: "); !name.empty()) said.name = name;
    if (after("// needs: ") == "gpu") said.needs_gpu = true;
    if (!after("// not checked: ").empty()) said.checked = false;
    std::istringstream libraries(after("// link: ")), sizes(after("// simulated: "));
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
  const fs::path solutions = chosen.solutions(paths), letter = chosen.part->letter;
  std::vector<Contender> list;
  const auto add_folder = [&](const char* folder, Contender::Kind kind, bool only_named) {
    for (const fs::path& file : sources_in(solutions / folder / letter)) {
      const BenchDirectives said = bench_directives(read_file(file));
      if (!only_named || !said.name.empty()) list.push_back(contender(kind, file, said));
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
