// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "grader/similarity/tokens.h"

namespace roofline::grader {

/// So many words in a row that two programs have in common are a passage; fewer are an accident. A little
/// less than a line such as `const int i = blockIdx.x * blockDim.x + threadIdx.x;`.
constexpr std::size_t kPassage = 12;

/// What everybody was given: the skeleton, headers, code of the lab's pages. It is no one's own.
class GivenCode {
 public:
  void add(std::string_view text);
  /// For each token, whether it is in a run that was given.
  std::vector<bool> marks(const std::vector<Token>& tokens) const;

 private:
  std::unordered_set<std::uint64_t> runs_;
};

/// The code in a Markdown page: what stands between ``` and in lines that four blanks indent.
std::string code_of_page(std::string_view markdown);

/// A program as it is compared: its own words and the runs of kPassage of them.
struct CodeText {
  std::string text;
  std::vector<Token> tokens;
  std::vector<std::size_t> own;     ///< indices of the tokens that were not given, in order
  std::vector<std::uint64_t> runs;  ///< the one that begins at own[i]; kPassage - 1 fewer than `own`

  bool comparable() const { return !runs.empty(); }
};
CodeText read_code(std::string text, const GivenCode& given);

}  // namespace roofline::grader
