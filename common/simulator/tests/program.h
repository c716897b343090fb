// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

/// Compiles and runs CUDA programs of tests/runtime_programs against the simulated runtime library.
namespace roofline::sim::test {

namespace fs = std::filesystem;

inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Result {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out, err;
};

/// A private folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "roofline-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Starts a program with stdout and stderr in files; `keep_fd` stays open in it.
inline pid_t start(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                   const fs::path& out, const fs::path& err, int keep_fd = -1) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
  if (keep_fd >= 0) fcntl(keep_fd, F_SETFD, 0);
  for (const auto& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> argv;
  for (const auto& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

inline int finish(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A started program that a failing test does not leave behind.
class Started {
 public:
  explicit Started(pid_t pid) : pid_(pid) {}
  ~Started() {
    if (pid_ > 0 && !ended_) {
      kill(pid_, SIGKILL);
      (void)test::finish(pid_);
    }
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  pid_t pid() const { return pid_; }
  int finish() {
    ended_ = true;
    return test::finish(pid_);
  }

 private:
  pid_t pid_;
  bool ended_ = false;
};

inline Result run(const std::vector<std::string>& command, const std::vector<std::string>& environment = {},
                  int keep_fd = -1) {
  const Folder folder;
  Result result;
  result.status = finish(start(command, environment, folder / "out", folder / "err", keep_fd));
  result.out = read_file(folder / "out");
  result.err = read_file(folder / "err");
  return result;
}

/// What the simulated runtime needs to be found and chosen by a program.
inline std::vector<std::string> simulated(std::vector<std::string> more = {}) {
  more.push_back("LD_LIBRARY_PATH=" SIMULATOR_BUILD);
  return more;
}

/// Makes `program` by a compiler's command, which is without its -o; `files` are those it reads, headers too,
/// but for the toolkit's. nvcc takes longer than most tests: what it made is kept in build/test-programs, for
/// other tests and builds, under a hash of all that it was made of.
inline void compile_once(std::vector<std::string> command, const std::set<fs::path>& files,
                         const fs::path& program) {
  std::string ingredients = std::to_string(fs::last_write_time(command[0]).time_since_epoch().count());
  for (const std::string& word : command) ingredients += word + '\0';
  for (const fs::path& file : files) ingredients += read_file(file) + '\0';
  const fs::path kept =
      fs::path(SIMULATOR_SOURCE "/../../build/test-programs") /
      (program.filename().string() + "-" + std::to_string(std::hash<std::string>{}(ingredients)));
  if (fs::exists(kept)) {
    fs::copy_file(kept, program, fs::copy_options::overwrite_existing);
    return;
  }
  command.insert(command.end(), {"-o", program});
  const Result compiled = run(command);
  if (compiled.status != 0) throw std::runtime_error("nvcc failed: " + compiled.err + compiled.out);
  // Tests run side by side: none may find half of a program.
  const fs::path copy = kept.string() + "." + std::to_string(getpid());
  fs::create_directories(kept.parent_path());
  fs::copy_file(program, copy, fs::copy_options::overwrite_existing);
  fs::rename(copy, kept);
}

/// Compiles tests/runtime_programs/NAME.cu, or the corpus program of that name, into the folder. By default
/// PTX only and the shared runtime, as labs do.
inline fs::path compile(const Folder& folder, const std::string& name,
                        const std::vector<std::string>& options = {"-cudart", "shared", "-gencode",
                                                                   "arch=compute_80,code=compute_80"}) {
  const fs::path program = folder / name, tests = SIMULATOR_SOURCE "/tests", headers = tests / "programs";
  fs::path source = tests / "runtime_programs" / (name + ".cu");
  if (!fs::exists(source)) source = headers / (name + ".cu");
  std::set<fs::path> files = {source};
  for (const auto& entry : fs::directory_iterator(headers))
    if (entry.path().extension() == ".h") files.insert(entry.path());
  std::vector<std::string> command = {fs::path(CUDA_HOME) / "bin" / "nvcc", "-std=c++17", "-I", headers,
                                      source};
  command.insert(command.end(), options.begin(), options.end());
  compile_once(command, files, program);
  return program;
}

}  // namespace roofline::sim::test
