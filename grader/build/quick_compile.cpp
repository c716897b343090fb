// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/build/quick_compile.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "grader/base/words.h"

namespace roofline::grader {
namespace {

constexpr std::string_view kPrefix = "#$ ";
constexpr std::string_view kMakesName = "--gen_module_id_file ";
constexpr std::string_view kOptimised = " -O3 ";
constexpr std::string_view kNameFile = "--module_id_file_name \"";

struct Steps {
  std::string exports;  ///< variables that the commands rely on
  std::vector<std::string> commands;
};

bool is_variable(std::string_view line) {
  const size_t end = line.find('=');
  return end != std::string_view::npos && end > 0 &&
         std::all_of(line.begin(), line.begin() + end,
                     [](char c) { return c == '_' || (c >= 'A' && c <= 'Z'); });
}

Steps steps_of(const std::string& dryrun) {
  Steps steps;
  std::istringstream lines(dryrun);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kPrefix)) continue;
    line.erase(0, kPrefix.size());
    if (!is_variable(line)) {
      if (!line.starts_with("rm ")) steps.commands.push_back(line);
      continue;
    }
    const size_t equals = line.find('=');
    const std::string name = line.substr(0, equals);
    for (const char* needed : {"PATH", "LD_LIBRARY_PATH", "CICC_PATH", "NVVMIR_LIBRARY_DIR"})
      if (name == needed)
        steps.exports += "export " + name + "=" + shell_quoted(line.substr(equals + 1)) + "\n";
  }
  return steps;
}

/// The text between `before` and the next quotation mark.
std::string argument(const std::string& command, std::string_view before) {
  const size_t at = command.find(before);
  if (at == std::string::npos) return {};
  const size_t begin = at + before.size();
  return command.substr(begin, command.find('"', begin) - begin);
}

}  // namespace

std::optional<std::string> quick_compile_script(const std::string& dryrun, const std::string& unique) {
  static constexpr std::string_view kWords[] = {" -E ", "cudafe++ ", " -E ", "cicc\" ", "fatbinary ", " -c "};
  Steps steps = steps_of(dryrun);
  auto& commands = steps.commands;
  if (commands.size() != std::size(kWords)) return std::nullopt;
  for (size_t i = 0; i < commands.size(); ++i)
    if (commands[i].find(kWords[i]) == std::string::npos) return std::nullopt;
  // cudafe++ would choose the name, and cicc would have to wait for it.
  const std::string name_file = argument(commands[1], kNameFile);
  const size_t makes = commands[1].find(kMakesName);
  if (name_file.empty() || makes == std::string::npos || argument(commands[3], kNameFile) != name_file)
    return std::nullopt;
  commands[1].erase(makes, kMakesName.size());
  // Host code only launches: unoptimised it compiles in half the time. The device's has its own -O3.
  if (const size_t at = commands[5].find(kOptimised); at != std::string::npos)
    commands[5].replace(at, kOptimised.size(), " -O0 ");
  const std::string host = shell_quoted(name_file + ".host"), device = shell_quoted(name_file + ".device");
  return steps.exports + "printf %s " + shell_quoted("_" + unique) + " > " + shell_quoted(name_file) +
         "\n" +                                                                              //
         "( " + commands[0] + " && " + commands[1] + " ) > " + host + " 2>&1 & host=$!\n" +  //
         "( " + commands[2] + " && " + commands[3] + " && " + commands[4] + " ) > " + device +
         " 2>&1 & device=$!\n" +  //
         "wait $host || { cat " + host + "; exit 1; }\n" + "wait $device || { cat " + device +
         "; exit 1; }\n" +  //
         "cat " + host + "\n" + commands[5] + "\n";
}

}  // namespace roofline::grader
