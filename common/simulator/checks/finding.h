// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// The four checks, as bits of a set.
enum Check : u32 { kCheckMemory = 1, kCheckInit = 2, kCheckRace = 4, kCheckSync = 8, kCheckAll = 15 };

/// One distinct bug that a check found, however often it was met.
struct Finding {
  /// A note does not make the program wrong.
  enum class Level : u8 { kNote, kWarning, kError };
  /// Where something happened: a line of device code.
  struct Place {
    std::string what;  ///< "thread (1,0,0) writes"
    std::string file;
    u32 line = 0;  ///< 0 when the program was built without -lineinfo
    u32 ptx_line = 0;
    std::string ptx;  ///< the instruction
  };

  Check check = kCheckMemory;
  Level level = Level::kError;
  std::string rule;           ///< "shared-memory": with the check's name, what kind of bug it is
  std::string message;        ///< what happened the first time, for a person; may be of several lines
  std::string advice;         ///< what to do about it
  std::string kernel;         ///< readable; empty when no kernel is involved
  std::string block, thread;  ///< "(1,0,0)", may be empty
  std::vector<Place> places;
  u64 count = 1;
};

inline const char* name_of(Check check) {
  switch (check) {
    case kCheckInit:
      return "init";
    case kCheckRace:
      return "race";
    case kCheckSync:
      return "sync";
    default:
      return "memory";
  }
}

}  // namespace roofline::sim
