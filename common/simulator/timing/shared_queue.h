// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

namespace roofline::sim {

/// L2 or DRAM as one SM sees it while all others do the same. It serves the SM's bytes one after the other,
/// at the SM's share of the device's bandwidth, so that no more than this share ever comes through. And its
/// latency grows with load: a load waits for a part of what all SMs have on its way, because requests meet at
/// banks and channels, and because DRAM that writes must turn its bus round before it reads. All SMs together
/// have on its way, by average, what this one had lately. Times are in clocks of the SM.
class SharedQueue {
 public:
  /// `bytes_per_clock` 0: never asked, never waited for. `read_wait`, `write_wait`: the part of the read and
  /// of the written bytes on their way whose service a load waits for. `latency`: of a load without others.
  SharedQueue(double bytes_per_clock, double read_wait, double write_wait, double latency)
      : clocks_a_byte_(bytes_per_clock > 0 ? 1 / bytes_per_clock : 0),
        read_wait_(read_wait),
        write_wait_(write_wait),
        latency_(latency),
        memory_(kMemory * latency) {}

  /// Clocks that a load which arrives at `now` waits for others: by Little's law load x (latency + wait) are
  /// on their way, of which it waits for its part.
  double wait(double now) {
    forget(now);
    const double part = std::min(load_, kMostLoad);
    return latency_ * part / (1 - part);
  }

  /// When `bytes` that arrive at `now` have been served.
  double serve(double now, double bytes, bool written) {
    const double clocks = bytes * clocks_a_byte_;
    served_ = std::max(served_, now) + clocks;
    forget(now);
    load_ += clocks * (written ? write_wait_ : read_wait_) / memory_;
    return served_;
  }

 private:
  /// Latencies after which a request is forgotten.
  static constexpr double kMemory = 4;
  /// Of the share: beyond, service decides and not the wait.
  static constexpr double kMostLoad = 0.6;

  void forget(double now) {
    if (now <= latest_) return;
    load_ *= std::exp((latest_ - now) / memory_);
    latest_ = now;
  }

  double clocks_a_byte_, read_wait_, write_wait_, latency_, memory_;
  double served_ = 0, load_ = 0, latest_ = 0;
};

}  // namespace roofline::sim
