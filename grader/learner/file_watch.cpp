// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/file_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "grader/base/file.h"

namespace roofline::grader {
namespace {
constexpr unsigned kReadEvery = 4;
constexpr std::chrono::seconds kAway{2};
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF;
}  // namespace

FileWatch::FileWatch(const std::filesystem::path& file, bool notify)
    : file_(std::filesystem::absolute(file)) {
  if (notify) inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  watch_folder();
  stamp_ = stamp();
  try {
    hash_ = sha256_hex(read_file(file_));
  } catch (const std::runtime_error&) {  // not there yet: its first content is a change
  }
}

FileWatch::~FileWatch() {
  if (inotify_ >= 0) close(inotify_);
}

void FileWatch::watch_folder() {
  if (inotify_ >= 0) folder_ = inotify_add_watch(inotify_, file_.parent_path().c_str(), kEvents);
}

/// Whether there was anything to read.
bool FileWatch::drain() {
  if (inotify_ < 0) return false;
  alignas(inotify_event) std::array<char, 4096> buffer;
  bool any = false, gone = false;
  for (ssize_t n; (n = read(inotify_, buffer.data(), buffer.size())) > 0; any = true)
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      gone |= (event->mask & (IN_IGNORED | IN_MOVE_SELF)) != 0;
      at += static_cast<ssize_t>(sizeof *event + event->len);
    }
  if (gone || folder_ < 0) watch_folder();  // the folder was replaced, as git does
  return any;
}

FileWatch::Stamp FileWatch::stamp() const {
  struct stat status {};
  if (::stat(file_.c_str(), &status) != 0) return {};
  return {status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, status.st_ino};
}

bool FileWatch::gone() const { return away_since_ && Clock::now() - *away_since_ > kAway; }

bool FileWatch::changed() {
  const bool told = drain();
  const Stamp now = stamp();
  if (now == Stamp{}) {  // an editor that renames is about to bring it back
    if (!away_since_) away_since_ = Clock::now();
    return false;
  }
  if (gone()) hash_.clear();
  away_since_.reset();
  if (!told && now == stamp_ && !was_empty_ && !hash_.empty() && ++looks_ % kReadEvery != 0) return false;
  std::string hash;
  try {
    hash = sha256_hex(read_file(file_));
  } catch (const std::runtime_error&) {
    return false;
  }
  stamp_ = now;
  // Some editors empty the file, then write: only one that is still empty the next time is meant to be so.
  const bool first_empty = now.size == 0 && !was_empty_;
  was_empty_ = now.size == 0;
  if (first_empty || hash == hash_) return false;
  hash_ = std::move(hash);
  return true;
}

}  // namespace roofline::grader
