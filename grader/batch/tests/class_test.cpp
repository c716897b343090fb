// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// From outcomes to the class's table: late days, points, the best of several, whom a person has to look at.
#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_run.h"
#include "grader/batch/doubts.h"
#include "grader/batch/roster.h"
#include "grader/formats/csv.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

TEST(Late, DaysThatHaveBegun) {
  LatePolicy late;
  late.deadline = parse_time("2026-11-20T23:59:00Z");
  late.grace = 900;
  late.percent_per_day = 10;
  late.most_days = 3;
  late.extensions["ada"] = *parse_time("2026-11-25");
  const auto factor = [&](const char* student, const char* time) {
    return late.of(student, parse_time(time)).factor;
  };
  EXPECT_EQ(factor("bob", "2026-11-20T23:59:00Z"), 1);
  EXPECT_EQ(factor("bob", "2026-11-21T00:14:00Z"), 1) << "grace";
  EXPECT_EQ(factor("bob", "2026-11-21T00:15:00Z"), 0.9);
  EXPECT_EQ(factor("bob", "2026-11-22T00:15:00Z"), 0.8);
  EXPECT_EQ(factor("bob", "2026-11-24T00:15:00Z"), 0) << "more than three days";
  EXPECT_EQ(factor("Ada", "2026-11-24T00:15:00Z"), 1) << "an extension";
  EXPECT_EQ(late.of("bob", std::nullopt).factor, 1) << "nobody loses points for a time that is not known";
}

TEST(Late, ClocksOfZones) {
  EXPECT_EQ(parse_time("2026-07-01 12:00", "+02:00"), parse_time("2026-07-01T10:00:00Z"));
  EXPECT_EQ(parse_time("2026-07-01T12:00:00Z", "+02:00"), parse_time("2026-07-01T12:00:00Z"));
  EXPECT_EQ(clock_text(*parse_time("2026-07-01T23:30:00Z"), "+02:00"), "2026-07-02 01:30");
  EXPECT_EQ(clock_text(*parse_time("2026-07-01T23:30:00Z"), ""), "2026-07-01 23:30");
  if (!zone_problem("Europe/Berlin").empty()) GTEST_SKIP() << zone_problem("Europe/Berlin");
  EXPECT_EQ(parse_time("2026-07-01 12:00", "Europe/Berlin"), parse_time("2026-07-01T10:00:00Z")) << "summer";
  EXPECT_EQ(parse_time("2026-12-01 12:00", "Europe/Berlin"), parse_time("2026-12-01T11:00:00Z"));
  for (const char* shown : {"2026-07-01 12:00", "2026-12-01 12:00"})
    EXPECT_EQ(clock_text(*parse_time(shown, "Europe/Berlin"), "Europe/Berlin"), shown);
  EXPECT_EQ(Course::parse("[late]\ndeadline = 2026-12-01T12:00:00\ntime_zone = \"Europe/Berlin\"\n", "c")
                .late.deadline,
            parse_time("2026-12-01T11:00:00Z"));
  for (const char* bad : {"Mars/Phobos", "../etc/passwd", "+2"})
    EXPECT_THROW(Course::parse("[late]\ntime_zone = \"" + std::string(bad) + "\"\n", "c"), UsageError) << bad;
}

TEST(Late, FormsOfTime) {
  EXPECT_EQ(parse_time("1970-01-02T00:00:00Z"), 86400);
  EXPECT_EQ(parse_time("1970-01-02 01:00 +0100"), 86400);
  EXPECT_EQ(parse_time("1970-01-01 16:00:00.123456000 -08:00"), 86400);
  EXPECT_EQ(parse_time("1970-01-01"), 86399);
  for (const char* bad :
       {"", "soon", "1970-13-01", "1970-01-01T25:00", "1970-01-01T00:00 PST", "1970-01-01T"})
    EXPECT_FALSE(parse_time(bad)) << bad;
}

TEST(CourseFile, SaysWhatItDoesNotKnow) {
  const Course course = Course::parse(
      "[late]\ndeadline = 2026-11-20T23:59:00Z\ngrace_minutes = 15\npercent_per_day = 10\n"
      "[points]\ncorrectness = 50\n[points.03c]\npass = 30\n",
      "course.toml");
  EXPECT_EQ(course.late.deadline, parse_time("2026-11-20T23:59:00Z"));
  EXPECT_EQ(course.points_of("03c", {}).medals.pass, 30);
  EXPECT_EQ(course.points_of("03c", {}).correctness, 50);
  EXPECT_EQ(course.points_of("01", {}).medals.pass, Points{}.medals.pass);
  for (const char* bad :
       {"[late]\ndedline = 1", "x = 1", "[points]\nspeed = 3", "[late]\npercent_per_day = -1", "[late"})
    EXPECT_THROW(Course::parse(bad, "course.toml"), UsageError) << bad;
}

TEST(Roster, Columns) {
  const auto students = parse_roster(
      "\xef\xbb\xbfID,Name,Email,Submitted,github\r\n1,\"Love, Ada\",ada@x.org,2026-11-20,adal\r\n", "r");
  ASSERT_EQ(students.size(), 1U);
  EXPECT_EQ(students[0].name, "Love, Ada");
  EXPECT_EQ(students[0].also, std::vector<std::string>{"adal"});
  EXPECT_TRUE(students[0].handed_in);
  EXPECT_THROW(parse_roster("first,last\na,b\n", "r"), UsageError);
  EXPECT_THROW(parse_roster("", "r"), UsageError);
  EXPECT_THROW(parse_roster("id,name\n", "r"), UsageError) << "a class of nobody";
}

// Breaks when an extension is lost because the platform calls the student something else.
TEST(Late, ExtensionsAreFoundInTheRoster) {
  const auto roster = parse_roster("id,name,login,section\n5001,Ada Love,AL,A\n5002,Bob Ross,br,A\n", "r");
  LatePolicy late;
  late.deadline = 1000;
  late.most_days = 0;
  late.extensions["al"] = 9000;
  name_by_id(late, roster);
  EXPECT_EQ(late.of("5001", 8000).factor, 1);
  EXPECT_EQ(late.of("5002", 8000).factor, 0);
  for (const char* wrong : {"alf", "a"}) {
    late.extensions = {{wrong, 9000}};
    EXPECT_THROW(name_by_id(late, roster), UsageError) << wrong;
  }
}

// Breaks when a grade goes to one of two people who could be meant.
TEST(Roster, WhoIsMeant) {
  const auto roster = parse_roster(
      "id,name,email,login,section\n1,Ada Love,Ada@x.org,al,A\n2,Bob Ross,bob@x.org,br,A\n"
      "3,Ada Love,ada2@x.org,al2,B\n",
      "r");
  const auto id_of = [&](const std::vector<std::string>& told) {
    const Student* student = find_student(roster, told);
    return student == nullptr ? std::string("nobody") : student->id;
  };
  EXPECT_EQ(id_of({"ada@X.org"}), "1") << "addresses have no case";
  EXPECT_EQ(id_of({"br"}), "2");
  EXPECT_EQ(id_of({"Bob Ross_77", "", "77", "Bob Ross"}), "2");
  EXPECT_EQ(id_of({"Ada Love"}), "nobody") << "two have that name";
  EXPECT_EQ(id_of({"3", "Ada Love"}), "3") << "but one has that id";
  EXPECT_EQ(id_of({"A"}), "nobody") << "a section is shared";
  EXPECT_EQ(id_of({"ada2"}), "3") << "before the @ of an address";
  EXPECT_EQ(id_of({"", ""}), "nobody");
}

// Breaks when a class is scored anew without its roster or late policy and nobody is told.
TEST(Doubts, WhatIsLeftOutAndWhatMakesNoHundred) {
  EXPECT_TRUE(dropped_files("", "class.csv", "", "").empty());
  EXPECT_TRUE(dropped_files("class.csv", "other.csv", "a.toml", "b.toml").empty());
  const auto dropped = dropped_files("class.csv", "", "course.toml", "");
  ASSERT_EQ(dropped.size(), 2U);
  EXPECT_NE(dropped[0].find("class.csv"), std::string::npos);
  EXPECT_NE(dropped[1].find("late work"), std::string::npos);
  ASSERT_EQ(unusual_points({{"01", 100}, {"03c", 120}}).size(), 1U);
  EXPECT_NE(unusual_points({{"03c", 120}})[0].find("03c make 120"), std::string::npos);
  const Progressed progressed = replay({{{"event", "class"}},
                                        {{"event", "given"}, {"roster", "class.csv"}, {"course", "c.toml"}},
                                        {{"event", "agreed"}, {"to", "it"}}});
  EXPECT_EQ(progressed.roster + progressed.course, "class.csvc.toml");
  EXPECT_TRUE(progressed.agreed.contains("it"));
}

class Settling : public Folder {
 protected:
  /// Correct in `passed` of 4 cases.
  std::string outcome(const std::string& key, int passed) {
    Result result;
    result.lab = "01-pointwise";
    result.part = "01";
    for (int i = 0; i < 4; ++i) {
      Check& check = result.checks.emplace_back();
      check.id = "case-" + std::to_string(i);
      check.verdict = i < passed ? Verdict::kPass : Verdict::kFail;
      check.reason = i < passed ? Class::kNone : Class::kWrongAnswer;
    }
    write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    return key;
  }
  static HandedIn attempt(const std::string& id, const std::string& label, const std::string& key,
                          Seconds time) {
    HandedIn attempt;
    attempt.id = id;
    attempt.label = label;
    attempt.time = time;
    if (!key.empty()) attempt.tasks["01"] = key;
    return attempt;
  }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

TEST_F(Settling, TheBestCountsAfterTheLatePolicy) {
  Course course;
  course.late.deadline = 1000;
  course.late.percent_per_day = 50;
  const std::vector<HandedIn> attempts = {
      attempt("ada", "first", outcome("half", 2), 900), attempt("ada", "late", outcome("whole", 4), 2000),
      attempt("ada", "best", outcome("most", 3), 950), attempt("bob", "nothing", "", 900),
      attempt("eve", "lost", "gone", 900)};
  const ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, course);
  ASSERT_EQ(settled.students.size(), 3U);
  EXPECT_EQ(settled.chosen[0].label, "best");
  EXPECT_EQ(settled.students[1].points(), 0);
  EXPECT_EQ(settled.students[1].verdict(), Verdict::kFail);
  EXPECT_EQ(settled.students[2].verdict(), Verdict::kError) << "an outcome that is gone is our fault";
  EXPECT_EQ(settled.errors, 1U);
  EXPECT_EQ(settled.submissions, 5U);
  EXPECT_EQ(settled.different, 4U);
}

// Breaks when of attempts that tell no time the last in the alphabet counts, or a page calls it the best.
TEST_F(Settling, OfAttemptsWithoutATimeTheLastIsTheLast) {
  Course course;
  course.attempts = Attempts::kLast;
  std::vector<HandedIn> attempts = {attempt("ada", "ada/attempt-2", outcome("whole", 4), 0),
                                    attempt("ada", "ada/attempt-10", outcome("half", 2), 0)};
  for (HandedIn& one : attempts) one.time.reset();
  const ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, course);
  EXPECT_EQ(settled.chosen[0].label, "ada/attempt-10");
  write_outputs({}, BatchFolder{folder_}, settled, parts_, {});
  EXPECT_NE(read_file(folder_ / "reports" / "ada.html").find("ada/attempt-10, the last of 2 submissions"),
            std::string::npos);
}

// Breaks when an archive that is damaged, or a file of another name, looks like work that was not done.
TEST_F(Settling, WhatCouldNotBeReadIsSaid) {
  HandedIn torn = attempt("ada", "ada.zip", "", 900);
  torn.problem = "ada.zip: the archive is damaged at entry 1";
  const ClassOutcome settled =
      settle(BatchFolder{folder_}, {torn, attempt("bob", "b", outcome("half", 2), 900)}, parts_, {});
  EXPECT_NE(class_summary(settled, {}).find("not as the lab asks for it, see the overview: ada\n"),
            std::string::npos);
  EXPECT_NE(overview_page(settled, parts_).find("<td>ada.zip</td><td>" + torn.problem), std::string::npos);
  EXPECT_NE(format_named("class").text(settled.students, {}).find("fail," + torn.problem), std::string::npos);
  EXPECT_EQ(settled.students[1].remark, "");
}

// Breaks when late work of Canvas, which tells no time, goes by without a word.
TEST_F(Settling, LateWithoutATimeIsSaid) {
  HandedIn late = attempt("ada", "a", outcome("half", 2), 0);
  late.time.reset();
  late.marked_late = true;
  const Graded graded = settle(BatchFolder{folder_}, {late}, parts_, {}).students[0];
  EXPECT_EQ(graded.factor, 1);
  EXPECT_NE(graded.remark.find("not when"), std::string::npos);
}

TEST_F(Settling, NewPointsWithoutRunning) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a", outcome("half", 2), 900)};
  Course course = Course::parse("[points]\ncorrectness = 0\nstructure = 0\n", "course.toml");
  const double before = settle(BatchFolder{folder_}, attempts, parts_, {}).students[0].points();
  const double after = settle(BatchFolder{folder_}, attempts, parts_, course).students[0].points();
  EXPECT_GT(before, 0);
  EXPECT_EQ(after, 0);
}

TEST_F(Settling, ImpossibleTimesAreHeldForAPerson) {
  const auto change = [&](const std::string& key, auto how) {
    Result result = read_outcome(BatchFolder{folder_}, key);
    how(result.checks.back());
    write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    return key;
  };
  const auto impossible = [](Check& check) {
    check.id = "bandwidth";
    check.verdict = Verdict::kFail;
    check.reason = Class::kImpossible;
  };
  const std::vector<HandedIn> attempts = {
      attempt("ada", "fast", change(outcome("skips", 3), impossible), 900),
      attempt("bob", "first", change(outcome("skips-more", 2), impossible), 900),
      attempt("bob", "second", outcome("honest", 4), 950),
      attempt("eve", "loud",
              change(outcome("neighbours", 4), [](Check& check) { check.verdict = Verdict::kNoisy; }), 900),
      attempt("joe", "fine", outcome("fine", 4), 900)};
  const ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, {});
  ASSERT_EQ(settled.students.size(), 4U);
  EXPECT_EQ(settled.students[0].held, "01/bandwidth: impossible");
  EXPECT_EQ(settled.students[0].verdict(), Verdict::kFail);
  EXPECT_EQ(settled.chosen[1].label, "second");
  EXPECT_EQ(settled.students[1].held, "in first: 01/bandwidth: impossible")
      << "also where another one counts";
  EXPECT_EQ(settled.students[2].verdict(), Verdict::kError) << "times that never settled take no points";
  EXPECT_FALSE(settled.students[2].held.empty());
  EXPECT_EQ(settled.students[3].held, "");
  EXPECT_EQ(settled.errors, 1U);
  const std::string page = overview_page(settled, parts_);
  EXPECT_NE(page.find("For a person to look at"), std::string::npos);
  EXPECT_NE(page.find("in first: 01/bandwidth: impossible"), std::string::npos);
  EXPECT_NE(format_named("class").text(settled.students, {}).find("01/bandwidth: impossible"),
            std::string::npos);
  EXPECT_EQ(
      overview_page(settle(BatchFolder{folder_}, {attempts.back()}, parts_, {}), parts_).find("to look at"),
      std::string::npos);
}

// Breaks when somebody of the class is on no list, or has 0 points that nobody gave.
TEST_F(Settling, WhoHandedInNothingIsSaid) {
  const auto roster =
      parse_roster("id,name,email\nada,Ada Love,ada@x.org\nzoe,Zoe <i>Z</i>,zoe@x.org\nbob,,\n", "r");
  HandedIn stranger = attempt("eve", "eve's", outcome("some", 1), 900);
  stranger.in_roster = false;
  HandedIn ada = attempt("ada", "first", outcome("half", 2), 900);
  ada.name = "Ada Love";
  const ClassOutcome settled = settle(BatchFolder{folder_}, {ada, stranger}, parts_, {}, roster);
  ASSERT_EQ(settled.absent.size(), 2U);
  EXPECT_EQ(settled.in_roster, 3U);

  const std::string summary = class_summary(settled, {});
  for (const char* part : {"2 of 3 in the roster handed in nothing: Zoe <i>Z</i> (zoe), bob", "Ada Love",
                           "1 of 2 students are not in the roster: eve"})
    EXPECT_NE(summary.find(part), std::string::npos) << part << "\n" << summary;

  const std::string page = overview_page(settled, parts_);
  for (const char* part : {"<h2>Handed in nothing</h2>", "2 of 3 in the roster", "Zoe &lt;i&gt;", "zoe@x.org",
                           "<h2>Not in the roster</h2>", "eve's"})
    EXPECT_NE(page.find(part), std::string::npos) << part;

  ClassOutcome simulated = settled;
  simulated.students[0].results[0].device.name = "NVIDIA <X>";
  for (const std::string& shown : {overview_page(simulated, parts_), class_summary(simulated, {})})
    EXPECT_NE(shown.find("Graded on the simulated NVIDIA"), std::string::npos) << shown;

  write_outputs({}, BatchFolder{folder_}, settled, parts_, {"moodle"});
  const auto rows = csv_rows(read_file(folder_ / "class.csv"));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[2][7], "not in the roster");
  EXPECT_EQ(rows[3][0], "zoe");
  EXPECT_EQ(rows[3][3], "") << "no points are not 0 points";
  EXPECT_EQ(rows[3][5], "not-handed-in");
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  const auto moodle = csv_rows(read_file(folder_ / "moodle.csv"));
  ASSERT_EQ(moodle.size(), 2U) << "neither who is absent nor whom Moodle does not know";
  EXPECT_FALSE(fs::exists(folder_ / "results" / "zoe.json"));
}

TEST_F(Settling, WithoutARosterNobodyIsMissing) {
  const ClassOutcome settled = settle(BatchFolder{folder_}, {attempt("ada", "a", "", 900)}, parts_, {});
  EXPECT_EQ(class_summary(settled, {}).find("roster"), std::string::npos);
  EXPECT_EQ(overview_page(settled, parts_).find("roster"), std::string::npos);
  EXPECT_EQ(class_summary(settled, {}).find("name"), std::string::npos) << "a column without a cell";
}

// Breaks when a student's page is made of anything but the page that every learner knows, or of what changes
// from run to run.
TEST_F(Settling, AStudentsPageIsTheLearnersPage) {
  const BatchFolder folder{folder_};
  Task task;
  task.key = outcome("half", 2);
  task.part = "01";
  task.source_sha256 = sha256_hex("__global__ void of_ada();");
  write_task(folder, task);
  write_file(folder.source(task.source_sha256), "__global__ void of_ada();");
  Result result = read_outcome(folder, task.key);
  result.device.name = "a device";
  result.profile.lines = {{.line = 1, .warps = 1, .lanes = 32}};
  write_file(folder.outcome(task.key), to_json({result}));
  Course course;
  course.late.deadline = 0;
  course.late.percent_per_day = 50;
  const ClassOutcome settled = settle(folder, {attempt("ada", "<hand-in>", task.key, 900)}, parts_, course);
  const auto page = [&] { return student_page(folder, settled.students[0], settled.chosen[0], parts_); };
  for (const char* part : {"graded: &lt;hand-in&gt;", "1 day late", "case-3", "wrong-answer", "of_ada()"})
    EXPECT_NE(page().find(part), std::string::npos) << part << page();
  EXPECT_EQ(page().find("./lab grade"), std::string::npos) << "what to type is for learners";
  EXPECT_EQ(page(), page());
}

// Breaks when the page's header says one sum and its tables another, or a point's way cannot be followed.
TEST_F(Settling, AStudentsPageSaysWhereEveryPointWent) {
  const BatchFolder folder{folder_};
  Course course;
  course.late.deadline = 0;
  course.late.percent_per_day = 50;
  const ClassOutcome settled = settle(
      folder,
      {attempt("ada", "first", outcome("none", 0), 900), attempt("ada", "second", outcome("half", 2), 950)},
      parts_, course);
  const Graded& ada = settled.students[0];
  EXPECT_EQ(ada.handed_in, "1970-01-01T00:15:50Z");
  EXPECT_EQ(ada.days_late, 1);
  EXPECT_EQ(ada.points(), ada.raw_points() / 2);
  const std::string page = student_page(folder, ada, settled.chosen[0], parts_);
  for (const std::string& part :
       {decimal(ada.points()) + " of 100 points; 1 day late: 50 %; graded: second, the best of 2 submissions",
        std::string("01 the result is right"), std::string("handed in 1970-01-01T00:15:50Z"),
        std::string("times 0.5"), std::string("points earned")})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("last graded"), std::string::npos) << "an empty column";
  const auto rows = csv_rows(format_named("class").text(settled.students, {}));
  const std::vector<std::string> head(rows[0].begin() + 8, rows[0].begin() + 13);
  EXPECT_EQ(head,
            (std::vector<std::string>{"handed_in", "days_late", "factor", "raw_points", "01:correctness"}));
  EXPECT_EQ(rows[1][8], ada.handed_in);
  EXPECT_EQ(rows[1][11], decimal(ada.raw_points()));
  double sum = 0;
  for (std::size_t i = 12; i < rows[0].size() && rows[0][i].starts_with("01:"); ++i)
    sum += std::stod(rows[1][i]);
  EXPECT_NEAR(sum, ada.raw_points(), 0.05);
  const Graded again = from_json(to_json(ada));
  EXPECT_EQ(again.handed_in, ada.handed_in);
  EXPECT_EQ(again.submissions, 2U);
}

// Breaks when copies go by, or a group, the skeleton or one's own second try is called one.
TEST_F(Settling, TheSameFileFromSeveralStudentsIsListed) {
  const auto file = [&](const std::string& key, const std::string& sha256, Class reason) {
    Result result = read_outcome(BatchFolder{folder_}, outcome(key, 2));
    result.source_sha256 = sha256;
    for (Check& check : result.checks) check.reason = reason;
    write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    return key;
  };
  const std::string copied = file("copied", "aa", Class::kWrongAnswer),
                    own = file("own", "bb", Class::kWrongAnswer),
                    group = file("group", "cc", Class::kWrongAnswer),
                    skeleton = file("skeleton", "dd", Class::kNotImplemented);
  std::vector<HandedIn> attempts = {attempt("ada", "a", copied, 1),   attempt("bob", "b", copied, 2),
                                    attempt("bob", "b2", own, 3),     attempt("bob", "b3", own, 4),
                                    attempt("eve", "e", skeleton, 5), attempt("joe", "j", skeleton, 6),
                                    attempt("kim", "both", group, 7), attempt("lea", "both", group, 7)};
  const ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, {});
  ASSERT_EQ(settled.same.size(), 1U);
  EXPECT_EQ(settled.same[0].ids, (std::vector<std::string>{"ada", "bob"}));
  EXPECT_NE(overview_page(settled, parts_).find("<h2>The same file from several students</h2>"),
            std::string::npos);
  EXPECT_NE(class_summary(settled, {}).find("the same file in 01: ada, bob"), std::string::npos);
}

TEST_F(Settling, HostileTextStaysText) {
  const std::vector<HandedIn> attempts = {
      attempt("ada", "<script>alert(1)</script>", outcome("half", 2), 900)};
  ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, {});
  settled.students[0].name = "<img src=x onerror=alert(1)>";
  const std::string page = overview_page(settled, parts_);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader
