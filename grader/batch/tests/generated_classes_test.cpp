// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Classes drawn at random: names, layouts, archives, attempts, lateness, missing files, rules. What intake
// and course make of them is compared with a calculation of a few lines that knows neither. 40 classes; more
// with ROOFLINE_CLASSES=1000.
#include <cmath>
#include <cstdlib>
#include <random>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_folder.h"
#include "grader/batch/class_setup.h"
#include "grader/box/process.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

constexpr Seconds kDue = 1'795'219'140;  // 2026-11-20T23:59:00Z
constexpr Seconds kDay = 86'400;
constexpr const char* kNames[] = {"Ada Lovelace",
                                  "J\xc3\xb6rg M\xc3\xbcller",
                                  "J\xc3\xbcrg M\xc3\xb6ller",
                                  "\xe6\x9d\x8e\xe9\x9b\xb7",  // two Chinese characters
                                  "Sinead O'Neil",
                                  "Ana-Maria del Rio",
                                  "Zo\xc3\xab van den Berg",
                                  "Bob",
                                  "\xc5\x81ukasz \xc5\xbb\xc3\xb3\xc5\x82w"};

struct Attempt {
  std::optional<Seconds> time;
  int passed = 0;  ///< of 4 cases; negative: no file that the lab asks for
};
struct Person {
  std::string id, name, login;
  std::vector<Attempt> attempts;
  std::optional<Seconds> extension;
};
struct Rules {
  bool last = false;
  int percent = 0, most_days = 0, cap = 100, grace_minutes = 0;
};

enum class Kind { kFolders, kBlackboard, kMoodle };

class GeneratedClass : public Folder, public testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    Folder::SetUp();
    unpacker_.program = fs::path(ROOFLINE_BUILD) / "bin" / "unpack";
    std::error_code ignored;
    if (!fs::exists(unpacker_.program, ignored)) unpacker_.program.clear();
  }

  int draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void draw_class() {
    kind_ = static_cast<Kind>(draw(0, 2));
    rules_ = {.last = draw(0, 1) == 1,
              .percent = draw(0, 40),
              .most_days = draw(0, 5),
              .cap = draw(10, 100),
              .grace_minutes = draw(0, 60)};
    std::vector<std::string> names(std::begin(kNames), std::end(kNames));
    std::ranges::shuffle(names, random_);
    names.resize(static_cast<std::size_t>(draw(3, static_cast<int>(names.size()))));
    for (const std::string& name : names) {
      Person& person = people_.emplace_back();
      const std::string number = std::to_string(people_.size());
      person.id = "s100" + number;
      person.name = name;
      person.login = "user" + number;
      if (draw(0, 3) == 0) person.extension = kDue + draw(1, 4) * kDay;
      const int attempts = kind_ == Kind::kMoodle ? 1 : draw(1, 4);
      for (int i = 0; i < attempts; ++i) {
        Attempt& attempt = person.attempts.emplace_back();
        // Minutes around the due time, and days after it; two attempts are never of one second.
        const Seconds from_due =
            draw(0, 1) == 0 ? 60 * draw(-120, 120) : draw(-3, 7) * kDay + 60 * draw(0, 1400);
        if (kind_ != Kind::kMoodle) attempt.time = kDue + from_due + i;
        attempt.passed = draw(0, 4);
        if (kind_ != Kind::kBlackboard && draw(0, 7) == 0) attempt.passed = -1;
      }
    }
  }

  /// "2026-11-20-21-26-12".
  static std::string stamp(Seconds time) {
    std::string text = time_text(time).substr(0, 19);
    for (char& c : text)
      if (c == 'T' || c == ':') c = '-';
    return text;
  }

  void write_class(const fs::path& folder) {
    for (std::size_t p = 0; p < people_.size(); ++p) {
      const Person& person = people_[p];
      for (const Attempt& attempt : person.attempts) {
        const std::string file = attempt.passed < 0 ? "notes.txt" : "pointwise.cu";
        const std::string text = "passed " + std::to_string(attempt.passed);
        switch (kind_) {
          case Kind::kFolders:
            write_file(folder / person.id / ("attempt-" + stamp(*attempt.time)) / file, text);
            break;
          case Kind::kBlackboard:
            write_file(folder / ("Lab 01_" + person.login + "_attempt_" + stamp(*attempt.time) + "_" + file),
                       text);
            break;
          case Kind::kMoodle:
            write_file(
                folder / (person.name + "_" + std::to_string(4000 + p) + "_assignsubmission_file_") / file,
                text);
            break;
        }
      }
    }
  }

  Course course() {
    std::string text = std::string("attempts = \"") + (rules_.last ? "last" : "best") + "\"\n" +
                       "not_passed_at_most = " + std::to_string(rules_.cap) +
                       "\n[late]\ngrace_minutes = " + std::to_string(rules_.grace_minutes) +
                       "\npercent_per_day = " + std::to_string(rules_.percent) +
                       "\nmost_days = " + std::to_string(rules_.most_days) +
                       "\n[points]\ncorrectness = 100\nstructure = 0\nprediction = 0\npass = 0\ngood = 0\n"
                       "excellent = 0\n[labs.01]\ndue = " +
                       time_text(kDue) + "\n[labs.01.extensions]\n";
    for (const Person& person : people_)
      if (person.extension) text += person.login + " = " + time_text(*person.extension) + "\n";
    return Course::parse(text, "course.toml");
  }

  /// What was handed in, as the platform's folder or its archive.
  fs::path handed_over() {
    const fs::path folder = folder_ / "lab";
    write_class(folder);
    if (unpacker_.program.empty() || draw(0, 1) == 0) return folder;
    const CommandResult made =
        run_command({"python3", "-c", "import shutil; shutil.make_archive('class', 'zip', 'lab')"},
                    {.directory = folder_});
    EXPECT_TRUE(made.ok()) << made.output;
    return folder_ / "class.zip";
  }

  /// As a grader would: an outcome for each file, of as many cases as its text says.
  std::vector<HandedIn> run(std::vector<HandedIn> attempts) {
    for (HandedIn& attempt : attempts) {
      const Intake intake = take_in(attempt, parts_, unpacker_);
      attempt.problem = intake.problem;
      const PartFiles& files = intake.parts.at("01");
      if (!files.found) continue;
      const std::string key = "task-" + files.source.substr(7);
      attempt.tasks["01"] = key;
      Result result;
      result.part = "01";
      for (int i = 0; i < 4; ++i) {
        Check& check = result.checks.emplace_back();
        check.id = "case-" + std::to_string(i);
        check.kind = CheckKind::kCorrectness;
        const bool passed = i < std::stoi(files.source.substr(7));
        check.verdict = passed ? Verdict::kPass : Verdict::kFail;
        check.reason = passed ? Class::kNone : Class::kWrongAnswer;
      }
      write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    }
    return attempts;
  }

  /// The calculation that knows nothing of the grader.
  double grade_of(const Person& person) const {
    double best = -1, newest = 0;
    Seconds newest_time = -1;
    for (const Attempt& attempt : person.attempts) {
      double points = attempt.passed < 0 ? 0 : 25.0 * attempt.passed;
      if (attempt.passed < 4) points = std::min(points, static_cast<double>(rules_.cap));
      const Seconds due = person.extension.value_or(kDue);
      if (attempt.time && *attempt.time > due + 60 * rules_.grace_minutes) {
        const auto days = (*attempt.time - due + kDay - 1) / kDay;
        points *=
            days > rules_.most_days ? 0 : std::max(0.0, 1 - static_cast<double>(days * rules_.percent) / 100);
      }
      best = std::max(best, points);
      if (attempt.time.value_or(0) > newest_time) newest = points, newest_time = attempt.time.value_or(0);
    }
    return rules_.last ? newest : best;
  }

  std::mt19937 random_{GetParam()};
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
  Unpacker unpacker_;
  Kind kind_ = Kind::kFolders;
  Rules rules_;
  std::vector<Person> people_;
};

// Breaks when anybody is lost, mixed up with somebody else, or has another grade than a person would work
// out.
TEST_P(GeneratedClass, HasTheGradesThatOneWorksOut) {
  draw_class();
  std::string csv = "id,name,login\n";
  for (const Person& person : people_) csv += person.id + "," + person.name + "," + person.login + "\n";
  const std::vector<Student> roster = parse_roster(csv, "class.csv");
  Course rules = course();
  fit_course(rules, parts_, roster);
  const std::vector<HandedIn> attempts =
      run(find_class(handed_over(), folder_ / "staging", unpacker_, roster,
                     {.names = declared_names(parts_), .time_zone = {}, .left_out = {}}));
  const ClassOutcome outcome = settle(BatchFolder{folder_}, attempts, parts_, rules, roster);
  EXPECT_EQ(outcome.students.size(), people_.size());
  EXPECT_TRUE(outcome.absent.empty());
  EXPECT_TRUE(outcome.strangers().empty());
  for (const Person& person : people_) {
    const auto student = std::ranges::find(outcome.students, person.id, &Graded::id);
    ASSERT_NE(student, outcome.students.end()) << person.id << " " << person.name;
    EXPECT_NEAR(student->points(), grade_of(person), 0.0051)
        << person.name << ", layout " << static_cast<int>(kind_) << ", " << student->remark;
    EXPECT_EQ(student->submissions, person.attempts.size()) << person.name;
  }
}

unsigned wanted_classes() {
  const char* wanted = std::getenv("ROOFLINE_CLASSES");
  return wanted != nullptr ? static_cast<unsigned>(std::max(1, std::atoi(wanted))) : 40;
}

INSTANTIATE_TEST_SUITE_P(Drawn, GeneratedClass, testing::Range(1U, wanted_classes() + 1));

}  // namespace
}  // namespace roofline::grader
