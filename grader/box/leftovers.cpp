// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>
#include <vector>

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrefix = "roofline-box-";
constexpr const char* kLock = "lock";

/// Descriptor of the lock file, locked; -1 where somebody else has it or it cannot be made.
int locked(const fs::path& folder, int flags) {
  const int fd = open((folder / kLock).c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return -1;
}

/// Ours, and not one that is just being made.
bool may_go(const fs::path& folder) {
  constexpr std::time_t kYoung = 60;
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         facts.st_mtime + kYoung < std::time(nullptr);
}

}  // namespace

BoxFolder::BoxFolder() {
  const fs::path place = fs::temp_directory_path();
  static const unsigned collected = collect_leftovers(place);  // once a process
  (void)collected;
  std::string name = (place / (std::string(kPrefix) + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
  lock_ = locked(path_, O_CREAT | O_EXCL);
  if (lock_ < 0) throw std::system_error(errno, std::generic_category(), name);
}

BoxFolder::~BoxFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

unsigned collect_leftovers(const fs::path& place) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(kPrefix) && may_go(it->path()))
      folders.push_back(it->path());
  unsigned collected = 0;
  for (const fs::path& folder : folders) {
    const int lock = locked(folder, 0);
    if (lock < 0) continue;
    fs::remove_all(folder, error);
    close(lock);
    ++collected;
  }
  return collected;
}

}  // namespace roofline::grader
