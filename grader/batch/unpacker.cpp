// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/unpacker.h"

#include <algorithm>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/base/words.h"
#include "grader/box/process.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kLargestSubmission = 64 << 20, kLargestClass = std::uintmax_t{1} << 30;

constexpr UnpackingTime::Seconds kOfClass{60};
constexpr const char* kTooLong = "it takes too long to unpack";

constexpr const char* kArchives[] = {".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst"};

unpack::Contents run(const Unpacker& unpacker, const fs::path& archive, std::vector<std::string> arguments,
                     std::uintmax_t largest, const unpack::Limits& limits, UnpackingTime::Seconds time) {
  std::error_code error;
  if (fs::file_size(archive, error) > largest || error)
    return {.files = {}, .problem = "it is larger than " + std::to_string(largest >> 20) + " MiB"};
  if (unpacker.program.empty())
    throw InfrastructureError(
        "archives cannot be unpacked: this build is without libarchive. Run: sudo apt-get install -y "
        "libarchive-dev, and give the same command again");
  const CommandOptions options{.limit = std::chrono::duration_cast<std::chrono::milliseconds>(time),
                               .output_limit = limits.kept_bytes + limits.files * 8192 + 8192};
  CommandResult result;
  if (unpacker.sandbox == Sandbox::kNone) {
    std::vector<std::string> command = {unpacker.program.string(), archive.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    result = run_command(command, options);
  } else {
    Box box(unpacker.sandbox, Box::Kind::kCompile, {});
    std::vector<std::string> command = {box.show(unpacker.program, "unpack"), box.show(archive, "archive")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    result = run_command(box.enter(command, {}, "", {}), options);
    if (!result.ok() && !result.timed_out && !box.was_entered())
      throw InfrastructureError("the box of the unpacker could not be made: " + printable(result.output));
  }
  if (result.timed_out) return {.files = {}, .problem = kTooLong};
  return unpack::unpacked(result.output, limits);
}

}  // namespace

bool is_archive(const std::string& name) {
  const std::string plain = lower(name);
  return std::ranges::any_of(kArchives, [&](const char* ending) { return plain.ends_with(ending); });
}

unpack::Contents unpack_submission(const Unpacker& unpacker, const fs::path& archive,
                                   const std::vector<std::string>& names) {
  const UnpackingTime::Seconds left = unpacker.time->left();
  if (!(left.count() > 0)) return {.files = {}, .problem = kTooLong};
  const auto begin = std::chrono::steady_clock::now();
  unpack::Contents contents = run(unpacker, archive, names, kLargestSubmission, {}, left);
  unpacker.time->spend(std::chrono::steady_clock::now() - begin);
  return contents;
}

unpack::Contents unpack_class(const Unpacker& unpacker, const fs::path& archive) {
  std::vector<std::string> arguments = {unpack::kWholeClass, "*.cu", "*.toml", "*.yml"};
  for (const char* ending : kArchives) arguments.push_back("*" + std::string(ending));
  return run(unpacker, archive, arguments, kLargestClass, unpack::class_limits(), kOfClass);
}

}  // namespace roofline::grader
