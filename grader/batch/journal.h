// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::grader {

/// What happened, one JSON object a line, only ever appended to and on the disk before `append` returns: what
/// was graded stays graded, whatever happens to the grader.
class Journal {
 public:
  /// Opens or makes it, and cuts off a last line that a kill or a full disk left unfinished. Throws
  /// InfrastructureError; also where another process has it open.
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Throws InfrastructureError, with nothing written but perhaps half a line.
  void append(const nlohmann::json& event);

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

struct JournalText {
  std::vector<nlohmann::json> events;  ///< objects with a string "event"; other lines are left out
  std::size_t whole = 0;               ///< bytes up to the end of the last whole line
  std::size_t unreadable = 0;          ///< whole lines that are no event
};
JournalText read_journal(std::string_view text);

}  // namespace roofline::grader
