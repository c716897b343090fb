// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "grader/base/file.h"

namespace roofline::grader {
namespace {

// Breaks when a part's spec, or the reference that a spec includes, may change without the lab's hash
// noticing.
TEST(SpecFiles, AreTheSpecsAndWhatTheyInclude) {
  std::string name = testing::TempDir() + "spec-files-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::filesystem::path folder = name;
  write_file(folder / "spec.cpp", "#include \"reference.h\"\n");
  write_file(folder / "spec_product.cpp", "#include \"grader/lab/spec.h\"\n");
  for (const char* other : {"reference.h", "product.h", "product.cu", "respec.cpp", "README.md"})
    write_file(folder / other, "");
  const std::vector<std::filesystem::path> expected = {folder / "reference.h", folder / "spec.cpp",
                                                       folder / "spec_product.cpp"};
  EXPECT_EQ(spec_files(folder), expected);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace roofline::grader
