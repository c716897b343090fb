// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Which line of the CUDA source an instruction belongs to. Code that was inlined from a header of the CUDA
/// toolkit (__ldg, half2 arithmetic, cooperative groups) counts for the line that called it: that is the line
/// its author can change.
class Locations {
 public:
  struct Place {
    u32 file = 0, line = 0, column = 0;
    auto operator<=>(const Place&) const = default;
  };

  /// Looks for the `.file` directives of a whole text; they stand behind the code that refers to them.
  explicit Locations(std::string_view text);

  void begin_function() { callers_.clear(); }
  /// `.loc`, without and with `inlined_at`.
  SourceLine at(const Place& place) const { return {place.file, place.line, 0, 0}; }
  SourceLine at(const Place& place, const Place& caller);

 private:
  bool is_in_toolkit(u32 file) const { return file < is_in_toolkit_.size() && is_in_toolkit_[file]; }

  std::vector<bool> is_in_toolkit_;  ///< by the file's number
  std::map<Place, Place> callers_;   ///< of the present function; the latest for each place
};

}  // namespace roofline::sim::ptx
