// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/benchmark/entrant.h"

#include "grader/judge/device_facts.h"
#include "grader/lab/roof.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

constexpr int kRoundsOnGpu = 5;
constexpr std::uint64_t kSeed = 20240501;  ///< inputs are the same in every run, as far as they decide times

Room room_for(const Program& program, const Settings& settings) {
  CallShape shape;
  shape.settings = settings;
  Room room;
  room.include(CallPlan(program, shape));
  return room;
}

}  // namespace

std::string Entrant::id() const { return of->chosen.id() + "/" + work->id + "/" + contender.id; }

RoofRates Arena::rates(const BenchWork& work) {
  RoofRates rates;
  for (const std::string& id : work.roofs) {
    auto known = rates_.find(id);
    if (known == rates_.end()) {
      const Roof& against = roof(id);
      const RoofValue value = measure_roof(against, device_, facts_, options_, kSeed);
      known = rates_.emplace(id, value.value * against.unit_scale).first;
    }
    rates[id] = known->second;
  }
  return rates;
}

Arena::Timing::Timing(Arena& arena, const Entrant& entrant) : entrant_(entrant) {
  const Part& part = *entrant.of->part;
  examine_.host_to_device_limit = part.host_to_device_limit;
  const Room room = room_for(part.program, entrant.settings);
  const RigOptions options = rig_options(arena.device_, arena.options_, 4 * part.deadline_seconds);
  try {
    rig_.emplace(options, entrant.worker, part.program, room.input, room.output);
  } catch (const StartFault& fault) {
    problem_ = fault.what();
    return;
  }
  if (arena.facts_.simulated) return;
  series_.emplace(*rig_, part.program, entrant.settings, arena.facts_, kSeed);
  note(series_->warm_up());
  if (problem_.empty()) note(series_->release());
}

void Arena::Timing::play() {
  if (!problem_.empty()) return;
  if (series_)
    round();
  else
    simulated_call();
}

void Arena::Timing::round() {
  series_->forget();
  note(series_->round());
  if (!problem_.empty()) return;
  seconds_.push_back(quantile(series_->seconds(), 0.5));
  std::vector<std::pair<std::string, Detail>> detail;
  note(series_->check(examine_, detail));
  if (problem_.empty()) note(series_->release());
}

void Arena::Timing::simulated_call() {
  const TimedCall timed = timed_call(*rig_, entrant_.of->part->program, entrant_.settings, kSeed, examine_);
  note(timed.fault);
  if (!problem_.empty()) return;
  limiter_ = limiter_of(timed.region);
  seconds_.push_back(entrant_.work->clock == Clock::kDevice ? timed.device_seconds : timed.host_seconds);
}

void Arena::Timing::note(const Fault& fault) {
  const bool expected = !entrant_.contender.checked &&
                        (fault.reason == Class::kWrongAnswer || fault.reason == Class::kHostComputed);
  if (!fault || expected) return;
  problem_ = fault.reason == Class::kNotImplemented
                 ? "not written yet"
                 : std::string(name_of(fault.reason)) + ": " + fault.message;
}

const Arena::Timing& Arena::timing(const Entrant& entrant, const std::vector<Entrant>& entrants) {
  if (!timings_.contains(&entrant)) {
    timings_.clear();
    if (facts_.simulated)
      timings_.emplace(&entrant, std::make_unique<Timing>(*this, entrant)).first->second->play();
    else
      take_turns(*entrant.work, entrants);
  }
  return *timings_.at(&entrant);
}

void Arena::take_turns(const BenchWork& work, const std::vector<Entrant>& entrants) {
  std::vector<RoofOnGpu> roofs;
  roofs.reserve(work.roofs.size());
  for (const std::string& id : work.roofs) roofs.emplace_back(roof(id), device_, facts_, options_, kSeed);
  for (const Entrant& entrant : entrants)
    if (entrant.work == &work && entrant.problem.empty())
      timings_.emplace(&entrant, std::make_unique<Timing>(*this, entrant));
  for (int i = 0; i < kRoundsOnGpu; ++i) {
    for (RoofOnGpu& each : roofs) each.round();
    for (auto& [entrant, timing] : timings_) timing->play();
  }
  for (std::size_t i = 0; i < roofs.size(); ++i)
    rates_[work.roofs[i]] = roofs[i].value().value * roof(work.roofs[i]).unit_scale;
}

}  // namespace roofline::grader
