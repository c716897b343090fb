// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/task.h"

#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/formats/json.h"
#include "grader/formats/read_json.h"
#include "grader/judge/workbench.h"
#include "grader/lab/hidden.h"
#include "grader/lab/selection.h"

namespace roofline::grader {
namespace {

constexpr const char* kFormat = "1";  ///< part of every key: raise it when the meaning of an outcome changes

}  // namespace

void name_task(Task& task, std::uint64_t class_seed, const std::string& lab_sha256) {
  const std::string graded = std::string(kFormat) + '\0' + task.part + '\0' + lab_sha256 + '\0' +
                             task.source_sha256 + '\0' + task.prediction_sha256 + '\0' + task.device + '\0' +
                             std::to_string(class_seed);
  const std::string digest = sha256_hex(graded);
  task.key = task.part + "-" + digest.substr(0, 20);
  // Another one for each task: who sees an input learns nothing of another submission's. JSON keeps 53 bits
  // everywhere.
  task.seed = std::stoull(digest.substr(20, 13), nullptr, 16) | 1;
}

void write_task(const BatchFolder& folder, const Task& task) {
  const nlohmann::ordered_json json = {{"part", task.part},
                                       {"source", task.source_sha256},
                                       {"prediction", task.prediction_sha256},
                                       {"device", task.device},
                                       {"seed", task.seed},
                                       {"sandbox", name_of(task.sandbox)},
                                       {"threads", task.threads},
                                       {"budget_seconds", task.budget_seconds}};
  write_file(folder.task(task.key), json.dump(2) + "\n");
}

Task read_task(const BatchFolder& folder, const std::string& key) {
  const auto json = nlohmann::json::parse(read_file(folder.task(key)));
  Task task;
  task.key = key;
  task.part = json.at("part");
  task.source_sha256 = json.at("source");
  task.prediction_sha256 = json.at("prediction");
  task.device = json.at("device");
  task.seed = json.at("seed");
  task.threads = json.at("threads");
  task.budget_seconds = json.value("budget_seconds", kMostBudget);
  for (const Sandbox each : {Sandbox::kNone, Sandbox::kNamespaces, Sandbox::kContainer})
    if (json.at("sandbox") == name_of(each)) task.sandbox = each;
  return task;
}

int run_task(const Paths& paths, const BatchFolder& folder, const std::string& key, int gpu) {
  const Task task = read_task(folder, key);
  std::vector<Lab> labs = all_labs();  // a copy, for hidden cases
  if (std::error_code ignored; std::filesystem::exists(folder.hidden(), ignored))
    add_hidden(labs, folder.hidden(), task.seed);
  const Chosen chosen = select(labs, {task.part}).at(0);
  const std::string device = task.device == "gpu" && gpu >= 0 ? "gpu:" + std::to_string(gpu) : task.device;
  Workbench workbench(paths, device, task.sandbox);
  workbench.use_threads(task.threads);
  workbench.limit({.wall_seconds = task.budget_seconds});
  Submission submission{.source = folder.source(task.source_sha256), .prediction = {}};
  submission.shown = chosen.part->program.source;
  if (!task.prediction_sha256.empty()) submission.prediction = folder.source(task.prediction_sha256);
  Result result = workbench.grade(chosen, submission, task.seed);
  result.started.clear();
  result.wall_s = 0;
  write_file(folder.outcome(key), to_json({result}));
  return exit_status(result);
}

Result read_outcome(const BatchFolder& folder, const std::string& key) {
  std::vector<Result> results = results_from_json(read_file(folder.outcome(key)));
  if (results.size() != 1) throw std::runtime_error("the outcome of " + key + " is not one result");
  return std::move(results[0]);
}

}  // namespace roofline::grader
