// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// SARIF as its standard describes it (2.1.0, OASIS). Broken by: a reference without its rule, a line 0, a
// path that is no URI.
#include "grader/formats/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace roofline::grader {
namespace {

using Json = nlohmann::json;

Finding finding(const std::string& rule, const std::string& file, unsigned line) {
  Finding made;
  made.rule = rule;
  made.title = "title of " + rule;
  made.message = "Do this.";
  made.check = "advice";
  made.kernel = "scale";
  made.file = file;
  made.line = line;
  return made;
}

Json parsed(const std::vector<Finding>& findings) {
  return Json::parse(sarif(findings, {{"known", "a known rule"}}, "/home/me/my project"));
}

TEST(Sarif, RulesAndResultsBelongTogether) {
  const Json log =
      parsed({finding("new", "/home/me/my project/src/a b.cu", 7), finding("known", "rel.cu", 2)});
  EXPECT_EQ(log.at("version"), "2.1.0");
  ASSERT_EQ(log.at("runs").size(), 1u);
  const Json& run = log["runs"][0];
  const Json& rules = run.at("tool").at("driver").at("rules");
  for (const Json& result : run.at("results")) {
    const auto index = result.at("ruleIndex").get<size_t>();
    ASSERT_LT(index, rules.size());
    EXPECT_EQ(rules[index].at("id"), result.at("ruleId"));
    EXPECT_FALSE(rules[index].at("shortDescription").at("text").get<std::string>().empty());
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    EXPECT_TRUE(result.at("level") == "note" || result["level"] == "warning" || result["level"] == "error");
  }
}

TEST(Sarif, FilesAreUris) {
  const Json log = parsed({finding("r", "/home/me/my project/src/a b.cu", 7), finding("r", "/usr/x/y.cu", 1),
                           finding("r", "rel.cu", 2)});
  const Json& results = log["runs"][0]["results"];
  const auto artifact = [&](size_t i) {
    return results[i]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(artifact(0).at("uri"), "src/a%20b.cu");
  EXPECT_EQ(artifact(0).at("uriBaseId"), "ROOT");
  EXPECT_EQ(artifact(1).at("uri"), "file:///usr/x/y.cu");
  EXPECT_FALSE(artifact(1).contains("uriBaseId"));
  EXPECT_EQ(artifact(2).at("uri"), "rel.cu");
  EXPECT_EQ(log["runs"][0]["originalUriBaseIds"]["ROOT"]["uri"], "file:///home/me/my%20project/");
}

TEST(Sarif, WithoutALineThereIsNoLocation) {
  Finding nowhere = finding("r", "", 0);
  nowhere.where = "PTX line 12: ld.global.f32 %f1, [%rd1]";
  const Json result = parsed({nowhere})["runs"][0]["results"][0];
  EXPECT_TRUE(result.at("locations").empty());
  EXPECT_EQ(result["properties"]["ptx"], nowhere.where);
}

TEST(Sarif, RelatedPlacesAreNumbered) {
  Finding race = finding("race", "rel.cu", 2);
  race.related = {{"the other access", "rel.cu", 9}, {"nowhere", "", 0}};
  race.message = std::string("bytes \xff\xfe that are no text");
  const Json result = parsed({race})["runs"][0]["results"][0];
  ASSERT_EQ(result.at("relatedLocations").size(), 1u);
  EXPECT_EQ(result["relatedLocations"][0].at("id"), 1);
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 9);
}

}  // namespace
}  // namespace roofline::grader
