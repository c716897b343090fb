// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/environment.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "grader/base/printable.h"
#include "grader/box/process.h"
#include "grader/call/worker_process.h"

namespace roofline::grader {
namespace {

constexpr const char* kFields[] = {"driver_version",
                                   "clocks.sm",
                                   "clocks.max.sm",
                                   "clocks.mem",
                                   "power.limit",
                                   "clocks_throttle_reasons.active",
                                   "ecc.mode.current",
                                   "pcie.link.gen.current",
                                   "pcie.link.width.current",
                                   "mig.mode.current",
                                   "persistence_mode",
                                   "temperature.gpu"};

bool under_wsl() {
  std::ifstream version("/proc/sys/kernel/osrelease");
  const std::string text{std::istreambuf_iterator<char>(version), {}};
  return text.find("icrosoft") != std::string::npos;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_smi(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> found;
  std::size_t at = 0;
  for (const char* field : kFields) {
    if (at > line.size()) break;
    const std::size_t comma = std::min(line.find(',', at), line.size());
    std::string value = printable(line.substr(at, comma - at));
    std::erase_if(value, [](char c) { return c == '\n'; });
    value.erase(0, value.find_first_not_of(' '));
    if (!value.empty() && value[0] != '[') found.emplace_back(field, value);
    at = comma + 1;
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> gpu_environment(int ordinal) {
  std::vector<std::pair<std::string, std::string>> found;
  std::string query = "--query-gpu=";
  for (const char* field : kFields) query += (field == kFields[0] ? "" : ",") + std::string(field);
  try {
    const CommandResult smi =
        run_command({"nvidia-smi", "--id=" + std::to_string(ordinal), query, "--format=csv,noheader"},
                    {.limit = std::chrono::milliseconds(5000)});
    if (smi.ok()) found = parse_smi(smi.output);
  } catch (const std::exception&) {
    // A container may have the driver without this program.
  }
  if (under_wsl()) found.emplace_back("wsl", "yes");
  return found;
}

}  // namespace roofline::grader
