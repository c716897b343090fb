// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

namespace roofline::grader {

std::optional<std::string> read_regular(const std::filesystem::path& file, std::size_t most) {
  const int fd = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat facts {};
  std::string bytes;
  bool ok =
      fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && static_cast<std::uint64_t>(facts.st_size) <= most;
  if (ok) {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
    ok = read(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }
  close(fd);
  if (!ok) return std::nullopt;
  return bytes;
}

}  // namespace roofline::grader
