// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/rig_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "grader/base/printable.h"
#include "grader/box/process_tree.h"
#include "grader/call/busy_computer.h"

namespace roofline::grader {
namespace {

/// More for the first request: a card that nobody keeps awake needs seconds for its first context.
constexpr std::chrono::seconds kWaking{30};
/// For a device to say what a program did that was stopped, in seconds; one that is still busy says nothing.
constexpr double kLastWord = 2;
/// Questions on end whose answer does not change any more: each that is not answered yes waits a thousandth
/// longer than the one before.
constexpr std::uint64_t kEndlessQuestions = 50'000;

/// The simulated runtime before the toolkit's; NVRTC finds its other half only where the path leads to it.
std::string library_path(const std::string& runtime, const RigOptions& options) {
  const std::string toolkit = options.cuda_library_directory.string();
  return "LD_LIBRARY_PATH=" + runtime + (toolkit.empty() ? "" : ":" + toolkit);
}

/// The chosen GPU is the program's first; further ones follow in the driver's order.
std::string visible_gpus(int first, unsigned count) {
  std::string list = std::to_string(first);
  int next = 0;
  for (unsigned more = 1; more < count; ++more, ++next) {
    if (next == first) ++next;
    list += "," + std::to_string(next);
  }
  return list;
}

}  // namespace

std::vector<std::string> Rig::State::environment() const {
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8"};
  if (options.device.simulated) {
    environment.push_back(library_path(options.simulator_directory.string(), options));
    environment.push_back("CUDA_MODULE_LOADING=EAGER");  // code that comes after the inputs is counted
    return environment;
  }
  // The driver may lie where only the user's own LD_LIBRARY_PATH led us, and loads more from there itself.
  std::string libraries = options.cuda_library_directory.string();
  if (!options.driver_directory.empty()) libraries += ":" + options.driver_directory.string();
  environment.push_back("LD_LIBRARY_PATH=" + libraries);
  environment.push_back("CUDA_VISIBLE_DEVICES=" + visible_gpus(options.device.ordinal, options.gpus));
  environment.push_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  return environment;
}

WorkerProcess::Deadline Rig::State::deadline() const {
  const bool waking = !options.device.simulated && serial <= 1;
  return std::chrono::steady_clock::now() + (waking ? kWaking : std::chrono::seconds(0)) +
         std::chrono::milliseconds(static_cast<long long>(options.deadline_seconds * 1000));
}

bool Rig::State::memory_holds() const {
  // A GPU's copies of the arrays are not of this machine's memory, but the worker brings them from and to
  // ours.
  const std::uint64_t lent = session ? 0 : input.bytes().size() + output.bytes().size();
  return options.budget->holds({process->pid(), session ? session->machine_pid() : 0}, lent);
}

void Rig::State::start_device(std::uint64_t output_bytes) {
  sim::MachineOptions machine = options.machine;
  machine.device = options.device.id;
  machine.gpus = options.gpus;
  // Before the judge's own deadline: the device can say which kernel hangs, and where.
  machine.time_limit = options.deadline_seconds * 0.7;
  if (options.budget) machine.host_memory = options.budget->limits().host_window_bytes;
  session.emplace(sim::Session::start(options.simulator_directory, machine));
  if (options.budget) session->set_patience(options.deadline_seconds);
  session->set_sampling_seed(options.sampling_seed);
  arrays.emplace(*session, output_bytes);
}

void Rig::State::pack(WorkerProcess::Start& start) {
  if (options.sandbox == Sandbox::kNone) return;
  const bool simulated = options.device.simulated;
  box = std::make_unique<Box>(options.sandbox, simulated ? Box::Kind::kRun : Box::Kind::kRunOnGpu,
                              options.cuda_library_directory, options.driver_directory);
  start.box = box.get();
  start.program = box->show(start.program, "worker");
  if (!simulated) return;
  for (const char* library : {"libcudart.so.13", "libcuda.so.1"})
    box->show(options.simulator_directory / library, std::string("runtime/") + library);
  for (std::string& variable : start.environment)
    if (variable.starts_with("LD_LIBRARY_PATH=")) variable = library_path(box->inside("runtime"), options);
}

std::vector<int> Rig::State::processes() const {
  std::vector<int> all = {process->pid()};
  if (session) all.push_back(session->machine_pid());
  return all;
}

bool Rig::State::others_took_this_call() const {
  std::vector<int> all;
  for (const int root : processes()) std::ranges::copy(tree_of(root), std::back_inserter(all));
  return others_took_most(began, processor_time(all));
}

std::string Rig::State::stopped() const {
  return "nothing came back within " + std::to_string(static_cast<int>(options.deadline_seconds)) +
         " s: the program was stopped";
}

std::string Rig::State::flood() const {
  if (!process->printed_too_much()) return {};
  return "\nIt printed more than 64 KiB, and printing takes far more time than the work. A printf in a "
         "kernel is "
         "a line from each thread: take it out, or let one thread print";
}

Fault Rig::State::lost(WorkerProcess::Wait why) {
  usable = false;
  const bool amid_others = why == WorkerProcess::Wait::kDeadline && others_took_this_call();
  process->end();
  if (Fault fault = options.budget ? options.budget->exhausted() : Fault{}) {
    answering = false;
    session.reset();
    return fault;
  }
  switch (why) {
    case WorkerProcess::Wait::kDeadline:
      if (session) session->set_patience(kLastWord);
      return {Class::kTimeout, stopped() + flood() + busy_computer(), {}, 0, amid_others};
    case WorkerProcess::Wait::kMalformed:
      return {Class::kCrashed, "the program wrote to the judge's channel", {}, 0};
    default: {
      // A program that checks its calls ends after a refusal, with words that say less.
      const std::string words = last_words(),
                        refused = words.find(" is refused: ") == words.npos ? refused_call() : std::string();
      return {Class::kCrashed,
              "the program ended in the middle of the call: " + process->how_it_ended() + refused + words +
                  usual_cause(),
              {},
              0};
    }
  }
}

std::string Rig::State::usual_cause() const {
  if (process->how_it_ended().starts_with("signal 11 "))
    return "\nCode outside a kernel used an address that is none of its own: an index beyond an array, or a "
           "pointer to device memory, which only a kernel can read. Does cudaLaunchKernel get the address of "
           "every argument, &y and not y?";
  if (process->output().find("cudaErrorSymbolNotFound") != std::string::npos)
    return "\nIs the kernel declared extern \"C\"? Otherwise its name is mangled.";
  return {};
}

std::string Rig::State::last_words() const {
  if (secret) return {};
  const std::string all = process->output();
  const std::size_t end = all.find_last_not_of(" \n");
  if (end == std::string::npos) return {};
  const std::size_t begin = all.rfind('\n', end);
  return "\n" + all.substr(begin == std::string::npos ? 0 : begin + 1,
                           end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

std::string Rig::State::refused_call() const {
  if (secret) return {};
  const std::string all = process->output();
  const std::size_t refused = all.rfind(" is refused: ");
  if (refused == std::string::npos || refused < printed) return {};
  constexpr std::string_view kSpeaker = "simulated GPU: ";
  const std::size_t speaker = all.rfind(kSpeaker, refused);
  if (speaker == std::string::npos) return {};
  const std::size_t begin = speaker + kSpeaker.size();
  return "\n" + printable(all.substr(begin, all.find('\n', refused) - begin));
}

Fault Rig::State::prepare(const CallPlan& plan) {
  if (!prepares) return {};
  worker::Reply reply{};
  prepared = true;
  const auto begin = std::chrono::steady_clock::now();
  Fault fault = ask(plan.prepare_request(), reply);
  prepare_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return fault;
}

Fault Rig::State::release() {
  if (!std::exchange(prepared, false)) return {};
  worker::Request request{};
  request.command = worker::Command::kRelease;
  worker::Reply reply{};
  return ask(request, reply);
}

void Rig::State::end_region(std::optional<sim::Region>& region, Fault& fault) {
  if (!session || !answering) return;
  const bool was_stopped = fault.reason == Class::kTimeout;
  try {
    region = session->end_region();
  } catch (const sim::SessionTimeout&) {
    if (!fault) fault = lost(WorkerProcess::Wait::kDeadline);
    answering = false;
    return;
  }
  if (!region->traps.empty()) {
    const bool amid_others = was_stopped ? fault.amid_others : others_took_this_call();
    fault = fault_of(region->traps.front());
    fault.message = arrays->in_names(std::move(fault.message));
    if (was_stopped && fault.reason != Class::kTimeout)
      fault.message +=
          "\nThe program did not end after this, and was stopped: a loop that waits for cudaSuccess, such as "
          "while (cudaEventQuery(event) != cudaSuccess), never ends once there is an error";
    fault.amid_others = fault.reason == Class::kTimeout && amid_others;
    usable = false;
  } else if (was_stopped && region->asked_at_end >= kEndlessQuestions) {
    fault.amid_others = false;
    fault.message =
        stopped() + ". It only asked whether an event or a stream is done, " +
        std::to_string(region->asked_at_end) +
        " times on end, and the answer does not change any more: when does its loop end? To wait, "
        "call cudaEventSynchronize() or cudaStreamSynchronize()";
  }
}

Fault Rig::State::load(const CallPlan& plan) {
  worker::Reply reply{};
  Fault fault = ask(plan.load_request(), reply);
  if (fault || !session) return fault;
  arrays->lie_at(plan, reply.addresses);
  fault = arrays->apart(plan);
  if (fault) usable = false;
  return fault;
}

Fault Rig::State::give(const CallPlan& plan, DeviceArrays::When when) {
  if (!session) return {};
  Fault fault = arrays->give(plan, when, input.fd(), output.fd());
  if (fault) usable = false;
  return fault;
}

Fault Rig::State::read_outputs(const CallPlan& plan, std::vector<std::byte>& copy) {
  if (!session) return download(plan, 0, copy);
  Fault fault = arrays->read(plan, copy);
  if (fault) usable = false;
  return fault;
}

Fault Rig::State::download(const CallPlan& plan, unsigned set, std::vector<std::byte>& copy) {
  worker::Reply reply{};
  worker::Request request = plan.fetch_request();
  request.fetch_set = set;
  Fault fault = ask(request, reply);
  if (fault) return fault;
  const auto bytes = output.bytes().first(plan.output_bytes());
  copy.assign(bytes.begin(), bytes.end());
  return {};
}

}  // namespace roofline::grader
