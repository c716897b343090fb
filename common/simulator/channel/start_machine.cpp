// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/start_machine.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <vector>

#include "simulator/channel/vector_level.h"

namespace roofline::sim::channel {
namespace {

constexpr int kGuestInMachine = 3, kObserverInMachine = 4;
constexpr long kPageBytes = 4096;  ///< of the host: what device memory is mapped in. ARM has larger ones, too

/// Above the numbers that the machine uses, so that moving one does not overwrite another.
Descriptor out_of_the_way(Descriptor fd) {
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, 10);
  if (moved < 0) throw std::system_error(errno, std::generic_category(), "fcntl");
  return Descriptor(moved);
}

/// Each field as --NAME VALUE.
struct Words {
  std::vector<std::string> all;

  void operator()(const char* name, const auto& value) {
    all.push_back(std::string("--") + name);
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
      char text[40];  // not std::to_string: the program may have a locale with another decimal point
      all.emplace_back(text, std::to_chars(text, text + sizeof text, +value).ptr);
    } else {
      all.push_back(value);
    }
  }
};

/// No fork: this also runs inside programs of others, whose handlers of a fork are no business of ours.
int spawn(const std::filesystem::path& program, const std::vector<std::string>& arguments, int guest,
          int observer) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  char* environment[] = {
      nullptr};  // nothing of the program's environment may change what the machine computes
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, guest, kGuestInMachine);
  if (observer >= 0) posix_spawn_file_actions_adddup2(&actions, observer, kObserverInMachine);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A process group of its own: Ctrl-C reaches the program, and the machine ends with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::system_error(error, std::generic_category(), "cannot start " + program.string());
  return pid;
}

}  // namespace

std::filesystem::path choose_machine(const std::filesystem::path& directory,
                                     const std::string& vector_level) {
  if (const long page = sysconf(_SC_PAGESIZE); page != kPageBytes)
    throw std::runtime_error("this needs a kernel with memory pages of " + std::to_string(kPageBytes) +
                             " bytes; here they have " + std::to_string(page) + " (getconf PAGESIZE)");
  const auto program = [&](std::string_view level) {
    return directory / ("simulated-gpu-" + std::string(level));
  };
  if (!vector_level.empty()) {
    if (std::ranges::find(kVectorLevels, vector_level) == std::end(kVectorLevels)) {
      std::string known;
      for (const std::string_view level : kVectorLevels)
        known += (known.empty() ? "" : ", ") + std::string(level);
      throw std::runtime_error("vector level '" + vector_level + "' is not one of " + known);
    }
    if (!std::filesystem::exists(program(vector_level)))
      throw std::runtime_error(program(vector_level).string() + " was not built");
    if (!cpu_has(vector_level)) throw std::runtime_error("this CPU is not an x86-64-" + vector_level);
    return program(vector_level);
  }
  for (const std::string_view level : kVectorLevels)
    if (cpu_has(level) && std::filesystem::exists(program(level))) return program(level);
  throw std::runtime_error("no simulated-gpu program for this CPU in " + directory.string());
}

StartedMachine start_machine(const std::filesystem::path& directory, const MachineOptions& options,
                             bool observed) {
  const auto program = choose_machine(directory, options.vector_level);
  MachineArguments arguments{options, directory / "devices", kGuestInMachine};
  StartedMachine started;
  Descriptor guest, observer;
  std::tie(started.guest, guest) = socket_pair();
  guest = out_of_the_way(std::move(guest));
  if (observed) {
    std::tie(started.observer, observer) = socket_pair();
    observer = out_of_the_way(std::move(observer));
    arguments.observer_fd = kObserverInMachine;
  }
  Words words{{program.string()}};
  arguments.fields(words);
  started.pid = spawn(program, words.all, guest.get(), observer.get());
  return started;
}

}  // namespace roofline::sim::channel
