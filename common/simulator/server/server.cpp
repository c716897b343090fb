// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/server.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>

#include "simulator/checks/wire.h"
#include "simulator/server/answers.h"
#include "simulator/server/call_names.h"
#include "simulator/server/hang_up.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Text in an answer is cut so that the packet stays within kMaxPacket.
constexpr size_t kMaxText = 48 * 1024;

}  // namespace

Server::Server(const Options& options)
    : options_(options),
      description_(load_device(options.devices, options.device)),
      timeline_(description_),
      staging_("roofline-staging", kStagingBytes),
      window_memory_("roofline-host-window", kHostWindowBytes),
      window_(kHostWindow, kHostWindowBytes),
      guest_(options.guest_fd),
      observer_(options.observer_fd) {
  staging_.map();
  if (options_.checks != 0) checks_ = std::make_unique<Checker>(options_.checks);
  start_device();
  if (options_.trace) timeline_.set_trace(&trace_, 0);
}

void Server::start_device() {
  device_.reset();  // its memory is mapped at a fixed address: the old one must go first
  device_ = std::make_unique<Device>(description_, options_.threads);
  device_->map_host_window(window_memory_.descriptor(), 0, kHostWindowBytes);
  device_->set_time_limit(options_.time_limit);
  if (checks_) checks_->attach(*device_);
  device_->set_permute_fragments(options_.permute_fragments);
  device_->set_managed_allocator(
      [this](u64 bytes, const std::string& name) { return allocate_host(bytes, name); });
}

void Server::run() {
  end_when_hung_up(observer_ ? observer_.get() : guest_.get());
  while (guest_ || observer_) {
    pollfd channels[2] = {{guest_.get(), POLLIN, 0},
                          {observer_.get(), POLLIN, 0}};  // a closed one is -1: ignored
    if (poll(channels, 2, -1) < 0) continue;
    if (channels[1].revents) {
      // The observer's question is about everything that the program has sent so far.
      Guest served = Guest::kServed;
      while (guest_ && served == Guest::kServed) served = serve_guest(Wait::kDoNotBlock);
      if (served == Guest::kClosed) guest_.reset();
      if (!serve_observer()) return;
    } else if (channels[0].revents && serve_guest(Wait::kDoNotBlock) == Guest::kClosed) {
      guest_.reset();
      if (!observer_) return;
    }
  }
}

Server::Guest Server::serve_guest(Wait wait) {
  thread_local std::vector<std::byte> packet;
  switch (receive_packet(guest_.get(), packet, wait)) {
    case Received::kNothing:
      return Guest::kNothing;
    case Received::kClosed:
      return Guest::kClosed;
    case Received::kTooLong:
    case Received::kPacket:
      break;
  }
  const auto received = decode(packet);
  if (!received) {
    std::fputs("simulated GPU: a malformed command ended the session\n", stderr);
    return Guest::kClosed;
  }
  const u32 kind = static_cast<u32>(received->command.index());
  std::visit(
      [&]<class T>(const T& command) {
        if constexpr (!std::is_same_v<T, CopyIn> && !std::is_same_v<T, CopyOut> &&
                      !std::is_same_v<T, CopyWithin>)
          flush_copy();
        if (options_.trace) trace_.begin_call(call_name(command), timeline_.host_now());
        const Answer made = handle(command);
        if (options_.trace) trace_.end_call(timeline_.host_now());
        if constexpr (!kPosted<T>) {
          answer(made, kind, received->sequence);
        } else if (made.status != Status::kOk && deferred_ == Status::kOk) {
          deferred_ = made.status;
          news_ += made.message;
        }
      },
      received->command);
  return Guest::kServed;
}

void Server::answer(const Answer& made, u32 kind, u32 sequence) {
  Outcome outcome{made.status, sticky_, deferred_, !output_.empty(), made.message};
  if (!news_.empty()) {
    if (!outcome.message.empty()) outcome.message += '\n';
    outcome.message += news_;
  }
  if (outcome.message.size() > kMaxText) outcome.message.resize(kMaxText);
  news_.clear();
  deferred_ = Status::kOk;
  Writer body;
  body(outcome);
  if (made.status == Status::kOk) body.raw(made.fields.bytes().data(), made.fields.bytes().size());
  Writer packet;
  packet(Header{kMagic, kind, sequence, static_cast<u32>(body.bytes().size())});
  packet.raw(body.bytes().data(), body.bytes().size());
  // Never wait for the program: it has one command in flight at most, so its buffer has room unless it
  // misbehaves.
  if (!send_packet(guest_.get(), packet.bytes(), Wait::kDoNotBlock, made.descriptors)) guest_.reset();
}

bool Server::serve_observer() {
  std::vector<std::byte> packet;
  if (receive_packet(observer_.get(), packet, Wait::kBlock) != Received::kPacket) return false;
  Reader in(packet);
  auto command = ObserverCommand::kHello;
  in(command);
  if (!in.complete()) return false;
  flush_copy();
  Writer out;
  switch (command) {
    case ObserverCommand::kHello:
      out(description_.name);
      break;
    case ObserverCommand::kBeginRegion:
      records_.begin_region(timeline_.host_now(), device_bytes_in_use(), window_.bytes_in_use());
      break;
    case ObserverCommand::kEndRegion: {
      WireRegion region = records_.end_region(timeline_.device_end());
      region.unread_output_bytes = output_.size();
      out(region);
      break;
    }
    case ObserverCommand::kFindings: {
      std::vector<WireFinding> found;
      if (checks_)
        for (Finding& finding : checks_->findings()) found.emplace_back(std::move(finding));
      out(found);
      break;
    }
    case ObserverCommand::kLines:
      out(records_.lines());
      break;
    case ObserverCommand::kTrace: {
      WireTrace trace;
      for (const TraceSpan& span : trace_.spans()) trace.spans.push_back({span});
      trace.dropped = trace_.dropped();
      out(trace);
      break;
    }
    default:
      return false;
  }
  return send_long(observer_.get(), out.bytes());
}

Answer Server::refuse(Status status, std::string message) const {
  return {status, std::move(message), {}, {}};
}

Answer Server::handle(const Hello& hello) {
  if (hello.version != kVersion)
    return refuse(Status::kUnknown, "libcudart.so.13 and the simulated GPU are of different builds");
  Answer made = give(Welcome{{description_}, kStagingBytes, kHostWindowBytes, options_.checks});
  made.descriptors = {staging_.descriptor(), window_memory_.descriptor()};
  return made;
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

Answer Server::handle(const ResetDevice&) {
  records_.retire_functions();
  timeline_.synchronize_device();
  modules_.clear();
  functions_.clear();
  runs_.clear();
  graphs_.clear();
  window_.clear();
  window_memory_.discard(0, kHostWindowBytes);
  sticky_ = Status::kOk;
  start_device();
  return give(Nothing{});
}

}  // namespace roofline::sim::server
