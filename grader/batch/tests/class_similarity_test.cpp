// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// From a graded class's folder to pairs of people, with names or without.
#include <nlohmann/json.hpp>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/anonymous.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_files.h"
#include "grader/batch/journal.h"
#include "grader/batch/similarity.h"
#include "grader/formats/csv.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t kSeed = 7;

const char* const kAdas =
    "#include \"pointwise.h\"\n__global__ void ada(const float* in, float* out, float p, float q, size_t "
    "count) {\n"
    "  // <script>my own idea</script>\n  __shared__ float table[64];\n"
    "  table[threadIdx.x & 63] = p * threadIdx.x;\n  __syncthreads();\n"
    "  for (size_t k = blockIdx.x * 64 + threadIdx.x; k < count; k += gridDim.x * 64)\n"
    "    out[k] = in[k] * p + q - table[k & 63] + table[k & 63];\n}\n";
const char* const kCopy =
    "#include \"pointwise.h\"\n__global__ void eves(float const* a, float* b, float c, float d, std::size_t "
    "n) {\n"
    "  __shared__ float waste[0x40];\n  waste[threadIdx.x & 0x3f] = c * threadIdx.x; __syncthreads();\n"
    "  for (auto i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) {\n"
    "    b[i] = (a[i] * c) + d - waste[i & 63] + waste[i & 63];\n  }\n}\n";
const char* const kBobs =
    "#include \"pointwise.h\"\nstruct Four { float v[4]; };\ntemplate <int Width> __global__ void bob(Four* "
    "y, Four* x) "
    "{\n"
    "  Four mine = x[blockIdx.y * Width + threadIdx.x / 32];\n  while (mine.v[0] > 1 || mine.v[1] != 2) "
    "mine.v[3] /= 2;\n"
    "  if (threadIdx.x == 31) return;\n  y[threadIdx.x % 7 ^ blockIdx.y] = mine;\n}\n";

class SimilarClass : public Folder {
 protected:
  void hand_in(const std::string& id, const std::string& text) {
    Task task;
    task.part = "01";
    task.source_sha256 = sha256_hex(text);
    task.key = "01-" + task.source_sha256.substr(0, 20);
    write_task(folder(), task);
    write_file(folder().source(task.source_sha256), text);
    owners_[id].insert(task.key);
  }
  /// `anonymous`: as the tables of a class without names call people.
  void grade(bool anonymous = false) {
    Journal(folder().journal()).append({{"event", "class"}, {"seed", kSeed}});
    write_owners(folder(), owners_);
    fs::remove_all(folder().results());
    for (const auto& [id, keys] : owners_) {
      Graded graded;
      graded.id = anonymous ? anonymous_id(id, kSeed) : id;
      graded.name = anonymous ? "" : "Name of <" + id + ">";
      graded.results.emplace_back().part = "01";
      write_file(folder().results() / (graded.id + ".json"), to_json(graded));
    }
  }
  ClassSimilarity similarity() const {
    return similarity_of(paths_, {read_class_sources(folder())}, {}, parts_);
  }
  static std::vector<std::string> first_row(const ClassSimilarity& similarity) {
    return csv_rows(similarity_csv(similarity)).at(1);
  }
  void SetUp() override {
    Folder::SetUp();
    paths_.root = ROOFLINE_SOURCE;
    paths_.state = folder_ / "state";
    hand_in("ada", kAdas);
    hand_in("bob", kBobs);
    hand_in("eve", kCopy);
  }
  BatchFolder folder() const { return BatchFolder{folder_ / "graded"}; }
  Paths paths_;
  Owners owners_;
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

// Breaks when a copy with other names, comments, types and braces is not the first pair, or names are lost.
TEST_F(SimilarClass, TheCopyStandsFirst) {
  const std::string skeleton = read_file(paths_.root / "labs/01-pointwise/pointwise.cu");
  hand_in("idle", skeleton + "// I ran out of time\n");
  hand_in("late", skeleton + "// me too\n");
  hand_in("bob", std::string(kBobs) + "// again\n");  // his own second attempt is no pair
  grade();
  const ClassSimilarity found = similarity();
  ASSERT_EQ(found.parts.size(), 1U);
  EXPECT_EQ(found.parts[0].comparison.people, 3U) << "who handed in the skeleton has nothing to compare";
  const auto rows = csv_rows(similarity_csv(found));
  EXPECT_EQ(rows.size(), 4U) << "three pairs of three people";
  EXPECT_EQ(rows[1][2], "ada (Name of <ada>)");
  EXPECT_EQ(rows[1][3], "eve (Name of <eve>)");
  EXPECT_GT(std::stod(rows[1][5]), 90);
  EXPECT_LT(std::stod(rows[2][5]), 30);
  const std::string page = similarity_page(found);
  EXPECT_NE(page.find("ada (Name of &lt;ada&gt;)"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos) << "a submission's text is text";
  EXPECT_NE(page.find("passage 1"), std::string::npos);
  EXPECT_NE(page.find("What this cannot know"), std::string::npos);
  EXPECT_NE(page.find("2 with next to nothing beside the given code left out"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos) << "it needs nothing else";
}

TEST_F(SimilarClass, AClassWithoutNamesStaysSo) {
  hand_in("x7031", kCopy);
  grade(true);
  const ClassSimilarity found = similarity();
  const std::string all = similarity_csv(found) + similarity_page(found);
  EXPECT_EQ(all.find("x7031"), std::string::npos);
  EXPECT_NE(all.find(anonymous_id("x7031", kSeed)), std::string::npos);
  EXPECT_EQ(all.find("Name of"), std::string::npos);
}

TEST_F(SimilarClass, TheSameBytesAreOneProgramOfSeveral) {
  hand_in("fay", kCopy);
  grade();
  const ClassSimilarity found = similarity();
  EXPECT_EQ(first_row(found)[3], "eve (Name of <eve>), fay (Name of <fay>)");
  EXPECT_NE(similarity_page(found).find("The same file, byte for byte"), std::string::npos);
}

// Breaks when a copy from another term is lost, or that term's own pairs fill the list.
TEST_F(SimilarClass, AnEarlierTermIsComparedWith) {
  grade();
  ClassSources before;
  before.people = {{"old1", ""}, {"old2", ""}};
  before.sources = {{"01", std::string(kBobs) + "\n", {"old1"}},
                    {"01", std::string(kBobs) + "\n\n", {"old2"}}};
  const ClassSimilarity found =
      similarity_of(paths_, {read_class_sources(folder())}, {{"lab-01-2025", before}}, parts_);
  for (const CsvRow& row : csv_rows(similarity_csv(found))) {
    const bool both = row[2].starts_with("lab-01-2025/") && row[3].starts_with("lab-01-2025/");
    EXPECT_FALSE(both);
  }
  const std::string csv = similarity_csv(found);
  EXPECT_NE(csv.find("bob (Name of <bob>),lab-01-2025/old1"), std::string::npos) << csv;
}

TEST_F(SimilarClass, TheLayoutOfOtherTools) {
  hand_in("bob", "// first try\n");
  grade();
  write_layouts(paths_, similarity(), parts_, folder_ / "sources");
  const fs::path part = folder_ / "sources" / "01";
  EXPECT_EQ(read_file(part / "students" / "ada" / "pointwise.cu"), kAdas);
  EXPECT_TRUE(fs::exists(part / "students" / "bob" / "pointwise-1.cu"));
  EXPECT_TRUE(fs::exists(part / "students" / "bob" / "pointwise-2.cu"));
  EXPECT_NE(read_file(part / "base" / "pointwise.cu").find("TODO"), std::string::npos);
  EXPECT_TRUE(fs::exists(part / "base" / "pointwise.h"));
  // Who has left the class is not in the next one.
  fs::remove(folder().results() / "ada.json");
  write_layouts(paths_, similarity(), parts_, folder_ / "sources");
  EXPECT_FALSE(fs::exists(part / "students" / "ada"));
}

TEST_F(SimilarClass, WhatIsNoClassIsRefused) {
  EXPECT_THROW((void)read_class_sources(folder()), UsageError);
  grade();
  fs::remove(folder().work() / "owners.json");
  EXPECT_THROW((void)read_class_sources(folder()), UsageError);
  grade();
  EXPECT_THROW((void)similarity_of(paths_, {read_class_sources(folder())}, {}, select(labs_, {"04"})),
               UsageError);
}

}  // namespace
}  // namespace roofline::grader
