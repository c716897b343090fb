// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// From what a platform exports to the files of each student: layouts, folders, archives, whatever is wrong
// with them.
#include "grader/batch/intake.h"

#include <set>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/layout.h"
#include "grader/box/process.h"
#include "grader/unpack/unpack.h"

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

// Breaks when every archive has a minute of its own: forty of them would keep a class waiting.
TEST(UnpackingTimes, OneBudgetForASubmissionAndOneForAll) {
  using Seconds = UnpackingTime::Seconds;
  UnpackingTime time;
  time.begin_submission();
  time.spend(Seconds(15));
  EXPECT_EQ(time.left(), Seconds(5));
  time.spend(Seconds(6));
  EXPECT_LT(time.left(), Seconds(0));
  for (int student = 0; student < 20; ++student) {
    time.begin_submission();
    EXPECT_GT(time.left(), Seconds(0));
    time.spend(Seconds(20));
  }
  time.begin_submission();
  EXPECT_EQ(time.left(), UnpackingTime::kAfterwards);
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

}  // namespace
}  // namespace roofline::grader
