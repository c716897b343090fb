// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/gpu_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "grader/judge/device_facts.h"
#include "grader/lab/generate.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

constexpr double kSampleSeconds = 4e-3;  ///< by events
constexpr double kLeastBracket = 2e-3;   ///< below it the way to the worker and back would be what is timed
constexpr double kRoundSeconds = 20e-3;
constexpr unsigned kLeastSamples = 3;  ///< a round; four rounds are more than ten
constexpr int kRoofRounds = 4;
constexpr unsigned kMaxCalls = 400;
constexpr double kGateSeconds = 0.1;      ///< a gated sample that takes longer waited for the gate to give up
constexpr double kGateBelow = 50e-6;      ///< shorter calls are queued behind a closed gate
constexpr unsigned kSettlingSamples = 3;  ///< between two looks at whether the clock has settled
constexpr std::uint64_t kMostMemory = 4;  ///< copies fill a quarter of the device at most
constexpr std::uint64_t kL2Multiple = 3;  ///< of copies that go round

using Steady = std::chrono::steady_clock;
double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

}  // namespace

GpuSeries::GpuSeries(Rig& rig, const Program& program, const Settings& settings, const DeviceFacts& device,
                     std::uint64_t master_seed, Caches caches)
    : rig_(rig.gpu()),
      program_(program),
      settings_(settings),
      device_(device),
      master_(master_seed),
      caches_(caches) {}

/// As many as a sample has calls, so that each leaves its output where the judge may look; more where they
/// would all fit into L2.
unsigned GpuSeries::copies() const {
  if (caches_ == Caches::kWarm || rig_.prepares()) return 1;
  const std::uint64_t bytes = std::max<std::uint64_t>(plan_->device_bytes() / program_.gpus, 1);  // on each
  const std::uint64_t beyond_l2 = (kL2Multiple * device_.l2_bytes + bytes - 1) / bytes;
  const std::uint64_t room = std::max<std::uint64_t>(device_.memory_bytes / kMostMemory / bytes, 1);
  return static_cast<unsigned>(
      std::min({std::max<std::uint64_t>(calls_, beyond_l2), room, std::uint64_t{1024}}));
}

Fault GpuSeries::load() {
  CallShape shape;
  shape.settings = settings_;
  shape.seed = derive(master_, Purpose::kCalls, ++draws_);
  plan_.emplace(program_, std::move(shape));
  sets_ = copies();
  called_ = 0;
  const Fault fault = rig_.load(*plan_, sets_);
  loaded_ = !fault;
  return fault;
}

Fault GpuSeries::release() {
  loaded_ = false;
  return rig_.release();
}

Fault GpuSeries::take(Sample& sample) {
  worker::Reply reply{};
  if (Fault fault = rig_.reset(reply)) return fault;
  if (std::isfinite(reply.clock_mhz) && reply.clock_mhz > 0) clocks_.push_back(reply.clock_mhz);
  plan_->draw_scalars(derive(master_, Purpose::kCalls, ++draws_));
  const Steady::time_point begin = Steady::now();
  if (Fault fault = rig_.go(*plan_, calls_, gate_, reply)) return fault;
  const auto back = static_cast<unsigned>(entropy() % std::min(calls_, sets_));
  called_ += calls_;
  looked_at_ = (called_ - 1 - back) % sets_;
  draw_places();
  if (Fault fault = rig_.look(places_, looked_at_, pieces_)) return fault;
  sample.bracket = seconds_since(begin);
  sample.events = reply.device_us * 1e-6;
  if (!std::isfinite(sample.events)) return {Class::kCrashed, "the program reported no times", {}, 0};
  for (unsigned i = 0; i < worker::kPieces; ++i)
    if (untouched(i))
      return {
          Class::kWrongAnswer, place_of(i).argument->name + " was not written when the clock stopped", {}, 0};
  return {};
}

const ArrayPlan& GpuSeries::place_of(unsigned piece) const {
  return *std::ranges::find(plan_->arrays(), places_[piece].parameter, &ArrayPlan::parameter);
}

/// The piece is still what the judge put there, in an output of which every element is compared.
bool GpuSeries::untouched(unsigned piece) const {
  const worker::PieceRecord& place = places_[piece];
  if (place.bytes == 0) return false;
  const auto output = std::ranges::find(program_.outputs, place_of(piece).argument->name, &Output::argument);
  if (output == program_.outputs.end() ||
      (!output->reference && !output->reference_of && output->same_bits_as.empty()))
    return false;
  for (std::uint32_t i = 0; i < place.bytes; ++i) {
    const auto poison = static_cast<std::uint8_t>(plan_->poison() >> ((place.offset + i) % 4 * 8));
    if (pieces_.bytes[piece][i] != poison) return false;
  }
  return true;
}

void GpuSeries::draw_places() {
  std::vector<const ArrayPlan*> outputs;  // of those that are compared
  for (const Output& output : program_.outputs) {
    const ArrayPlan& array = plan_->array(output.argument);
    if (array.payload_bytes != 0) outputs.push_back(&array);
  }
  places_ = {};
  if (outputs.empty()) return;
  for (worker::PieceRecord& place : places_) {
    const ArrayPlan& array = *outputs[entropy() % outputs.size()];
    place.parameter = static_cast<std::uint32_t>(array.parameter);
    place.bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(array.payload_bytes, worker::kPieceBytes));
    place.offset = entropy() % (array.payload_bytes - place.bytes + 1);
  }
}

double GpuSeries::seconds_of(const Sample& sample) const {
  if (!outside_) return sample.events / calls_;
  // Behind a gate the host first queues all calls: the bracket holds that, too, and confirms only half.
  const bool queued = gate_ && sample.bracket / calls_ < 2 * kGateBelow;
  const double confirmed = (sample.bracket - *outside_) * (queued ? 0.5 : 1);
  return std::max(sample.events, confirmed) / calls_;
}

Fault GpuSeries::warm_up(double least) {
  calls_ = 1;
  gate_ = false;
  Sample sample;
  if (Fault fault = load()) return fault;
  for (int i = 0; i < 3; ++i)
    if (Fault fault = take(sample)) return fault;
  calls_ = static_cast<unsigned>(std::clamp(std::ceil(kSampleSeconds / std::max(seconds_of(sample), 1e-7)),
                                            1.0, static_cast<double>(kMaxCalls)));
  if (Fault fault = load()) return fault;
  if (Fault fault = take(sample)) return fault;
  most_calls_ = kMaxCalls;
  if (sample.bracket / calls_ < kGateBelow)
    if (Fault fault = close_gate()) return fault;
  const Steady::time_point begin = Steady::now();
  for (double before = 0, now = 0;;) {
    std::vector<double> times;
    for (unsigned i = 0; i < kSettlingSamples; ++i) {
      if (Fault fault = take(sample)) return fault;
      times.push_back(seconds_of(sample));
    }
    before = std::exchange(now, quantile(times, 0.5));
    const double passed = seconds_since(begin);
    if (passed > 2 || (passed > least && before > 0 && std::abs(now / before - 1) < 0.02)) break;
  }
  forget();
  return {};
}

/// Short calls are queued behind a closed gate, as many as a stream's queue holds: about a thousand launches,
/// and nobody knows how many a call makes. Whoever finds the queue full waits until the gate gives up, and so
/// does a function that waits for the device itself: that one is timed without.
Fault GpuSeries::close_gate() {
  gate_ = true;
  const unsigned calls = std::exchange(calls_, 1);
  Sample sample;
  if (Fault fault = take(sample)) return fault;
  gate_ = sample.bracket < kGateSeconds;
  for (calls_ = calls; gate_ && calls_ > 1; most_calls_ = calls_ = calls_ / 2) {
    if (Fault fault = take(sample)) return fault;
    if (sample.bracket < kGateSeconds) break;
  }
  return {};
}

Fault GpuSeries::round() {
  // Only who is doubted needs inputs that nobody has seen.
  if (outside_ || !loaded_)
    if (Fault fault = load()) return fault;
  // Between one and two times what is needed: when the last sample is over is nobody's to know.
  const double needed = kRoundSeconds * (1 + static_cast<double>(entropy() % 1000) / 1000);
  unsigned samples = 0;
  for (double sum = 0; sum < needed || samples < kLeastSamples;) {
    Sample sample;
    if (Fault fault = take(sample)) return fault;
    // Whoever was slow only while calls were counted, or is very short, is called more often from now on.
    if (sample.bracket < kLeastBracket && calls_ < most_calls_) {
      calls_ = std::min(2 * calls_, most_calls_);
      if (Fault fault = load()) return fault;
      continue;
    }
    seconds_.push_back(seconds_of(sample));
    outsides_.push_back(sample.bracket - sample.events);
    sum += sample.bracket;
    ++samples;
  }
  return {};
}

Fault GpuSeries::check(const ExamineOptions& options, std::vector<std::pair<std::string, Detail>>& detail) {
  CallOutcome outcome;
  outcome.fault = rig_.fetch(*plan_, looked_at_, outcome.output);
  if (outcome.fault) return outcome.fault;
  for (unsigned i = 0; i < worker::kPieces; ++i) {
    const worker::PieceRecord& place = places_[i];
    if (place.bytes == 0) continue;
    const ArrayPlan& array = place_of(i);
    const auto fetched = plan_->payload(array, outcome.output).subspan(place.offset, place.bytes);
    if (std::memcmp(fetched.data(), pieces_.bytes[i], place.bytes) != 0)
      return {Class::kWrongAnswer,
              array.argument->name + " was still being written when the clock had stopped",
              {},
              0};
  }
  Examination examination = examine(*plan_, outcome, rig_.input(), options);
  detail = std::move(examination.detail);
  return std::move(examination.fault);
}

double GpuSeries::outside() const { return quantile(outsides_, 0.5); }

double GpuSeries::clock_drift() const {
  if (clocks_.empty()) return 0;
  return quantile(clocks_, 0.9) / quantile(clocks_, 0.1) - 1;
}

void GpuSeries::forget() {
  seconds_.clear();
  outsides_.clear();
  clocks_.clear();
}

namespace {

std::unique_ptr<Rig> rig_of(const Roof& roof, const Settings& settings, const RigOptions& how,
                            const std::filesystem::path& worker) {
  CallShape shape;
  shape.settings = settings;
  Room room;
  room.include(CallPlan(roof.program, shape));
  return std::make_unique<Rig>(how, worker, roof.program, room.input, room.output);
}

}  // namespace

RoofOnGpu::RoofOnGpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                     const GradeOptions& options, std::uint64_t seed)
    : roof_(roof),
      facts_(facts),
      rig_(rig_of(roof, Settings(roof.settings, facts), rig_options(device, options, 60),
                  options.roof_worker(roof))),
      series_(*rig_, roof.program, Settings(roof.settings, facts), facts, seed,
              roof.keeps_buffers ? Caches::kWarm : Caches::kCold) {
  trust(series_.warm_up());
  if (!roof_.keeps_buffers) trust(series_.release());
}

void RoofOnGpu::trust(const Fault& fault) const {
  if (fault) throw InfrastructureError("the roof's own program " + roof_.id + " failed: " + fault.message);
}

void RoofOnGpu::round() {
  trust(series_.round());
  std::vector<std::pair<std::string, Detail>> detail;
  trust(series_.check({}, detail));
  if (!roof_.keeps_buffers) trust(series_.release());
}

RoofValue RoofOnGpu::value() const { return roof_value(roof_, facts_, summarise(series_.seconds())); }

RoofValue measure_roof_on_gpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                              const GradeOptions& options, std::uint64_t seed) {
  RoofOnGpu program(roof, device, facts, options, seed);
  for (int i = 0; i < kRoofRounds; ++i) program.round();
  return program.value();
}

}  // namespace roofline::grader
