// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/sarif.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHelp = "https://json.schemastore.org/sarif-2.1.0.json";

/// A path as a URI reference: what RFC 3986 does not allow in one is written %XX.
std::string uri(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || std::string("-._~/").find(c) != std::string::npos;
    if (plain) {
      out += c;
    } else {
      char text[4];
      std::snprintf(text, sizeof text, "%%%02X", byte);
      out += text;
    }
  }
  return out;
}

Json artifact(const std::string& file, const std::filesystem::path& root) {
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  const std::filesystem::path relative =
      path.is_absolute() ? path.lexically_relative(root.lexically_normal()) : path;
  const bool below = !relative.empty() && *relative.begin() != "..";
  if (below) return {{"uri", uri(relative.generic_string())}, {"uriBaseId", "ROOT"}};
  return {{"uri", "file://" + uri(path.generic_string())}};
}

Json location(const std::string& file, unsigned line, const std::filesystem::path& root) {
  return {
      {"physicalLocation", {{"artifactLocation", artifact(file, root)}, {"region", {{"startLine", line}}}}}};
}

Json result(const Finding& finding, size_t rule, const std::filesystem::path& root, bool simulated) {
  std::string message = finding.message;
  if (!finding.kernel.empty()) message = "kernel " + finding.kernel + ": " + message;
  Json json = {{"ruleId", finding.rule},
               {"ruleIndex", rule},
               {"level", level_name(finding.level)},
               {"message", {{"text", message}}},
               {"locations", Json::array()}};
  if (finding.line != 0 && !finding.file.empty()) {
    Json place = location(finding.file, finding.line, root);
    if (!finding.kernel.empty())
      place["logicalLocations"] = Json::array({{{"name", finding.kernel}, {"kind", "function"}}});
    json["locations"].push_back(std::move(place));
  }
  Json related = Json::array();
  for (const auto& other : finding.related) {
    if (other.line == 0 || other.file.empty()) continue;
    Json place = location(other.file, other.line, root);
    place["id"] = related.size() + 1;
    place["message"] = {{"text", other.message}};
    related.push_back(std::move(place));
  }
  if (!related.empty()) json["relatedLocations"] = std::move(related);
  Json properties = {{"check", finding.check}, {"simulated", simulated}};
  if (!finding.where.empty()) properties["ptx"] = finding.where;
  if (!finding.block.empty()) properties["block"] = finding.block;
  if (!finding.thread.empty()) properties["thread"] = finding.thread;
  if (finding.gain_seconds > 0) properties["simulatedSecondsSaved"] = finding.gain_seconds;
  json["properties"] = std::move(properties);
  return json;
}

}  // namespace

std::string sarif(const std::vector<Finding>& findings,
                  const std::vector<std::pair<std::string, std::string>>& rules,
                  const std::filesystem::path& root, const SarifSource& source) {
  std::vector<std::pair<std::string, std::string>> known = rules;
  const auto place_of = [&](const Finding& finding) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& rule) { return rule.first == finding.rule; });
    if (found != known.end()) return static_cast<size_t>(found - known.begin());
    known.emplace_back(finding.rule, finding.title);
    return known.size() - 1;
  };
  Json results = Json::array();
  for (const Finding& finding : findings)
    results.push_back(result(finding, place_of(finding), root, source.simulated));
  Json described = Json::array();
  for (const auto& [id, title] : known)
    described.push_back({{"id", id}, {"name", id}, {"shortDescription", {{"text", title}}}});
  std::string base = "file://" + uri(root.lexically_normal().generic_string());
  if (!base.ends_with('/')) base += '/';
  const Json run = {{"tool", {{"driver", {{"name", source.tool}, {"rules", described}}}}},
                    {"originalUriBaseIds", {{"ROOT", {{"uri", base}}}}},
                    {"columnKind", "utf16CodeUnits"},
                    {"results", results}};
  const Json log = {{"$schema", kHelp}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofline::grader
