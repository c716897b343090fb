// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "simulator/timing/device_share.h"

namespace roofline::sim {

/// What of a device is taken at which moment of virtual time. Work takes block slots, and of each resource
/// what it needs at the pace that it gets: what is taken never adds up to more than the device. Work that was
/// booked first is not slowed by later work, which takes what is left.
class DeviceLoad {
 public:
  /// The first moment from `ready` on at which so many block slots are free for `seconds`.
  double first_fit(double ready, double seconds, double block_slots) const;

  /// How long work takes from `start` on that takes `seconds` alone on the device.
  double slowed(double start, double seconds, const DeviceShare& share) const;

  /// The work takes what it needs until it is done, and its block slots for `held` seconds.
  void book(double start, double seconds, double held, const DeviceShare& share);

  /// Nothing begins before that moment any more.
  void forget_before(double moment);

 private:
  /// Taken from a moment until the next one of the map; nothing is before the first and after the last.
  struct Taken {
    double block_slots = 0;
    DeviceShare::Parts of{};
  };
  using Steps = std::map<double, Taken>;

  /// Calls visit(from, to, pace) for each stretch of the work in which it has one pace.
  template <typename Visit>
  void walk(double start, double seconds, const DeviceShare& share, Visit visit) const;
  Steps::const_iterator at(double moment) const;
  /// Makes `moment` the beginning of a step.
  Steps::iterator split(double moment);

  Steps steps_;
};

}  // namespace roofline::sim
