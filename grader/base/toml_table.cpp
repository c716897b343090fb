// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/toml_table.h"

#include <algorithm>
#include <cmath>

#include "grader/base/paths.h"

namespace roofline::grader {

toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(name + " line " + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  }
}

void TomlTable::refuse(const std::string& key, const std::string& what) const {
  auto line = table_.source().begin.line;
  for (const auto& [known, node] : table_)
    if (known.str() == key) line = known.source().begin.line;
  throw UsageError(name_ + " line " + std::to_string(line) + ": " + path_ +
                   (path_.empty() || key.empty() ? "" : ".") + key + " " + what);
}

void TomlTable::allow_only(const std::vector<std::string>& keys) const {
  for (const auto& [key, node] : table_) {
    if (std::ranges::find(keys, key.str()) != keys.end()) continue;
    std::string known;
    for (const std::string& one : keys) known += (known.empty() ? "" : ", ") + one;
    refuse(std::string(key.str()), "is not known; known are " + known);
  }
}

std::optional<std::string> TomlTable::text(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) refuse(key, "is no text in quotes");
  return node->value<std::string>();
}

std::optional<double> TomlTable::number(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value < 0) refuse(key, "is not a number from 0 on");
  return value;
}

std::optional<bool> TomlTable::flag(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) refuse(key, "is neither true nor false");
  return node->value<bool>();
}

std::vector<std::string> TomlTable::texts(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return {};
  const toml::array* array = node->as_array();
  std::vector<std::string> texts;
  if (array == nullptr) refuse(key, "is no list such as [\"01\", \"02\"]");
  for (const toml::node& one : *array) {
    if (!one.is_string()) refuse(key, "holds something that is no text in quotes");
    texts.push_back(*one.value<std::string>());
  }
  return texts;
}

std::optional<TomlTable> TomlTable::table(const std::string& key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) refuse(key, "is no table");
  return TomlTable(*node->as_table(), name_, path_ + (path_.empty() ? "" : ".") + key);
}

std::vector<std::string> TomlTable::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, node] : table_) keys.emplace_back(key.str());
  return keys;
}

}  // namespace roofline::grader
