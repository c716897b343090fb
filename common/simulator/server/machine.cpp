// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/machine.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "simulator/server/hang_up.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// More packets than a socket holds: a program that never stops sending does not keep the observer waiting.
constexpr int kMostPending = 4096;

}  // namespace

Machine::Machine(const Options& options)
    : board_(options), guest_(options.guest_fd), observer_(options.observer_fd) {
  for (u32 i = 0; i < options.gpus; i++) board_.gpus.push_back(std::make_unique<Server>(board_, i));
}

void Machine::run() {
  serve();
  end_guest();
}

void Machine::serve() {
  end_when_hung_up(observer_ ? observer_.get() : guest_.get());
  while (guest_ || observer_) {
    pollfd channels[2] = {{guest_.get(), POLLIN, 0},
                          {observer_.get(), POLLIN, 0}};  // a closed one is -1: ignored
    if (poll(channels, 2, -1) < 0) continue;
    if (channels[1].revents) {
      // The observer's question is about everything that the program has sent so far.
      Guest served = Guest::kServed;
      for (int i = 0; i < kMostPending && guest_ && served == Guest::kServed; i++)
        served = serve_guest(Wait::kDoNotBlock);
      if (served == Guest::kClosed) end_guest();
      if (!serve_observer()) return;
    } else if (channels[0].revents && serve_guest(Wait::kDoNotBlock) == Guest::kClosed) {
      end_guest();
      if (!observer_) return;
    }
  }
}

void Machine::end_guest() {
  guest_.reset();
  Server::end_waiting_kernels(board_);
  board_.sharing.end();
}

Machine::Guest Machine::serve_guest(Wait wait) {
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
  board_.command = received->sequence;
  std::visit(
      [&]<class T>(const T& command) {
        Answer made;
        if constexpr (std::is_same_v<T, Hello>)
          made = welcome(command);
        else if constexpr (std::is_same_v<T, SelectDevice>)
          made = select(command);
        else
          made = gpu().execute(command);
        board_.shown_clock.show(board_.host_clock, received->sequence);
        if constexpr (kPosted<T>)
          gpu().posted(made);
        else if constexpr (std::is_same_v<T, AwaitKernel> || std::is_same_v<T, ResumeGraph>)
          answer(made, gpu().known_outcome(made), kind, received->sequence);
        else
          answer(made, gpu().take_outcome(made), kind, received->sequence);
      },
      received->command);
  return Guest::kServed;
}

void Machine::answer(const Answer& made, const Outcome& outcome, u32 kind, u32 sequence) {
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

Answer Machine::welcome(const Hello& hello) {
  Answer made;
  if (hello.version != kVersion) {
    made.status = Status::kUnknown;
    made.message = "libcudart.so.13 and the simulated GPU are of different builds";
    return made;
  }
  const bool observed =
      std::any_of(board_.gpus.begin(), board_.gpus.end(), [](const auto& gpu) { return gpu->observes(); });
  made.fields(Welcome{{board_.description},
                      kStagingBytes,
                      board_.window_memory.size(),
                      board_.options.checks,
                      board_.options.gpus,
                      board_.options.sharing,
                      observed});
  made.descriptors = {board_.staging.descriptor(), board_.window_memory.descriptor(),
                      board_.clock_memory.descriptor()};
  return made;
}

Answer Machine::select(const SelectDevice& command) {
  Answer made;
  if (command.device >= board_.gpus.size())
    made.status = Status::kInvalidDevice;
  else
    selected_ = command.device;
  return made;
}

/// Of the first GPU that met the thread, or else knows most about why it was not met.
const ThreadRecord& Machine::followed() const {
  const ThreadRecord* best = &board_.gpus.front()->followed();
  for (const auto& each : board_.gpus) {
    const ThreadRecord& record = each->followed();
    if (record.found) return record;
    if (record.launches > best->launches) best = &record;
  }
  return *best;
}

/// Of the first GPU whose kernels hold the source line, or else knows most about why none does.
AccessPicture Machine::pictured() const {
  AccessPicture best = board_.gpus.front()->pictured();
  for (const auto& each : board_.gpus) {
    AccessPicture picture = each->pictured();
    if (picture.found) return picture;
    if (picture.launches > best.launches) best = std::move(picture);
  }
  return best;
}

bool Machine::serve_observer() {
  std::vector<std::byte> packet;
  std::vector<Descriptor> descriptors;
  if (receive_packet(observer_.get(), packet, Wait::kBlock, &descriptors) != Received::kPacket) return false;
  Reader in(packet);
  auto command = ObserverCommand::kHello;
  in(command);
  WireThreadRequest follow;
  if (command == ObserverCommand::kFollow) in(follow);
  WirePictureRequest picture;
  if (command == ObserverCommand::kPicture) in(picture);
  MemoryRange range;
  if (command == ObserverCommand::kRead || command == ObserverCommand::kWrite) in(range);
  if (command == ObserverCommand::kSamplingSeed) in(board_.sampling_seed);
  if (!in.complete()) return false;
  for (const auto& each : board_.gpus) each->flush_copy();
  Writer out;
  switch (command) {
    case ObserverCommand::kHello:
      out(board_.description.name);
      break;
    case ObserverCommand::kBeginRegion:
      begin_region();
      break;
    case ObserverCommand::kEndRegion:
      out(end_region());
      break;
    case ObserverCommand::kFindings:
      out(findings());
      break;
    case ObserverCommand::kLines:
      out(lines());
      break;
    case ObserverCommand::kTrace:
      out(trace());
      break;
    case ObserverCommand::kFollow:
      for (const auto& each : board_.gpus) each->follow(follow.request);
      break;
    case ObserverCommand::kSamplingSeed:
      break;
    case ObserverCommand::kFollowed:
      out(WireThreadRecord{followed()});
      break;
    case ObserverCommand::kPicture:
      for (const auto& each : board_.gpus) each->picture(picture.request);
      break;
    case ObserverCommand::kPictured:
      out(WirePicture{pictured()});
      break;
    case ObserverCommand::kRead:
      out(!descriptors.empty() && write_out(range, descriptors[0].get()));
      break;
    case ObserverCommand::kWrite:
      out(!descriptors.empty() && read_in(range, descriptors[0].get()));
      break;
    default:
      return false;
  }
  return send_long(observer_.get(), out.bytes());
}

/// Part of an allocation, another GPU's, or memory that the program can write to itself, is no array of a
/// call.
std::byte* Machine::allocation(const MemoryRange& range) const {
  Server* owner = board_.owner_of(range.address);
  if (owner == nullptr || range.device >= board_.gpus.size() || owner != board_.gpus[range.device].get() ||
      range.bytes == 0)
    return nullptr;
  const auto found = owner->device().allocation_of(range.address);
  if (!found || found->first != range.address || found->second != range.bytes) return nullptr;
  return owner->device().at(range.address);
}

bool Machine::read_in(const MemoryRange& range, int file) {
  if (allocation(range) == nullptr) return false;
  Server& owner = *board_.owner_of(range.address);
  if (!owner.device().read_in(range.address, range.bytes, file, range.offset)) return false;
  owner.given(range);
  return true;
}

bool Machine::write_out(const MemoryRange& range, int file) const {
  const std::byte* bytes = allocation(range);
  if (bytes == nullptr) return false;
  for (u64 done = 0; done < range.bytes;) {
    const ssize_t n = pwrite(file, bytes + done, range.bytes - done, static_cast<off_t>(range.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<u64>(n);
  }
  return true;
}

void Machine::begin_region() {
  u64 host_bytes = board_.window.bytes_in_use();
  for (const auto& each : board_.gpus) each->begin_region(std::exchange(host_bytes, 0));
}

namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

void add(WireRegion& sum, WireRegion more) {
  sum.RegionCounts::add(more);
  sum.virtual_seconds = std::max(sum.virtual_seconds, more.virtual_seconds);
  append(sum.kernels, std::move(more.kernels));
  append(sum.gpus, std::move(more.gpus));
  append(sum.traps, std::move(more.traps));
  append(sum.missing_functions, std::move(more.missing_functions));
  append(sum.load_errors, std::move(more.load_errors));
}

}  // namespace

WireRegion Machine::end_region() {
  WireRegion region = board_.gpus[0]->end_region();
  for (size_t i = 1; i < board_.gpus.size(); i++) add(region, board_.gpus[i]->end_region());
  if (board_.gpus.size() > 1)  // one GPU's kernels stay in the order of their launches
    std::stable_sort(
        region.kernels.begin(), region.kernels.end(),
        [](const WireKernel& a, const WireKernel& b) { return a.record.start < b.record.start; });
  region.host_code_seconds = std::exchange(board_.host_code, 0);
  begin_region();  // whatever the program does next belongs to some region
  return region;
}

std::vector<WireFinding> Machine::findings() const {
  std::vector<WireFinding> all;
  if (board_.checks)
    for (Finding& finding : board_.checks->findings()) all.emplace_back(std::move(finding));
  return all;
}

WireTrace Machine::trace() const {
  WireTrace trace;
  for (const TraceSpan& span : board_.trace.spans()) trace.spans.push_back({span});
  trace.dropped = board_.trace.dropped();
  return trace;
}

std::vector<WireLine> Machine::lines() const {
  std::vector<WireLine> all;
  for (const auto& each : board_.gpus) append(all, each->lines());
  return all;
}

}  // namespace roofline::sim::server
