// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <optional>

#include "grader/base/file.h"
#include "grader/box/child.h"
#include "grader/box/process_tree.h"
#include "grader/judge/workbench.h"
#include "grader/learner/ask_predictions.h"
#include "grader/learner/attempts.h"
#include "grader/learner/current.h"
#include "grader/learner/file_watch.h"
#include "grader/learner/watch_text.h"
#include "grader/result/result_text.h"
#include "grader/text/keys.h"
#include "grader/text/table.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// The loop behind `./lab watch`. Checking happens in a child process, which writes to the terminal itself: a
/// save, a key or Ctrl-C can end it at any moment, with everything that it started.
class Watcher {
 public:
  Watcher(const Paths& paths, const WatchRequest& request)
      : paths_(paths),
        device_(request.device),
        labs_(all_labs()),
        workbench_(paths, request.device),
        terminal_(Terminal::of(STDOUT_FILENO)),
        part_(chosen(request.lab)) {}
  ~Watcher() { stop(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int run() {
    begin(part_);
    while (!over_) wait();
    stop();
    return 0;
  }

 private:
  enum class Run { kQuick, kFull };

  Chosen chosen(const std::string& lab) const {
    if (lab.empty()) return current_part(labs_, progress());
    const std::vector<Chosen> parts = select(labs_, {lab});
    // Of a lab with parts, the first that has not passed.
    const ProgressFile now = progress();
    for (const Chosen& part : parts)
      if (!now.at(part.id()).passed) return part;
    return parts.front();
  }

  ProgressFile progress() const { return ProgressFile(paths_.state / "progress.json"); }

  void say(const std::string& text) const {
    // A child may have drawn its progress line.
    if (child_ > 0 && isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
    bool first = true;
    for (const std::string& line : wrap(text, terminal_.width)) {
      std::fputs(((first ? "" : "\n") + line).c_str(), stdout);
      first = false;
    }
    std::fflush(stdout);
  }

  void begin(const Chosen& part) {
    stop();
    part_ = part;
    const fs::path file = part_.file(paths_);
    say(terminal_.paint(Colour::kBold, part_.id() + " " + part_.title()) + "\n  file    " +
        paths_.shown(file) + "\n  theory  " + paths_.shown(part_.folder(paths_) / part_.lab->theory) +
        "\n  device  " + device_label(workbench_.device_record()) + "\n" +
        (keyboard_.on() ? keys_text(terminal_) : "") + "  Save the file to check it.\n\n");
    ask();
    file_.emplace(file);
    start(Run::kQuick);
  }

  /// The predictions, before the first run.
  void ask() {
    if (!keyboard_.on() || has_attempts(paths_.state, part_.id())) return;
    keyboard_.lines();
    ask_predictions(
        part_.part->predictions, part_.folder(paths_) / part_.lab->prediction,
        [this](const std::string& text) { say(text); },
        [this] { return read_line(STDIN_FILENO, interrupts_.fd()); });
    keyboard_.keys();
  }

  /// Sleeps until something happens, and answers it.
  void wait() {
    enum { kSignal, kFile, kKeys, kChild, kCount };
    pollfd watched[kCount] = {{interrupts_.fd(), POLLIN, 0},
                              {file_->fd(), POLLIN, 0},
                              {keyboard_.on() ? STDIN_FILENO : -1, POLLIN, 0},
                              {child_end_, POLLIN, 0}};
    poll(watched, kCount, static_cast<int>(FileWatch::kPoll.count()));
    terminal_ = Terminal::of(STDOUT_FILENO);  // the window may have another width by now
    if (watched[kSignal].revents != 0) {
      over_ = true;
      return;
    }
    if (watched[kChild].revents != 0) reap();
    if (watched[kKeys].revents != 0) read_keys();
    if (over_) return;
    if (file_->changed()) start(Run::kQuick);
    tell_whether_gone();
  }

  /// An editor that saves by renaming brings the file back at once; what stays away was removed or moved.
  void tell_whether_gone() {
    const bool gone = file_->gone();
    if (gone == told_gone_) return;
    told_gone_ = gone;
    if (gone)
      say("  " + paths_.shown(part_.file(paths_)) + " is gone. It is checked as soon as it is there again; " +
          (keyboard_.on() ? terminal_.paint(Colour::kBold, "r") : "./lab reset " + part_.id()) +
          " brings the skeleton.\n\n");
  }

  void read_keys() {
    char buffer[64];
    const ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
    if (n <= 0) {  // the terminal is gone
      over_ = true;
      return;
    }
    const std::string keys = filter_.feed({buffer, static_cast<size_t>(n)});
    if (filter_.pasted()) say("  What you pasted was not read: here each key is a command.\n");
    for (const char key : keys) {
      if (over_) return;
      if (asked_) {
        answer(key);
      } else {
        press(key);
      }
    }
  }

  void press(char key) {
    switch (key) {
      case 'p':
        return start(Run::kFull);
      case 'h':
        return show([this] { hint_verb(paths_, part_.id(), false, "h"); });
      case 'l':
        return show([this] { list_verb(paths_); });
      case 'n':
        return next();
      case 'r':
        asked_ = true;
        return say("Reset " + paths_.shown(part_.file(paths_)) + "? Yours is kept in .lab/backups.  y/n ");
      case 'o':
      case 'R':
        return report();
      case 'q':
      case 4:  // Ctrl-D
        over_ = true;
        return;
      case '\n':
      case '\r':  // as everywhere: some room
        return say("\n");
      default:
        return say(keys_text(terminal_));
    }
  }

  /// To the question that `r` asks.
  void answer(char key) {
    asked_ = false;
    say(std::string(1, std::isprint(static_cast<unsigned char>(key)) ? key : ' ') + "\n");
    if (key == 'y' || key == 'Y') show([this] { reset_verb(paths_, part_.id()); });
  }

  template <class Verb>
  void show(Verb verb) {
    say("\n");
    try {
      verb();
    } catch (const std::exception& error) {
      say(std::string(error.what()) + "\n");
    }
    say("\n");
  }

  /// The next part that has not passed, in the order of the labs and from the first again.
  void next() {
    const std::vector<Chosen> parts = all_parts(labs_);
    const ProgressFile now = progress();
    size_t at = 0;
    while (parts[at].part != part_.part) ++at;
    if (!now.at(part_.id()).passed)
      say("\n" + part_.id() + " has not passed yet: ./lab watch " + part_.id() + " comes back to it.\n");
    for (size_t step = 1; step < parts.size(); ++step) {
      const Chosen& candidate = parts[(at + step) % parts.size()];
      if (now.at(candidate.id()).passed) continue;
      say("\n");
      return begin(candidate);
    }
    say("\nEvery other lab is passed. ./lab list shows which medals are left to win.\n");
  }

  /// A program of its own: the page may take a while, and the watch goes on.
  void report() {
    say("\n");
    wait_for_child(start_child({.arguments = {"lab", "report"},
                                .environment = environment_with({}),
                                .program = "/proc/self/exe"})
                       .pid);
  }

  void start(Run kind) {
    if (child_ > 0) {
      stop();
      say(terminal_.paint(Colour::kDim, "          the file changed: once more") + "\n");
    }
    const Clock::time_point since = Clock::now();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    std::fflush(nullptr);
    const pid_t parent = getpid();
    child_ = fork();
    if (child_ == 0) {
      become_child(parent);
      const int nothing = open("/dev/null", O_RDONLY);
      if (nothing >= 0) dup2(nothing, STDIN_FILENO);
      _exit(work(kind, since));
    }
    close(ends[1]);
    child_end_ = ends[0];  // readable, at its end, when the child is gone
    if (child_ < 0) throw std::runtime_error("cannot start a process");
  }

  /// The signals that end a watch may come to the whole group: only the parent answers them. A child that
  /// died of one would leave its compilers, which are in groups of their own, behind.
  static void become_child(pid_t parent) {
    Interrupts::ignore();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // it died before it could be waited for
  }

  /// In the child.
  int work(Run kind, Clock::time_point since) {
    int status = 3;
    try {
      status = kind == Run::kFull ? grade() : check(since);
    } catch (const std::exception& error) {
      std::printf("%s %s\n", terminal_.paint(Colour::kRed, "lab:").c_str(), error.what());
    }
    std::fflush(nullptr);
    return status;
  }

  int grade() {
    std::printf("\n");
    GradeRequest request;
    request.labs = {part_.id()};
    request.device = device_;
    const int status = grade_verb(paths_, request);
    std::printf("\n");
    return status;
  }

  int check(Clock::time_point since) {
    const fs::path file = part_.file(paths_);
    const std::string source = read_file(file);
    const Result result = workbench_.check(part_, {.source = file, .prediction = {}});
    const std::vector<Attempt> before = attempts_of(paths_.state, part_.id());
    std::vector<Attempt> with_this = before;
    const std::chrono::duration<double> seconds = Clock::now() - since;
    // Kept before it is told: the next save may end this process. The same content again, as at the start of
    // a watch, is no new attempt.
    ProgressFile progress_file = progress();
    if (before.empty() || before.back().result.source_sha256 != result.source_sha256)
      remember(paths_.state, progress_file, with_this, result, source, terminal_);
    std::fputs(quick_text(result, before, seconds.count(), terminal_).c_str(), stdout);
    std::fflush(stdout);
    return exit_status(result);
  }

  void reap() {
    int status = 0;
    waitpid(child_, &status, 0);
    close(child_end_);
    if (WIFSIGNALED(status))
      say("lab: the check ended with signal " + std::to_string(WTERMSIG(status)) + "\n");
    child_ = -1;
    child_end_ = -1;
  }

  /// Ends the child with everything it started.
  void stop() {
    if (child_ <= 0) return;
    const pid_t pid = child_;
    kill_tree(pid);
    waitpid(pid, nullptr, 0);
    close(child_end_);
    if (isatty(STDERR_FILENO) == 1) std::fputs("\r\033[K", stderr);
    Builder::forget_work_of(paths_, pid);
    child_ = -1;
    child_end_ = -1;
  }

  Paths paths_;
  std::string device_;
  const std::vector<Lab>& labs_;
  Workbench workbench_;
  Terminal terminal_;
  Interrupts interrupts_;
  KeyTerminal keyboard_{isatty(STDOUT_FILENO) == 1 ? STDIN_FILENO : -1};
  KeyFilter filter_;
  Chosen part_;
  std::optional<FileWatch> file_;
  pid_t child_ = -1;
  int child_end_ = -1;
  bool asked_ = false, over_ = false, told_gone_ = false;
};

}  // namespace

int watch_verb(const Paths& paths, const WatchRequest& request) { return Watcher(paths, request).run(); }

}  // namespace roofline::grader
