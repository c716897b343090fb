// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/server.h"

#include <algorithm>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Text in an answer is cut so that the packet stays within kMaxPacket.
constexpr size_t kMaxText = 48 * 1024;

}  // namespace

Server::Server(Board& board, u32 index)
    : board_(board),
      index_(index),
      options_(board.options),
      description_(board.description),
      timeline_(description_, board.host_clock),
      staging_(board.staging),
      trace_(board.trace) {
  if (options_.checks != 0 && !board.checks) board.checks = std::make_unique<Checker>(options_.checks);
  checks_ = board.checks.get();
  start_device();
  if (options_.trace) timeline_.set_trace(&trace_, index_);
}

void Server::start_device() {
  keep_followed();
  device_.reset();  // its memory is mapped at a fixed address: the old one must go first
  device_ = std::make_unique<Device>(description_, options_.threads, &board_.mapped);
  device_->set_gpus(options_.gpus);
  device_->set_time_limit(options_.time_limit);
  device_->set_shuffle_blocks(options_.shuffle_blocks);
  device_->set_blocks_at_ends(options_.blocks_at_ends);
  device_->set_managed_memory(&pages_);
  device_->set_shares_memory(board_.sharing.shares_memory());
  if (checks_) checks_->attach(*device_, index_);
  device_->set_permute_fragments(options_.permute_fragments);
  for (const auto& [address, allocation] : board_.host_allocations)
    device_->add_host_allocation(address, allocation.bytes, allocation.origin);
  if (follow_) device_->follow(*follow_);
  if (recorder_) device_->set_observer(recorder_.get());
}

/// A program that resets the device at its end must not lose the thread that was written down.
void Server::keep_followed() {
  if (!device_ || !follow_) return;
  followed_ = device_->followed();
  if (followed_.launch != 0)
    follow_.reset();
  else
    follow_->launch -= static_cast<u32>(followed_.launches);
}

void Server::follow(const ThreadRequest& request) {
  follow_ = request;
  device_->follow(request);
}

void Server::picture(const PictureRequest& request) {
  recorder_ = std::make_unique<AccessRecorder>(request);
  device_->set_observer(recorder_.get());
}

void Server::posted(const Answer& made) {
  if (made.status == Status::kOk || deferred_ != Status::kOk) return;
  deferred_ = made.status;
  news_ += made.message;
}

Outcome Server::take_outcome(const Answer& made) {
  Outcome outcome{made.status, sticky_, deferred_, !output_.empty(), made.message};
  if (!news_.empty()) {
    if (!outcome.message.empty()) outcome.message += '\n';
    outcome.message += news_;
  }
  if (outcome.message.size() > kMaxText) outcome.message.resize(kMaxText);
  news_.clear();
  deferred_ = Status::kOk;
  told_ = sticky_;
  return outcome;
}

Outcome Server::known_outcome(const Answer& made) const {
  return {made.status, told_, Status::kOk, !output_.empty(), made.message};
}

void Server::begin_region(u64 host_bytes) {
  records_.begin_region(timeline_.host_now(), device_bytes_in_use(), host_bytes);
}

WireRegion Server::end_region() {
  WireRegion region = records_.end_region(timeline_.device_end());
  region.unread_output_bytes = output_.size();
  return region;
}

const ThreadRecord& Server::followed() const { return follow_ ? device_->followed() : followed_; }

Answer Server::refuse(Status status, std::string message) const {
  return {status, std::move(message), {}, {}};
}

Answer Server::handle(const TakeOutput&) {
  const size_t n = std::min(output_.size(), kMaxText);
  Output out{output_.substr(0, n), n < output_.size()};
  output_.erase(0, n);
  return give(out);
}

Answer Server::handle(const ReportMissing& c) {
  records_.missing_function(c.name);
  return {};
}

Answer Server::handle(const ReportRefusal&) {
  records_.launch_refused();
  return {};
}

Answer Server::handle(const ResetDevice&) {
  records_.retire_functions();
  timeline_.synchronize_device();
  modules_.clear();
  functions_.clear();
  for (const auto& [id, run] : runs_) end_graph(run.stream, run.begin, {});
  runs_.clear();
  kept_graphs_.clear();
  graphs_.clear();
  board_.release_host_of(index_);
  board_.sharing.forget(index_);
  sticky_ = Status::kOk;
  start_device();
  return give(Nothing{});
}

}  // namespace roofline::sim::server
