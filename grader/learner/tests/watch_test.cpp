// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Watching a file: the notifications, the keys, and `./lab watch` itself on a pseudo-terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/box/child.h"
#include "grader/box/process.h"
#include "grader/box/process_tree.h"
#include "grader/build/quick_compile.h"
#include "grader/learner/file_watch.h"
#include "grader/text/keys.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// With notifications and without, as on a network mount.
class Watching : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("roofline-watch-test-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    file_ = folder_ / "a.cu";
    write("one");
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// In place, as `echo > file` does.
  void write(const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(file_, std::ios::trunc) << text;
  }
  /// Whether a change is seen soon.
  static bool seen(FileWatch& watch) {
    for (int look = 0; look < 12; ++look) {
      if (watch.changed()) return true;
      usleep(5000);
    }
    return false;
  }
  fs::path folder_, file_;
};

// Breaks when one of the ways in which editors save is not noticed, or a save that changes nothing is.
TEST_P(Watching, EveryWayToSave) {
  FileWatch watch(file_, GetParam());
  EXPECT_EQ(watch.fd() >= 0, GetParam());
  EXPECT_FALSE(seen(watch));
  write("two");
  EXPECT_TRUE(seen(watch)) << "in place, and of the same size";
  write_file(file_, "three");
  EXPECT_TRUE(seen(watch)) << "renamed over";
  fs::rename(file_, folder_ / "a.cu~");
  EXPECT_FALSE(seen(watch)) << "gone for a moment";
  write("four");
  EXPECT_TRUE(seen(watch)) << "old one renamed away, new one written";
  fs::remove_all(folder_);
  EXPECT_FALSE(seen(watch));
  write("five");
  EXPECT_TRUE(seen(watch)) << "the whole folder replaced";
  write("five");
  EXPECT_FALSE(seen(watch)) << "saved without a change";
}

// Breaks when a change that leaves time stamp and size as they were, as on a mount with stale ones, is
// missed.
TEST_P(Watching, SameStamp) {
  FileWatch watch(file_, GetParam());
  const auto time = fs::last_write_time(file_);
  write("eno");
  fs::last_write_time(file_, time);
  EXPECT_TRUE(seen(watch));
}

// Breaks when an editor that empties the file before it writes starts a check of nothing.
TEST_P(Watching, EmptyForAMoment) {
  FileWatch watch(file_, GetParam());
  write("");
  EXPECT_FALSE(watch.changed());
  write("two");
  EXPECT_TRUE(seen(watch));
  write("");
  EXPECT_TRUE(seen(watch)) << "empty for good";
}

// Breaks when a file that was removed is waited for without a word, or is not checked when it comes back.
TEST_P(Watching, GoneForGood) {
  FileWatch watch(file_, GetParam());
  fs::remove(file_);
  EXPECT_FALSE(seen(watch));
  for (int look = 0; look < 400 && !watch.gone(); ++look, usleep(10000)) EXPECT_FALSE(watch.changed());
  EXPECT_TRUE(watch.gone());
  write("one");
  EXPECT_TRUE(seen(watch)) << "the same content, but it was away";
  EXPECT_FALSE(watch.gone());
}

INSTANTIATE_TEST_SUITE_P(Notified, Watching, testing::Bool(),
                         [](const auto& how) { return how.param ? "Inotify" : "Polling"; });

// Breaks when arrows and function keys press letters.
TEST(Keys, OnlyPlainCharacters) {
  KeyFilter filter;
  EXPECT_EQ(filter.feed("ph\n"), "ph\n");
  EXPECT_EQ(filter.feed("\033[A\033[1;5Cq"), "q");
  EXPECT_EQ(filter.feed("\033OPn"), "n");
  EXPECT_EQ(filter.feed("\033["), "");
  EXPECT_EQ(filter.feed("3~l"), "l");
  EXPECT_EQ(filter.feed("\033pr"), "r") << "Alt-p is no p";
  EXPECT_EQ(filter.feed("\xc3\xa9?"), "?");
}

// Breaks when text pasted into the wrong window resets, quits or grades.
TEST(Keys, WhatIsPastedPressesNothing) {
  KeyFilter filter;
  EXPECT_EQ(filter.feed("h\033[200~rypq\nthe"), "h");
  EXPECT_TRUE(filter.pasted());
  EXPECT_FALSE(filter.pasted()) << "told once";
  EXPECT_EQ(filter.feed("rest\033[20"), "");
  EXPECT_EQ(filter.feed("1~l"), "l");
  EXPECT_FALSE(filter.pasted());
}

TEST(ProcessTree, GroupsOfTheirOwnDieToo) {
  const fs::path mark = fs::temp_directory_path() / ("roofline-tree-test-" + std::to_string(getpid()));
  const std::string script = "setsid sh -c 'echo $$ > " + mark.string() + "; sleep 60' & wait";
  const pid_t child =
      start_child({.arguments = {"/bin/sh", "-c", script}, .environment = environment_with({})}).pid;
  std::string text;
  for (int i = 0; i < 500 && !text.ends_with('\n'); ++i, usleep(10000))
    if (fs::exists(mark)) text = read_file(mark);
  kill_tree(child);
  wait_for_child(child);
  fs::remove(mark);
  const pid_t grandchild = std::atoi(text.c_str());
  ASSERT_GT(grandchild, 0);
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i, usleep(10000)) {
    // Gone, or a zombie that nobody waits for.
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string line;
    gone = !std::getline(stat, line) || line.find(") Z") != std::string::npos;
  }
  EXPECT_TRUE(gone);
}

// Breaks when steps that are not understood are run all the same.
TEST(QuickCompile, OnlyTheStepsThatAreKnown) {
  const std::string before =
      "#$ PATH=/cuda/bin:/it's\n#$ CICC_PATH=/cuda/nvvm\n#$ _SPACE_= \n#$ gcc -E \"u.cu\" -o \"u.4.ii\"\n";
  const std::string host = "#$ cudafe++ --gen_module_id_file --module_id_file_name \"u.id\" \"u.4.ii\"\n";
  const std::string device =
      "#$ gcc -E \"u.cu\" -o \"u.1.ii\"\n#$ \"$CICC_PATH/cicc\" --module_id_file_name \"u.id\" \"u.1.ii\"\n";
  const std::string after = "#$ fatbinary x\n#$ rm y\n#$ gcc -O3 -c u.cpp -o u.o\n";
  const auto script = quick_compile_script(before + host + device + after, "abc");
  ASSERT_TRUE(script);
  EXPECT_NE(script->find("export PATH='/cuda/bin:/it'\\''s'\n"), std::string::npos) << *script;
  EXPECT_NE(script->find("printf %s '_abc' > 'u.id'"), std::string::npos) << *script;
  EXPECT_EQ(script->find("--gen_module_id_file"), std::string::npos) << *script;
  EXPECT_NE(script->find("gcc -O0 -c u.cpp"), std::string::npos) << *script;
  EXPECT_EQ(script->find("rm y"), std::string::npos) << *script;
  EXPECT_FALSE(quick_compile_script(before + host + device, "abc"));
  EXPECT_FALSE(quick_compile_script(before + device + host + after, "abc"));
  EXPECT_FALSE(quick_compile_script("nvcc fatal : no", "abc"));
}

/// `./lab watch` on a pseudo-terminal, with a copy of the labs.
class WatchVerb : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("roofline-watch-verb-" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
    fs::copy(fs::path(ROOFLINE_SOURCE) / "labs", root_ / "labs", fs::copy_options::recursive);
    fs::create_directory_symlink(fs::path(ROOFLINE_SOURCE) / "common", root_ / "common");
    file_ = root_ / "labs" / "01-pointwise" / "pointwise.cu";
    solution_ = read_file(fs::path(ROOFLINE_SOURCE) / "solutions" / "01-pointwise" / "pointwise.cu");
  }
  void TearDown() override {
    if (pid_ > 0) {
      kill_tree(pid_);
      waitpid(pid_, nullptr, 0);
    }
    if (terminal_ >= 0) close(terminal_);
    fs::remove_all(root_);
  }

  /// No question is asked before the first run.
  void predict() const {
    fs::copy_file(fs::path(ROOFLINE_SOURCE) / "solutions" / "01-pointwise" / "prediction.toml",
                  file_.parent_path() / "prediction.toml", fs::copy_options::overwrite_existing);
  }

  void start(const std::string& lab) {
    pid_ = forkpty(&terminal_, nullptr, nullptr, nullptr);  // no window size, as in some containers
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      setenv("ROOFLINE_ROOT", root_.c_str(), 1);
      setenv("ROOFLINE_STATE", (root_ / ".lab").c_str(), 1);
      setenv("TERM", "xterm", 1);
      setenv("LC_ALL", "C.UTF-8", 1);
      const std::string program = std::string(ROOFLINE_BUILD) + "/bin/lab";
      execl(program.c_str(), "lab", "watch", lab.c_str(), nullptr);
      _exit(127);
    }
    tcgetattr(terminal_, &before_);
  }

  void press(const std::string& keys) {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), ssize_t(keys.size()));
  }

  /// Waits until `text` appears after what was seen last.
  testing::AssertionResult shows(const std::string& text) {
    const auto until = Clock::now() + seconds(60);
    while (Clock::now() < until) {
      if (const size_t at = output_.find(text, from_); at != std::string::npos) {
        from_ = at + text.size();
        return testing::AssertionSuccess();
      }
      if (!more()) break;
    }
    return testing::AssertionFailure() << "no \"" << text << "\" in\n" << output_.substr(from_);
  }

  bool more() {
    pollfd watched{terminal_, POLLIN, 0};
    if (poll(&watched, 1, 200) <= 0) return true;
    char buffer[4096];
    const ssize_t n = read(terminal_, buffer, sizeof buffer);
    if (n <= 0) return false;
    raw_.append(buffer, static_cast<size_t>(n));
    output_ = printable(raw_);  // without colours
    return true;
  }

  /// It ends by itself, with this status, and the terminal is as it was.
  void ends(int status) {
    const auto until = Clock::now() + seconds(30);
    int got = -1;
    while (waitpid(pid_, &got, WNOHANG) == 0 && Clock::now() < until) more();
    ASSERT_TRUE(WIFEXITED(got)) << output_;
    EXPECT_EQ(WEXITSTATUS(got), status);
    pid_ = -1;
    termios now{};
    tcgetattr(terminal_, &now);
    EXPECT_EQ(now.c_lflag, before_.c_lflag);
    EXPECT_NE(now.c_lflag & ICANON, 0U);
    EXPECT_NE(now.c_lflag & ECHO, 0U);
  }

  /// No folder of a compilation, and no process that works on these labs.
  void nothing_is_left() const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(root_ / ".lab" / "cache", none))
      EXPECT_FALSE(entry.path().filename().string().starts_with("work-")) << entry.path();
    std::string left = "?";
    for (int look = 0; look < 500 && !left.empty(); ++look, usleep(10000)) left = processes_of(root_);
    EXPECT_EQ(left, "");
  }

  /// The command lines that name a folder. A process that is over has none, whoever waits for it.
  static std::string processes_of(const fs::path& folder) {
    std::string all;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/proc", none)) {
      std::ifstream file(entry.path() / "cmdline");
      std::string line((std::istreambuf_iterator<char>(file)), {});
      if (line.find(folder.string()) != std::string::npos) all += printable(line) + "\n";
    }
    return all;
  }

  fs::path root_, file_;
  std::string solution_, raw_, output_;
  size_t from_ = 0;
  pid_t pid_ = -1;
  int terminal_ = -1;
  termios before_{};
};

// A learner's session: the skeleton, code that does not compile, the fix, a hint, the next lab, the end.
TEST_F(WatchVerb, SaveFailFixHintNextQuit) {
  start("01");
  ASSERT_TRUE(shows("p performance"));
  ASSERT_TRUE(shows("1/4  DRAM bytes moved for one element"));
  press("eight\n");
  ASSERT_TRUE(shows("a number is asked for"));
  press("8\n\n\n\n");
  ASSERT_TRUE(shows("not-implemented"));
  const std::string predictions = read_file(file_.parent_path() / "prediction.toml");
  EXPECT_NE(predictions.find("bytes_per_element = 8   # bytes that"), std::string::npos) << predictions;
  std::string broken = solution_;
  broken.erase(broken.rfind(';'), 1);
  write_file(file_, broken);  // by rename
  ASSERT_TRUE(shows("does-not-compile"));
  ASSERT_TRUE(shows("labs/01-pointwise/pointwise.cu:"));
  ASSERT_TRUE(shows("that is: the statement before this place has no semicolon"));
  std::ofstream(file_, std::ios::trunc) << solution_;  // in place
  ASSERT_TRUE(shows("right in 22 small cases"));
  ASSERT_TRUE(shows("was does-not-compile"));
  press("h");
  ASSERT_TRUE(shows("Hint 1 of "));
  press("\033[A?");
  ASSERT_TRUE(shows("p performance"));
  press("\033[200~ryq\033[201~");
  ASSERT_TRUE(shows("What you pasted was not read"));
  press("rn");  // asked whether to reset: no
  ASSERT_TRUE(shows("y/n"));
  EXPECT_EQ(read_file(file_), solution_);
  press("n");
  ASSERT_TRUE(shows("01 has not passed yet"));
  ASSERT_TRUE(shows("02 intensity"));
  ASSERT_TRUE(shows("1/4"));
  press("\n\n\n\n");
  ASSERT_TRUE(shows("4/4"));
  press("q");
  ends(0);
  EXPECT_EQ(raw_.find("\033[2J"), std::string::npos) << "the screen was cleared";
  EXPECT_EQ(raw_.find("\033[?1049"), std::string::npos) << "scrollback was hidden";
  EXPECT_TRUE(fs::exists(root_ / ".lab" / "attempts" / "01"));
}

// Breaks when Ctrl-C in the middle of a check leaves a terminal without echo, processes or files.
TEST_F(WatchVerb, ControlCInTheMiddle) {
  predict();
  start("01");
  ASSERT_TRUE(shows("Save the file"));
  usleep(300000);  // into the compilation
  press("\003");
  ends(0);
  nothing_is_left();
}

// Breaks when the child that checks dies of a signal to the whole group, and its compilers go on.
TEST_F(WatchVerb, TerminatedWithItsGroup) {
  predict();
  start("01");
  ASSERT_TRUE(shows("Save the file"));
  usleep(300000);
  kill(-pid_, SIGTERM);
  ends(0);
  nothing_is_left();
}

// Breaks when a save during a check waits for it, or checks what was there before.
TEST_F(WatchVerb, ASaveDuringACheckStartsAnew) {
  predict();
  write_file(file_, "#error first\n");
  start("01");
  ASSERT_TRUE(shows("Save the file"));
  write_file(file_, "#error second\n");
  ASSERT_TRUE(shows("second"));
  press("q");
  ends(0);
}

// Breaks when only a terminal's watch can be ended.
TEST_F(WatchVerb, EndsBySignalsWithoutATerminal) {
  write_file(file_, "#error no\n");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const Child child =
        start_child({.arguments = {std::string(ROOFLINE_BUILD) + "/bin/lab", "watch", "01"},
                     .environment = environment_with(
                         {"ROOFLINE_ROOT=" + root_.string(), "ROOFLINE_STATE=" + (root_ / ".lab").string()}),
                     .output = nothing});
    close(nothing);
    ASSERT_GT(child.pid, 0);
    sleep(1);
    kill(child.pid, signal);
    int status = -1;
    pid_t ended = 0;
    for (int tries = 0; ended == 0 && tries < 500; ++tries) {
      usleep(10000);
      ended = waitpid(child.pid, &status, WNOHANG);
    }
    if (ended == 0) kill(child.pid, SIGKILL);
    EXPECT_EQ(ended, child.pid) << "signal " << signal << " was ignored";
    EXPECT_EQ(status, 0) << "signal " << signal;
  }
}

// Breaks when a log gets escape sequences, or the keys of nobody are waited for.
TEST_F(WatchVerb, LineByLineWithoutATerminal) {
  write_file(file_, "#error no\n");
  const CommandResult result =
      run_command({std::string(ROOFLINE_BUILD) + "/bin/lab", "watch", "01"},
                  {.limit = seconds(4),
                   .environment = {"ROOFLINE_ROOT=" + root_.string(),
                                   "ROOFLINE_STATE=" + (root_ / ".lab").string(), "LC_ALL=C.UTF-8"}});
  const size_t verdict = result.output.find("does-not-compile");
  ASSERT_NE(verdict, std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\n\n", verdict), std::string::npos) << "no empty line ends the check";
  EXPECT_EQ(result.output.find('\033'), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("p performance"), std::string::npos) << result.output;
  EXPECT_TRUE(result.timed_out) << "it goes on watching";
}

}  // namespace
}  // namespace roofline::grader
