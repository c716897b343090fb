// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace roofline::grader {

/// Notices when a file is saved, whichever way the editor does it: written in place, or renamed over. The
/// kernel's notifications (inotify on the folder) make it fast; looking at the file makes it work on network
/// mounts, where there are none. A file that is gone for a moment is waited for.
class FileWatch {
 public:
  /// How often `changed` should be asked where nothing wakes the caller.
  static constexpr std::chrono::milliseconds kPoll{250};

  /// What the file holds now is no change. `notify` false: no inotify.
  explicit FileWatch(const std::filesystem::path& file, bool notify = true);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Readable when something happened in the folder; -1 without notifications.
  int fd() const { return inotify_; }
  /// Whether the content is another one than when last asked. Time stamp and size are looked at every time,
  /// the content itself when they differ and every fourth time: some mounts keep stale stamps.
  bool changed();
  /// Whether it has been away for longer than any editor takes to rename. Back again, it is a change.
  bool gone() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Stamp {
    std::int64_t seconds = 0, nanoseconds = 0, size = -1;
    ino_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  void watch_folder();
  bool drain();

  std::filesystem::path file_;
  int inotify_ = -1, folder_ = -1;
  Stamp stamp_;
  std::string hash_;
  unsigned looks_ = 0;
  bool was_empty_ = false;
  std::optional<Clock::time_point> away_since_;
};

}  // namespace roofline::grader
