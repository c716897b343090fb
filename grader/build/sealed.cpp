// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/build/sealed.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/parallel.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr size_t kDigits = 12;  // of a hash

std::vector<fs::path> files_with(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Two of us may make the same file: each under a name of its own, and the first that is done is it. What the
/// compiler makes twice need not be the same.
std::string own_suffix() { return "-" + std::to_string(getpid()); }

void publish(const fs::path& done, const fs::path& as) {
  std::error_code failed;
  fs::create_hard_link(done, as, failed);
  if (failed && !fs::exists(as)) return fs::rename(done, as);  // no such links here
  fs::remove(done);
}

void require_ok(const CommandResult& result, const std::string& what) {
  if (!result.ok()) throw InfrastructureError(what + "\n" + result.output);
}

/// Of the line "// sealed: 3fa91b".
std::string name_in(const std::string& text, const fs::path& file) {
  constexpr std::string_view kBegin = "// sealed: ";
  const size_t at = text.find(kBegin), begin = at + kBegin.size();
  const std::string name = at == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
  if (name.empty() || name.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw InfrastructureError(file.string() +
                              " has no line \"// sealed: 3fa91b\", the name that it is handed out by");
  return name;
}

/// Compiled under a name that says nothing, without names of places and local symbols. PTX alone, of the
/// oldest device: it runs on all of them.
void compile(const fs::path& source, const Toolkit& toolkit, const fs::path& object) {
  const fs::path folder = fs::path(object).concat(own_suffix());
  for (const fs::path& header : files_with(source.parent_path(), ".h"))
    write_file(folder / header.filename(), read_file(header));
  write_file(folder / "program.cu", read_file(source));
  require_ok(run_command({toolkit.nvcc().string(), "-std=c++20", "-O3", "-arch=compute_75",
                          "-code=compute_75", "-c", "-o", "program.o", "program.cu"},
                         {.directory = folder}),
             source.string() + " does not compile");
  require_ok(run_command({"strip", "--strip-unneeded", "program.o"}, {.directory = folder}),
             source.string() + ": strip, of binutils, fails");
  publish(folder / "program.o", object);
  fs::remove_all(folder);
}

}  // namespace

std::vector<SealedProgram> sealed_programs(const fs::path& sources, const fs::path& given,
                                           const fs::path& cache) {
  std::vector<SealedProgram> programs;
  const std::vector<fs::path> files = files_with(sources, ".cu");
  if (files.empty()) {
    for (const fs::path& object : files_with(given, kSealedSuffix))
      programs.push_back({object.stem().string(), object});
    return programs;
  }
  const Toolkit toolkit = find_toolkit();
  std::string headers;
  for (const fs::path& header : files_with(sources, ".h")) headers += read_file(header);
  for (const fs::path& file : files) {
    const std::string text = read_file(file), name = name_in(text, file);
    const std::string hash = sha256_hex(headers + text + toolkit.version).substr(0, kDigits);
    programs.push_back({name, cache / "sealed" / (name + "-" + hash + ".o")});
  }
  parallel_chunks(files.size(), 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      if (!fs::exists(programs[i].object)) compile(files[i], toolkit, programs[i].object);
  });
  std::ranges::sort(programs, {}, &SealedProgram::name);
  return programs;
}

void write_executable(const SealedProgram& program, std::uint64_t seed, const fs::path& cache,
                      const fs::path& executable) {
  const std::string object = read_file(program.object);
  const fs::path linked = cache / "sealed" / ("program-" + sha256_hex(object).substr(0, kDigits));
  if (!fs::exists(linked)) {
    const fs::path unfinished = fs::path(linked).concat(own_suffix());
    const fs::path named = fs::path(unfinished).concat(".o");  // for nvcc
    write_file(named, object);
    // What links device code writes into the program where the toolkit is, and there is nothing to link.
    require_ok(run_command({find_toolkit().nvcc().string(), "--no-device-link", "-cudart", "shared",
                            "-Xlinker", "-s", "-o", unfinished.string(), named.string()}),
               named.string() + " does not link");
    publish(unfinished, linked);
    fs::remove(named);
  }
  std::string bytes = read_file(linked) + "numbers:";
  for (int byte = 0; byte < 8; ++byte) bytes += static_cast<char>(seed >> (8 * byte) & 0xff);
  write_file(executable, bytes);
  fs::permissions(executable, fs::perms(0755));
}

}  // namespace roofline::grader
