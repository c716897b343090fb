// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A patch that somebody else wrote, and the file that it is for, parted by a zero: refused with a sentence,
// or every hunk's old lines stand in the file and its new ones in what comes out.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "grader/base/patch.h"

using namespace roofline::grader;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

void read(const std::string& text, const std::string& base) try {
  const Patch patch = parse_patch(text);
  if (patch.base.empty() || patch.hunks.empty()) std::abort();
  std::size_t expected = base.size();
  std::string result;
  try {
    result = apply_patch(patch, base);
  } catch (const PatchError& error) {
    if (error.line == 0 || std::string(error.what()).empty()) std::abort();
    return;
  }
  for (const Hunk& hunk : patch.hunks) {
    expected += joined(hunk.after).size() - joined(hunk.before).size();
    if (result.find(joined(hunk.after)) == std::string::npos) std::abort();
  }
  if (base.find('\r') == std::string::npos && result.size() != expected) std::abort();
} catch (const PatchError& error) {
  if (error.line == 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  read(all.substr(0, end), end < size ? all.substr(end + 1) : "");
  return 0;
}
