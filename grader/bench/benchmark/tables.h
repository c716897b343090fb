// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>
#include <string>

#include "grader/bench/benchmark/entrant.h"
#include "grader/text/table.h"

namespace roofline::grader {

/// What Google Benchmark shows on the terminal: a table for each work of each lab.
class Tables final : public benchmark::BenchmarkReporter {
 public:
  /// `recorded`: times that came with the course, shown where it came without its slower versions.
  Tables(const std::vector<Entrant>& entrants, const Terminal& terminal,
         const std::filesystem::path& recorded);
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { flush(); }
  /// A version that should have run did not.
  bool failed() const { return failed_; }

 private:
  void add(const Entrant& entrant, const Run& run);
  void flush();
  bool has_naive() const;

  std::map<std::string, const Entrant*> entrants_;
  Terminal terminal_;
  std::filesystem::path recorded_;
  const BenchWork* work_ = nullptr;
  const BenchPart* part_ = nullptr;
  std::optional<Table> table_;
  bool failed_ = false;
};

}  // namespace roofline::grader
