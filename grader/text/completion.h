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

/// A shell that can complete them.
struct CompletionShell {
  std::string name;   ///< as in `./lab completion bash`
  std::string where;  ///< where the line that loads the script goes: "in ~/.bashrc"
  std::string (*script)(const CompletionWords&);  ///< for `source <(./lab completion NAME)`
};
const std::vector<CompletionShell>& completion_shells();

}  // namespace roofline::grader
