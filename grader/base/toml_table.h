// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grader/base/toml.h"

/// TOML files that people write: a mistake is a UsageError that names the file, the line and the key.
namespace roofline::grader {

/// `name` is what messages call the file.
toml::table parse_toml(const std::string& text, const std::string& name);

/// A table of such a file, read key by key. It and its file's name must outlive this.
class TomlTable {
 public:
  /// `path`: where the table is in the file ("labs.01"); empty: the file itself.
  TomlTable(const toml::table& table, const std::string& name, std::string path = {})
      : table_(table), name_(name), path_(std::move(path)) {}

  /// Throws UsageError for a key that is none of these.
  void allow_only(const std::vector<std::string>& keys) const;

  /// Each of them throws UsageError where the key has another kind of value.
  std::optional<std::string> text(const std::string& key) const;
  std::optional<double> number(const std::string& key) const;  ///< finite, from 0 on
  std::optional<bool> flag(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;  ///< none where the key is missing
  std::optional<TomlTable> table(const std::string& key) const;

  std::vector<std::string> keys() const;
  const toml::node* node(const std::string& key) const { return table_.get(key); }

  /// "course.toml line 7: labs.01.due WHAT".
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  const toml::table& table_;
  const std::string& name_;
  std::string path_;
};

}  // namespace roofline::grader
