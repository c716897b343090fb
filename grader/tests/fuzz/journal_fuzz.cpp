// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Any journal, cut anywhere: reading is total, and what was whole before more was written stays the same.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "grader/batch/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::grader;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const JournalText whole = read_journal(text);
  if (whole.whole > size || (whole.whole != 0 && text[whole.whole - 1] != '\n')) std::abort();
  const JournalText cut = read_journal(text.substr(0, size / 2));
  if (cut.events.size() > whole.events.size()) std::abort();
  for (std::size_t i = 0; i < cut.events.size(); ++i)
    if (cut.events[i] != whole.events[i]) std::abort();
  return 0;
}
