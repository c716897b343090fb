// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Every format against what its reader documents (schemas/), with the worst that a learner's program can
// write.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "grader/base/paths.h"
#include "grader/base/xml.h"
#include "grader/batch/roster.h"
#include "grader/box/process.h"
#include "grader/formats/csv.h"
#include "grader/formats/format.h"
#include "grader/formats/hardest.h"
#include "grader/formats/json.h"
#include "grader/formats/tests/schema_check.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

const std::string kHostile =
    "=cmd|' /C calc'!A0 <script>&amp; ]]> \"q\" | `x` [a](http://b) \x1b[31m \xff\xfe \xef\xbf\xbf \x01, 100 "
    "%\n"
    "::error file=x::second line\r\n@SUM(1)";

Check check(const std::string& id, CheckKind kind, Verdict verdict, Class reason,
            const std::string& message = "") {
  Check made;
  made.id = id, made.title = id + ", titled", made.kind = kind, made.verdict = verdict, made.reason = reason;
  made.message = message;
  return made;
}

Result passed() {
  Result result;
  result.lab = "01-pointwise", result.part = "01", result.title = "the memory wall";
  result.source_path = "labs/01-pointwise/pointwise.cu";
  result.device.name = "NVIDIA A100-SXM4-40GB";
  result.started = "2026-01-31T10:15:00Z";
  result.wall_s = 12.345;
  result.verdict = Verdict::kPass, result.medal = Medal::kGood;
  result.points = 80.5;
  result.lines = {{.id = "correctness", .title = "the result is right", .points = 40, .max = 40},
                  {.id = "medals", .title = "fraction of the hardware limit", .points = 40.5, .max = 60}};
  result.checks = {
      check("build", CheckKind::kBuild, Verdict::kPass, Class::kNone),
      check("n-257", CheckKind::kCorrectness, Verdict::kPass, Class::kNone),
      check("huge", CheckKind::kCorrectness, Verdict::kSkipped, Class::kUnsupportedDevice, "too large")};
  Measurement line;
  line.id = "bandwidth", line.roof.id = "copy", line.roof.unit = "GB/s";
  line.fraction = 0.854, line.thresholds = {0.6, 0.8, 0.9}, line.medal = Medal::kGood;
  result.measurements = {line};
  return result;
}

Result failed(Class reason = Class::kWrongAnswer) {
  Result result = passed();
  result.part = "02", result.lab = "02-intensity", result.medal = Medal::kNone;
  result.verdict = Verdict::kFail, result.reason = reason;
  result.points = 13.37;
  result.lines[0].points = 13.37, result.lines[1].points = 0;
  result.checks[1] = check("n-257", CheckKind::kCorrectness, Verdict::kFail, reason, kHostile);
  return result;
}

Result refused() {
  Result result = failed(Class::kDoesNotCompile);
  result.measurements.clear(), result.lines.clear(), result.points = 0;
  result.checks = {check(
      "build", CheckKind::kBuild, Verdict::kFail, Class::kDoesNotCompile,
      "a.cu does not compile\na.cu:7: expected a \";\"\na.cu(9): error: identifier \"y\" is undefined")};
  return result;
}

Result broken() {
  Result result = passed();
  result.verdict = Verdict::kError, result.reason = Class::kInfrastructure, result.medal = Medal::kNone;
  result.checks[1] =
      check("sentinel", CheckKind::kCorrectness, Verdict::kError, Class::kInfrastructure, "ours");
  return result;
}

Graded graded(const std::vector<Result>& results, const std::string& id = "ada") {
  Graded made;
  made.id = id, made.name = "Ada " + id, made.email = id + "@example.edu";
  made.results = results;
  return made;
}

std::string text_of(const std::string& format, const std::vector<Graded>& all,
                    const FormatOptions& options = {}) {
  return format_named(format).text(all, options);
}

/// Everything a submission can be, so that no format is right for the good case alone.
std::vector<Graded> all_kinds() {
  Graded late = graded({passed(), failed()}, "late");
  late.factor = 0.8, late.remark = "=2 days late: 80 %";
  Graded hostile = graded({failed()}, "hostile");
  hostile.id = "=hyper", hostile.name = kHostile, hostile.email = "+1@example.edu";
  Result noisy = failed();
  noisy.verdict = Verdict::kNoisy;
  noisy.measurements[0].fraction = NAN;
  return {graded({passed()}),
          graded({failed()}, "bob"),
          graded({refused()}, "carl"),
          graded({broken()}, "dora"),
          late,
          hostile,
          graded({noisy}, "eve"),
          graded({Result{}}, "fay"),
          graded({}, "gil")};
}

// Breaks when a key is misspelt, missing, of the wrong type, or hostile bytes spoil the file.
TEST(Formats, JsonFormatsObeyTheirSchemas) {
  for (const char* name : {"gradescope", "prairielearn", "classroom50", "sarif"})
    for (const Graded& one : all_kinds())
      EXPECT_EQ(schema_faults(std::string("grader/formats/tests/schemas/") + name + ".schema.json",
                              text_of(name, {one})),
                "")
          << name << " of " << one.id;
}

// Breaks when a schema accepts anything.
TEST(Formats, TheSchemasRefuseWhatIsWrong) {
  const auto faults = [](const std::string& name, auto spoil) {
    Json json = Json::parse(text_of(name, {graded({passed(), failed()})}));
    spoil(json);
    return schema_faults("grader/formats/tests/schemas/" + name + ".schema.json", json.dump());
  };
  EXPECT_NE(faults("gradescope", [](Json& json) { json["tests"][0]["status"] = "ok"; }), "");
  EXPECT_NE(faults("gradescope", [](Json& json) { json["visibility"] = "secret"; }), "");
  EXPECT_NE(faults("prairielearn", [](Json& json) { json["score"] = 80; }), "");
  EXPECT_NE(faults("classroom50", [](Json& json) { json["score"] = 80.5; }), "");
  EXPECT_NE(faults("classroom50", [](Json& json) { json.erase("owner"); }), "");
  EXPECT_NE(faults("sarif", [](Json& json) { json["runs"][0]["results"][0]["level"] = "bad"; }), "");
}

// Breaks when points are lost, counted twice, or a fault of ours looks like a grade.
TEST(Formats, GradescopeScores) {
  const Json json = Json::parse(text_of("gradescope", {graded({passed(), failed()})}));
  EXPECT_DOUBLE_EQ(json["score"], 93.87);
  double sum = 0;
  std::set<std::string> numbers;
  for (const Json& test : json["tests"]) {
    sum += test.value("score", 0.0);
    EXPECT_LE(test.value("score", 0.0), test.value("max_score", 0.0));
    EXPECT_TRUE(numbers.insert(test["number"]).second);
  }
  EXPECT_NEAR(sum, 93.87, 1e-9);
  ASSERT_EQ(json["leaderboard"].size(), 1U) << "only what passed";
  EXPECT_DOUBLE_EQ(json["leaderboard"][0]["value"], 85.4);
  const Json ours = Json::parse(text_of("gradescope", {graded({broken()})}));
  EXPECT_NE(ours["output"].get<std::string>().find("through no fault of yours"), std::string::npos);
}

TEST(Formats, PrairieLearnGivesNoAttemptForWhatCannotBeGraded) {
  EXPECT_EQ(Json::parse(text_of("prairielearn", {graded({passed()})}))["gradable"], true);
  EXPECT_DOUBLE_EQ(Json::parse(text_of("prairielearn", {graded({passed()})}))["score"], 0.805);
  EXPECT_EQ(Json::parse(text_of("prairielearn", {graded({failed()})}))["gradable"], true);
  for (const Result& result : {refused(), broken()}) {
    const Json json = Json::parse(text_of("prairielearn", {graded({result})}));
    EXPECT_EQ(json["gradable"], false);
    EXPECT_EQ(json["format_errors"].size(), 1U);
  }
}

// Breaks when rounding gives points that nobody earned, or takes the last one from a full score.
TEST(Formats, Classroom50HasWholePoints) {
  for (const Graded& one : all_kinds()) {
    const Json json = Json::parse(text_of("classroom50", {one}));
    long sum = 0, max = 0;
    for (const Json& test : json["tests"]) {
      EXPECT_LE(test["score"].get<long>(), test["max-score"].get<long>());
      EXPECT_EQ(test["passed"].get<bool>(), test["score"] == test["max-score"]);
      sum += test["score"].get<long>(), max += test["max-score"].get<long>();
    }
    EXPECT_EQ(json["score"], sum);
    EXPECT_EQ(json["max-score"], max);
  }
  setenv("CLASSROOM", "cuda", 1), setenv("OWNER", "ada-l", 1),
      setenv("SUBMISSION_TAG", "submit/20260131-abc", 1);
  const Json json = Json::parse(text_of("classroom50", {graded({passed()})}));
  unsetenv("CLASSROOM"), unsetenv("OWNER"), unsetenv("SUBMISSION_TAG");
  EXPECT_EQ(json["score"], 80);
  EXPECT_EQ(json["classroom"], "cuda");
  EXPECT_EQ(json["owner"], "ada-l");
  EXPECT_EQ(json["submission"], "submit/20260131-abc");
  EXPECT_EQ(json["datetime"], "2026-01-31T10:15:00Z");
}

TEST(Xml, HasNoPlaceForSomeCharacters) {
  EXPECT_EQ(xml_escaped("a\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9z\xe2\x80\xa9"),
            "a????z\xe2\x80\xa9")
      << "a name or a line of code that a reader would see turned around";
  EXPECT_EQ(xml_escaped("<a href=\"x\">&\n\t\x01\x1b\xc3\xa9\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd"),
            "&lt;a href=&quot;x&quot;&gt;&amp;\n\t\xc3\xa9??\xef\xbf\xbd");
}

TEST(Formats, JUnitObeysItsSchema) {
  const std::string text = text_of("junit", all_kinds());
  EXPECT_NE(text.find("classname=\"02-intensity\""), std::string::npos);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("failures=\"5\" errors=\"1\" skipped=\"7\""), std::string::npos) << text.substr(0, 300);
  if (!fs::exists("/usr/bin/xmllint")) GTEST_SKIP() << "no xmllint: Debian's libxml2-utils has it";
  const fs::path file = fs::temp_directory_path() / ("junit-" + std::to_string(getpid()) + ".xml");
  const auto lint = [&](const std::string& xml) {
    write_file(file, xml);
    const CommandResult result = run_command(
        {"xmllint", "--noout", "--schema",
         std::string(ROOFLINE_SOURCE) + "/grader/formats/tests/schemas/junit.xsd", file.string()});
    return result.ok() ? "" : result.output;
  };
  EXPECT_EQ(lint(text), "");
  std::string spoilt = text;
  spoilt.replace(spoilt.find("tests="), 6, "test5=");
  EXPECT_NE(lint(spoilt), "") << "the schema accepts anything";
  fs::remove(file);
}

// Breaks when a learner's text becomes a command of the runner, or a link, a tag or a cell of the page.
TEST(Formats, GitHubIsSafeAgainstLearnersText) {
  const std::string commands = text_of("annotations", {graded({failed()})});
  EXPECT_EQ(std::count(commands.begin(), commands.end(), '\n'), 1) << commands;
  EXPECT_EQ(commands.rfind(
                "::error file=labs/01-pointwise/pointwise.cu,title=02 n-257%2C titled%3A wrong-answer::", 0),
            0U)
      << commands;
  EXPECT_NE(commands.find("100 %25%0A"), std::string::npos) << commands;
  const std::string page = text_of("github", {graded({passed(), failed()})});
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("[a](http"), std::string::npos);
  EXPECT_NE(page.find("| bandwidth (copy)"), std::string::npos) << page;
  EXPECT_NE(page.find("85.4 %"), std::string::npos);
  size_t columns = 0;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| n-257")) continue;
    for (size_t i = 0; i < line.size(); ++i)
      columns += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
  }
  EXPECT_EQ(columns, 4U) << page;
}

TEST(Formats, SarifPointsAtCompilerErrors) {
  const Json log = Json::parse(text_of("sarif", {graded({refused()})}));
  const Json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 1U) << "lines that say where and what";
  EXPECT_EQ(results[0]["ruleId"], "does-not-compile");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 9);
  EXPECT_EQ(results[0]["level"], "error");
}

// Breaks when a spreadsheet would run what a learner wrote, or a cell breaks its row.
TEST(Csv, RoundTripAndFormulas) {
  const std::vector<CsvRow> rows = {{"a", "b,c", "d\"e", "f\ng", " h", ""}, {"", "x"}};
  EXPECT_EQ(csv_rows(csv_text(rows)), rows);
  EXPECT_EQ(csv_rows("\xef\xbb\xbf"
                     "a,b\r\n\"c\"\"\",\r\n\r\n\"\"\n"),
            (std::vector<CsvRow>{{"a", "b"}, {"c\"", ""}, {""}}));
  EXPECT_THROW(csv_rows("a,\"b"), UsageError);
  EXPECT_EQ(csv_rows("a;\"b;c\";d,e\n1,5;2"), (std::vector<CsvRow>{{"a", "b;c", "d,e"}, {"1,5", "2"}}));
  for (const char* text : {"=1", "+1", "-1", "@x", "\tx", " =1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"})
    EXPECT_EQ(csv_cell(text), std::string("'") + text);
  EXPECT_EQ(csv_cell("a=1"), "a=1");
}

TEST(Formats, TablesAreRectangularAndHoldNoFormula) {
  FormatOptions options;
  options.gradebook = "Student,ID,Lab 01 (7)\n";
  for (const char* name : {"class", "hardest", "moodle"}) {
    const std::vector<CsvRow> rows = csv_rows(text_of(name, all_kinds(), options));
    ASSERT_GT(rows.size(), 2U);
    for (const CsvRow& row : rows) {
      EXPECT_EQ(row.size(), rows[0].size()) << name;
      for (const std::string& cell : row)
        EXPECT_TRUE(cell.empty() || std::string("=+-@").find(cell[0]) == std::string::npos)
            << name << ": " << cell;
    }
  }
}

TEST(Formats, ClassHasAColumnACheckAndTheHardestFirst) {
  Graded late = graded({failed()}, "late");
  late.results[0].part = "01", late.factor = 0.5;
  const auto rows = csv_rows(text_of("class", {graded({passed()}), late}));
  ASSERT_EQ(rows.size(), 3U);
  const CsvRow header = {"id",       "name",       "email",          "points",    "max",
                         "verdict",  "remark",     "held",           "handed_in", "days_late",
                         "factor",   "raw_points", "01:correctness", "01:medals", "01/build",
                         "01/n-257", "01/huge"};
  EXPECT_EQ(rows[0], header);
  EXPECT_EQ(rows[1][3], "80.5");
  EXPECT_EQ(rows[2][3], "6.69");
  EXPECT_EQ(rows[2][15], "wrong-answer");
  const auto hardest = csv_rows(text_of("hardest", {graded({passed()}), late}));
  ASSERT_EQ(hardest.size(), 3U) << "what could not run does not count";
  EXPECT_EQ(hardest[1], (CsvRow{"01/n-257", "n-257, titled", "1", "2", "50"}));
}

const std::string kGradebook =
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),Lab 01 (90218),Final Score\n"
    "    Points Possible,,,,,10.00,50.00,(read only)\n"
    "\"Lovelace, Ada\",5001,S1,ada,CS-1,8.00,,72.00\n"
    "\"Bobson, Bob\",5002,S2,BOB@example.edu,CS-1,9.00,3.00,68.00\n"
    "\"Nobody, No\",5003,S3,no,CS-1,9.00,1.00,68.00\n";

// Breaks when a grade lands in another row or column, or an upload would change other grades.
TEST(Canvas, FillsOneColumn) {
  std::vector<std::string> notes;
  FormatOptions options;
  options.gradebook = kGradebook, options.column = "Lab 01";
  options.note = [&](const std::string& note) { notes.push_back(note); };
  const auto rows = csv_rows(
      text_of("canvas", {graded({passed()}), graded({failed()}, "bob"), graded({failed()}, "zed")}, options));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0], (CsvRow{"Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Lab 01 (90218)"}));
  EXPECT_EQ(rows[1], (CsvRow{"    Points Possible", "", "", "", "", "50.00"}));
  EXPECT_EQ(rows[2].back(), "40.25") << "scaled to what the assignment is worth";
  EXPECT_EQ(rows[3].back(), "6.68");
  EXPECT_EQ(rows[4].back(), "1.00") << "who submitted nothing keeps what was there";
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("zed"), std::string::npos);
}

// Breaks when a person gets somebody else's grade because names look alike.
TEST(Canvas, WhereTwoCouldBeMeantNobodyIsTaken) {
  std::vector<std::string> notes;
  FormatOptions options;
  options.gradebook = kGradebook, options.column = "Lab 01";
  options.note = [&](const std::string& note) { notes.push_back(note); };
  const auto column_of = [&](const std::vector<Graded>& all) {
    notes.clear();
    std::vector<std::string> cells;
    for (const CsvRow& row : csv_rows(text_of("canvas", all, options))) cells.push_back(row.back());
    return std::vector(cells.begin() + 2, cells.end());
  };
  using Cells = std::vector<std::string>;
  Graded other = graded({passed()}, "other");
  other.email = "ada@elsewhere.edu";
  EXPECT_EQ(column_of({other}), (Cells{"40.25", "3.00", "1.00"})) << "alone it can only be her";
  EXPECT_EQ(column_of({graded({failed()}), other}), (Cells{"6.68", "3.00", "1.00"})) << "the id is surer";
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_EQ(column_of({other, graded({failed()})}), (Cells{"6.68", "3.00", "1.00"})) << "in any order";
  EXPECT_EQ(notes.size(), 1U);
  Graded again = other;
  again.id = "again";
  EXPECT_EQ(column_of({other, again}), (Cells{"", "3.00", "1.00"}));
  EXPECT_EQ(notes.size(), 1U);
  options.gradebook += "\"Namesake, Ada\",5004,ada,ada4,CS-1,9.00,2.00,68.00\n";
  EXPECT_EQ(column_of({graded({passed()})}), (Cells{"", "3.00", "1.00", "2.00"}))
      << "ada is an id in two rows";
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("several rows"), std::string::npos);
}

// Breaks when a class that was collected from Canvas needs a roster, or a gradebook of a country that writes
// 1,5 is refused, or names in two columns get lost, without which Canvas takes no file.
TEST(Canvas, TakesWhatCanvasWrites) {
  FormatOptions options;
  options.gradebook =
      "\xef\xbb\xbfLastName;FirstName;ID;SIS User ID;SIS Login ID;Section;Lab 01 (90218)\n"
      "    Points Possible;;;;;;50,00\n"
      "Lovelace;Ada;5001;S1;al;CS-1;1,50\n";
  const auto rows = csv_rows(text_of("canvas", {graded({passed()}, "lovelaceada_5001")}, options));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], (CsvRow{"LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Section",
                             "Lab 01 (90218)"}));
  EXPECT_EQ(rows[2], (CsvRow{"Lovelace", "Ada", "5001", "S1", "al", "CS-1", "40.25"}));
}

// Breaks when an instructor has to write a roster by hand although the platform has one.
TEST(Roster, IsWhatPlatformsExport) {
  const auto canvas = parse_roster(kGradebook, "grades.csv");
  ASSERT_EQ(canvas.size(), 3U) << "the points possible are nobody's";
  EXPECT_EQ(canvas[1].id, "5002");
  EXPECT_EQ(canvas[1].name, "Bobson, Bob");
  for (const char* csv :
       {"First name;Last name;ID number;Email address\nAda;Lovelace;S1;ada@x.edu\n",     // Moodle
        "First Name,Last Name,SID,Email,Sections\nAda,Lovelace,S1,ada@x.edu,CS-1\n"}) {  // Gradescope
    const auto students = parse_roster(csv, "list.csv");
    ASSERT_EQ(students.size(), 1U);
    EXPECT_EQ(students[0].id, "S1");
    EXPECT_EQ(students[0].name, "Ada Lovelace");
    EXPECT_EQ(students[0].email, "ada@x.edu");
  }
}

TEST(Canvas, SaysWhatIsMissing) {
  FormatOptions options;
  EXPECT_THROW(text_of("canvas", {graded({passed()})}, options), UsageError);
  options.gradebook = kGradebook;
  EXPECT_THROW(text_of("canvas", {graded({passed()})}, options), UsageError) << "two assignments, none named";
  options.column = "Lab 02";
  EXPECT_THROW(text_of("canvas", {graded({passed()})}, options), UsageError);
  options.column = "Lab 01 (90218)";
  const auto rows = csv_rows(text_of("canvas", {graded({broken()}, "bob")}, options));
  EXPECT_EQ(rows[3].back(), "3.00") << "no verdict is no grade";
}

TEST(Moodle, OneRowASubmissionWithAVerdict) {
  const auto rows = csv_rows(text_of("moodle", {graded({passed()}), graded({broken()}, "dora")}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (CsvRow{"email", "idnumber", "grade", "feedback"}));
  EXPECT_EQ(rows[1], (CsvRow{"ada@example.edu", "ada", "80.5", "01: pass, medal good"}));
}

// Breaks when a row names nobody: Moodle would give its grade to the person of the row before.
TEST(Moodle, EveryRowSaysWhoItIs) {
  std::vector<std::string> notes;
  FormatOptions options;
  options.note = [&](const std::string& note) { notes.push_back(note); };
  Graded address = graded({failed()}, "x@example.edu"), nameless = graded({failed()}, "zed");
  address.email = nameless.email = "";
  const auto by_email = csv_rows(text_of("moodle", {graded({passed()}), address}, options));
  EXPECT_EQ(by_email[0], (CsvRow{"email", "grade", "feedback"}));
  EXPECT_EQ(by_email[2][0], "x@example.edu");
  const auto by_number = csv_rows(text_of("moodle", {graded({passed()}), nameless}, options));
  EXPECT_EQ(by_number[0], (CsvRow{"idnumber", "grade", "feedback"}));
  EXPECT_TRUE(notes.empty());
  const auto most = csv_rows(
      text_of("moodle", {graded({passed()}), graded({failed()}, "bob"), address, nameless}, options));
  ASSERT_EQ(most.size(), 4U);
  for (const CsvRow& row : most) EXPECT_FALSE(row[0].empty());
  ASSERT_EQ(notes.size(), 1U);
}

// Breaks when a check that few ever reached seems easy, or one that only failures show seems hard.
TEST(Formats, TheHardestCheckIsCountedOverEverybody) {
  const auto check = [](const char* id, Verdict verdict) {
    Check made;
    made.id = id;
    made.verdict = verdict;
    return made;
  };
  const auto one = [&](Verdict verdict, std::vector<Check> checks) {
    Graded graded;
    graded.results.emplace_back();
    graded.results[0].part = "01";
    graded.results[0].verdict = verdict;
    graded.results[0].checks = std::move(checks);
    return graded;
  };
  using enum Verdict;
  const std::vector<Graded> all = {
      one(kPass, {check("n-1", kPass), check("speed", kPass)}),
      one(kFail, {check("n-1", kPass), check("speed", kFail)}),
      one(kFail, {check("compiles", kFail)}),
      one(kFail, {check("compiles", kFail)}),
      one(kError, {check("infrastructure", kError)}),
  };
  const auto tallies = hardest_checks(all);
  const auto counted = [&](const char* id) {
    const auto found = std::ranges::find(tallies, id, &CheckTally::id);
    return found == tallies.end() ? std::string()
                                  : std::to_string(found->passed) + " of " + std::to_string(found->of);
  };
  EXPECT_EQ(counted("speed"), "1 of 4");
  EXPECT_EQ(counted("n-1"), "2 of 4");
  EXPECT_EQ(counted("compiles"), "2 of 4");
  EXPECT_EQ(counted("infrastructure"), "") << "no fault of theirs";
  EXPECT_EQ(tallies[0].id, "speed");
}

TEST(Formats, NamesAreUniqueAndAWrongOneIsExplained) {
  std::set<std::string> names;
  for (const Format& format : formats()) EXPECT_TRUE(names.insert(format.name).second) << format.name;
  try {
    format_named("gradscope");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean gradescope"), std::string::npos);
  }
}

TEST(Formats, AClassIsWrittenIntoAFolder) {
  const fs::path folder = fs::temp_directory_path() / ("formats-" + std::to_string(getpid()));
  const auto written =
      write_formats({"class", "gradescope"}, {graded({passed()}), graded({failed()}, "bob")}, folder);
  EXPECT_EQ(written, (std::vector<fs::path>{folder / "class.csv", folder / "gradescope" / "ada.json",
                                            folder / "gradescope" / "bob.json"}));
  EXPECT_EQ(Json::parse(read_file(written[2]))["score"], 13.37);
  EXPECT_THROW(write_formats({"class", "nope"}, {}, folder / "x"), UsageError);
  EXPECT_FALSE(fs::exists(folder / "x")) << "nothing is written before all names are known";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace roofline::grader
