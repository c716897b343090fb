// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/runtime/connection.h"

namespace roofline::sim::runtime {

/// Sees host code touch pinned and managed memory that work in flight touches too. Between two calls of the
/// program the pages that the device writes cannot be accessed, those that it reads cannot be written; the
/// signal handler notes the first access to each and lets it pass. Only when races are checked.
class HostWatch {
 public:
  static HostWatch& instance();

  /// A call of the program begins: tells the machine what was seen and takes the protection away.
  void call_begins(Connection& connection);
  /// A call ends: protects what is in flight now.
  void call_ends(Connection& connection);

 private:
  HostWatch() = default;
  void pause();
  void start();

  bool started_ = false;
  std::vector<channel::BusyRun> protected_;
};

}  // namespace roofline::sim::runtime
