// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Archives that students and platforms hand in: read, refused, never followed out, never waited for too long.
#include <cstdlib>

#include "grader/batch/class_folder.h"
#include "grader/unpack/unpack.h"
#include "intake_folder.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

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

// Breaks when half of a class is graded because a download broke off, or an archive's paths lead out.
TEST_F(Archives, OfAClassAreReadToTheirEndOrRefused) {
  shell(
      "python3 - <<'E'\n"
      "import os, zipfile\n"
      "with zipfile.ZipFile('class.zip', 'w') as z:\n"
      "  for i in range(9): z.writestr(f'lovelace_{i}_{i}_pointwise.cu', os.urandom(3000).hex())\n"
      "  z.writestr('../../out_8_8_pointwise.cu', 'out')\n"
      "  z.writestr('/tmp/roofline-out_8_9_pointwise.cu', 'out')\n"
      "E\n"
      "head -c 30000 class.zip > cut.zip; mkdir folder; cp cut.zip folder");
  const auto read = [&](const char* given) {
    return find_class(folder_ / given, folder_ / "staging" / "deep", unpacker_, {}, {}).size();
  };
  EXPECT_EQ(read("class.zip"), 9U);
  EXPECT_FALSE(fs::exists("/tmp/roofline-out_8_9_pointwise.cu"));
  std::size_t outside = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    outside += entry.path().filename().string().starts_with("out") ? 1 : 0;
  EXPECT_EQ(outside, 0U);
  EXPECT_THROW(read("cut.zip"), UsageError);
  EXPECT_THROW(read("folder"), UsageError);
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

// Breaks when names beyond ASCII become question marks where there is no locale, as in a box.
TEST_F(Archives, NamesBeyondAscii) {
  shell(
      "python3 -c \"import zipfile\n"
      "with zipfile.ZipFile('class.zip', 'w') as z:\n"
      "  for name in ('J\\u00f6rg', 'J\\u00fcrg'): z.writestr(name + "
      "'_1_assignsubmission_file_/pointwise.cu', name)\"");
  const char* before = std::getenv("LC_ALL");
  const std::string kept = before != nullptr ? before : "";
  setenv("LC_ALL", "C", 1);
  const unpack::Contents contents = unpack_class(unpacker_, folder_ / "class.zip");
  before != nullptr ? setenv("LC_ALL", kept.c_str(), 1) : unsetenv("LC_ALL");
  ASSERT_EQ(contents.files.size(), 2U);
  EXPECT_EQ(contents.files[0].path, "J\xc3\xb6rg_1_assignsubmission_file_/pointwise.cu");
  EXPECT_EQ(contents.files[1].path, "J\xc3\xbcrg_1_assignsubmission_file_/pointwise.cu");
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
