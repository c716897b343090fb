// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

/// Something that `lab run` has to say about a line of the program: advice, or what a check found. The
/// terminal, the JSON file and the SARIF file show the same list.
struct Finding {
  enum class Level { kNote, kWarning, kError };

  std::string rule;   ///< "uncoalesced-access": stable, what a filter names
  std::string title;  ///< of the rule: one line, the same for every finding of it
  Level level = Level::kWarning;
  std::string message;  ///< complete sentences
  std::string check;    ///< "advice", or the check that found it: "memory", "init", "race", "sync", "leak"
  std::string kernel;   ///< readable name, empty when it is about the program
  std::string file;     ///< empty when the program was built without -lineinfo
  unsigned line = 0;
  std::string where;          ///< PTX text, where there is no line
  std::string block, thread;  ///< "(0,0,0)", of the first occurrence
  /// Other places that belong to it: the second access of a race, the call that a function was inlined into.
  struct Related {
    std::string message, file;
    unsigned line = 0;
  };
  std::vector<Related> related;
  double gain_seconds = 0;  ///< advice: simulated seconds that following it may save, an estimate
};

/// As files call it.
inline const char* level_name(Finding::Level level) {
  return level == Finding::Level::kError ? "error" : level == Finding::Level::kNote ? "note" : "warning";
}

}  // namespace roofline::grader
