// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A class from what was handed in to its table: intake, journal, tries, late policy, what a kill leaves
// behind.
#include "grader/batch/batch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <fstream>

#include "grader/batch/class_run.h"
#include "grader/batch/course.h"
#include "grader/batch/intake.h"
#include "grader/batch/journal.h"
#include "grader/batch/layout.h"
#include "grader/file.h"
#include "grader/formats/json.h"
#include "grader/process.h"
#include "grader/unpack/unpack.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

class Folder : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("batch_test-" + std::to_string(getpid()));
};

// --- journal
// -----------------------------------------------------------------------------------------------------

using JournalFile = Folder;

TEST_F(JournalFile, AnUnfinishedLineIsCutOffAndNothingElse) {
  const fs::path file = folder_ / "journal.jsonl";
  {
    Journal journal(file);
    journal.append({{"event", "done"}, {"key", "a"}});
    journal.append({{"event", "done"}, {"key", "b"}});
  }
  const std::string whole = read_file(file);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(file, std::ios::trunc | std::ios::binary) << whole.substr(0, cut);
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(whole.substr(0, cut), '\n'));
    Journal journal(file);
    journal.append({{"event", "done"}, {"key", "c"}});
    const JournalText text = read_journal(read_file(file));
    ASSERT_EQ(text.events.size(), lines + 1) << cut;
    EXPECT_EQ(text.unreadable, 0U);
    EXPECT_EQ(text.events.back()["key"], "c");
  }
}

TEST_F(JournalFile, OneWriterOnly) {
  Journal journal(folder_ / "journal.jsonl");
  EXPECT_THROW(Journal(folder_ / "journal.jsonl"), InfrastructureError);
}

TEST_F(JournalFile, AFullDiskIsSaidAndLosesNothing) {
  const fs::path file = folder_ / "journal.jsonl";
  Journal journal(file);
  journal.append({{"event", "done"}, {"key", "a"}});
  const std::string before = read_file(file);
  // A limit on the file's size refuses the write as a full disk does, in the middle of the line.
  rlimit old{}, tight{before.size() + 10, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &old);
  tight.rlim_max = old.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(journal.append({{"event", "done"}, {"key", std::string(100, 'b')}}), InfrastructureError);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_file(file), before);
  journal.append({{"event", "done"}, {"key", "c"}});
  EXPECT_EQ(read_journal(read_file(file)).events.size(), 2U);
}

TEST(Journal, ForeignLinesAreLeftOut) {
  const JournalText text =
      read_journal("{\"event\":\"a\"}\nnot json\n[1]\n{\"event\":7}\n\n{\"event\":\"b\"}\n{\"event\":");
  EXPECT_EQ(text.events.size(), 2U);
  EXPECT_EQ(text.unreadable, 4U);
}

TEST(Replay, ASentinelThatFailsTakesBackWhatItShouldHaveVouchedFor) {
  const auto done = [](const char* key) {
    return Json{{"event", "done"}, {"key", key}, {"verdict", "pass"}};
  };
  const Json good = {{"event", "sentinel"}, {"verdict", "pass"}},
             bad = {{"event", "sentinel"}, {"verdict", "fail"}};
  const Json opened = {{"event", "class"}, {"seed", 7}};
  Progressed state = replay({opened, good, done("a"), good, done("b"), bad, good, done("c")});
  EXPECT_EQ(state.done.size(), 2U);
  EXPECT_FALSE(state.done.contains("b"));
  EXPECT_EQ(state.header["seed"], 7);
  // A clock that jumps changes nothing: the order of the lines counts, no time does.
  Json late = done("d");
  late["at"] = "1970-01-01T00:00:00Z";
  EXPECT_TRUE(replay({opened, good, late}).done.contains("d"));
}

// --- tries
// -------------------------------------------------------------------------------------------------------

/// Ends tasks as a script says: a verdict, or "" for a grader that died.
class Scripted final : public Executor {
 public:
  std::map<std::string, std::deque<std::string>> script;
  std::map<std::string, std::string> verdicts;
  std::vector<std::string> started;
  std::size_t room() const override { return 2 - queue_.size(); }
  std::size_t running() const override { return queue_.size(); }
  void start(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) started.push_back(key), queue_.push_back(key);
  }
  std::vector<TaskEnd> wait(std::chrono::milliseconds) override {
    if (queue_.empty()) return {};
    const std::string key = queue_.front();
    queue_.pop_front();
    std::string verdict = "pass";
    if (auto& lines = script[key]; !lines.empty()) {
      verdict = lines.front();
      lines.pop_front();
    }
    verdicts[key] = verdict;
    return {{.key = key, .finished = !verdict.empty(), .why = verdict.empty() ? "killed" : "", .seconds = 1}};
  }

 private:
  std::deque<std::string> queue_;
};

class Tries : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    fs::create_directories(BatchFolder{folder_}.work());
  }
  static std::vector<Task> tasks(const std::vector<std::string>& keys) {
    std::vector<Task> all;
    for (const std::string& key : keys) all.emplace_back().key = key;
    return all;
  }
  void run(Scripted& executor, const std::vector<Task>& all) {
    Journal journal(folder_ / "journal.jsonl");
    state = replay(read_journal(read_file(folder_ / "journal.jsonl")).events);
    ClassRun::Hooks hooks;
    hooks.outcome_verdict = [&](const std::string& key) { return executor.verdicts[key]; };
    ClassRun(BatchFolder{folder_}, journal, executor, state, hooks).run(all);
  }
  Progressed state;
};

TEST_F(Tries, OurFaultsAreTriedThreeTimesAStudentsOnce) {
  Scripted executor;
  executor.script = {{"dies", {"", "", "", ""}}, {"recovers", {"", "error", "pass"}}, {"wrong", {"fail"}}};
  run(executor, tasks({"dies", "wrong", "recovers", "fine"}));
  EXPECT_EQ(state.done["dies"], "error");
  EXPECT_EQ(state.done["recovers"], "pass");
  EXPECT_EQ(state.done["wrong"], "fail");
  EXPECT_EQ(state.done["fine"], "pass");
  EXPECT_EQ(std::ranges::count(executor.started, "dies"), 3);
  EXPECT_EQ(std::ranges::count(executor.started, "wrong"), 1);
}

TEST_F(Tries, TheSameTaskRunsOnceAndNotAgainAfterAKill) {
  Scripted executor;
  run(executor, tasks({"a", "a", "b"}));
  EXPECT_EQ(executor.started.size(), 2U);
  Scripted again;
  run(again, tasks({"a", "b", "c"}));
  EXPECT_EQ(again.started, std::vector<std::string>{"c"});
}

TEST_F(Tries, TriesAreCountedOverResumes) {
  Scripted executor;
  Json fault = {{"event", "fault"}, {"key", "a"}, {"why", "node"}};
  {
    Journal journal(folder_ / "journal.jsonl");
    journal.append(fault);
    journal.append(fault);
  }
  executor.script = {{"a", {"", "pass"}}};
  run(executor, tasks({"a"}));
  EXPECT_EQ(state.done["a"], "error") << "the third try was the last";
}

TEST_F(Tries, AFailedSentinelIsAnErrorOfOurs) {
  Scripted executor;
  executor.script = {{"sentinel", {"fail"}}};
  Journal journal(folder_ / "journal.jsonl");
  ClassRun::Hooks hooks;
  hooks.outcome_verdict = [&](const std::string& key) { return executor.verdicts[key]; };
  ClassRun run(BatchFolder{folder_}, journal, executor, state, hooks);
  EXPECT_THROW(run.run_sentinels(tasks({"sentinel"}), "before"), InfrastructureError);
}

// --- course
// ------------------------------------------------------------------------------------------------------

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
  EXPECT_EQ(course.points_of("03c", {}).pass, 30);
  EXPECT_EQ(course.points_of("03c", {}).correctness, 50);
  EXPECT_EQ(course.points_of("01", {}).pass, Points{}.pass);
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
}

// --- intake
// ------------------------------------------------------------------------------------------------------

TEST(Layouts, OfThePlatforms) {
  EXPECT_EQ(layout_of("Ada Lovelace_123_assignsubmission_file_").id, "Ada Lovelace_123");
  EXPECT_EQ(layout_of("lovelaceada_LATE_4711_99_hw.zip").id, "lovelaceada_4711");
  EXPECT_EQ(layout_of("ada.tar.gz").id, "ada");
  EXPECT_EQ(layout_of("lab01-ada").id, "lab01-ada");
  const std::vector<std::string> names = {"pointwise.cu"};
  EXPECT_EQ(declared_name("pointwise-1.cu", names), "pointwise.cu");
  EXPECT_EQ(declared_name("pointwise (2).cu", names), "pointwise.cu");
  EXPECT_EQ(declared_name("lovelaceada_4711_99_pointwise-1.cu", names), "pointwise.cu");
  EXPECT_EQ(declared_name("spec.cpp", names), "");
  const auto entries = parse_gradescope(
      "submission_7:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '12'\n    :email: ada@x.org\n"
      "  :created_at: 2026-11-20 10:11:12.000000000 -08:00\n  :score: 0.0\nsubmission_8:\n  :submitters: "
      "[]\n");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.at("submission_7").student_id, "12");
  EXPECT_EQ(entries.at("submission_7").time, parse_time("2026-11-20T18:11:12Z"));
}

TEST(FileName, NeverSpecialNeverEmpty) {
  for (const char* odd :
       {"", ".", "..", "../x", "/etc/passwd", ".hidden", "-rf", "\xff\xfe", "a\nb", "a b", "\xc3\xa9"}) {
    const std::string name = file_name_of(odd);
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_of("/\n\xff"), std::string::npos);
    EXPECT_NE(name[0], '.');
    EXPECT_NE(name[0], '-');
  }
}

class Intakes : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    parts_ = select(labs_, {"01"});
    unpacker_.program = fs::path(ROOFLINE_BUILD) / "bin" / "unpack";
    std::error_code ignored;
    if (!fs::exists(unpacker_.program, ignored)) unpacker_.program.clear();
  }
  void write(const std::string& name, const std::string& text) { write_file(folder_ / name, text); }
  void shell(const std::string& script) {
    const CommandResult result = run_command({"sh", "-c", script}, {.directory = folder_});
    ASSERT_TRUE(result.ok()) << script << "\n" << result.output;
  }
  Intake take(const std::string& id) {
    for (const HandedIn& one : find_submissions(folder_, {}))
      if (one.label == id) return take_in(one, parts_, unpacker_);
    ADD_FAILURE() << "no submission " << id;
    return {};
  }
  std::string source(const Intake& intake) { return intake.parts.at("01").source; }

  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_;
  Unpacker unpacker_;
};

TEST_F(Intakes, FoldersFilesAndClones) {
  write("ada/deep/pointwise.cu", "ada");
  write("ada/deep/prediction.toml", "p");
  write("ada/notes.txt", "x");
  write("bob.cu", "bob");
  write("clone/labs/01-pointwise/pointwise.cu", "mine");
  write("clone/solutions/01-pointwise/pointwise.cu", "theirs");
  write("clone/.git/pointwise.cu", "hidden");
  write("clone/pointwise.cu", "top");
  EXPECT_EQ(source(take("ada")), "ada");
  EXPECT_EQ(take("ada").parts.at("01").prediction, "p");
  EXPECT_EQ(source(take("bob.cu")), "bob");
  EXPECT_EQ(source(take("clone")), "mine");
}

TEST_F(Intakes, LinksAndSpecialFilesAreNotFollowed) {
  write("secret", "secret");
  shell(
      "mkdir a b c && ln -s ../secret a/pointwise.cu && mkfifo b/pointwise.cu && ln -s /etc c/labs && ln -s "
      "a link");
  for (const char* id : {"a", "b", "c"}) {
    EXPECT_EQ(source(take(id)), "") << id;
    EXPECT_FALSE(take(id).problem.empty()) << id;
  }
  for (const HandedIn& one : find_submissions(folder_, {})) EXPECT_NE(one.label, "link");
}

TEST_F(Intakes, TooLargeIsSaid) {
  write("a/pointwise.cu", std::string((1 << 20) + 1, 'x'));
  EXPECT_NE(take("a").problem.find("1024 KiB"), std::string::npos) << take("a").problem;
}

TEST_F(Intakes, SameStudentTwiceAndNamesThatCollide) {
  write("Ada_1_assignsubmission_file_/pointwise.cu", "1");
  write("a b/pointwise.cu", "2");
  write("a_b/pointwise.cu", "3");
  std::set<std::string> ids;
  for (const HandedIn& one : find_submissions(folder_, {})) ids.insert(one.id);
  EXPECT_EQ(ids.size(), 3U) << "'a b' and 'a_b' are two students";
}

class Archives : public Intakes {
 protected:
  void SetUp() override {
    Intakes::SetUp();
    if (unpacker_.program.empty()) GTEST_SKIP() << "built without libarchive";
    try {
      require_sandbox(Sandbox::kNamespaces);
      unpacker_.sandbox = Sandbox::kNamespaces;
    } catch (const InfrastructureError&) {
    }
  }
};

TEST_F(Archives, ZipAndTar) {
  write("x/hw/pointwise.cu", "text");
  write("x/hw/prediction.toml", "p");
  shell(
      "tar czf ada.tar.gz -C x hw && tar cf bob.tar -C x hw && python3 -c \"import shutil; "
      "shutil.make_archive('eve_1_2_hw', 'zip', 'x')\"");
  for (const char* id : {"ada.tar.gz", "bob.tar", "eve_1_2_hw.zip"}) {
    EXPECT_EQ(source(take(id)), "text") << id << take(id).problem;
    EXPECT_EQ(take(id).parts.at("01").prediction, "p");
  }
}

TEST_F(Archives, DamagedEncryptedOrNoneAtAll) {
  write("x/pointwise.cu", std::string(5000, 'x'));
  shell(
      "tar czf whole.tar.gz x && head -c 60 whole.tar.gz > cut.tar.gz && head -c 5000 /dev/urandom > "
      "noise.zip && : > empty.zip");
  for (const char* id : {"cut.tar.gz", "noise.zip", "empty.zip"}) {
    EXPECT_EQ(source(take(id)), "") << id;
    EXPECT_FALSE(take(id).problem.empty()) << id;
  }
}

TEST_F(Archives, BombsLinksAndWaysOut) {
  // 300 MiB of zeros in an entry that nobody asked for; a link to a file of ours; names that lead out.
  shell(
      "python3 - <<'E'\n"
      "import io, tarfile, zipfile\n"
      "with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n"
      "  with z.open('big', 'w', force_zip64=True) as f:\n"
      "    for i in range(300): f.write(bytes(1 << 20))\n"
      "  z.writestr('pointwise.cu', 'after')\n"
      "with tarfile.open('ways.tar', 'w') as t:\n"
      "  def add(name, kind=tarfile.REGTYPE, link='', data=b''):\n"
      "    i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.size = len(data); t.addfile(i, "
      "io.BytesIO(data))\n"
      "  add('a/pointwise.cu', tarfile.SYMTYPE, '/etc/passwd')\n"
      "  add('b/pointwise.cu', tarfile.LNKTYPE, '/etc/passwd')\n"
      "  add('c/pointwise.cu', tarfile.CHRTYPE)\n"
      "  add('../../../../tmp/out/pointwise.cu', data=b'only text')\n"
      "with tarfile.open('many.tar', 'w') as t:\n"
      "  for k in range(100):\n"
      "    i = tarfile.TarInfo(f'{k}/pointwise.cu'); i.size = 1; t.addfile(i, io.BytesIO(b'x'))\n"
      "E");
  EXPECT_NE(take("bomb.zip").problem.find("larger than 256 MiB"), std::string::npos)
      << take("bomb.zip").problem;
  EXPECT_EQ(source(take("ways.tar")), "only text");
  EXPECT_FALSE(fs::exists("/tmp/out/pointwise.cu"));
  EXPECT_NE(take("many.tar").problem.find("more than 64"), std::string::npos);
}

TEST_F(Archives, NamesInNoEncoding) {
  shell(
      "python3 - <<'E'\n"
      "import io, os, tarfile\n"
      "with tarfile.open(b'\\xff\\xfe.tar', 'w', encoding='latin-1') as t:\n"
      "  i = tarfile.TarInfo('\\xff\\xe9/pointwise.cu'); i.size = 4; t.addfile(i, io.BytesIO(b'text'))\n"
      "os.mkdir(b'\\xfe\\xff'); open(b'\\xfe\\xff/pointwise.cu', 'w').write('raw')\n"
      "E");
  std::size_t found = 0;
  for (const HandedIn& one : find_submissions(folder_, {})) {
    const Intake intake = take_in(one, parts_, unpacker_);
    found += source(intake) == "text" || source(intake) == "raw" ? 1 : 0;
    EXPECT_EQ(file_name_of(one.id), one.id);
  }
  EXPECT_EQ(found, 2U);
}

TEST(Parcels, WhatIsCutOrForgedIsAProblem) {
  unpack::Contents contents;
  contents.files = {{"a/pointwise.cu", "text"}, {"b", std::string("\0\xff", 2)}};
  contents.problem = "note";
  const std::string whole = unpack::packed(contents);
  EXPECT_EQ(unpack::unpacked(whole).files.size(), 2U);
  EXPECT_EQ(unpack::unpacked(whole).problem, "note");
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    EXPECT_TRUE(unpack::unpacked(whole.substr(0, cut)).files.empty()) << cut;
    EXPECT_FALSE(unpack::unpacked(whole.substr(0, cut)).problem.empty());
  }
  EXPECT_FALSE(unpack::unpacked(whole + "x").problem.empty());
}

// --- settling
// ----------------------------------------------------------------------------------------------------

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
  static Attempted attempt(const std::string& id, const std::string& label, const std::string& key,
                           Seconds time) {
    Attempted attempt;
    attempt.handed_in.id = id;
    attempt.handed_in.label = label;
    attempt.handed_in.time = time;
    if (!key.empty()) attempt.keys["01"] = key;
    return attempt;
  }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

TEST_F(Settling, TheBestCountsAfterTheLatePolicy) {
  Course course;
  course.late.deadline = 1000;
  course.late.percent_per_day = 50;
  const std::vector<Attempted> attempts = {
      attempt("ada", "first", outcome("half", 2), 900), attempt("ada", "late", outcome("whole", 4), 2000),
      attempt("ada", "best", outcome("most", 3), 950), attempt("bob", "nothing", "", 900),
      attempt("eve", "lost", "gone", 900)};
  const ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, course);
  ASSERT_EQ(settled.students.size(), 3U);
  EXPECT_EQ(settled.chosen[0], "best");
  EXPECT_EQ(settled.students[1].points(), 0);
  EXPECT_EQ(settled.students[1].verdict(), Verdict::kFail);
  EXPECT_EQ(settled.students[2].verdict(), Verdict::kError) << "an outcome that is gone is our fault";
  EXPECT_EQ(settled.errors, 1U);
  EXPECT_EQ(settled.submissions, 5U);
  EXPECT_EQ(settled.different, 4U);
}

TEST_F(Settling, NewPointsWithoutRunning) {
  const std::vector<Attempted> attempts = {attempt("ada", "a", outcome("half", 2), 900)};
  Course course = Course::parse("[points]\ncorrectness = 0\nstructure = 0\n", "course.toml");
  const double before = settle(BatchFolder{folder_}, attempts, parts_, {}).students[0].points();
  const double after = settle(BatchFolder{folder_}, attempts, parts_, course).students[0].points();
  EXPECT_GT(before, 0);
  EXPECT_EQ(after, 0);
}

TEST_F(Settling, HostileTextStaysText) {
  const std::vector<Attempted> attempts = {
      attempt("ada", "<script>alert(1)</script>", outcome("half", 2), 900)};
  ClassOutcome settled = settle(BatchFolder{folder_}, attempts, parts_, {});
  settled.students[0].name = "<img src=x onerror=alert(1)>";
  const std::string page = overview_page(settled, parts_);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader
