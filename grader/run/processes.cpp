// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/run/processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "grader/base/printable.h"
#include "simulator/channel/wire.h"

namespace roofline::grader {

using namespace sim::channel;

namespace {

/// Wall time that a kernel gets after its process has ended.
constexpr int kKernelGraceMs = 20'000;

/// Of a process that was stopped in the middle of its first call.
constexpr timeval kPatience{10, 0};

std::string name_of(const ProcessRun& run) {
  if (run.id == 0) return "a process";
  return "process " + std::to_string(run.id) + " (" + printable(run.command) + ")";
}

}  // namespace

bool ProcessRun::has_news() const {
  return !finished || !region.kernels.empty() || !region.traps.empty() || !region.missing_functions.empty() ||
         !region.load_errors.empty() || region.launches_refused != 0 || !findings.empty();
}

/// A process that uses CUDA.
struct Processes::Peer {
  Descriptor connection;
  ucred who{};
  bool is_first = false;
  std::optional<ProcessRun> run;  ///< when it has ended
  std::thread thread;
};

Processes::Processes(Watching watching)
    : watching_(std::move(watching)),
      first_(start()),
      name_(new_socket_name("roofline-run-")),
      listener_(listen_at(name_)),
      stopped_(eventfd(0, EFD_CLOEXEC)) {}

Processes::~Processes() { stop(); }

void Processes::stop() {
  if (!thread_.joinable()) return;
  (void)eventfd_write(stopped_.get(), 1);
  thread_.join();  // after that, nobody connects
  for (Peer& peer : peers_) peer.thread.join();
}

std::vector<std::string> Processes::environment() const {
  return {"ROOFLINE_DEVICE_FD=" + std::to_string(guest_fd()), "ROOFLINE_PROCESSES=" + name_};
}

sim::Session Processes::start() const {
  sim::Session session = sim::Session::start(watching_.simulator, watching_.machine);
  if (watching_.thread) session.follow(*watching_.thread);
  if (watching_.picture) session.picture(*watching_.picture);
  session.begin_region();
  return session;
}

/// The process has ended, but a kernel that it did not wait for may still run: it gets a while, then the
/// machine is ended, as a GPU stops the kernels of a program that is gone.
std::optional<sim::Region> Processes::region_of(sim::Session& session) const {
  const Descriptor answered(eventfd(0, EFD_CLOEXEC));
  std::jthread impatience([&, machine = session.machine_pid()] {
    pollfd awaited[2] = {{answered.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}};
    if (poll(awaited, 2, kKernelGraceMs) >= 0 && awaited[0].revents == 0) kill(machine, SIGKILL);
  });
  std::optional<sim::Region> region;
  try {
    region = session.end_region();
  } catch (const std::runtime_error&) {  // the machine was ended
  }
  (void)eventfd_write(answered.get(), 1);
  return region;
}

ProcessRun Processes::observed(sim::Session& session) const try {
  ProcessRun run;
  std::optional<sim::Region> region = region_of(session);
  run.finished = region.has_value();
  if (!run.finished) return run;
  run.region = std::move(*region);
  if (watching_.machine.checks != 0) run.findings = session.findings();
  if (watching_.machine.trace) run.trace = session.trace();
  if (watching_.lines) run.lines = session.lines();
  if (watching_.thread) run.followed = session.followed();
  if (watching_.picture) run.picture = session.pictured();
  return run;
} catch (const std::runtime_error&) {  // its machine is gone
  ProcessRun run;
  run.finished = false;
  return run;
}

void Processes::begin() {
  first_->close_guest_fd();
  thread_ = std::thread([this] { listen(); });
}

void Processes::listen() {
  for (;;) {
    pollfd awaited[2] = {{listener_.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}};
    if (poll(awaited, 2, -1) < 0) continue;
    if (awaited[1].revents != 0) return;
    ++running_;
    Descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ucred who{};
    socklen_t bytes = sizeof who;
    // Another person's program has no business here.
    if (!connection || getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0 ||
        who.uid != geteuid()) {
      --running_;
      continue;
    }
    const std::lock_guard guard(lock_);
    Peer& peer = peers_.emplace_back();
    peer.connection = std::move(connection);
    peer.who = who;
    peer.thread = std::thread([this, &peer] { attend(peer); });
  }
}

void Processes::attend(Peer& peer) try {
  struct Ended {
    std::atomic<int>& running;
    ~Ended() {
      --running;
      kill(getpid(), SIGCHLD);
    }
  } const ended{running_};
  // Where the process forked, its end does not close the connection.
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, peer.who.pid, 0)));
  for (const int option : {SO_SNDTIMEO, SO_RCVTIMEO})
    setsockopt(peer.connection.get(), SOL_SOCKET, option, &kPatience, sizeof kPatience);
  std::vector<std::byte> packet;
  if (receive_packet(peer.connection.get(), packet, Wait::kBlock) != Received::kPacket) return;
  ProcessHello hello;
  Reader in(packet);
  in(hello);
  if (!in.complete()) return;
  std::optional<sim::Session> session;
  if (hello.has_channel) {
    const std::lock_guard guard(lock_);
    session = std::exchange(first_, std::nullopt);
    peer.is_first = true;
  } else {
    session = start();
    const std::byte answer[1] = {};
    const int guest = session->guest_fd();
    if (!send_packet(peer.connection.get(), answer, Wait::kBlock, std::span(&guest, 1))) return;
    session->close_guest_fd();
  }
  if (!session) return;
  pollfd awaited[3] = {
      {process.get(), POLLIN, 0}, {peer.connection.get(), POLLRDHUP, 0}, {stopped_.get(), POLLIN, 0}};
  while (poll(awaited, 3, -1) < 0) {
  }
  if (awaited[2].revents != 0) return;
  ProcessRun run = observed(*session);
  run.id = peer.who.pid;
  run.command = hello.command;
  peer.run = std::move(run);
} catch (const std::exception&) {
  // No GPU could be started for it: it starts one of its own, and says why it cannot.
}

bool Processes::are_running() const {
  pollfd queue{listener_.get(), POLLIN, 0};  // a short process may have ended in it
  return poll(&queue, 1, 0) > 0 || running_ > 0;
}

std::vector<ProcessRun> Processes::take() {
  std::vector<ProcessRun> all;
  std::optional<sim::Session> first;
  {
    const std::lock_guard guard(lock_);
    first = std::exchange(first_, std::nullopt);
  }
  if (first) all.push_back(observed(*first));  // nobody used CUDA, or did not say so
  stop();
  peers_.sort([](const Peer& a, const Peer& b) { return a.is_first > b.is_first; });
  for (Peer& peer : peers_)
    if (peer.run) all.push_back(std::move(*peer.run));
  if (std::ranges::none_of(all, &ProcessRun::has_news))
    all.resize(std::min<size_t>(all.size(), 1));
  else
    std::erase_if(all, [](const ProcessRun& run) { return !run.has_news(); });
  if (all.size() > 1)
    for (ProcessRun& run : all) run.who = name_of(run);
  return all;
}

}  // namespace roofline::grader
