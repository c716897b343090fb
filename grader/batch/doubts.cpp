// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/doubts.h"

#include <algorithm>

#include "grader/base/printable.h"
#include "grader/base/units.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kMostDoubts = 5;

std::string few_of(const std::set<std::string>& names) {
  std::string text;
  std::size_t told = 0;
  for (const std::string& name : names)
    if (told++ < kMostDoubts) text += (text.empty() ? "" : ", ") + printable(name);
  return told > kMostDoubts ? text + " ..." : text;
}

}  // namespace

std::vector<std::string> doubts_about(const std::vector<HandedIn>& attempts,
                                      const std::vector<Student>& roster) {
  std::vector<std::string> doubts;
  std::set<std::string> ids, strangers;
  std::size_t without = 0;
  for (const HandedIn& attempt : attempts) {
    ids.insert(attempt.id);
    if (!attempt.in_roster) strangers.insert(attempt.label);
    without += attempt.tasks.empty() ? 1 : 0;
  }
  const std::size_t absent = without_submission(roster, ids).size(), all = roster.size();
  if (2 * absent > all)
    doubts.push_back(std::to_string(absent) + " of " + std::to_string(all) +
                     " in the roster handed in nothing");
  if (!strangers.empty())
    doubts.push_back(std::to_string(strangers.size()) + " of " + std::to_string(attempts.size()) +
                     " submissions belong to nobody in the roster: " + few_of(strangers));
  if (2 * without > attempts.size())
    doubts.push_back(std::to_string(without) + " of " + std::to_string(attempts.size()) +
                     " submissions hold no file that the lab asks for");
  return doubts;
}

std::vector<std::string> dropped_files(const std::string& roster_before, const std::string& roster,
                                       const std::string& course_before, const std::string& course) {
  std::vector<std::string> dropped;
  if (roster.empty() && !roster_before.empty())
    dropped.push_back("this class had the roster " + roster_before +
                      "; without --roster nobody is missing, and ids are the platform's");
  if (course.empty() && !course_before.empty())
    dropped.push_back("this class had the course file " + course_before +
                      "; without --course nothing is taken off for late work, and points are the labs' own");
  return dropped;
}

std::vector<std::string> unusual_points(const std::map<std::string, double>& points) {
  std::vector<std::string> unusual;
  for (const auto& [part, sum] : points)
    if (sum != 100)
      unusual.push_back("the points of part " + part + " make " + compact(sum, 6) +
                        ", not 100: the assignment on your platform needs the same maximum");
  return unusual;
}

}  // namespace roofline::grader
