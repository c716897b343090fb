// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Two submissions, parted by a zero: their words lie in order within the text, figures are parts of a whole,
// and passages are the same words on both sides.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "grader/similarity/compare.h"
#include "grader/similarity/passages.h"

using namespace roofline::grader;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

void look_at(const CodeText& code) {
  std::uint32_t last = 0;
  for (const Token& token : code.tokens) {
    expect(last <= token.begin && token.begin < token.end && token.end <= code.text.size());
    last = token.end;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find('\0'), all.size());
  GivenCode given;
  given.add(code_of_page(all));
  std::vector<Work> works;
  for (const std::string& text : {all.substr(0, end), end < size ? all.substr(end + 1) : std::string()})
    works.push_back({.code = read_code(text, given), .people = {works.size()}});
  for (const Work& work : works) look_at(work.code);
  for (const Likeness& pair : compare(works).pairs)
    for (const double part : {pair.of_a, pair.of_b, pair.both, pair.unusual}) expect(part >= 0 && part <= 1);
  const CodeText &a = works[0].code, &b = works[1].code;
  for (const Passage& passage : side_by_side(a, b).passages)
    for (std::size_t i = 0; i < passage.length; ++i)
      expect(a.tokens[a.own[passage.a + i]].kind == b.tokens[b.own[passage.b + i]].kind);
  return 0;
}
