// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/regrade.h"

#include "grader/base/paths.h"
#include "grader/base/utc_now.h"
#include "grader/batch/overrides.h"
#include "grader/formats/json.h"

namespace roofline::grader {

std::vector<std::string> forget_students(const std::vector<std::string>& who, const BatchFolder& folder,
                                         const std::vector<HandedIn>& attempts,
                                         const std::vector<Student>& roster, Journal& journal,
                                         Progressed& progressed) {
  std::vector<std::string> all, found;
  for (const HandedIn& attempt : attempts) all.push_back(attempt.id);
  for (const std::string& name : who) {  // a mistake shows before anything is forgotten
    found.push_back(handed_in_by(name, all, roster));
    if (found.back().empty())
      throw UsageError("--regrade " + name + ": nobody of that id or name handed something in");
  }
  for (const HandedIn& attempt : attempts) {
    if (std::ranges::find(found, attempt.id) == found.end()) continue;
    for (const auto& [part, key] : attempt.tasks) {
      if (!progressed.done.contains(key)) continue;
      journal.append({{"event", "regrade"}, {"key", key}, {"at", utc_now()}});
      progressed.done.erase(key);
      progressed.faults.erase(key);
      std::error_code ignored;
      std::filesystem::remove(folder.outcome(key), ignored);
    }
  }
  return found;
}

std::string grade_before(const BatchFolder& folder, const std::string& id) {
  try {
    return decimal(read_graded(folder.results() / (id + ".json")).points());
  } catch (const std::exception&) {
    return "none";
  }
}

}  // namespace roofline::grader
