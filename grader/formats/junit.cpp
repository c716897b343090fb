// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// JUnit XML as CI systems read it: one suite a part, one case a check. Nobody owns the format; what is
// written here is the part that Jenkins, GitLab and the GitHub actions agree on.
#include "grader/base/xml.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

std::string escaped(const std::string& text) { return xml_escaped(shortened(text)); }

std::string attribute(const std::string& name, const std::string& value) {
  return " " + name + "=\"" + escaped(one_line(value)) + "\"";
}

struct Count {
  unsigned tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  std::string attributes() const {
    return attribute("tests", std::to_string(tests)) + attribute("failures", std::to_string(failures)) +
           attribute("errors", std::to_string(errors)) + attribute("skipped", std::to_string(skipped)) +
           attribute("time", decimal(seconds));
  }
  void operator+=(const Count& other) {
    tests += other.tests, failures += other.failures, errors += other.errors, skipped += other.skipped;
    seconds += other.seconds;
  }
};

/// No check of ours takes a time of its own: "time" of a case is 0, and the suite has the wall time.
std::string test_case(const Result& result, const Check& check, Count& count) {
  std::string text = "    <testcase" + attribute("classname", result.lab.empty() ? result.part : result.lab) +
                     attribute("name", result.part + " " + check.label()) + attribute("time", "0");
  ++count.tests;
  if (check.verdict == Verdict::kPass) return text + "/>\n";
  const std::string first = check.message.substr(0, check.message.find('\n'));
  if (check.verdict == Verdict::kSkipped) {
    ++count.skipped;
    return text + ">\n      <skipped" + attribute("message", first) + "/>\n    </testcase>\n";
  }
  const bool ours = check.verdict != Verdict::kFail;  // noisy, error: not the learner's
  ++(ours ? count.errors : count.failures);
  const std::string element = ours ? "error" : "failure";
  return text + ">\n      <" + element + attribute("type", outcome(check)) + attribute("message", first) +
         ">" + escaped(check.message) + "</" + element + ">\n    </testcase>\n";
}

std::string junit(const std::vector<Graded>& all, const FormatOptions&) {
  std::string suites;
  Count total;
  unsigned id = 0;
  for (const Graded& graded : all) {
    for (const Result& result : graded.results) {
      std::string cases;
      Count count{.seconds = result.wall_s};
      for (const Check& check : result.checks) cases += test_case(result, check, count);
      std::string started = result.started;
      if (started.ends_with('Z'))
        started.pop_back();  // xs:dateTime that some readers take without a zone only
      suites += "  <testsuite" +
                attribute("name", result.part + (result.title.empty() ? "" : " " + result.title)) +
                attribute("id", std::to_string(id++)) + count.attributes() +
                (started.empty() ? "" : attribute("timestamp", started)) + ">\n" + cases + "  </testsuite>\n";
      total += count;
    }
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", "Roofline Labs") +
         total.attributes() + ">\n" + suites + "</testsuites>\n";
}

}  // namespace

Format junit_format() {
  return {.name = "junit", .what = "JUnit XML, a suite a part", .file = "junit.xml", .text = junit};
}

}  // namespace roofline::grader
