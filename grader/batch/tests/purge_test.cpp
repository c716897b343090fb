// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a class's folder holds about people, and that it can be deleted.
#include "grader/batch/purge.h"

#include <nlohmann/json.hpp>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_files.h"
#include "grader/batch/journal.h"
#include "grader/batch/statistics_page.h"
#include "grader/formats/csv.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Purging : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    Journal journal(folder().journal());
    journal.append({{"event", "class"}});
    journal.append({{"event", "agreed"}, {"to", "1 of 2 submissions belong to nobody: ada1815.zip"}});
    Owners owners;
    const std::pair<const char*, const char*> all[] = {
        {"ada1815", "own"}, {"ada1815", "shared"}, {"bob1816", "shared"}, {"bob1816", "bobs"}};
    for (const auto& [id, key] : all) {
      Task task;
      task.key = key;
      task.part = "01";
      // Two tasks, one file: bob handed in ada's with another prediction.
      task.source_sha256 = sha256_hex(std::string(key) == "bobs" ? "shared" : key);
      write_task(folder(), task);
      write_file(folder().source(task.source_sha256), "// file of " + std::string(key));
      Result result;
      result.part = "01";
      result.checks.emplace_back().verdict = Verdict::kPass;
      write_file(folder().outcome(key), to_json({result}));
      write_file(folder().work() / "logs" / (std::string(key) + ".txt"), id);
      owners[id].insert(key);
      journal.append({{"event", "done"}, {"key", key}, {"verdict", "pass"}});
    }
    keep_owners(folder(), owners);
    std::vector<HandedIn> attempts;
    for (const auto& [id, key] : all) {
      HandedIn& attempt = attempts.emplace_back();
      attempt.id = attempt.label = id;
      attempt.tasks["01"] = key;
    }
    write_outputs({}, folder(), settle(folder(), attempts, parts_, {}), parts_, {"gradescope", "moodle"});
    write_file(folder_ / "notes.txt", "mine");
    write_file(folder().overrides(), "# mine\n");
  }
  /// Names and texts of all files that are left.
  std::string everything() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) all += entry.path().string() + "\n" + read_file(entry.path()) + "\n";
    return all;
  }
  BatchFolder folder() const { return BatchFolder{folder_}; }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

// Breaks when anything about a student stays, or anything of a classmate goes.
TEST_F(Purging, OneStudentIsGoneAndClassmatesStay) {
  ASSERT_NE(everything().find("ada1815"), std::string::npos);
  carry_out(purge_of_student(folder(), "ada1815"), folder(), "ada1815");
  const std::string left = everything();
  EXPECT_EQ(left.find("ada1815"), std::string::npos) << left;
  EXPECT_EQ(left.find("file of own"), std::string::npos);
  for (const char* kept : {"shared", "bobs"}) {
    EXPECT_TRUE(fs::exists(folder().outcome(kept))) << kept;
    EXPECT_TRUE(fs::exists(folder().task(kept))) << kept;
  }
  EXPECT_TRUE(fs::exists(folder().source(sha256_hex("shared"))));
  EXPECT_TRUE(fs::exists(folder().results() / "bob1816.json"));
  EXPECT_TRUE(fs::exists(folder_ / "gradescope" / "bob1816.json"));
  EXPECT_FALSE(fs::exists(folder_ / "class.csv")) << "it names everybody";
  EXPECT_THROW(purge_of_student(folder(), "ada1815"), UsageError) << "a second time";
  EXPECT_EQ(read_journal(read_file(folder().journal())).events.size(), 4U) << "the class, and three tasks";
}

TEST_F(Purging, AnOverrideThatNamesSomebodyIsSaid) {
  write_file(folder().overrides(), "[[override]]\nstudent = \"Ada1815\"\n");
  EXPECT_NE(purge_of_student(folder(), "ada1815").left.front().find("overrides.toml names"),
            std::string::npos);
  EXPECT_EQ(purge_of_student(folder(), "bob1816").left.size(), 1U);
}

// Breaks when a file that grading writes is on no list, or a person's own is.
TEST_F(Purging, AWholeClassLeavesOnlyWhatIsNotOurs) {
  carry_out(purge_of_class(folder()), folder(), "");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder_)) left.push_back(entry.path().filename());
  EXPECT_EQ(left, std::vector<std::string>{"notes.txt"});
  EXPECT_THROW(purge_of_class(folder()), UsageError);
}

TEST_F(Purging, NotWhileTheClassIsGraded) {
  const Journal journal(folder().journal());
  EXPECT_THROW(carry_out(purge_of_student(folder(), "ada1815"), folder(), "ada1815"), std::exception);
  EXPECT_TRUE(fs::exists(folder().results() / "ada1815.json"));
}

// --- Statistics over several classes
// ----------------------------------------------------------------------------

Graded graded(const std::string& id, const std::string& section, double points, Verdict verdict) {
  Graded one;
  one.id = id;
  one.section = section;
  Result& result = one.results.emplace_back();
  result.part = "01";
  result.points = points;
  result.verdict = verdict;
  Check& check = result.checks.emplace_back();
  check.id = "n-1";
  check.title = "<b>one</b>";
  check.kind = CheckKind::kCorrectness;
  check.verdict = verdict;
  return one;
}

// Breaks when a figure is not the one that a pocket calculator gives: 40, 60, 100 have mean 66.67, median 60.
TEST(ClassStatistics, FiguresOfAClassAndItsSections) {
  const std::vector<GradedClass> classes = {
      {"lab-01",
       {graded("ada", "A", 40, Verdict::kFail), graded("bob", "A", 60, Verdict::kPass),
        graded("eve", "B", 100, Verdict::kPass), graded("joe", "B", 0, Verdict::kError)}},
      {"lab-02", {graded("ada", "A", 70, Verdict::kPass)}}};
  const std::vector<StatisticsRow> rows = statistics_rows(classes);
  ASSERT_EQ(rows.size(), 5U) << "all, A and B of the first; all and A of the second";
  EXPECT_EQ(rows[0].spread.n, 3U) << "who has no verdict is not a student with 0 points";
  EXPECT_NEAR(rows[0].spread.mean, 200.0 / 3, 1e-9);
  EXPECT_EQ(rows[0].spread.median, 60);
  EXPECT_EQ(rows[0].spread.q1, 50);
  EXPECT_EQ(rows[0].spread.q3, 80);
  EXPECT_EQ(rows[0].without_verdict, 1U);
  EXPECT_EQ(rows[0].passed, 2U);
  EXPECT_EQ(rows[0].spread.tenths, (std::vector<std::size_t>{0, 0, 0, 0, 1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(rows[1].section, "A");
  EXPECT_EQ(rows[1].spread.mean, 50);

  const auto grades = csv_rows(grades_csv(classes));
  EXPECT_EQ(grades[0], (CsvRow{"id", "name", "email", "section", "lab-01", "lab-02"}));
  EXPECT_EQ(grades[1], (CsvRow{"ada", "", "", "A", "40", "70"}));
  EXPECT_EQ(grades[4], (CsvRow{"joe", "", "", "B", "", ""})) << "no verdict is no grade";
  const auto checks = csv_rows(checks_csv(classes));
  EXPECT_EQ(checks[1], (CsvRow{"lab-01", "", "01/n-1", "<b>one</b>", "2", "3"}));
  EXPECT_EQ(csv_rows(statistics_csv(classes))[1][5], "66.67");
  const std::string page = statistics_page(classes);
  EXPECT_NE(page.find("66.67"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos) << "text stays text";
  EXPECT_EQ(page.find("ada"), std::string::npos) << "the page names nobody";
}

TEST(ClassStatistics, NobodyAtAll) {
  EXPECT_EQ(spread_of({}).n, 0U);
  EXPECT_EQ(statistics_rows({{"empty", {}}}).size(), 1U);
}

}  // namespace
}  // namespace roofline::grader
