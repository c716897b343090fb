// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/class_run.h"

#include <algorithm>
#include <deque>
#include <set>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/utc_now.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string verdict_in_file(const BatchFolder& folder, const std::string& key) {
  try {
    return std::string(name_of(read_outcome(folder, key).verdict));
  } catch (const std::exception&) {
    return {};
  }
}

/// A full disk is no fault of a task, whose tries would be used up for nothing. Throws InfrastructureError.
void require_room(const BatchFolder& folder) {
  constexpr std::size_t kOutcome = 256 << 10;  // larger than most
  const std::filesystem::path probe = folder.work() / "room";
  try {
    write_file(probe, std::string(kOutcome, '\0'));
  } catch (const std::runtime_error& error) {
    throw InfrastructureError(std::string(error.what()) +
                              "; what was graded is kept: make room, then give the same command again");
  }
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
}

}  // namespace

Progressed replay(const std::vector<Json>& events) {
  Progressed state;
  std::set<std::string> since_sentinel;
  for (const Json& event : events) {
    const std::string what = text_of(event, "event"), key = text_of(event, "key");
    if (what == "class") {
      state = {};
      state.header = event;
      since_sentinel.clear();
    } else if (what == "done" || what == "given-up") {
      state.done[key] = what == "done" ? text_of(event, "verdict") : "error";
      if (event.contains("seconds") && event["seconds"].is_number()) state.seconds[key] = event["seconds"];
      since_sentinel.insert(key);
    } else if (what == "given") {
      state.roster = text_of(event, "roster");
      state.course = text_of(event, "course");
    } else if (what == "agreed") {
      state.agreed.insert(text_of(event, "to"));
    } else if (what == "budget") {
      if (event.contains("seconds") && event["seconds"].is_number())
        state.budgets[text_of(event, "part")] = event["seconds"];
    } else if (what == "regrade") {
      state.done.erase(key);
      state.faults.erase(key);
    } else if (what == "fault") {
      ++state.faults[key];
    } else if (what == "slurm") {
      state.slurm_job = text_of(event, "job");
    } else if (what == "sentinel" && text_of(event, "verdict") == "pass") {
      since_sentinel.clear();
    } else if (what == "sentinel") {
      for (const std::string& task : since_sentinel) {
        state.done.erase(task);
        state.faults.erase(task);
      }
      since_sentinel.clear();
    }
  }
  return state;
}

void forget_what_is_lost(const BatchFolder& folder, Progressed& progressed) {
  std::erase_if(progressed.done, [&](const auto& task) {
    return task.second != "error" && verdict_in_file(folder, task.first).empty();
  });
}

ClassRun::ClassRun(const BatchFolder& folder, Journal& journal, Executor& executor, Progressed& progressed,
                   Hooks hooks)
    : folder_(folder),
      journal_(journal),
      executor_(executor),
      progressed_(progressed),
      hooks_(std::move(hooks)) {
  if (!hooks_.outcome_verdict)
    hooks_.outcome_verdict = [this](const std::string& key) { return verdict_in_file(folder_, key); };
}

void ClassRun::finish(const TaskEnd& end, std::vector<std::string>& again) {
  const std::string verdict = end.finished ? hooks_.outcome_verdict(end.key) : "";
  const bool ours = verdict.empty() || verdict == "error" || verdict == "noisy";
  if (!ours) {
    journal_.append({{"event", "done"},
                     {"key", end.key},
                     {"verdict", verdict},
                     {"seconds", end.seconds},
                     {"at", utc_now()}});
    progressed_.done[end.key] = verdict;
    progressed_.seconds[end.key] = end.seconds;
    return;
  }
  require_room(folder_);
  const std::string why = !end.why.empty()  ? end.why
                          : verdict.empty() ? "there is no outcome that can be read"
                                            : "the verdict was " + verdict;
  journal_.append({{"event", "fault"}, {"key", end.key}, {"why", why}, {"at", utc_now()}});
  if (++progressed_.faults[end.key] < kTries) {
    again.push_back(end.key);
    return;
  }
  journal_.append({{"event", "given-up"}, {"key", end.key}, {"why", why}, {"at", utc_now()}});
  progressed_.done[end.key] = "error";
}

void ClassRun::run(const std::vector<Task>& tasks) {
  stopped_ = false;
  std::deque<std::string> waiting;
  std::set<std::string> seen;
  for (const Task& task : tasks) {
    if (progressed_.done.contains(task.key) || !seen.insert(task.key).second) continue;
    write_task(folder_, task);
    waiting.push_back(task.key);
  }
  const std::size_t all = seen.size();
  std::size_t left = waiting.size();
  while (left != 0) {
    if (hooks_.stop && hooks_.stop()) {
      stopped_ = true;
      return;  // the executor ends what runs
    }
    std::vector<std::string> next;
    for (std::size_t room = executor_.room(); room != 0 && !waiting.empty(); --room) {
      next.push_back(waiting.front());
      waiting.pop_front();
    }
    for (const std::string& key : next) {  // what is there afterwards is of this try
      std::error_code ignored;
      std::filesystem::remove(folder_.outcome(key), ignored);
    }
    if (!next.empty()) executor_.start(next);
    if (hooks_.on_progress) hooks_.on_progress(all - left, all, executor_.running());
    std::vector<std::string> again;
    for (const TaskEnd& end : executor_.wait(std::chrono::milliseconds(500))) {
      finish(end, again);
      if (progressed_.done.contains(end.key)) --left;
    }
    waiting.insert(waiting.end(), again.begin(), again.end());
  }
}

void ClassRun::run_sentinels(const std::vector<Task>& sentinels, const std::string& when) {
  for (const Task& sentinel : sentinels) {
    progressed_.done.erase(sentinel.key);
    progressed_.faults.erase(sentinel.key);
  }
  run(sentinels);
  if (stopped_) return;
  for (const Task& sentinel : sentinels) {
    const std::string verdict = progressed_.done[sentinel.key];
    progressed_.done.erase(sentinel.key);
    journal_.append({{"event", "sentinel"},
                     {"when", when},
                     {"part", sentinel.part},
                     {"verdict", verdict},
                     {"at", utc_now()}});
    if (verdict != "pass")
      throw InfrastructureError("the course's own solution of " + sentinel.part + " did not pass " + when +
                                " the class (" + verdict +
                                "): the fault is not the students'. No points are lost; what was graded "
                                "since the last good check will be "
                                "graded again when the same command is given. See " +
                                (folder_.work() / "logs" / (sentinel.key + ".txt")).string());
  }
}

}  // namespace roofline::grader
