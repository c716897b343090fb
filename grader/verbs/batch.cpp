// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/batch.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <set>
#include <thread>
#include <utility>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/printable.h"
#include "grader/base/utc_now.h"
#include "grader/batch/anonymous.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_files.h"
#include "grader/batch/class_folder.h"
#include "grader/batch/class_run.h"
#include "grader/batch/doubts.h"
#include "grader/batch/overrides.h"
#include "grader/batch/regrade.h"
#include "grader/batch/staging.h"
#include "grader/call/device.h"
#include "grader/lab/hidden.h"
#include "grader/text/progress_line.h"
#include "grader/text/terminal.h"
#include "grader/verbs/class_identity.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

volatile std::sig_atomic_t interrupted = 0;

constexpr int kNoVerdict = 3;

class Batch {
 public:
  Batch(const Paths& paths, const BatchRequest& request)
      : paths_(paths), request_(request), folder_{fs::absolute(request.out)}, setup_(request) {
    for (const std::string& format : request.formats)  // a mistake shows before the night
      if (format_named(format).fills_gradebook)
        throw UsageError(
            format +
            " fills a gradebook that the platform exported: when the class is graded, ./lab export "
            "--format " +
            format + " --from " + (request.out / "results").string() + " --gradebook FILE does");
    for (const std::string& format : request.formats)
      if (setup_.course().anonymous && format_named(format).names_people)
        throw UsageError("anonymous = true in the course file: " + format +
                         " needs to know who it is. Set it to false and score anew with --rescore");
    if (request.rescore && !request.regrade.empty())
      throw UsageError("--rescore runs nothing and --regrade runs a student's submissions: give one of them");
    ClassLimits given;
    if (!request.ceiling.empty()) given.ceiling = duration_of(request.ceiling, "--ceiling");
    if (!request.budget.empty()) given.budget = duration_of(request.budget, "--budget");
    limits_ = setup_.course().limits.with(given);
    ceiling_ = Ceiling(limits_.ceiling);
    if (request.executor != "local" && request.executor != "slurm")
      throw UsageError("--executor is local or slurm");
  }

  int run() {
    require_place(folder_.journal());
    require_given();
    prepare_folder();
    Journal journal(folder_.journal());
    const Staging staging(folder_);
    Progressed progressed = replay(read_journal(read_file(folder_.journal())).events);
    class_ = open_class(paths_, request_, folder_, setup_, journal, progressed);
    note_files(journal, progressed);
    if (!request_.rescore) {
      require_sandbox(request_.sandbox);
      if (request_.sandbox == Sandbox::kContainer) {
        close_course(paths_);
        close_to_others({request_.folder, folder_.root, request_.roster, request_.course, request_.hidden});
      }
    }
    take_all_in(find_class(request_.folder, staging.folder(), unpacker(), setup_.roster(),
                           {.names = declared_names(setup_.parts()),
                            .time_zone = setup_.course().late.time_zone,
                            .left_out = {}}));
    settle_doubts(journal, progressed);
    read_decisions();
    for (const std::string& id :
         forget_students(request_.regrade, folder_, attempts_, setup_.roster(), journal, progressed))
      regraded_.emplace_back(id, grade_before(folder_, id));
    if (request_.rescore) require_all_done(progressed);
    keep_owners(folder_, std::move(owners_));
    if (!request_.rescore) grade(journal, progressed);
    if (interrupted != 0) {
      std::printf("Stopped. The same command goes on where this stopped.\n");
      return kNoVerdict;
    }
    return finish();
  }

 private:
  /// Before anything is written, or with --fresh deleted.
  void require_given() const {
    std::error_code ignored;
    if (!fs::exists(request_.folder, ignored))
      throw UsageError("there is no folder " + request_.folder.string());
    if (!fs::is_directory(request_.folder, ignored) && !is_archive(request_.folder.filename().string()))
      throw UsageError(request_.folder.string() +
                       " is neither a folder nor an archive; name what the platform exported");
  }

  void prepare_folder() const {
    std::error_code error;
    if (request_.fresh)
      for (const fs::path& ours : class_files(folder_)) fs::remove_all(ours, error);
    fs::create_directories(folder_.work(), error);
    if (error) throw InfrastructureError("cannot make " + folder_.work().string() + ": " + error.message());
  }

  /// A roster or course file that is left out the next time changes grades: that is said.
  void note_files(Journal& journal, const Progressed& progressed) const {
    const std::string roster = request_.roster.string(), course = request_.course.string();
    for (const std::string& note : dropped_files(progressed.roster, roster, progressed.course, course))
      std::fprintf(stderr, "  note    %s\n", printable(note).c_str());
    std::map<std::string, double> points;
    for (const Chosen& part : setup_.parts())
      points[part.id()] = setup_.course().points_of(part.id(), part.part->points).total();
    for (const std::string& note : unusual_points(points))
      std::fprintf(stderr, "  note    %s\n", note.c_str());
    const bool fewer =
        (roster.empty() && !progressed.roster.empty()) || (course.empty() && !progressed.course.empty());
    if (!fewer && (roster != progressed.roster || course != progressed.course))
      journal.append({{"event", "given"}, {"roster", roster}, {"course", course}, {"at", utc_now()}});
  }

  Unpacker unpacker() const {
    Unpacker unpacker{.sandbox = request_.sandbox, .program = paths_.build / "bin" / "unpack"};
    std::error_code ignored;
    if (!fs::exists(unpacker.program, ignored)) unpacker.program.clear();
    return unpacker;
  }

  /// A class that looks like another one is a person's to accept, once: the journal keeps what was said.
  void settle_doubts(Journal& journal, const Progressed& progressed) const {
    std::vector<std::string> doubts = doubts_about(attempts_, setup_.roster());
    std::erase_if(doubts, [&](const std::string& doubt) { return progressed.agreed.contains(doubt); });
    if (doubts.empty()) return;
    std::string all;
    for (const std::string& doubt : doubts) all += "\n  " + doubt;
    const bool can_ask = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    if (!request_.yes && !can_ask)
      throw UsageError("this may be the wrong folder, roster or lab:" + all +
                       "\nNothing was graded. If it is right, give the same command with --yes");
    if (!request_.yes) {
      std::printf("This may be the wrong folder, roster or lab:%s\nGo on? [y/N] ", all.c_str());
      std::fflush(stdout);
      char answer[16] = "";
      if (std::fgets(answer, sizeof answer, stdin) == nullptr || (answer[0] != 'y' && answer[0] != 'Y'))
        throw UsageError("nothing was graded");
    }
    for (const std::string& doubt : doubts)
      journal.append({{"event", "agreed"}, {"to", doubt}, {"at", utc_now()}});
  }

  Task task_for(std::size_t which, const PartFiles& files, std::uint64_t seed) const {
    const Chosen& part = setup_.parts()[which];
    Task task;
    task.part = part.id();
    task.source_sha256 = keep(files.source);
    if (!files.prediction.empty()) task.prediction_sha256 = keep(files.prediction);
    task.device = class_.device;
    task.sandbox = request_.sandbox;
    task.threads = threads_;
    name_task(task, seed, class_.labs_sha256.at(which));
    return task;
  }

  /// Content-addressed: the same file is kept once. What is only scored again is there, or has been purged.
  std::string keep(const std::string& text) const {
    const std::string sha256 = sha256_hex(text);
    if (!request_.rescore && !fs::exists(folder_.source(sha256))) write_file(folder_.source(sha256), text);
    return sha256;
  }

  void take_all_in(const std::vector<HandedIn>& all) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    gpu_ = class_.device == "gpu";
    slots_ = request_.jobs != 0 ? request_.jobs
             : gpu_             ? static_cast<std::size_t>(std::max(1, gpu_count()))
                                : cores;
    if (gpu_) slots_ = std::min(slots_, static_cast<std::size_t>(std::max(1, gpu_count())));
    threads_ =
        request_.executor == "slurm" ? 0 : static_cast<unsigned>(std::max<std::size_t>(1, cores / slots_));
    const Unpacker unpacker = this->unpacker();
    ProgressLine progress("reading what was handed in");
    for (std::size_t i = 0; i < all.size(); ++i) {
      progress.update(static_cast<double>(i) / static_cast<double>(all.size()), all[i].label);
      const Intake intake = take_in(all[i], setup_.parts(), unpacker);
      HandedIn attempt = all[i];
      attempt.problem = intake.problem;
      for (std::size_t which = 0; which < setup_.parts().size(); ++which) {
        const PartFiles& files = intake.parts.at(setup_.parts()[which].id());
        if (!files.found) continue;
        Task task = task_for(which, files, setup_.seed_for(attempt.id, class_.seed));
        attempt.tasks[task.part] = task.key;
        tasks_.push_back(std::move(task));
      }
      for (const auto& [part, key] : attempt.tasks) owners_[attempt.id].insert(key);
      attempts_.push_back(std::move(attempt));
    }
  }

  /// A mistake in the file shows before the night.
  void read_decisions() {
    overrides_ = read_overrides(folder_.overrides());
    std::vector<std::string> ids;
    for (const HandedIn& attempt : attempts_) ids.push_back(attempt.id);
    for (const Override& one : overrides_) (void)decided_about(one, ids, setup_.roster());
  }

  void require_all_done(const Progressed& progressed) const {
    for (const Task& task : tasks_)
      if (!progressed.done.contains(task.key))
        throw UsageError("--rescore runs nothing, but not everything in " + request_.folder.string() +
                         " has been graded; run the command without --rescore first");
  }

  /// The course's own solutions, as submissions that must pass.
  std::vector<Task> sentinels(std::uint64_t salt) const {
    std::vector<Task> tasks;
    std::error_code ignored;
    for (std::size_t which = 0; which < setup_.parts().size(); ++which) {
      const Chosen& part = setup_.parts()[which];
      if (!fs::exists(part.solution(paths_), ignored)) continue;  // a course repository for students
      PartFiles files{.source = read_file(part.solution(paths_)), .prediction = {}, .found = true};
      const fs::path prediction = part.solutions(paths_) / part.lab->prediction;
      if (fs::exists(prediction, ignored)) files.prediction = read_file(prediction);
      tasks.push_back(task_for(which, files, class_.seed + salt));
    }
    return tasks;
  }

  std::unique_ptr<Executor> executor(Journal& journal, const Progressed& progressed) const {
    if (request_.executor == "local") return local_executor(folder_, slots_, gpu_);
    SlurmOptions options;
    options.partition = request_.partition;
    options.memory = request_.memory;
    options.time = request_.time;
    options.at_once = request_.jobs;
    options.gpu = gpu_;
    options.job = progressed.slurm_job;
    options.on_job = [&journal](const std::string& job) {
      journal.append({{"event", "slurm"}, {"job", job}, {"at", utc_now()}});
    };
    return slurm_executor(folder_, options);
  }

  /// Keys of tasks without a verdict.
  std::set<std::string> open_tasks(const Progressed& progressed) const {
    std::set<std::string> keys;
    for (const Task& task : tasks_)
      if (!progressed.done.contains(task.key)) keys.insert(task.key);
    return keys;
  }

  void grade(Journal& journal, Progressed& progressed) {
    forget_what_is_lost(folder_, progressed);
    const std::set<std::string> left = open_tasks(progressed);
    if (left.empty()) return;
    ProgressLine progress("grading");
    grade_class(journal, progressed, progress);
    if (interrupted != 0) return;
    not_reached_ = open_tasks(progressed);
    if (not_reached_ == left) {
      std::fprintf(
          stderr,
          "  note    nothing was graded: the ceiling leaves no time beside the course's own solution\n");
      return;
    }
    const std::unique_ptr<Executor> where = executor(journal, progressed);
    ClassRun run(folder_, journal, *where, progressed, {.stop = [] { return interrupted != 0; }});
    progress.label("the course's own solution, again");
    run.run_sentinels(sentinels(2), "after");
  }

  /// The course's own solution and then the class, up to the ceiling: what runs then is ended.
  void grade_class(Journal& journal, Progressed& progressed, ProgressLine& progress) {
    const std::unique_ptr<Executor> where = executor(journal, progressed);
    const auto begin = std::chrono::steady_clock::now();
    std::size_t first = SIZE_MAX;
    ClassRun::Hooks hooks;
    hooks.stop = [this] { return interrupted != 0 || ceiling_.reached(); };
    hooks.on_progress = [&](std::size_t done, std::size_t all, std::size_t running) {
      if (first == SIZE_MAX) first = done;
      std::string text =
          std::to_string(done) + " of " + std::to_string(all) + ", " + std::to_string(running) + " running";
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (done > first)
        text += ", " + duration(spent / static_cast<double>(done - first) * static_cast<double>(all - done)) +
                " left";
      progress.update(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1)), text);
    };
    ClassRun run(folder_, journal, *where, progressed, hooks);
    progress.label("the course's own solution");
    const std::vector<Task> own = sentinels(1);
    run.run_sentinels(own, "before");
    if (run.stopped()) return;
    const std::chrono::duration<double> vouching = std::chrono::steady_clock::now() - begin;
    ceiling_.reserve(vouching.count());
    set_budgets(journal, progressed, own);
    progress.label("grading");
    first = SIZE_MAX;
    run.run(tasks_);
  }

  /// One for all submissions of a part, however often the command is given: the journal keeps it.
  void set_budgets(Journal& journal, Progressed& progressed, const std::vector<Task>& own) {
    for (Task& task : tasks_) {
      if (!progressed.budgets.contains(task.part)) {
        double seconds = kMostBudget;
        for (const Task& one : own)
          if (one.part == task.part) seconds = budget_for(progressed.seconds[one.key]);
        seconds = limits_.budget.value_or(seconds);
        journal.append({{"event", "budget"}, {"part", task.part}, {"seconds", seconds}, {"at", utc_now()}});
        progressed.budgets[task.part] = seconds;
      }
      task.budget_seconds = progressed.budgets[task.part];
      if (limits_.budget && task.budget_seconds != *limits_.budget)
        throw UsageError(folder_.root.string() + " holds a class whose submissions have " +
                         duration(task.budget_seconds) + " each; --fresh starts over with another budget");
    }
  }

  int finish() {
    const bool anonymous = setup_.course().anonymous;
    if (anonymous) hide_labels(attempts_);
    ClassOutcome outcome =
        settle(folder_, attempts_, setup_.parts(), setup_.course(), setup_.roster(), not_reached_);
    apply_overrides(outcome, overrides_, setup_.roster());
    print_regraded(outcome);
    if (anonymous) hide_people(outcome, class_.seed);
    write_outputs(paths_, folder_, outcome, setup_.parts(), request_.formats);
    std::printf("%s", class_summary(outcome, Terminal::of(fileno(stdout))).c_str());
    std::printf("  overview  %s\n  table     %s\n", paths_.shown(folder_.root / "index.html").c_str(),
                paths_.shown(folder_.root / "class.csv").c_str());
    print_held(outcome);
    if (!not_reached_.empty())
      std::printf(
          "  %zu of %zu different submissions were not reached within %s: the same command goes on with "
          "them\n",
          not_reached_.size(), outcome.different, duration(*limits_.ceiling).c_str());
    if (outcome.errors != 0)
      std::printf("  %zu could not be graded, through no fault of the students: see %s\n", outcome.errors,
                  paths_.shown(folder_.journal()).c_str());
    return outcome.errors == 0 && not_reached_.empty() ? 0 : kNoVerdict;
  }

  void print_regraded(const ClassOutcome& outcome) const {
    for (const auto& [id, before] : regraded_)
      for (const Graded& student : outcome.students)
        if (student.id == id)
          std::printf("  regraded  %s: %s before, %s now\n", id.c_str(), before.c_str(),
                      decimal(student.points()).c_str());
    if (!overrides_.empty())
      std::printf("  overrides %zu of %s\n", overrides_.size(), paths_.shown(folder_.overrides()).c_str());
  }

  static void print_held(const ClassOutcome& outcome) {
    bool first = true;
    for (const Graded& student : outcome.students)
      if (!student.held.empty())
        std::printf("  %s  %s (%s)\n", std::exchange(first, false) ? "look at " : "        ",
                    student.id.c_str(), printable(student.held).c_str());
  }

  const Paths& paths_;
  const BatchRequest& request_;
  BatchFolder folder_;
  ClassSetup setup_;
  ClassLimits limits_;
  Ceiling ceiling_{std::nullopt};
  std::set<std::string> not_reached_;  ///< keys of tasks
  ClassIdentity class_;
  bool gpu_ = false;
  std::size_t slots_ = 1;
  unsigned threads_ = 0;
  std::vector<HandedIn> attempts_;
  std::vector<Task> tasks_;
  Owners owners_;
  std::vector<Override> overrides_;
  std::vector<std::pair<std::string, std::string>> regraded_;  ///< id, grade before
};

}  // namespace

int batch_verb(const Paths& paths, const BatchRequest& request) {
  if (!request.task.empty())
    return run_task(paths, {fs::absolute(request.folder)}, request.task, request.gpu);
  if (request.out.empty()) throw UsageError("batch needs --out, the folder for the results");
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = 1; });
  if (!request.purge.empty()) return purge_class(paths, request);
  if (request.folder.empty())
    throw UsageError("batch needs DIR, the folder or archive with what was handed in");
  return Batch(paths, request).run();
}

}  // namespace roofline::grader
