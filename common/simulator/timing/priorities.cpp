// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel of a high-priority stream goes before less urgent ones that were submitted earlier. As on a GPU,
// blocks that run are not interrupted, and what waits for room is started by priority: a kernel that needs
// several turns of blocks makes room after the turn that it is in.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "simulator/timing/timeline.h"

namespace roofline::sim {
namespace {

bool is_kernel(const Work& work) { return work.kind == Work::Kind::kKernel; }

bool is_less_urgent(const Work& work, const Work& than) {
  return is_kernel(work) && work.priority > than.priority;
}

/// How many turns of its blocks a kernel that runs at that moment finishes before it can make room; nothing
/// when these are all.
std::optional<double> turns_until(const Work& kernel, Span span, double moment) {
  constexpr double kRounding = 1e-9;
  if (span.start >= moment || span.end <= moment) return {};
  const double turns =
      std::max(1.0, std::ceil((moment - span.start) / span.seconds * kernel.waves - kRounding));
  if (turns >= kernel.waves) return {};
  return turns;
}

/// A wait has no start of its own: what it waits for may still move.
bool begins_later(const Work& work, Span span, double moment) {
  return span.end > moment && (span.start >= moment || work.kind == Work::Kind::kWaitEvent);
}

}  // namespace

void Timeline::settle_finished() {
  for (; !placed_.empty() && placed_.front().span.end <= host_; placed_.pop_front())
    settled_.book(placed_.front().work, placed_.front().span);
  settled_.forget_before(host_);
}

/// When the kernel could start if there were no less urgent ones.
double Timeline::start_before_others(const Work& kernel) const {
  DeviceLoad load = settled_.load;
  for (const Placed& each : placed_)
    if (is_kernel(each.work) && !is_less_urgent(each.work, kernel))
      load.book(each.span.start, each.work.alone, each.span.seconds, each.work.share);
  return load.first_fit(now_.ready(kernel) + kernel.lead, kernel.alone, kernel.share.block_slots);
}

/// Takes what has not begun by then off the schedule, and the rest of less urgent kernels that make room.
std::deque<Timeline::Placed> Timeline::take_off(const Work& kernel, double moment) {
  std::deque<Placed> waiting;
  const std::deque<Placed> before = std::exchange(placed_, {});
  now_ = settled_;
  least_urgent_ = kMostUrgent;
  for (const Placed& each : before) {
    const auto turns = is_less_urgent(each.work, kernel) ? turns_until(each.work, each.span, moment)
                                                         : std::optional<double>{};
    if (turns) {
      const double part = *turns / each.work.waves;
      Placed done = each, rest = each;
      done.work.id = ++last_id_;
      done.work.whole = rest.work.whole = each.work.whole != 0 ? each.work.whole : each.work.id;
      done.work.alone *= part;
      done.work.waves = *turns;
      done.span.seconds *= part;
      done.span.end = done.span.start + done.span.seconds;
      rest.work.alone *= 1 - part;
      rest.work.waves -= *turns;
      rest.work.lead = 0;
      if (each.work.in_graph) rest.work.after = {done.work.id};
      if (each.work.began < 0) rest.work.began = each.span.start;
      book(std::move(done));
      waiting.push_back(std::move(rest));
    } else if (begins_later(each.work, each.span, moment)) {
      waiting.push_back(each);
    } else {
      book(each);
    }
  }
  for (Placed& each : waiting) each.work.earliest = std::max(each.work.earliest, moment);
  return waiting;
}

/// Gives the first of them its time, or the most urgent kernel that could start as soon as it does.
void Timeline::place_next(std::deque<Placed>& waiting) {
  auto next = waiting.begin();
  if (is_kernel(next->work)) {
    const double start = now_.plan(next->work).start;
    for (auto it = std::next(waiting.begin()); it != waiting.end(); ++it) {
      const auto it_follows = [&](const Placed& earlier) { return now_.follows(it->work, earlier.work); };
      if (is_kernel(it->work) && is_less_urgent(next->work, it->work) &&
          std::none_of(waiting.begin(), it, it_follows) && now_.ready(it->work) + it->work.lead <= start)
        next = it;
    }
  }
  place(std::move(*next));
  waiting.erase(next);
  const Placed& placed = placed_.back();
  for (Placed& each : waiting)  // a kernel that was to make room may not have begun at all
    if (placed.work.whole != 0 && each.work.whole == placed.work.whole) each.work.began = placed.began();
  if (placed.kernel != 0)
    moved_[placed.kernel] = {placed.began(), placed.span.end - placed.began(), placed.span.end};
}

bool Timeline::goes_before(const Placed& kernel) {
  const Work& work = kernel.work;
  if (!is_kernel(work) || least_urgent_ <= work.priority) return false;
  const double start = now_.plan(work).start, ready = now_.ready(work) + work.lead;
  if (start <= ready) return false;
  settle_finished();
  const double moment = std::max(host_, start_before_others(work));
  const auto gives_way = [&](const Placed& each) {
    return is_less_urgent(each.work, work) &&
           (turns_until(each.work, each.span, moment) || begins_later(each.work, each.span, moment));
  };
  if (moment >= start || std::none_of(placed_.begin(), placed_.end(), gives_way)) return false;
  std::deque<Placed> waiting = take_off(work, moment);
  waiting.push_back(kernel);
  while (!waiting.empty()) place_next(waiting);
  return true;
}

}  // namespace roofline::sim
