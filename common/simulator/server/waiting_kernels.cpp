// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels that wait in memory for what comes after them: for host code, for a copy, for a kernel of another
// stream or GPU. Such a kernel stops where all its blocks only look, and looks again when the program asks
// whether it has ended.
#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

bool Server::begin_waiting(u32 stream, std::function<void(const LetOthersGoOn&)> work) {
  auto waiting = std::make_unique<WaitingWork>();
  const bool ended = waiting->begin([work = std::move(work), waiting = waiting.get()] {
    work([waiting](bool host) { return waiting->stop(host); });
  });
  if (!ended) waiting_kernels_[stream] = std::move(waiting);
  return ended;
}

bool Server::look_again(u32 stream, Others others) {
  const auto found = waiting_kernels_.find(stream);
  if (found == waiting_kernels_.end()) return true;
  if (!found->second->go_on(others)) return false;
  waiting_kernels_.erase(found);
  return true;
}

void Server::end_waiting_kernels() {
  while (!waiting_kernels_.empty()) (void)look_again(waiting_kernels_.begin()->first, Others::kAreGone);
}

Answer Server::handle(const AwaitKernel& c) {
  if (sticky_ != Status::kOk) end_waiting_kernels();  // the context is dead, as on a real device
  return give(KernelState{look_again(c.stream, Others::kWentOn)});
}

}  // namespace roofline::sim::server
