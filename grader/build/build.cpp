// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/build/build.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <future>

#include "grader/base/file.h"
#include "grader/base/printable.h"
#include "grader/base/sanitized.h"
#include "grader/box/process.h"
#include "grader/build/quick_compile.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kDryRunLimit{20};
constexpr std::string_view kWorkPrefix = "work-";
constexpr std::chrono::minutes kAbandoned{10};  // longer than any compilation may take
constexpr size_t kKeptFiles = 1024;             // of the cache, most recently used
// Part of every key: raise it when the meaning of a key changes. Objects are of one architecture.
#ifdef __aarch64__
constexpr const char* kFormat = "2 aarch64";
#else
constexpr const char* kFormat = "2";
#endif

// The user's own settings for nvcc, gcc and ld must not change what is graded.
const std::vector<std::string> kNeutral = {
    "NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS=", "CPATH=",  "C_INCLUDE_PATH=",
    "CPLUS_INCLUDE_PATH=", "LIBRARY_PATH=",      "LC_ALL=C"};

/// A folder of our own below the cache, gone when the object is.
class WorkFolder {
 public:
  explicit WorkFolder(const fs::path& cache) {
    static std::atomic<unsigned> count{0};
    path_ = cache / (std::string(kWorkPrefix) + std::to_string(getpid()) + "-" + std::to_string(count++));
    fs::create_directories(path_);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool hit(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  return true;
}

/// In the cache, or taken into it from what came with the course.
bool hit(const fs::path& path, const fs::path& came) {
  std::error_code error;
  if (!fs::exists(path, error)) fs::copy_file(came / path.filename(), path, error);
  return hit(path);
}

void drop_oldest(const fs::path& cache) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    if (entry.is_regular_file(error)) files.emplace_back(entry.last_write_time(error), entry.path());
    const std::string name = entry.path().filename().string();
    // What a grader that was killed left behind. The age also spares graders of other containers with the
    // same cache.
    if (name.starts_with(kWorkPrefix) &&
        fs::file_time_type::clock::now() - entry.last_write_time(error) > kAbandoned &&
        kill(std::atoi(name.c_str() + kWorkPrefix.size()), 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), error);
  }
  if (files.size() <= kKeptFiles) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kKeptFiles);
  for (const auto& [time, path] : files) fs::remove(path, error);
}

/// For a `#line` directive.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

/// An editor on Windows may put a byte order mark first. nvcc takes one only at the very beginning of a file,
/// where our #line stands.
std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

bool is_utf16(std::string_view text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

/// Why a text did not become an object.
std::string compile_sentence(const BuildRequest& request, const std::string& shown, const std::string& text,
                             bool timed_out) {
  if (timed_out)
    return shown + " takes the compiler more than " + std::to_string(request.limit.count()) + " s";
  if (is_utf16(text)) return shown + " is text in UTF-16, which no compiler reads: save it as UTF-8";
  return shown + " does not compile";
}

/// What a compiler in a box left. A copy, so that it is ours and no other box can reach it.
void take_out(const fs::path& made, const fs::path& to) {
  if (!fs::is_regular_file(fs::symlink_status(made)))
    throw std::runtime_error("the compiler succeeded but left no " + made.filename().string());
  fs::copy_file(made, to, fs::copy_options::overwrite_existing);
}

bool is_header(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cuh" || path.extension() == ".hpp";
}

/// What went wrong when linking, said for somebody who only edits one function.
std::string link_sentence(const BuildRequest& request, const std::string& shown, const std::string& output) {
  if (output.find("undefined reference to `" + request.function + "(") != std::string::npos)
    return shown + " does not define " + request.function + " as " + request.header +
           " declares it: keep the function's name and its parameters";
  if (output.find("multiple definition of `main'") != std::string::npos)
    return shown + " defines main: remove it, the grader brings its own";
  return shown + " compiles but does not link";
}

}  // namespace

/// One text to compile.
struct Builder::Unit {
  std::string text;
  std::string shown;          ///< what messages and line information call it
  bool is_host_code = false;  ///< C++ that needs no device compiler: a fifth of the time
};

struct Builder::Object {
  std::string key;
  fs::path path;
  CommandResult command;  ///< exit_code 0 also when it came from the cache
  bool cached = false;
};

Builder::Builder(const Paths& paths, Toolkit toolkit, std::function<void()> tick, Sandbox sandbox)
    : paths_(paths), toolkit_(std::move(toolkit)), tick_(std::move(tick)), sandbox_(sandbox) {}

std::vector<std::string> Builder::compile_command(const BuildRequest& request) const {
  std::vector<std::string> command = {toolkit_.nvcc().string(),
                                      "-std=c++20",
                                      "-O3",
                                      "-lineinfo",
                                      "--brief-diagnostics=true",
                                      "-I" + paths_.shown(request.folder),
                                      "-Icommon"};
  for (const int capability : request.capabilities) {
    const std::string number = std::to_string(capability);
    if (request.quick) {
      command.push_back("-gencode=arch=compute_" + number + ",code=compute_" + number);
      continue;
    }
    // PTX is what the simulated device executes; the machine code tells it registers and shared memory.
    command.push_back("-gencode=arch=compute_" + number + ",code=[compute_" + number + ",sm_" + number + "]");
  }
  return command;
}

/// Not where the toolkit and the checkout lie: objects may come from another machine.
std::string Builder::environment_key(const BuildRequest& request) const {
  std::string all = std::string(kFormat) + '\0' + toolkit_.version + '\0';
  std::vector<std::string> command = compile_command(request);
  command.erase(command.begin());
  for (const std::string& word : command) all += word + '\0';
  return sha256_hex(all + headers_sha256(paths_.root, request.folder));
}

/// Empty where nvcc has to do it.
std::string Builder::quick_script(const std::vector<std::string>& command,
                                  const std::vector<std::string>& environment, const std::string& key) const {
  std::vector<std::string> dryrun = command;
  dryrun.emplace_back("--dryrun");
  const CommandResult steps =
      run_command(dryrun, {.directory = paths_.root, .limit = kDryRunLimit, .environment = environment});
  return steps.ok() ? quick_compile_script(steps.output, key.substr(0, 16)).value_or("") : "";
}

Builder::Object Builder::compile(const BuildRequest& request, const Unit& unit,
                                 const std::string& environment, Sandbox sandbox) {
  Object object;
  // Outside of a box a file may include what a box does not show: the one is never taken for the other.
  const std::string where = sandbox == Sandbox::kNone ? "" : "boxed";
  const std::string language = unit.is_host_code ? "C++" : "";
  object.key = sha256_hex(environment + '\0' + unit.shown + '\0' + unit.text + where + language);
  object.path = paths_.cache() / (object.key + ".o");
  if (hit(object.path, paths_.cache_that_came())) {
    object.cached = true;
    object.command.exit_code = 0;
    return object;
  }
  const WorkFolder work(paths_.cache());
  const fs::path copy = work.path() / "unit.cu", output = work.path() / "unit.o";
  const std::string text = "#line 1 " + quoted(unit.shown) + "\n" + std::string(without_mark(unit.text));
  if (sandbox != Sandbox::kNone) {
    object.command = compile_boxed(request, text, output);
  } else {
    write_file(copy, text);
    std::vector<std::string> command = compile_command(request), neutral = kNeutral;
    if (unit.is_host_code) command.insert(command.end(), {"-x", "c++"});
    command.insert(command.end(), {"-c", copy.string(), "-o", output.string()});
    // An nvcc that is stopped leaves the files between its steps behind.
    neutral.push_back("TMPDIR=" + work.path().string());
    if (const std::string script = request.quick ? quick_script(command, neutral, object.key) : "";
        !script.empty())
      command = {"sh", "-c", script};
    object.command = run_command(
        command, {.directory = paths_.root, .limit = request.limit, .environment = neutral, .tick = tick_});
  }
  if (object.command.ok()) {
    fs::rename(output, object.path);
    drop_oldest(paths_.cache());
  }
  return object;
}

CommandResult Builder::compile_boxed(const BuildRequest& request, const std::string& text,
                                     const fs::path& object) {
  Box box(sandbox_, Box::Kind::kCompile, toolkit_.home);
  for (const fs::path& header : headers_for(paths_.root, request.folder))
    box.show(header, "course/" + paths_.shown(header));
  std::vector<std::string> command = compile_command(request);
  command.insert(command.end(), {"-c", box.write(text, "unit.cu"), "-o", box.output_inside() + "/unit.o"});
  CommandResult result =
      run_command(box.enter(command, kNeutral, "course", {}), {.limit = request.limit, .tick = tick_});
  if (result.ok()) take_out(box.output() / "unit.o", object);
  if (!result.ok() && !result.timed_out && !box.was_entered())
    throw InfrastructureError("the compile box could not be made: " + printable(result.output));
  return result;
}

Builder::Object Builder::entry(const BuildRequest& request, const std::string& environment) {
  Unit unit{.text = "#include \"" + request.header + "\"\n#include \"worker/worker.h\"\n" +
                    "int main(int argc, char** argv) { return roofline::worker::serve(" + request.function +
                    ", argc, argv); }\n",
            .shown = "entry.cu",
            .is_host_code = true};
  if (!request.adapter.empty())
    unit = {.text = read_file(request.adapter), .shown = paths_.shown(request.adapter)};
  Object object = compile(request, unit, environment, Sandbox::kNone);
  if (!object.command.ok() && unit.is_host_code) {  // a header with kernels
    unit.is_host_code = false;
    object = compile(request, unit, environment, Sandbox::kNone);
  }
  if (!object.command.ok())
    throw InfrastructureError("the entry for " + request.header + " does not compile with " +
                              toolkit_.nvcc().string() + ":\n" + printable(object.command.output));
  return object;
}

std::vector<std::string> Builder::link_command(const std::string& learner, const std::string& entry,
                                               const std::string& worker_library,
                                               const std::string& worker) const {
  const std::string libraries = toolkit_.libraries().string();
  // Which shared cudart a worker gets, LD_LIBRARY_PATH says at each start (call/rig.cpp); the file itself
  // names none, so that a worker that is kept outlives the toolkit's place.
  std::vector<std::string> command = {
      "g++",  learner, entry, worker_library, "-L" + libraries, "-Wl,--as-needed", "-lcudart", "-pthread",
      "-ldl", "-lrt",  "-o",  worker};  // the middle two: before glibc 2.34
  if (std::error_code ignored; fs::exists(fs::path(libraries) / "libnvrtc.so", ignored))
    command.push_back("-lnvrtc");
#ifdef ROOFLINE_SANITIZED
  command.push_back("-fsanitize=address,undefined");  // the worker library was compiled with it too
#ifdef __clang__
  command.front() =
      "clang++-" + std::to_string(__clang_major__);  // each compiler has a runtime of its own for it
#endif
#endif
  return command;
}

CommandResult Builder::link_boxed(const BuildRequest& request, const Object& learner, const Object& entry,
                                  const fs::path& worker) {
  Box box(sandbox_, Box::Kind::kCompile, toolkit_.home);
  const std::vector<std::string> command = link_command(
      box.show(learner.path, "learner.o"), box.show(entry.path, "entry.o"),
      box.show(paths_.worker_library(), "libroofline_worker.a"), box.output_inside() + "/worker");
  CommandResult result =
      run_command(box.enter(command, kNeutral, "", {}), {.limit = request.limit, .tick = tick_});
  if (result.ok()) take_out(box.output() / "worker", worker);
  if (!result.ok() && !result.timed_out && !box.was_entered())
    throw InfrastructureError("the compile box could not be made: " + printable(result.output));
  return result;
}

void Builder::link(const BuildRequest& request, const Object& learner, const Object& entry,
                   const std::string& key, BuildResult& result) {
  const WorkFolder work(paths_.cache());
  const fs::path output = work.path() / "worker";
  std::vector<std::string> command = link_command(learner.path.string(), entry.path.string(),
                                                  paths_.worker_library().string(), output.string());
  // For ./lab bench alone: what is graded in a box links nothing more.
  for (const std::string& library : request.libraries) command.push_back("-l" + library);
  const CommandResult linked =
      sandbox_ != Sandbox::kNone
          ? link_boxed(request, learner, entry, output)
          : run_command(
                command,
                {.directory = paths_.root, .limit = request.limit, .environment = kNeutral, .tick = tick_});
  result.timed_out = linked.timed_out;
  if (linked.ok()) {
    result.worker = paths_.cache() / (key + ".worker");
    fs::rename(output, result.worker);
    return;
  }
  result.output = printable(linked.output);
  result.diagnostics = parse_diagnostics(result.output);
  result.sentence = link_sentence(
      request, request.shown.empty() ? paths_.shown(request.source) : request.shown, linked.output);
}

BuildResult Builder::build(const BuildRequest& request) {
  std::error_code ignored;
  if (!fs::exists(paths_.worker_library(), ignored))
    throw InfrastructureError("the worker library is missing (" + paths_.worker_library().string() +
                              "); run ./lab setup");
  fs::create_directories(paths_.cache());
  BuildResult result;
  const Unit unit{.text = read_file(request.source),
                  .shown = request.shown.empty() ? paths_.shown(request.source) : request.shown};
  result.source_sha256 = sha256_hex(unit.text);
  const std::string environment = environment_key(request);
  // Beside the learner's file; without a tick, which belongs to one thread.
  std::future<Object> around =
      std::async(std::launch::async, [&] { return Builder(paths_, toolkit_).entry(request, environment); });
  const Object learner = compile(request, unit, environment, sandbox_);
  if (!learner.command.ok()) {
    result.timed_out = learner.command.timed_out;
    result.output = printable(learner.command.output);
    result.diagnostics = parse_diagnostics(result.output);
    result.sentence = compile_sentence(request, unit.shown, unit.text, result.timed_out);
    return result;
  }
  result.object = learner.path;
  const Object main = around.get();
  std::string parts = learner.key + main.key + sha256_hex(read_file(paths_.worker_library()));
  for (const std::string& library : request.libraries) parts += library + '\0';
  const std::string key = sha256_hex(parts);
  result.cached = learner.cached;
  if (const fs::path worker = paths_.cache() / (key + ".worker"); hit(worker)) {
    result.worker = worker;
  } else {
    link(request, learner, main, key, result);
  }
  return result;
}

void Builder::forget_work_of(const Paths& paths, int pid) {
  const std::string prefix = std::string(kWorkPrefix) + std::to_string(pid) + "-";
  std::vector<fs::path> left;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(paths.cache(), error))
    if (entry.path().filename().string().starts_with(prefix)) left.push_back(entry.path());
  for (const fs::path& folder : left) fs::remove_all(folder, error);
}

std::vector<fs::path> headers_for(const fs::path& root, const fs::path& folder) {
  std::vector<fs::path> headers;
  const auto collect = [&](const fs::path& where) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(where, error), end; it != end; it.increment(error)) {
      // Learners' files see common/, but nothing of the simulator is for them.
      if (it->is_directory(error) && it->path() == root / "common" / "simulator")
        it.disable_recursion_pending();
      if (it->is_regular_file(error) && is_header(it->path())) headers.push_back(it->path());
    }
  };
  collect(root / "common");
  if (const auto relative = folder.lexically_relative(root / "common");
      relative.empty() || *relative.begin() == "..")
    collect(folder);
  std::sort(headers.begin(), headers.end());
  return headers;
}

std::string headers_sha256(const fs::path& root, const fs::path& folder) {
  std::string all;
  for (const fs::path& header : headers_for(root, folder))
    all += header.lexically_relative(root).string() + '\0' + sha256_hex(read_file(header)) + '\0';
  return sha256_hex(all);
}

}  // namespace roofline::grader
