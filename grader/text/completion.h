// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

/// What a shell has to know to complete the words of the command line. main.cpp fills it from the parser, so
/// that there is no second list of verbs and options.
struct CompletionOption {
  std::string name;  ///< "--device"
  bool takes_value = false;
};
struct CompletionVerb {
  std::string name, what;
  std::vector<CompletionOption> options;
  bool labs = false;               ///< its words are labs; otherwise they are files
  std::vector<std::string> words;  ///< fixed words instead, as of `completion`
};
struct CompletionWords {
  std::vector<CompletionVerb> verbs;
  std::vector<std::string> labs, devices;  ///< devices: after --device
};

/// A script for `source <(./lab completion bash)`.
std::string bash_completion(const CompletionWords& words);
/// The same for zsh.
std::string zsh_completion(const CompletionWords& words);

}  // namespace roofline::grader
