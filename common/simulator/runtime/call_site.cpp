// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/call_site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <vector>

#include "simulator/names.h"

namespace roofline::sim::runtime {

namespace {

constexpr int kFrames = 24;     ///< looked at, those of this library included
constexpr size_t kCallers = 6;  ///< looked up, of those behind it
constexpr size_t kMostText = 200;

/// A place in a file of code, as addr2line takes it.
struct Place {
  std::string file;
  u_long offset = 0;
  auto operator<=>(const Place&) const = default;
};

/// One line of code that a place stands for; inlined ones come first. `number` is empty when it is not known.
struct Line {
  std::string function, file, number;
};

/// The callers of this library's function, innermost first, as far as they are in one file.
std::vector<Place> callers() {
  std::array<void*, kFrames> frames;
  const int n = backtrace(frames.data(), kFrames);
  std::error_code none;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", none);
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&call_site), &own);
  std::vector<Place> places;
  for (int i = 0; i < n && places.size() < kCallers; ++i) {
    Dl_info info{};
    link_map* map = nullptr;
    if (!dladdr1(frames[i], &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) ||
        info.dli_fbase == own.dli_fbase)
      continue;
    const std::string file = map->l_name[0] == '\0' ? program : map->l_name;
    if (!places.empty() && places.front().file != file) break;
    // A return address: the call is before it.
    places.push_back({file, reinterpret_cast<u_long>(frames[i]) - 1 - map->l_addr});
  }
  return places;
}

/// What a program writes to its standard output; empty when it cannot be run.
std::string output_of(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& each : command) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const bool runs = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t got; runs && (got = read(ends[0], piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<size_t>(got));
  close(ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

/// From pairs of lines of text, a function and "FILE:LINE" or "??:0".
std::vector<Line> read_lines(const std::string& text) {
  std::vector<Line> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t middle = text.find('\n', at), end = text.find('\n', middle + 1);
    if (middle == std::string::npos || end == std::string::npos) break;
    const std::string where = text.substr(middle + 1, end - middle - 1);
    const size_t colon = std::min(where.rfind(':'), where.size());
    std::string number = colon < where.size() ? where.substr(colon + 1) : "";
    number.resize(std::min(number.find_first_not_of("0123456789"), number.size()));  // "31 (discriminator 2)"
    if (number == "0") number.clear();
    lines.push_back({readable_name(text.substr(at, middle - at)), where.substr(0, colon), number});
    at = end + 1;
  }
  return lines;
}

/// Code between the program and the library: the toolkit's templates around its calls, such as
/// "cudaError cudaMalloc<float>", and what nvcc makes of a launch.
bool is_wrapper(const Line& line) {
  const std::string head = line.function.substr(0, line.function.find('<'));
  const std::string_view name = std::string_view(head).substr(head.rfind(' ') + 1);
  return name.starts_with("cuda") || name.starts_with("__cuda") || name.find("__device_stub_") != name.npos;
}

/// " at saxpy.cu:31" or " in main".
std::string text_of(const Line& line) {
  std::string text = line.number.empty()
                         ? " in " + line.function
                         : " at " + std::filesystem::path(line.file).filename().string() + ":" + line.number;
  text.resize(std::min(text.size(), kMostText));
  return text;
}

std::string look_up(const std::vector<Place>& places, std::string_view passing_over) {
  if (places.empty()) return {};
  std::vector<std::string> command = {"addr2line", "-f", "-i", "-e", places.front().file};
  for (const Place& place : places) {
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%lx", place.offset);
    command.emplace_back(offset);
  }
  // A header's class around device memory says little: the first line outside of headers says more.
  std::string text;
  for (const Line& line : read_lines(output_of(std::move(command)))) {
    if (line.function.starts_with("??") || is_wrapper(line)) continue;
    if (!passing_over.empty() && line.function.starts_with(passing_over)) continue;
    const std::string kind = std::filesystem::path(line.file).extension();
    const bool in_header = kind.starts_with(".h") || kind == ".cuh";
    if (text.empty() || !in_header) text = text_of(line);
    if (!in_header) break;
  }
  return text;
}

}  // namespace

std::string called_function() {
  std::array<void*, kFrames> frames;
  const int n = backtrace(frames.data(), kFrames);
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&call_site), &own);
  std::string name;
  for (int i = 0; i < n; ++i) {
    // A return address: the call is before it.
    Dl_info info{};
    if (!dladdr(static_cast<char*>(frames[i]) - 1, &info) || info.dli_fbase != own.dli_fbase) break;
    name = info.dli_sname ? info.dli_sname : "";
  }
  return name;
}

std::string call_site(std::string_view passing_over) {
  static std::map<std::vector<Place>, std::string> known;
  std::vector<Place> places = callers();
  if (const auto found = known.find(places); found != known.end()) return found->second;
  std::string text = look_up(places, passing_over);
  return known.emplace(std::move(places), std::move(text)).first->second;
}

}  // namespace roofline::sim::runtime
