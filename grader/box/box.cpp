// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/box.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "grader/base/file.h"
#include "grader/base/sanitized.h"
#include "grader/box/child.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPath = "/usr/bin:/bin";
constexpr int kNobody = 60001;                       // whom root becomes before it starts bubblewrap
constexpr int kFirstGuest = 20000, kGuests = 40000;  // users for the boxes of a container
constexpr rlim_t kMiB = 1 << 20;

struct Limit {
  int which;
  const char* option;  ///< of prlimit
  rlim_t value;
};

/// A program on a simulated device reserves terabytes of address space for the device's windows without using
/// memory: it is what it writes to that is limited. Drivers of real devices map more than any limit that
/// would help.
std::vector<Limit> limits_of(Box::Kind kind) {
  std::vector<Limit> limits = {
      {RLIMIT_NPROC, "--nproc", 64}, {RLIMIT_CORE, "--core", 0}, {RLIMIT_NOFILE, "--nofile", 256}};
  if (kind == Box::Kind::kCompile) {
    limits.push_back({RLIMIT_AS, "--as", 4096 * kMiB});
    limits.push_back({RLIMIT_CPU, "--cpu", 240});
    limits.push_back({RLIMIT_FSIZE, "--fsize", 128 * kMiB});
  } else {
    limits.push_back({RLIMIT_CPU, "--cpu", 1200});
    limits.push_back({RLIMIT_FSIZE, "--fsize", 64 * kMiB});
    if (kind == Box::Kind::kRun) limits.push_back({RLIMIT_DATA, "--data", 4096 * kMiB});
  }
#ifdef ROOFLINE_SANITIZED  // workers and the unpacker have shadows of terabytes then
  std::erase_if(limits,
                [](const Limit& limit) { return limit.which == RLIMIT_AS || limit.which == RLIMIT_DATA; });
#endif
  return limits;
}

[[noreturn]] void fail(const std::string& what) {
  throw InfrastructureError("cannot make a box: " + what + ": " + std::strerror(errno));
}

int filter_descriptor(const std::vector<sock_filter>& filter) {
  const int fd = memfd_create("filter", MFD_CLOEXEC);
  const std::size_t bytes = filter.size() * sizeof(sock_filter);
  if (fd < 0 || write(fd, filter.data(), bytes) != static_cast<ssize_t>(bytes) || lseek(fd, 0, SEEK_SET) != 0)
    fail("the filter of system calls");
  return fd;
}

/// Another user for each box of this machine, as long as 40000 of them do not live at once.
int next_guest() {
  static std::atomic<int> count{0};
  return kFirstGuest + (getpid() * 97 + count++) % kGuests;
}

/// Ends every process of a user: only that user may signal all of its own and no others.
void end_all_of(int uid) {
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(static_cast<uid_t>(uid), static_cast<uid_t>(uid), static_cast<uid_t>(uid)) == 0)
      kill(-1, SIGKILL);
    _exit(0);
  }
  wait_for_child(child);
}

/// Files that a user left in the folders that everybody can write to.
void remove_all_of(int uid) {
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      struct stat facts {};
      if (lstat(entry.path().c_str(), &facts) == 0 && facts.st_uid == static_cast<uid_t>(uid))
        fs::remove_all(entry.path(), error);
    }
  }
}

/// Whatever the umask: those inside shall be able to look.
void make_folder(const fs::path& folder) {
  if (fs::exists(folder)) return;
  make_folder(folder.parent_path());
  fs::create_directory(folder);
  fs::permissions(folder, static_cast<fs::perms>(0755));
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string_view name_of(Sandbox sandbox) {
  switch (sandbox) {
    case Sandbox::kNamespaces:
      return "namespaces";
    case Sandbox::kContainer:
      return "container";
    default:
      return "none";
  }
}

std::string sandbox_problem(Sandbox sandbox) {
  if (sandbox == Sandbox::kNone) return {};
  if (sandbox == Sandbox::kContainer && geteuid() != 0)
    return "--container needs root, who alone can give each box a user of its own";
  try {
    Box box(sandbox, Box::Kind::kRun, {});
    const Entrance entrance = box.enter({"/usr/bin/true"}, {}, "", {});
    const CommandResult result = run_command(entrance, {.limit = std::chrono::seconds(20)});
    return result.ok() ? "" : last_line(result.output);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void require_sandbox(Sandbox sandbox) {
  const std::string problem = sandbox_problem(sandbox);
  if (problem.empty()) return;
  throw InfrastructureError(
      "submissions cannot be boxed on this machine (" + problem + "); " +
      (sandbox == Sandbox::kNamespaces
           ? "allow unprivileged user namespaces and install bubblewrap, use --container as "
             "root in a container, or accept the risk with --no-sandbox"
           : "run as root in a container, or accept the risk with --no-sandbox"));
}

void close_to_others(const std::vector<fs::path>& places) {
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    fs::permissions(place, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove, error);
    if (error)
      throw InfrastructureError(place.string() + " cannot be closed to other users: " + error.message());
  }
}

void close_course(const Paths& paths) {
  close_to_others({paths.root / "labs", paths.root / "solutions", paths.root / "grader", paths.cache(),
                   paths.results(), paths.state / "attempts"});
}

Box::Box(Sandbox sandbox, Kind kind, fs::path toolkit, fs::path driver)
    : sandbox_(sandbox), kind_(kind), folders_{std::move(toolkit), std::move(driver)} {
  const fs::path& folder = folder_.path();
  shown_ = folder / "sub";
  if (sandbox_ == Sandbox::kContainer) {
    uid_ = next_guest();
  } else if (geteuid() == 0) {
    uid_ = kNobody;
  }
  make_folder(shown_);
  make_folder(folder / "tmp");
  if (kind_ == Kind::kCompile) make_folder(output_ = folder / "out");
  if (uid_ >= 0) {
    const auto id = static_cast<uid_t>(uid_);
    // The group of the box, and nobody else, may look into it.
    if (chown(folder.c_str(), 0, id) != 0 || chmod(folder.c_str(), 0750) != 0 ||
        chown((folder / "tmp").c_str(), id, id) != 0 ||
        (!output_.empty() && chown(output_.c_str(), id, id) != 0))
      fail("handing " + folder.string() + " over");
  }
}

Box::~Box() {
  for (const int fd : {filter_, report_[0], report_[1]})
    if (fd >= 0) close(fd);
  if (sandbox_ == Sandbox::kContainer) {
    end_all_of(uid_);
    remove_all_of(uid_);
  }
}

std::string Box::show(const fs::path& file, const std::string& name) {
  const fs::path copy = shown_ / name;
  std::error_code error;
  make_folder(copy.parent_path());
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing, error);
  if (error) throw InfrastructureError("cannot show " + file.string() + " to a box: " + error.message());
  chmod(copy.c_str(), access(file.c_str(), X_OK) == 0 ? 0755 : 0644);
  return inside(name);
}

std::string Box::write(std::string_view text, const std::string& name) {
  make_folder((shown_ / name).parent_path());
  write_file(shown_ / name, text);
  chmod((shown_ / name).c_str(), 0644);
  return inside(name);
}

std::string Box::inside(const std::string& name) const {
  return (sandbox_ == Sandbox::kContainer ? shown_ : fs::path("/sub")) / name;
}

std::string Box::output_inside() const { return sandbox_ == Sandbox::kContainer ? output_.string() : "/out"; }

Entrance Box::enter(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                    const std::string& directory, std::vector<int> keep) {
  Entrance entrance;
  entrance.confinement.uid = uid_;
  entrance.confinement.first_to_go = true;
  entrance.confinement.keep = std::move(keep);
  if (sandbox_ == Sandbox::kContainer)
    enter_container(program, environment, directory, entrance);
  else
    enter_namespaces(program, environment, directory, entrance);
  return entrance;
}

void Box::enter_namespaces(const std::vector<std::string>& program,
                           const std::vector<std::string>& environment, const std::string& directory,
                           Entrance& entrance) {
  filter_ = filter_descriptor(untrusted_code_filter(kind_ != Kind::kRun));
  if (pipe2(report_, O_CLOEXEC | O_NONBLOCK) != 0) fail("a pipe");
  entrance.confinement.keep.insert(entrance.confinement.keep.end(), {filter_, report_[1]});
  entrance.environment = {std::string("PATH=") + kPath};
  std::vector<std::string>& words = entrance.arguments;
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({"/usr/bin/bwrap",
       "--unshare-user",
       "--unshare-pid",
       "--unshare-net",
       "--unshare-ipc",
       "--unshare-uts",
       "--unshare-cgroup-try",
       "--disable-userns",
       "--assert-userns-disabled",
       "--uid",
       "1000",
       "--gid",
       "1000",
       "--hostname",
       "box",
       "--die-with-parent",
       "--new-session",
       "--clearenv",
       "--setenv",
       "PATH",
       kPath,
       "--setenv",
       "HOME",
       "/tmp"});
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    add({"--setenv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  add({"--ro-bind",
       "/usr",
       "/usr",
       "--symlink",
       "usr/bin",
       "/bin",
       "--symlink",
       "usr/lib",
       "/lib",
       "--symlink",
       "usr/lib64",
       "/lib64",
       "--ro-bind-try",
       "/etc/alternatives",
       "/etc/alternatives",
       "--ro-bind-try",
       "/etc/ld.so.cache",
       "/etc/ld.so.cache",
       "--proc",
       "/proc",
       "--dev",
       "/dev"});
  if (kind_ == Kind::kRunOnGpu) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/dev", error))
      if (const std::string name = entry.path().filename().string();
          name.starts_with("nvidia") || name == "dxg")
        add({"--dev-bind-try", entry.path().string(), entry.path().string()});
    add({"--ro-bind", "/sys", "/sys"});
  }
  // bubblewrap's order matters: --size before its --tmpfs, the root read only at the very end.
  const rlim_t scratch = (kind_ == Kind::kCompile ? 512 : 64) * kMiB;
  add({"--remount-ro", "/dev", "--size", std::to_string(scratch), "--tmpfs", "/tmp", "--size",
       std::to_string(16 * kMiB), "--tmpfs", "/dev/shm"});
  for (const fs::path& folder : folders_)
    if (const auto below = folder.lexically_relative("/usr");
        !folder.empty() && (below.empty() || *below.begin() == ".."))
      add({"--ro-bind", folder.string(), folder.string()});
  add({"--ro-bind", shown_.string(), "/sub"});
  if (!output_.empty()) add({"--bind", output_.string(), "/out"});
  add({"--chdir", directory.empty() ? "/tmp" : inside(directory), "--remount-ro", "/", "--seccomp",
       std::to_string(filter_), "--json-status-fd", std::to_string(report_[1]), "--", "/usr/bin/prlimit"});
  for (const Limit& limit : limits_of(kind_))
    words.push_back(limit.option + ("=" + std::to_string(limit.value)));
  words.push_back("--");
  words.insert(words.end(), program.begin(), program.end());
}

void Box::enter_container(const std::vector<std::string>& program,
                          const std::vector<std::string>& environment, const std::string& directory,
                          Entrance& entrance) {
  entrance.confinement.filter = untrusted_code_filter(kind_ != Kind::kRun);
  for (const Limit& limit : limits_of(kind_))
    entrance.confinement.limits.emplace_back(limit.which, rlimit{limit.value, limit.value});
  const std::string scratch = (folder_.path() / "tmp").string();
  entrance.arguments = program;
  entrance.environment = {std::string("PATH=") + kPath, "HOME=" + scratch, "TMPDIR=" + scratch};
  for (const std::string& variable : environment)
    if (!variable.starts_with("PATH=") && !variable.starts_with("HOME="))
      entrance.environment.push_back(variable);
  entrance.directory = directory.empty() ? fs::path(scratch) : shown_ / directory;
}

bool Box::was_entered() {
  if (sandbox_ == Sandbox::kContainer) return true;  // nothing but exec lies between us and the program
  char text[4096];
  const ssize_t got = read(report_[0], text, sizeof text);
  return got > 0 &&
         std::string_view(text, static_cast<std::size_t>(got)).find("\"exit-code\"") != std::string::npos;
}

}  // namespace roofline::grader
