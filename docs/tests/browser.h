// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace roofline::docs {

/// A headless Chromium with one page, driven over a pipe by the DevTools protocol. It can reach no host.
/// Throws std::runtime_error when it does not answer.
class Browser {
 public:
  static bool installed();

  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens a file and waits until it has loaded; forgets what was heard of the page before.
  void open(const std::filesystem::path& file);
  /// The value of an expression, after its promise if it is one.
  nlohmann::json evaluate(const std::string& expression);
  /// Asks until the expression is true; false after `seconds`.
  bool becomes_true(const std::string& expression, double seconds = 10);

  /// The size of the window from now on, in pixels; a narrow one is a phone's.
  void resize(int width, int height);

  /// As on paper from now on: the styles for printing, and a sheet so many pixels wide.
  void print_on(int width);

  /// What is to be seen, as a PNG file.
  void screenshot(const std::filesystem::path& file);

  /// Errors on the console, exceptions, and what could not be loaded.
  const std::vector<std::string>& complaints() const { return complaints_; }
  /// Every address that the page asked for.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters);
  void send(const nlohmann::json& message);
  nlohmann::json receive();
  void hear(const nlohmann::json& event);

  std::filesystem::path profile_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1, last_id_ = 0;
  std::string session_, buffer_;
  bool loaded_ = false;
  std::vector<std::string> complaints_, requests_;
};

}  // namespace roofline::docs
