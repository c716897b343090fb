// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// lab-bench: every version of the labs' work side by side. `./lab bench` starts it:
//
//     lab-bench [--device DEVICE] [--json FILE] [--only REGEX] LAB...
//
// --json writes Google Benchmark's own format. Exit status as the grader's.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <regex>

#include "grader/base/parallel.h"
#include "grader/base/utc_now.h"
#include "grader/bench/benchmark/tables.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/workbench.h"
#include "grader/lab/generate.h"
#include "grader/result/result_text.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

struct Request {
  std::vector<std::string> labs;
  std::string device = "auto", json, only;
};

Request parse(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    std::string* value = word == "--device" ? &request.device
                         : word == "--json" ? &request.json
                         : word == "--only" ? &request.only
                                            : nullptr;
    if (value == nullptr) {
      request.labs.push_back(word);
    } else if (++i < argc) {
      *value = argv[i];
    } else {
      throw UsageError(word + " needs a value");
    }
  }
  return request;
}

std::vector<BenchPart> parts_of(const std::vector<Chosen>& chosen, const DeviceFacts& facts) {
  constexpr std::uint64_t kDrawn = 1;  // what a lab draws in every run is the same in every bench
  std::vector<BenchPart> parts;
  for (const Chosen& each : chosen) {
    auto part = std::make_shared<Part>(*each.part);
    if (part->draw) part->draw(*part, kDrawn);
    if (facts.capability < part->minimum_capability) {
      std::printf("%s needs compute capability %d.%d\n", each.id().c_str(), part->minimum_capability / 10,
                  part->minimum_capability % 10);
      continue;
    }
    std::vector<BenchWork> works = bench_works(*part, facts);
    if (works.empty())
      std::printf("%s is graded without a time, so there is nothing to compare: ./lab grade %s\n\n",
                  each.id().c_str(), each.id().c_str());
    parts.push_back({each, std::move(part), std::move(works)});
  }
  return parts;
}

/// A version that is built once and run at every work of its part.
struct Built {
  const BenchPart* part;
  Contender contender;
  std::filesystem::path worker;
  std::string problem;
};

std::vector<Built> versions_of(const std::vector<BenchPart>& parts, const Paths& paths) {
  // Part by part in turn, so that two that are built at the same time seldom wait for the same adapter.
  std::vector<std::vector<Contender>> lists;
  size_t most = 0;
  for (const BenchPart& part : parts) {
    lists.push_back(part.works.empty() ? std::vector<Contender>() : contenders_of(part.chosen, paths));
    most = std::max(most, lists.back().size());
  }
  std::vector<Built> versions;
  for (size_t k = 0; k < most; ++k)
    for (size_t i = 0; i < parts.size(); ++i)
      if (k < lists[i].size()) versions.push_back({&parts[i], lists[i][k], {}, {}});
  return versions;
}

void build(std::vector<Built>& versions, Workbench& workbench, bool simulated) {
  parallel_chunks(versions.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Built& version = versions[i];
      if (version.contender.needs_gpu && simulated) {
        version.problem = "needs a GPU";
        continue;
      }
      const BuildResult built =
          workbench.build(version.part->chosen, version.contender.source, version.contender.libraries);
      version.worker = built.worker;
      version.problem = built.sentence;
    }
  });
}

std::vector<Entrant> entrants_of(const std::vector<BenchPart>& parts, const std::vector<Built>& versions,
                                 bool simulated) {
  std::vector<Entrant> entrants;
  for (const BenchPart& part : parts)
    for (const BenchWork& work : part.works)
      for (const Built& version : versions) {
        if (version.part != &part) continue;
        Settings settings = work.settings;
        if (simulated)
          for (const auto& [name, value] : version.contender.simulated) settings.set(name, value);
        entrants.push_back({&part, &work, version.contender, version.worker, version.problem, settings});
      }
  return entrants;
}

/// What is not asked for need not be compiled.
void keep_only(const std::regex& only, std::vector<Built>& versions) {
  std::erase_if(versions, [&](const Built& version) {
    return std::ranges::none_of(version.part->works, [&](const BenchWork& work) {
      const Entrant entrant{version.part, &work, version.contender, {}, {}, {}};
      return std::regex_search(entrant.id(), only);
    });
  });
}

/// Not by an option of Google Benchmark: who takes turns on a GPU has to be known.
void keep_only(const std::regex& only, const std::string& pattern, std::vector<Entrant>& entrants) {
  std::erase_if(entrants, [&](const Entrant& entrant) { return !std::regex_search(entrant.id(), only); });
  if (entrants.empty()) throw UsageError("no version's id matches --only " + pattern);
}

void run(benchmark::State& state, Arena& arena, const Entrant& entrant,
         const std::vector<Entrant>& entrants) try {
  if (!entrant.problem.empty()) {
    state.SkipWithError(entrant.problem.c_str());
    return;
  }
  const Arena::Timing& timing = arena.timing(entrant, entrants);
  if (!timing.problem().empty()) {
    state.SkipWithError(timing.problem().c_str());
    return;
  }
  const RoofRates rates = arena.rates(*entrant.work);
  const TimeSummary time = summarise(timing.seconds());
  for (auto _ : state) state.SetIterationTime(quantile(timing.seconds(), 0.5));
  const double seconds = time.median_us * 1e-6;
  const DeclaredWork work = entrant.work->work(entrant.settings);
  if (work.bytes > 0) state.counters["bytes/s"] = work.bytes / seconds;
  if (work.flops > 0) state.counters["FLOP/s"] = work.flops / seconds;
  state.counters["fraction"] = entrant.work->fraction(entrant.settings, seconds, rates);
  state.counters["median_us"] = time.median_us;
  state.counters["q1_us"] = time.q1_us;
  state.counters["q3_us"] = time.q3_us;
  state.SetLabel(timing.limiter());
} catch (const std::exception& error) {
  state.SkipWithError(error.what());
}

/// Google Benchmark writes its file where an option says so.
void initialise(const Request& request) {
  static std::vector<std::string> words = {"lab-bench"};  // it keeps pointers
  if (!request.json.empty())
    words.insert(words.end(), {"--benchmark_out=" + request.json, "--benchmark_out_format=json"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
}

int bench(int argc, char** argv) {
  const Request request = parse(argc, argv);
  const Paths paths = Paths::find();
  const std::vector<Lab>& labs = all_labs();
  Workbench workbench(paths, request.device);
  const DeviceRecord device = workbench.device_record();
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  std::printf("%s, %s\n\n", terminal.paint(Colour::kBold, device_label(device)).c_str(),
              device.simulated ? "modelled, not measured" : "measured");
  std::fflush(stdout);

  const GradeOptions options = workbench.options(entropy());
  Arena arena(workbench.device(), options, device_facts(workbench.device(), options));
  const std::vector<BenchPart> parts = parts_of(
      select(labs, request.labs.empty() ? std::vector<std::string>{"all"} : request.labs), arena.facts());
  std::vector<Built> versions = versions_of(parts, paths);
  const std::regex only(request.only);
  keep_only(only, versions);
  build(versions, workbench, device.simulated);
  std::vector<Entrant> entrants = entrants_of(parts, versions, device.simulated);
  if (!request.only.empty()) keep_only(only, request.only, entrants);
  for (const Entrant& entrant : entrants)
    benchmark::RegisterBenchmark(entrant.id().c_str(),
                                 [&](benchmark::State& state) { run(state, arena, entrant, entrants); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);

  initialise(request);
  benchmark::AddCustomContext("device", device.simulated ? "sim:" + device.id : device.name);
  benchmark::AddCustomContext("kind", device.simulated ? "simulated" : "gpu");
  benchmark::AddCustomContext("compute_capability", device.capability);
  benchmark::AddCustomContext("driver", device.driver);
  benchmark::AddCustomContext("toolkit", device.toolkit);
  benchmark::AddCustomContext("started", utc_now());
  // Without the solutions' folder this is a student's copy: what others reached is known all the same.
  std::error_code none;
  const bool alone = device.simulated && !std::filesystem::exists(paths.root / "solutions", none);
  Tables tables(entrants, terminal,
                alone ? paths.root / "docs" / "results" / ("simulated-" + device.id + ".bench.json")
                      : std::filesystem::path());
  benchmark::RunSpecifiedBenchmarks(&tables);
  return tables.failed() ? 1 : 0;
}

}  // namespace
}  // namespace roofline::grader

int main(int argc, char** argv) {
  using namespace roofline::grader;
  try {
    return bench(argc, argv);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "lab: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab: %s\n", error.what());
    return 3;
  }
}
