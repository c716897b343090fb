// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/base/paths.h"

namespace roofline::grader {
namespace {

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& file) {
  throw InfrastructureError(what + " " + file.string() + ": " + std::strerror(errno) +
                            "; nothing that was graded is lost: the same command goes on where this stopped");
}

}  // namespace

Journal::Journal(const std::filesystem::path& file) : file_(file) {
  fd_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("cannot open", file_);
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    close(fd_);
    throw InfrastructureError("another ./lab batch is writing to " + file.parent_path().string());
  }
  const std::string text = read_file(file_);
  if (const std::size_t whole = read_journal(text).whole;
      whole < text.size() && ftruncate(fd_, static_cast<off_t>(whole)) != 0)
    fail("cannot cut off the unfinished end of", file_);
}

Journal::~Journal() { close(fd_); }

void Journal::append(const nlohmann::json& event) {
  const std::string line = event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const off_t before = lseek(fd_, 0, SEEK_END);
  if (write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    [[maybe_unused]] const int cut = ftruncate(fd_, before);  // the reader would cut it as well
    errno = error == 0 ? ENOSPC : error;
    fail("cannot write to", file_);
  }
  if (fsync(fd_) != 0) fail("cannot write to", file_);
}

JournalText read_journal(std::string_view text) {
  JournalText result;
  for (std::size_t end; (end = text.find('\n', result.whole)) != std::string_view::npos;
       result.whole = end + 1) {
    nlohmann::json event = nlohmann::json::parse(text.substr(result.whole, end - result.whole), nullptr,
                                                 /*allow_exceptions=*/false);
    if (event.is_object() && event.contains("event") && event["event"].is_string())
      result.events.push_back(std::move(event));
    else
      ++result.unreadable;
  }
  return result;
}

}  // namespace roofline::grader
