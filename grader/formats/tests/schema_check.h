// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "grader/base/file.h"

namespace roofline::grader {

using Json = nlohmann::json;

/// The keywords of JSON Schema that our schema uses; any other keyword is a failure, so that none is ignored.
class Validator {
 public:
  std::vector<std::string> faults;

  void check(const Json& schema, const Json& value, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$schema" || keyword == "title" || keyword == "description") continue;
      if (keyword == "type") {
        type(rule, value, at);
      } else if (keyword == "enum") {
        if (std::find(rule.begin(), rule.end(), value) == rule.end())
          faults.push_back(at + ": not in the enum: " + value.dump());
      } else if (keyword == "required") {
        for (const auto& name : rule)
          if (!value.contains(name)) faults.push_back(at + ": no " + name.get<std::string>());
      } else if (keyword == "properties") {
        for (const auto& [name, inner] : rule.items())
          if (value.contains(name)) check(inner, value[name], at + "." + name);
      } else if (keyword == "additionalProperties") {
        for (const auto& [name, inner] : value.items())
          if (!rule.get<bool>() && !schema["properties"].contains(name))
            faults.push_back(at + ": extra " + name);
      } else if (keyword == "items") {
        for (size_t i = 0; i < value.size(); ++i) check(rule, value[i], at + "[" + std::to_string(i) + "]");
      } else if (keyword == "pattern") {
        if (!value.is_string() ||
            !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
          faults.push_back(at + ": not of the form " + rule.get<std::string>() + ": " + value.dump());
      } else if (keyword == "minLength") {
        if (value.is_string() && value.get<std::string>().size() < rule.get<size_t>())
          faults.push_back(at + ": too short");
      } else if (keyword == "minItems") {
        if (value.size() < rule.get<size_t>()) faults.push_back(at + ": too few items");
      } else if (keyword == "minimum") {
        if (value.is_number() && value.get<double>() < rule.get<double>())
          faults.push_back(at + ": too small: " + value.dump());
      } else if (keyword == "maximum") {
        if (value.is_number() && value.get<double>() > rule.get<double>())
          faults.push_back(at + ": too large: " + value.dump());
      } else {
        faults.push_back("schema keyword not supported: " + keyword);
      }
    }
  }

 private:
  static bool is(const std::string& name, const Json& value) {
    return name == "object"    ? value.is_object()
           : name == "array"   ? value.is_array()
           : name == "string"  ? value.is_string()
           : name == "integer" ? value.is_number_integer()
           : name == "number"  ? value.is_number()
           : name == "boolean" ? value.is_boolean()
           : name == "null"    ? value.is_null()
                               : false;
  }
  void type(const Json& rule, const Json& value, const std::string& at) {
    const auto names =
        rule.is_array() ? rule.get<std::vector<std::string>>() : std::vector{rule.get<std::string>()};
    for (const std::string& name : names)
      if (is(name, value)) return;
    faults.push_back(at + ": wrong type: " + value.dump());
  }
};

/// What is wrong with a text, one line each; `schema` is a path below the source folder.
inline std::string schema_faults(const std::string& schema, const std::string& text) {
  Validator validator;
  validator.check(Json::parse(read_file(std::string(ROOFLINE_SOURCE) + "/" + schema)), Json::parse(text),
                  "result");
  std::string all;
  for (const std::string& fault : validator.faults) all += fault + "\n";
  return all;
}

}  // namespace roofline::grader
