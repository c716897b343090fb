// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/attempts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <tuple>

#include "grader/base/file.h"
#include "grader/base/units.h"
#include "grader/formats/json.h"
#include "grader/formats/read_json.h"
#include "grader/result/result_text.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMost = 300;  // attempts kept a part
constexpr size_t kHashDigits = 8;

fs::path folder_of(const fs::path& root, const std::string& part) { return root / "attempts" / part; }

/// "2026-01-31T10:15:00Z" becomes "20260131T101500".
std::string stamp(const std::string& started) {
  std::string text;
  for (const char c : started)
    if (c != '-' && c != ':' && c != 'Z') text += c;
  return text;
}

double sum_of_fractions(const Result& result) {
  double sum = 0;
  for (const Measurement& m : result.measurements) sum += std::isfinite(m.fraction) ? m.fraction : 0;
  return sum;
}

bool same_device(const DeviceRecord& a, const DeviceRecord& b) {
  return a.simulated == b.simulated && a.name == b.name;
}

void drop_oldest(const fs::path& root, const std::string& part) {
  std::error_code ignored;
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_of(root, part), ignored)) ++files;
  if (files <= 2 * kMost) return;
  std::vector<Attempt> all = attempts_of(root, part);
  if (all.size() <= kMost) return;
  const auto best = std::ranges::max_element(
      all, [](const Attempt& a, const Attempt& b) { return better(b.result, a.result); });
  const Attempt* kept = &*best;
  std::vector<const Attempt*> order;
  for (const Attempt& attempt : all)
    if (&attempt != kept) order.push_back(&attempt);
  std::ranges::stable_partition(order, [](const Attempt* attempt) { return !attempt->timed(); });
  order.resize(all.size() - kMost);
  for (const Attempt* attempt : order) {
    fs::remove(attempt->file, ignored);
    fs::remove(fs::path(attempt->file).replace_extension(".cu"), ignored);
  }
}

std::string reached(double fraction) { return fraction > 0 ? fraction_text(fraction) : "-"; }

/// "+3.1", coloured; empty where nothing changed that can be seen.
std::string difference(double now, double before, const Terminal& terminal) {
  if (std::abs(now - before) < 0.05) return {};
  return terminal.paint(now > before ? Colour::kGreen : Colour::kRed, format_number("%+.1f", now - before));
}

std::string worth(const Result& result, const Terminal& terminal) {
  if (result.verdict == Verdict::kPass && result.medal != Medal::kNone)
    return terminal.paint(Colour::kGreen, name_of(result.medal));
  if (right_not_timed(result)) return terminal.paint(Colour::kGreen, "right");
  return verdict_text(result.verdict, result.reason, terminal);
}

double fraction_of(const Attempt* attempt, const std::string& id) {
  if (attempt != nullptr)
    for (const Measurement& m : attempt->result.measurements)
      if (m.id == id) return m.fraction;
  return 0;
}

}  // namespace

bool Attempt::timed() const {
  return std::ranges::any_of(result.measurements, [](const Measurement& m) { return m.fraction > 0; });
}

void keep_attempt(const fs::path& root, const Result& result, std::string_view source) {
  const fs::path folder = folder_of(root, result.part);
  const std::string name = stamp(result.started) + "-" + result.source_sha256.substr(0, kHashDigits);
  write_file(folder / (name + ".cu"), source);
  write_file(folder / (name + ".json"), to_json({result}));
  drop_oldest(root, result.part);
}

std::vector<Attempt> attempts_of(const fs::path& root, const std::string& part) {
  std::vector<Attempt> attempts;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(root, part), error)) {
    if (entry.path().extension() != ".json") continue;
    Attempt attempt{.result = {}, .source = {}, .file = entry.path()};
    try {
      attempt.result = results_from_json(read_file(attempt.file)).at(0);
      const fs::path source = fs::path(attempt.file).replace_extension(".cu");
      if (fs::exists(source)) attempt.source = read_file(source);
    } catch (const std::exception&) {  // half a file, or of another version
      continue;
    }
    attempts.push_back(std::move(attempt));
  }
  std::ranges::sort(attempts, {}, &Attempt::file);  // names begin with the time
  return attempts;
}

bool has_attempts(const fs::path& root, const std::string& part) {
  std::error_code ignored;
  return std::ranges::any_of(
      fs::directory_iterator(folder_of(root, part), ignored),
      [](const fs::directory_entry& file) { return file.path().extension() == ".json"; });
}

bool better(const Result& a, const Result& b) {
  const auto key = [](const Result& r) {
    return std::tuple(r.verdict == Verdict::kPass, r.medal, r.points, sum_of_fractions(r));
  };
  return key(a) > key(b);
}

const Attempt* best_of(const std::vector<Attempt>& attempts, const DeviceRecord& like) {
  const Attempt* best = nullptr;
  for (const Attempt& attempt : attempts)
    if (same_device(attempt.result.device, like) && (best == nullptr || better(attempt.result, best->result)))
      best = &attempt;
  return best;
}

const Attempt* last_of(const std::vector<Attempt>& attempts, const DeviceRecord& like, bool timed) {
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt)
    if (same_device(attempt->result.device, like) && (!timed || attempt->timed())) return &*attempt;
  return nullptr;
}

std::string change_text(const Result& now, const std::vector<Attempt>& before, const Terminal& terminal) {
  const Attempt* last = last_of(before, now.device);
  if (last == nullptr) return {};
  const Attempt* last_timed = last_of(before, now.device, true);
  const Attempt* best = best_of(before, now.device);
  using Align = Column::Align;
  Table table({{"change"},
               {"best so far", Align::kRight},
               {"last", Align::kRight},
               {"now", Align::kRight},
               {"", Align::kRight}});
  table.add({"verdict", worth(best->result, terminal), worth(last->result, terminal), worth(now, terminal)});
  for (const Measurement& m : now.measurements) {
    const double earlier = fraction_of(last_timed, m.id);
    if (m.fraction <= 0 && earlier <= 0) continue;
    table.add({m.id, reached(fraction_of(best, m.id)), reached(earlier), reached(m.fraction),
               m.fraction > 0 && earlier > 0 ? difference(100 * m.fraction, 100 * earlier, terminal) : ""});
  }
  const bool both = !right_not_timed(now) && !right_not_timed(last->result);
  table.add({"points", compact(best->result.points, 4), compact(last->result.points, 4),
             compact(now.points, 4), both ? difference(now.points, last->result.points, terminal) : ""});
  std::string text = "\n" + table.render(terminal);
  if (better(now, best->result) && now.verdict == Verdict::kPass)
    text += "  " + terminal.paint(Colour::kGreen, "your best so far") + "\n";
  return text;
}

std::string remember(const fs::path& root, ProgressFile& progress, std::vector<Attempt>& attempts,
                     const Result& result, std::string_view source, const Terminal& terminal) {
  if (result.device.changed()) return {};
  progress.record(result);
  if (result.verdict == Verdict::kError || sha256_hex(source) != result.source_sha256) return {};
  const std::string change = change_text(result, attempts, terminal);
  try {
    keep_attempt(root, result, source);
    attempts.push_back({result, std::string(source)});
  } catch (const std::runtime_error& error) {
    std::fprintf(stderr, "lab: the attempt is not kept: %s\n", error.what());
  }
  return change;
}

}  // namespace roofline::grader
