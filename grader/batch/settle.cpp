// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "grader/base/words.h"
#include "grader/batch/batch.h"
#include "grader/judge/score.h"

namespace roofline::grader {
namespace {

/// For a part that has no outcome: why, and for whose fault.
Result without_outcome(const Chosen& chosen, Verdict verdict, Class reason, const std::string& message) {
  Result result;
  result.lab = chosen.lab->folder;
  result.part = chosen.id();
  result.title = chosen.title();
  result.checks.push_back({.id = verdict == Verdict::kError ? "infrastructure" : "build",
                           .title = verdict == Verdict::kError ? "graded" : "handed in",
                           .kind = CheckKind::kBuild,
                           .verdict = verdict,
                           .reason = reason,
                           .message = message});
  return result;
}

Result result_of(const BatchFolder& folder, const HandedIn& attempt, const Chosen& chosen,
                 const std::set<std::string>& not_reached) {
  const auto key = attempt.tasks.find(chosen.id());
  if (key == attempt.tasks.end())
    return without_outcome(
        chosen, Verdict::kFail, Class::kNotImplemented,
        attempt.problem.empty() ? "no " + chosen.part->program.source + " was handed in" : attempt.problem);
  if (not_reached.contains(key->second))
    return without_outcome(chosen, Verdict::kError, Class::kNotReached,
                           "not reached: the class ended before this was graded. There are no points yet");
  try {
    Result result = read_outcome(folder, key->second);
    result.title = chosen.title();
    return result;
  } catch (const std::exception&) {
    return without_outcome(
        chosen, Verdict::kError, Class::kInfrastructure,
        "this could not be graded, through no fault of the submission: a person has to look at it");
  }
}

/// What a person has to look at in a submission; empty: nothing. A time that no hardware can have is a
/// mistake that skips work, or a cheat: who reads the file knows.
std::string held_in(const Graded& graded) {
  std::string held;
  const auto add = [&](const std::string& what) { held += (held.empty() ? "" : ", ") + what; };
  for (const Result& result : graded.results) {
    if (result.verdict == Verdict::kError && result.reason != Class::kNotReached)
      add(result.part + ": no verdict, through no fault of the student");
    for (const Check& check : result.checks)
      if (check.reason == Class::kImpossible) add(result.part + "/" + check.id + ": impossible");
  }
  return held;
}

/// Times that did not settle in any of the tries say nothing about the submission.
void mark_without_verdict(Result& result) {
  if (result.verdict != Verdict::kNoisy) return;
  result.verdict = Verdict::kError;
  result.reason = Class::kInfrastructure;
}

/// What is known before what is not, more points before fewer; of equals the one that was handed in first, so
/// that nobody loses by trying again.
bool better(const Graded& one, const Graded& other, bool is_older) {
  if (one.not_reached() != other.not_reached()) return other.not_reached();
  if (one.points() != other.points()) return one.points() > other.points();
  return is_older;
}

/// Whether a submission counts instead of one of the same student that comes before it in the class's order,
/// in which attempts without a time are: 2, 10, not 10, 2.
bool counts_instead(Attempts attempts, const std::pair<const Graded*, const HandedIn*>& one,
                    const std::pair<Graded, const HandedIn*>& before) {
  const Seconds time = one.second->time.value_or(0), time_before = before.second->time.value_or(0);
  return attempts == Attempts::kLast ? time >= time_before
                                     : better(*one.first, before.first, time < time_before);
}

/// Which submission of a student counts is one rule for all parts of a batch.
Attempts attempts_of(const Course& course, const std::vector<Chosen>& parts) {
  return parts.empty() ? course.attempts
                       : course.rules_of(parts.front().id()).attempts.value_or(course.attempts);
}

/// Who handed in which file.
class Files {
 public:
  void add(const HandedIn& attempt, const Result& result) {
    const bool is_skeleton = result.reason == Class::kNotImplemented;
    if (result.source_sha256.empty() || is_skeleton || !attempt.tasks.contains(result.part)) return;
    const std::string place = attempt.pieces.empty() ? attempt.label : attempt.pieces.front().path.string();
    by_file_[{result.part, result.source_sha256}][place].insert(attempt.id);
  }
  std::vector<SameFile> shared() const {
    std::vector<SameFile> found;
    for (const auto& [file, places] : by_file_) {
      std::set<std::string> ids;
      for (const auto& [place, owners] : places) ids.insert(owners.begin(), owners.end());
      // A group's members have one place between them; several submissions of one student are nobody else's.
      const bool one_group = std::ranges::any_of(places, [&](const auto& one) { return one.second == ids; });
      if (ids.size() > 1 && !one_group) found.push_back({file.first, {ids.begin(), ids.end()}});
    }
    return found;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::set<std::string>>> by_file_;
};

}  // namespace

ClassOutcome settle(const BatchFolder& folder, const std::vector<HandedIn>& attempts,
                    const std::vector<Chosen>& parts, const Course& course,
                    const std::vector<Student>& roster, const std::set<std::string>& not_reached) {
  ClassOutcome outcome;
  outcome.submissions = attempts.size();
  std::map<std::string, std::pair<Graded, const HandedIn*>> best;
  std::map<std::string, std::map<std::string, std::string>> held;  ///< student -> label -> why
  std::map<std::string, std::set<std::string>> open;  ///< student -> labels of what was not reached
  std::set<std::string> keys;
  std::map<std::string, std::size_t> submissions;
  Files files;
  const Attempts which = outcome.which = attempts_of(course, parts);
  for (const HandedIn& handed_in : attempts) {
    Graded graded;
    graded.id = handed_in.id;
    graded.name = handed_in.name;
    graded.email = handed_in.email;
    graded.in_roster = handed_in.in_roster;
    if (const auto section = course.section_of.find(lower(handed_in.id)); section != course.section_of.end())
      graded.section = section->second;
    const LatePolicy::Verdict late = course.late.of(handed_in.id, handed_in.time);
    graded.factor = late.factor;
    graded.remark = late.remark;
    graded.days_late = late.days;
    if (handed_in.time) graded.handed_in = time_text(*handed_in.time);
    ++submissions[handed_in.id];
    if (handed_in.marked_late && !handed_in.time)
      graded.remark = "handed in late, the platform says, but not when: nothing is taken off here";
    if (!handed_in.problem.empty()) graded.remark += (graded.remark.empty() ? "" : "; ") + handed_in.problem;
    for (const Chosen& chosen : parts) {
      Result result = result_of(folder, handed_in, chosen, not_reached);
      Part part = *chosen.part;
      part.points = course.points_of(chosen.id(), part.points);
      score(result, part);
      cap_when_not_passed(result, course.most_when_not_passed(chosen.id()));
      mark_without_verdict(result);
      files.add(handed_in, result);
      graded.results.push_back(std::move(result));
    }
    graded.held = held_in(graded);
    if (graded.not_reached()) open[handed_in.id].insert(handed_in.label);
    if (course.late.closes && !handed_in.time)
      graded.held += std::string(graded.held.empty() ? "" : ", ") +
                     "no time of submission is known: was it within the exam?";
    if (!graded.held.empty()) held[handed_in.id][handed_in.label] = graded.held;
    for (const auto& [part, key] : handed_in.tasks) keys.insert(key);
    const auto known = best.find(handed_in.id);
    if (known == best.end() || counts_instead(which, {&graded, &handed_in}, known->second))
      best.insert_or_assign(handed_in.id, std::pair(std::move(graded), &handed_in));
  }
  outcome.different = keys.size();
  std::set<std::string> ids;
  for (auto& [id, pair] : best) {
    outcome.not_reached += pair.first.not_reached() ? 1 : 0;
    outcome.errors += pair.first.verdict() == Verdict::kError && !pair.first.not_reached() ? 1 : 0;
    if (!pair.first.not_reached())
      for (const std::string& label : open[id]) held[id][label] = "not reached yet";
    // A submission that does not count is looked at, too.
    for (const auto& [label, why] : held[id])
      if (label != pair.second->label)
        pair.first.held += (pair.first.held.empty() ? "" : "; ") + ("in " + label + ": " + why);
    pair.first.submissions = submissions[id];
    outcome.students.push_back(std::move(pair.first));
    outcome.chosen.push_back(*pair.second);
    ids.insert(id);
  }
  outcome.same = files.shared();
  outcome.absent = without_submission(roster, ids);
  outcome.in_roster = outcome.absent.size() + outcome.students.size() - outcome.strangers().size();
  if (roster.empty()) outcome.in_roster = 0;
  return outcome;
}

std::vector<const Graded*> ClassOutcome::strangers() const {
  std::vector<const Graded*> found;
  for (const Graded& student : students)
    if (!student.in_roster) found.push_back(&student);
  return found;
}

}  // namespace roofline::grader
