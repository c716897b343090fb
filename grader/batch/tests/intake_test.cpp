// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// From what a platform exports to the files of each student: layouts and folders, whatever is wrong with
// them.
#include "grader/batch/intake.h"

#include <set>

#include "grader/batch/class_folder.h"
#include "grader/batch/doubts.h"
#include "grader/batch/layout.h"
#include "intake_folder.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

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
  ASSERT_EQ(entries.at("submission_7").submitters.size(), 1U);
  EXPECT_EQ(entries.at("submission_7").submitters[0].student_id, "12");
  EXPECT_EQ(entries.at("submission_7").time, parse_time("2026-11-20T18:11:12Z"));
}

// Breaks when what a platform writes into a name is taken for something else. Forms: layout.cpp.
TEST(Layouts, NamesAsThePlatformsWriteThem) {
  const Layout late = layout_of("lovelaceada_LATE_70000_880001_pointwise-1.cu");
  EXPECT_EQ(late.platform_id, "70000");
  EXPECT_EQ(late.file, "pointwise-1.cu");
  EXPECT_EQ(late.number, 880001U);
  EXPECT_TRUE(late.late);
  EXPECT_EQ(layout_of("LATE_anon_aB3x9_880001_hw.zip").id, "anon_aB3x9");
  EXPECT_EQ(layout_of("lovelaceada_70000_text.html").platform_id, "70000");
  EXPECT_EQ(layout_of("Ada Lovelace_4000_assignsubmission_file_prediction.toml").file, "prediction.toml");
  EXPECT_EQ(layout_of("Ada Lovelace_4000_assignsubmission_onlinetext_").id, "Ada Lovelace_4000");
  EXPECT_EQ(layout_of("Red-Ann-Marie Low_4_assignsubmission_file").perhaps,
            (std::vector<std::string>{"Ann-Marie Low", "Marie Low"}));
  const Layout board = layout_of("Lab 01_ada_l_attempt_2026-11-20-21-26-12_pointwise.cu");
  EXPECT_EQ(board.id, "l");
  EXPECT_EQ(board.perhaps, std::vector<std::string>{"ada_l"});
  EXPECT_EQ(board.file, "pointwise.cu");
  EXPECT_EQ(board.time, parse_time("2026-11-20T21:26:12Z"));
  EXPECT_EQ(layout_of("Lab 01_adal_attempt_2026-11-20-21-26-12.txt").id, "adal");
  const Layout space = layout_of("397063-2557369 - Red - Ann-Marie Low - Sep 24, 2024 926 PM");
  EXPECT_EQ(space.time, parse_time("2024-09-24T21:26:00Z"));
  EXPECT_EQ(space.perhaps, std::vector<std::string>{"Ann-Marie Low"});
  EXPECT_EQ(layout_of("1-2 - Ada Lovelace - Sep 24, 2024 1205 AM").time, parse_time("2024-09-24T00:05:00Z"));
  for (const char* own :
       {"lab-01-ada", "Ada Lovelace", "ada_attempt_soon", "1-2 - Ada - Foo 24, 2024 926 PM"})
    EXPECT_EQ(layout_of(own).platform, Platform::kNone) << own;
}

TEST(Layouts, LoginsOfRepositories) {
  const auto logins = logins_of({"lab-01-uni-ada", "lab-01-uni-bob-b"});
  EXPECT_EQ(logins.at("lab-01-uni-bob-b"), (std::vector<std::string>{"bob-b", "uni-bob-b", "01-uni-bob-b"}));
  EXPECT_TRUE(logins_of({"lab-01-ada"}).empty()) << "one repository shares its name with none";
  EXPECT_TRUE(logins_of({"ada", "bob"}).empty());
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

// Breaks when a member of a group is told to have handed in nothing.
TEST_F(Intakes, WhatAGroupHandedInIsEveryMembers) {
  write("submission_7/pointwise.cu", "1");
  write("submission_8/pointwise.cu", "2");
  write("submission_metadata.yml",
        "---\nsubmission_7:\n  :submitters:\n  - :name: Ada Love\n    :sid: '12'\n    :email: ada@x.org\n"
        "  - :name: Bob Ross\n    :sid: ''\n    :email: bob@x.org\n  :created_at: 2026-11-20 10:11:12 Z\n"
        "  :results:\n    :tests:\n    - :name: not a person\n      :email: nor@this.org\n"
        "submission_8:\n  :submitters:\n  - :name: Eve\n    :sid: '99'\n    :email: eve@x.org\n");
  const auto roster = parse_roster("id,email,sid\na1,ada@x.org,12\nb2,Bob@x.org,13\nz9,zoe@x.org,14\n", "r");
  const auto found = find_submissions(folder_, roster);
  std::set<std::string> ids, strangers;
  for (const HandedIn& one : found) (one.in_roster ? ids : strangers).insert(one.id + " " + one.label);
  EXPECT_EQ(ids, (std::set<std::string>{"a1 submission_7", "b2 submission_7"}));
  EXPECT_EQ(strangers, std::set<std::string>{"eve submission_8"});
  const auto absent = without_submission(roster, {"a1", "b2", "eve"});
  ASSERT_EQ(absent.size(), 1U);
  EXPECT_EQ(absent[0].id, "z9");
  for (const HandedIn& one : find_submissions(folder_, {})) EXPECT_TRUE(one.in_roster) << "no roster";
}

/// What each student of a small class handed in: "id: source + prediction" for each submission.
std::set<std::string> read_class(const std::vector<HandedIn>& found, const std::vector<Chosen>& parts,
                                 const Unpacker& unpacker) {
  std::set<std::string> all;
  for (const HandedIn& one : found) {
    const PartFiles files = take_in(one, parts, unpacker).parts.at("01");
    all.insert(one.id + (one.in_roster ? "" : "?") + ": " + files.source + " + " + files.prediction);
  }
  return all;
}

const std::vector<Student>& small_class() {
  static const auto roster = parse_roster(
      "id,name,email,login,canvas,github\ns1,Ada Lovelace,ada@x.org,ada_l,70001,ada-l\n"
      "s2,Bob Ross,bob@x.org,bobross,70002,bob\n",
      "roster");
  return roster;
}

const std::set<std::string> kTwoStudents = {"s1: ada + p", "s2: bob + q"};

/// Breaks when files that a platform hands over one by one are several submissions, each without the other's:
/// the prediction is lost and nobody is told.
class EveryPlatform : public Intakes, public testing::WithParamInterface<const char*> {
 protected:
  void hand_in(const std::string& ada, const std::string& bob, const std::string& between,
               const std::string& other) {
    write(ada + between + "pointwise.cu", "ada");
    write((other.empty() ? ada : other) + between + "prediction.toml", "p");
    write(bob + between + "pointwise.cu", "bob");
    write((other.empty() ? bob : "lab/rossbob_70002_880004_") + between + "prediction.toml", "q");
  }
  void make(const std::string& platform) {
    if (platform == "canvas")
      hand_in("lab/lovelaceada_LATE_70001_880001_", "lab/rossbob_70002_880003_", "",
              "lab/lovelaceada_LATE_70001_880002_");
    if (platform == "moodle")
      hand_in("lab/Ada Lovelace_4000_assignsubmission_file_", "lab/Bob Ross_4001_assignsubmission_file", "/",
              "");
    if (platform == "moodle-flat")
      hand_in("lab/Ada Lovelace_4000_assignsubmission_file_", "lab/Red-Bob Ross_4001_assignsubmission_file_",
              "", "");
    if (platform == "blackboard")
      hand_in("lab/Lab 01_ada_l_attempt_2026-11-20-21-26-12_",
              "lab/Lab 01_bobross_attempt_2026-11-20-21-26-12_", "", "");
    if (platform == "brightspace") {
      hand_in("lab/1-10 - Ada Lovelace - Nov 20, 2026 926 PM",
              "lab/1-11 - Red - Bob Ross - Nov 20, 2026 926 PM", "/", "");
      write("lab/index.html", "");
    }
    if (platform == "gradescope") {
      hand_in("lab/submission_7", "lab/submission_8", "/", "");
      write("lab/submission_metadata.yml",
            "submission_7:\n  :submitters:\n  - :name: Ada Lovelace\n    :email: ada@x.org\n"
            "submission_8:\n  :submitters:\n  - :sid: 70002\n  :created_at: 2026-11-20 21:26:12 Z\n");
    }
    if (platform == "github-classroom")
      hand_in("lab/lab-01-ada-l/labs/01-pointwise", "lab/lab-01-bob/labs/01-pointwise", "/", "");
    if (platform == "folders") hand_in("lab/s1", "lab/s2", "/", "");
  }
  std::set<std::string> read(const fs::path& given) {
    return read_class(find_class(given, folder_ / "staging", unpacker_, small_class(),
                                 {.names = declared_names(parts_), .time_zone = {}, .left_out = {}}),
                      parts_, unpacker_);
  }
};

TEST_P(EveryPlatform, AStudentsFilesAreOneSubmission) {
  make(GetParam());
  EXPECT_EQ(read(folder_ / "lab"), kTwoStudents);
}

// Breaks when the archive that the platform hands over is refused, is one student, or loses anybody.
TEST_P(EveryPlatform, ItsArchiveIsTheClass) {
  if (unpacker_.program.empty()) GTEST_SKIP() << "built without libarchive";
  make(GetParam());
  shell(
      "python3 -c \"import shutil; shutil.make_archive('flat', 'zip', 'lab'); shutil.make_archive('wrapped', "
      "'zip', '.', 'lab')\" && mkdir download && cp flat.zip download/submissions.zip");
  EXPECT_EQ(read(folder_ / "flat.zip"), kTwoStudents);
  fs::remove_all(folder_ / "staging");
  EXPECT_EQ(read(folder_ / "wrapped.zip"), kTwoStudents);
  if (GetParam() == std::string("github-classroom") || GetParam() == std::string("folders")) return;
  fs::remove_all(folder_ / "staging");
  EXPECT_EQ(read(folder_ / "download"), kTwoStudents) << "in a folder, where students' archives may lie, too";
}

INSTANTIATE_TEST_SUITE_P(All, EveryPlatform,
                         testing::Values("canvas", "moodle", "moodle-flat", "blackboard", "brightspace",
                                         "gradescope", "github-classroom", "folders"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

// Breaks when a resubmission is mixed with what it replaces.
TEST_F(Intakes, AttemptsAreKeptApart) {
  write("lovelaceada_70001_1_pointwise.cu", "first");
  write("lovelaceada_70001_2_prediction.toml", "p");
  write("lovelaceada_70001_7_pointwise-1.cu", "second");
  write("lovelaceada_70001_8_notes.txt", "x");
  write("Lab_bobross_attempt_2026-11-20-10-00-00_pointwise.cu", "old");
  write("Lab_bobross_attempt_2026-11-21-10-00-00_pointwise.cu", "new");
  write("Lab_bobross_attempt_2026-11-21-10-00-00.txt", "");
  const Search search{.names = declared_names(parts_), .time_zone = "+02:00", .left_out = {}};
  const auto found = find_submissions(folder_, small_class(), search);
  EXPECT_EQ(read_class(found, parts_, unpacker_),
            (std::set<std::string>{"s1: first + p", "s1: second + p", "s2: old + ", "s2: new + "}));
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[3].time, parse_time("2026-11-21T08:00:00Z")) << "by the course's clock";

  fs::remove_all(folder_);
  write("s1/attempt-2/pointwise.cu", "two");
  write("s1/attempt-10/pointwise.cu", "ten");
  write("s2/attempt-2026-11-20-10-00-00/pointwise.cu", "timed");
  write("s3/attempt-1/pointwise.cu", "in a folder of its own");
  write("s3/notes/x", "");
  const auto folders = find_submissions(folder_, {}, search);
  ASSERT_EQ(folders.size(), 4U);
  EXPECT_EQ(folders[0].label, "s1/attempt-2");
  EXPECT_EQ(folders[1].label, "s1/attempt-10");
  EXPECT_EQ(folders[2].time, parse_time("2026-11-20T08:00:00Z"));
  EXPECT_EQ(folders[3].label, "s3") << "anything else in it, and it is one submission";
}

/// Who handed in: ids, and "?" for who is not in the roster.
std::multiset<std::string> owners_in(const fs::path& folder, const std::string& roster) {
  std::multiset<std::string> owners;
  for (const HandedIn& one : find_submissions(folder, parse_roster(roster, "roster")))
    owners.insert(one.in_roster ? one.id : "?");
  return owners;
}

// Breaks when somebody gets the grade of somebody else whose name, or number, is the same.
TEST_F(Intakes, PeopleWhomAPlatformTellsApartAreTwo) {
  write("Ada Lovelace_1002_assignsubmission_file_/pointwise.cu", "1");
  write("Ada Lovelace_1003_assignsubmission_file_/pointwise.cu", "2");
  EXPECT_EQ(owners_in(folder_, "id,name\n1,Ada Lovelace\n1002,Bob\n"), (std::multiset<std::string>{"?", "?"}))
      << "a participant's number is nobody's id, and only one of the two can be the Ada of the roster";
  EXPECT_EQ(owners_in(folder_,
                      "Identifier,Full name,Email address\nParticipant 1003,Ada Lovelace,a2@x.org\n"
                      "Participant 1002,Ada Lovelace,a1@x.org\n"),
            (std::multiset<std::string>{"a1", "a2"}))
      << "the grading worksheet has the numbers";
}

// Breaks when whose name has a sign that no file's name has is told to have handed in nothing.
TEST_F(Intakes, NamesAreComparedAsTheyAreInNamesOfFiles) {
  write("Sinead ONeil_4_assignsubmission_file_/pointwise.cu", "1");
  write("Max M_5_assignsubmission_file_/pointwise.cu", "1");
  EXPECT_EQ(owners_in(folder_, "id,name\ns1,Sinead O'Neil\ns2,Max_M\n"),
            (std::multiset<std::string>{"s1", "s2"}));
  EXPECT_EQ(owners_in(folder_, "id,name\ns1,Sinead O'Neil\ns2,Max_M\ns3,Sinead ONeil\n"),
            (std::multiset<std::string>{"?", "s2"}));
}

TEST_F(Intakes, AStudentsOwnFolderIsNoClass) {
  write("s1/pointwise.cu", "x");
  EXPECT_THROW(find_submissions(folder_ / "s1", {},
                                {.names = declared_names(parts_), .time_zone = {}, .left_out = {}}),
               UsageError);
}

// Breaks when a class is graded to the end though the folder, the roster or the lab is another one's.
TEST_F(Intakes, WhatLooksLikeAnotherClassIsDoubted) {
  HandedIn ada, eve;
  ada.id = "s1", eve.id = "eve", eve.label = "eve.zip";
  ada.tasks["01"] = eve.tasks["01"] = "key";
  EXPECT_TRUE(doubts_about({ada}, small_class()).empty()) << "half of a class is there";
  EXPECT_TRUE(doubts_about({ada, eve}, {}).empty()) << "nobody is missing without a roster";
  eve.in_roster = false;
  const auto doubts = doubts_about({ada, eve}, small_class());
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].find("1 of 2 submissions belong to nobody in the roster: eve.zip"), std::string::npos);
  eve.tasks.clear();
  ASSERT_EQ(doubts_about({eve}, small_class()).size(), 3U);
  EXPECT_EQ(doubts_about({eve}, small_class())[0], "2 of 2 in the roster handed in nothing");
}

}  // namespace
}  // namespace roofline::grader
