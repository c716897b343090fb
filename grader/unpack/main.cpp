// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// unpack ARCHIVE [--class] NAME...: the wanted files as parcels on standard output. Runs in a box; the grader
// itself never parses an archive.
#include <clocale>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "grader/unpack/unpack.h"

// For the address sanitizer, where this is compiled with it. A box has neither our environment nor ptrace,
// which looking for leaks needs.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int main(int argc, char** argv) {
  using namespace roofline::unpack;
  if (argc < 3) return 2;
  // A box has no locale, and libarchive writes "?" for what ASCII lacks: two students could become one.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  std::ifstream file(argv[1], std::ios::binary);
  const std::string archive{std::istreambuf_iterator<char>(file), {}};
  const bool whole = std::string_view(argv[2]) == kWholeClass;
  const std::vector<std::string> names(argv + (whole ? 3 : 2), argv + argc);
  const std::string out = packed(whole ? unpack_class(archive, names) : unpack(archive, names));
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0 ? 0 : 1;
}
