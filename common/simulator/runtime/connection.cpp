// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/connection.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "simulator/channel/named_socket.h"
#include "simulator/checks/finding.h"
#include "simulator/program/address_windows.h"
#include "simulator/runtime/call_site.h"
#include "simulator/runtime/host_watch.h"
#include "simulator/runtime/program_clock.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The folder of this very library: the machine's programs and device files lie beside it.
std::filesystem::path own_directory() {
  Dl_info info{};
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname) return ".";
  std::error_code ignored;
  const auto real = std::filesystem::canonical(info.dli_fname, ignored);
  return (ignored ? std::filesystem::path(info.dli_fname) : real).parent_path();
}

/// One process has the given channel to itself; others that a program forks before it uses the device, or
/// starts later, get a simulated GPU of their own. The lock decides between processes, the mark outlives the
/// winner.
bool take(int fd) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  if (fd <= 2 || fcntl(fd, F_SETLK, &whole) != 0 || fcntl(fd, F_GETOWN) != 0) return false;
  return fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/// Tells `lab run` that this process uses CUDA, so that it is reported with the others of its program. Where
/// it has no channel, that is one to a machine of its own; empty when nobody answers.
Descriptor report_to(const std::string& name, bool has_channel) {
  Descriptor connection = connect_to(name);
  if (!connection) return {};
  Writer out;
  out(ProcessHello{has_channel, program_invocation_short_name});
  std::vector<std::byte> answer;
  std::vector<Descriptor> descriptors;
  if (!send_packet(connection.get(), out.bytes(), Wait::kBlock)) return {};
  if (!has_channel &&
      receive_packet(connection.get(), answer, Wait::kBlock, &descriptors) != Received::kPacket)
    return {};
  (void)connection.release();  // its end is the end of this process, or of the program that it executes
  return descriptors.empty() ? Descriptor() : std::move(descriptors.front());
}

/// Device memory has addresses but no bytes on the host's side: touching it faults, as with a real card.
void reserve_device_window(u32 gpu, u64 bytes) {
  void* const wanted = reinterpret_cast<void*>(kDeviceWindow + gpu * kDeviceStride);
  // Where something else has taken the place, that stays.
  [[maybe_unused]] void* const got = mmap(
      wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

}  // namespace

Connection::Connection() {
  open_channel();
  std::vector<Descriptor> descriptors;
  encode(out_, Hello{}, ++sequence_);
  send();
  Reader fields({});
  const Outcome outcome = receive(kKind<Hello>, &descriptors, fields);
  if (outcome.status != Status::kOk) throw ConnectionLost("the simulated GPU refused the connection");
  fields(welcome_);
  if (!fields.complete() || gpus() == 0) lost();
  watches_host_ = (welcome_.checks & kCheckRace) != 0;
  map_memory(std::move(descriptors));
  if (program_clock()) program_clock()->start(machine_clock(), last_posted());
}

Connection::~Connection() {
  if (staging_) munmap(staging_, welcome_.staging_bytes);
}

void Connection::open_channel() try {
  if (const std::string given = environment("ROOFLINE_DEVICE_FD"); !given.empty()) {
    const int fd = std::atoi(given.c_str());
    unsetenv("ROOFLINE_DEVICE_FD");  // the channel belongs to this process alone, not to its children
    if (take(fd)) socket_ = Descriptor(fd);
  }
  if (const std::string name = environment("ROOFLINE_PROCESSES"); !name.empty()) {
    Descriptor given = report_to(name, static_cast<bool>(socket_));
    if (given) socket_ = std::move(given);
  }
  if (socket_) return;
  MachineOptions options;
  if (const std::string device = environment("ROOFLINE_DEVICE"); !device.empty()) options.device = device;
  options.vector_level = environment("ROOFLINE_VECTOR_LEVEL");
  if (const int gpus = std::atoi(environment("ROOFLINE_GPUS").c_str()); gpus > 0)
    options.gpus = static_cast<unsigned>(gpus);
  options.host_time = program_clock() != nullptr;
  options.sharing = true;
  options.threads = static_cast<unsigned>(std::atoi(environment("ROOFLINE_THREADS").c_str()));
  StartedMachine started = start_machine(own_directory(), options, false);
  socket_ = std::move(started.guest);
  machine_pid_ = started.pid;
} catch (const std::exception& error) {
  throw ConnectionLost(error.what());
}

void Connection::end_machine() {
  socket_.reset();
  if (machine_pid_ > 0) waitpid(machine_pid_, nullptr, 0);
}

void Connection::map_memory(std::vector<Descriptor> descriptors) {
  if (descriptors.size() != 3) lost();
  void* staging =
      mmap(nullptr, welcome_.staging_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0].get(), 0);
  if (staging == MAP_FAILED) throw ConnectionLost("cannot map the staging memory of the simulated GPU");
  staging_ = static_cast<std::byte*>(staging);
  void* const window = reinterpret_cast<void*>(kHostWindow);
  if (mmap(window, welcome_.host_window_bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptors[1].get(), 0) != window)
    throw ConnectionLost("cannot map the pinned memory of the simulated GPU");
  void* clock = mmap(nullptr, kMachineClockBytes, PROT_READ, MAP_SHARED, descriptors[2].get(), 0);
  if (clock == MAP_FAILED) throw ConnectionLost("cannot map the clock of the simulated GPU");
  clock_ = static_cast<const MachineClock*>(clock);
  for (u32 gpu = 0; gpu < gpus(); gpu++) reserve_device_window(gpu, device().memory_bytes);
  states_.resize(gpus());
}

void Connection::lost() {
  socket_.reset();
  throw ConnectionLost("the simulated GPU's process ended unexpectedly");
}

void Connection::send() {
  if (!socket_ || !send_packet(socket_.get(), out_.bytes(), Wait::kBlock)) lost();
}

Outcome Connection::receive(u32 kind, std::vector<Descriptor>* descriptors, Reader& fields) {
  if (receive_packet(socket_.get(), in_, Wait::kBlock, descriptors) != Received::kPacket) lost();
  fields = Reader(in_);
  Header header;
  Outcome outcome;
  fields(header, outcome);
  if (!fields.ok() || header.magic != kMagic || header.kind != kind || header.sequence != sequence_) lost();
  if (!outcome.message.empty()) say(outcome.message);
  if (listener_ && !outcome.message.empty()) *listener_ += outcome.message + "\n";
  states_[selected_].sticky = outcome.sticky;
  states_[selected_].output = outcome.output;
  if (outcome.deferred != Status::kOk) deferred_ = outcome.deferred;
  return outcome;
}

std::string Connection::site() const { return welcome_.checks != 0 ? call_site() : ""; }

void Connection::host_call_begins() { HostWatch::instance().call_begins(*this); }
void Connection::host_call_ends() { HostWatch::instance().call_ends(*this); }
void Connection::select(u32 gpu) {
  if (gpu == selected_ || gpu >= states_.size()) return;
  post(SelectDevice{gpu});
  selected_ = gpu;
}

void Connection::show_output() {
  while (states_[selected_].output) {
    Output piece;
    if (call(TakeOutput{}, piece) != Status::kOk) return;
    std::fwrite(piece.text.data(), 1, piece.text.size(), stdout);
    states_[selected_].output = piece.more;
  }
}

}  // namespace roofline::sim::runtime
