// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/host/session.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <stdexcept>

#include "simulator/channel/observer.h"
#include "simulator/channel/start_machine.h"
#include "simulator/checks/wire.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

using namespace channel;

struct Session::State {
  StartedMachine machine;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    machine.guest.reset();
    machine.observer.reset();
    if (machine.pid > 0) {
      kill(machine.pid, SIGKILL);  // it would end by itself; this way it is gone when we return
      while (waitpid(machine.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  /// Asks and waits; the answer's bytes are valid until the next question.
  template <class... T>
  Reader ask(ObserverCommand command, const T&... fields) {
    return ask_with({}, command, fields...);
  }
  template <class... T>
  Reader ask_with(std::span<const int> descriptors, ObserverCommand command, const T&... fields) {
    Writer out;
    out(command, fields...);
    if (!send_packet(machine.observer.get(), out.bytes(), Wait::kBlock, descriptors))
      throw std::runtime_error("the simulated GPU's process ended unexpectedly");
    wait_for_answer();
    if (!receive_long(machine.observer.get(), answer))
      throw std::runtime_error("the simulated GPU's process ended unexpectedly");
    return Reader(answer);
  }

  void wait_for_answer() const {
    if (patience <= 0) return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd waiting{machine.observer.get(), POLLIN, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::max<long long>(0, left.count())));
      if (ready > 0) return;
      if (ready == 0) throw SessionTimeout("the simulated GPU is still busy");
    }
  }

  double patience = 0;
  std::vector<std::byte> answer;
};

namespace {

template <class T>
void read(Reader in, T& value) {
  in(value);
  if (!in.complete()) throw std::runtime_error("the simulated GPU is of a different build");
}

}  // namespace

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session Session::start(const std::filesystem::path& simulator_directory, const MachineOptions& options) {
  load_device(simulator_directory / "devices",
              options.device);  // for its message when there is no such device
  auto state = std::make_unique<State>();
  state->machine = start_machine(simulator_directory, options, true);
  std::string name;
  read(state->ask(ObserverCommand::kHello), name);
  return Session(std::move(state));
}

int Session::guest_fd() const { return state_->machine.guest.get(); }
void Session::close_guest_fd() { state_->machine.guest.reset(); }
void Session::set_patience(double seconds) { state_->patience = seconds; }
int Session::machine_pid() const { return state_->machine.pid; }

void Session::set_sampling_seed(u64 seed) { state_->ask(ObserverCommand::kSamplingSeed, seed); }
void Session::begin_region() { state_->ask(ObserverCommand::kBeginRegion); }

Region Session::end_region() {
  WireRegion wire;
  read(state_->ask(ObserverCommand::kEndRegion), wire);
  Region region;
  static_cast<RegionCounts&>(region) = wire;
  region.virtual_seconds = wire.virtual_seconds;
  region.host_code_seconds = wire.host_code_seconds;
  for (auto& kernel : wire.kernels) region.kernels.push_back(std::move(kernel.record));
  region.gpus = std::move(wire.gpus);
  for (auto& trap : wire.traps) region.traps.push_back(std::move(trap.trap));
  region.missing_functions = std::move(wire.missing_functions);
  region.load_errors = std::move(wire.load_errors);
  return region;
}

bool Session::copy_out(u64 address, u64 bytes, int file, u64 offset, u32 gpu) {
  bool done = false;
  const MemoryRange range{.address = address, .bytes = bytes, .offset = offset, .device = gpu};
  read(state_->ask_with(std::span(&file, 1), ObserverCommand::kRead, range), done);
  return done;
}

bool Session::copy_in(u64 address, u64 bytes, int file, u64 offset, const ArrayOptions& how) {
  bool done = false;
  const MemoryRange range{.address = address,
                          .bytes = bytes,
                          .offset = offset,
                          .device = how.gpu,
                          .keeps_l2 = how.keeps_l2,
                          .garbage = how.garbage};
  read(state_->ask_with(std::span(&file, 1), ObserverCommand::kWrite, range), done);
  return done;
}

Trace Session::trace() {
  WireTrace wire;
  read(state_->ask(ObserverCommand::kTrace), wire);
  Trace trace;
  for (auto& span : wire.spans) trace.spans.push_back(std::move(span.span));
  trace.dropped = wire.dropped;
  return trace;
}

std::vector<LineRecord> Session::lines() {
  std::vector<WireLine> wire;
  read(state_->ask(ObserverCommand::kLines), wire);
  std::vector<LineRecord> lines;
  for (auto& line : wire) lines.push_back(std::move(line.line));
  return lines;
}

std::vector<Finding> Session::findings() {
  std::vector<WireFinding> wire;
  read(state_->ask(ObserverCommand::kFindings), wire);
  std::vector<Finding> findings;
  for (WireFinding& finding : wire) findings.push_back(finding.take());
  return findings;
}

void Session::follow(const ThreadRequest& request) {
  state_->ask(ObserverCommand::kFollow, WireThreadRequest{request});
}

ThreadRecord Session::followed() {
  WireThreadRecord wire;
  read(state_->ask(ObserverCommand::kFollowed), wire);
  return std::move(wire.record);
}

void Session::picture(const PictureRequest& request) {
  state_->ask(ObserverCommand::kPicture, WirePictureRequest{request});
}

AccessPicture Session::pictured() {
  WirePicture wire;
  read(state_->ask(ObserverCommand::kPictured), wire);
  return std::move(wire.picture);
}

}  // namespace roofline::sim
