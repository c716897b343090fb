// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/rig.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "grader/call/device_arrays.h"
#include "grader/call/shared_memory.h"
#include "grader/call/worker_process.h"
#include "simulator/host/session.h"
#include "worker/worker.h"

namespace roofline::grader {
namespace {

constexpr std::chrono::seconds kFirstWord{20};
/// For a program to end by itself when it is no longer needed.
constexpr std::chrono::seconds kGoodbye{2};
/// More for the first request: a card that nobody keeps awake needs seconds for its first context.
constexpr std::chrono::seconds kWaking{30};

/// The simulated runtime before the toolkit's; NVRTC finds its other half only where the path leads to it.
std::string library_path(const std::string& runtime, const RigOptions& options) {
  const std::string toolkit = options.cuda_library_directory.string();
  return "LD_LIBRARY_PATH=" + runtime + (toolkit.empty() ? "" : ":" + toolkit);
}

std::vector<std::string> environment_for(const RigOptions& options) {
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
  environment.push_back("CUDA_VISIBLE_DEVICES=" + std::to_string(options.device.ordinal));
  environment.push_back("CUDA_DEVICE_ORDER=PCI_BUS_ID");
  return environment;
}

/// The program's parameters against the spec's: a difference is the lab author's mistake.
void check_signature(const worker::Hello& hello, const Program& program) {
  const auto refuse = [&](const std::string& why) {
    throw InfrastructureError("the interface of " + program.function + " in " + program.header +
                              " is not the one in the lab's spec: " + why);
  };
  if (hello.version != worker::kProtocolVersion)
    throw InfrastructureError("the worker was built for another grader");
  if (hello.count != program.arguments.size()) {
    refuse(std::to_string(hello.count) + " parameters against " + std::to_string(program.arguments.size()));
  }
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const Argument& argument = program.arguments[i];
    if (hello.parameters[i].parameter != static_cast<std::uint8_t>(argument.kind)) {
      refuse("parameter " + argument.name + " is of another kind");
    }
    if (argument.kind != Argument::Kind::kStream &&
        hello.parameters[i].element != static_cast<std::uint8_t>(argument.type)) {
      refuse("parameter " + argument.name + " should be " + std::string(name_of(argument.type)));
    }
  }
}

static_assert(static_cast<int>(worker::Element::kU64) == static_cast<int>(Type::kU64));
static_assert(static_cast<int>(worker::Parameter::kStream) == static_cast<int>(Argument::Kind::kStream));

}  // namespace

struct Rig::State {
  RigOptions options;
  SharedMemory input, output;
  std::optional<sim::Session> session;
  std::optional<DeviceArrays> arrays;  ///< simulated: what the session's machine says lies in its memory
  std::unique_ptr<Box> box;            // before the process that is in it
  std::unique_ptr<WorkerProcess> process;
  bool usable = true;
  bool answering = true;
  bool secret = false;    ///< the worker has seen a hidden case: nothing that it prints is told
  bool prepares = false;  ///< the worker asks for it
  double prepare_seconds = 0;
  std::uint32_t serial = 0;

  State(const RigOptions& rig_options, std::uint64_t input_bytes, std::uint64_t output_bytes)
      : options(rig_options),
        input("roofline-input", input_bytes, SharedMemory::Worker::kReads),
        output("roofline-output", output_bytes,
               rig_options.device.simulated ? SharedMemory::Worker::kReads : SharedMemory::Worker::kWrites) {
    if (options.device.simulated) start_device(output_bytes);
  }

  WorkerProcess::Deadline deadline() const {
    const bool waking = !options.device.simulated && serial <= 1;
    return std::chrono::steady_clock::now() + (waking ? kWaking : std::chrono::seconds(0)) +
           std::chrono::milliseconds(static_cast<long long>(options.deadline_seconds * 1000));
  }

  /// Waits for a record at the cost of the submission's budget.
  template <class Record>
  WorkerProcess::Wait receive(Record& record, WorkerProcess::Deadline until) {
    if (!options.budget) return process->receive(record, until);
    const auto begin = std::chrono::steady_clock::now();
    const auto wait = process->receive(record, std::min(until, options.budget->end_of_time()));
    options.budget->spend(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    // A program that took too much between two looks, and ended.
    if (wait == WorkerProcess::Wait::kRecord && !memory_holds()) return WorkerProcess::Wait::kStopped;
    return wait;
  }
  bool memory_holds() const {
    return options.budget->holds({process->pid(), session ? session->machine_pid() : 0});
  }

  void start_device(std::uint64_t output_bytes) {
    sim::MachineOptions machine = options.machine;
    machine.device = options.device.id;
    // Before the judge's own deadline: the device can say which kernel hangs, and where.
    machine.time_limit = options.deadline_seconds * 0.7;
    if (options.budget) machine.host_memory = options.budget->limits().host_window_bytes;
    session.emplace(sim::Session::start(options.simulator_directory, machine));
    if (options.budget) session->set_patience(options.deadline_seconds);
    session->set_sampling_seed(options.sampling_seed);
    arrays.emplace(*session, output_bytes);
  }

  /// The worker and, for a simulated device, the runtime library: all that a box has to hold.
  void pack(WorkerProcess::Start& start) {
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

  /// Sends a request and waits for the record that answers it; does something else before.
  template <class Record, class Meanwhile>
  Fault ask(worker::Request request, Record& record, const Meanwhile& meanwhile) {
    request.serial = ++serial;
    if (!process->send(request)) return lost(WorkerProcess::Wait::kDied);
    meanwhile();
    const auto wait = receive(record, deadline());
    if (wait != WorkerProcess::Wait::kRecord || record.serial != serial) {
      return lost(wait == WorkerProcess::Wait::kRecord ? WorkerProcess::Wait::kMalformed : wait);
    }
    return {};
  }
  Fault ask(const worker::Request& request, worker::Pieces& pieces) {
    return ask(request, pieces, [] {});
  }
  template <class Meanwhile>
  Fault ask_for_reply(const worker::Request& request, worker::Reply& reply, const Meanwhile& meanwhile) {
    Fault fault = ask(request, reply, meanwhile);
    if (fault) return fault;
    fault = fault_of(reply);
    if (fault) usable = false;
    return fault;
  }
  Fault ask(const worker::Request& request, worker::Reply& reply) {
    return ask_for_reply(request, reply, [] {});
  }

  /// The worker is gone, late or out of step.
  Fault lost(WorkerProcess::Wait why) {
    usable = false;
    process->end();
    if (Fault fault = options.budget ? options.budget->exhausted() : Fault{}) {
      answering = false;
      session.reset();
      return fault;
    }
    switch (why) {
      case WorkerProcess::Wait::kDeadline:
        answering = false;
        return {Class::kTimeout,
                "nothing came back within " + std::to_string(static_cast<int>(options.deadline_seconds)) +
                    " s: the program was stopped",
                {},
                0};
      case WorkerProcess::Wait::kMalformed:
        return {Class::kCrashed, "the program wrote to the judge's channel", {}, 0};
      default:
        return {Class::kCrashed,
                "the program ended in the middle of the call: " + process->how_it_ended() + last_words() +
                    usual_cause(),
                {},
                0};
    }
  }

  /// What ends a program like that in most cases.
  std::string usual_cause() const {
    if (process->how_it_ended().starts_with("signal 11 "))
      return "\nDoes code outside a kernel read or write through a pointer to device memory? Only a kernel "
             "can. Does "
             "cudaLaunchKernel get the address of every argument, &y and not y?";
    if (process->output().find("cudaErrorSymbolNotFound") != std::string::npos)
      return "\nIs the kernel declared extern \"C\"? Otherwise its name is mangled.";
    return {};
  }

  /// The last line that the program printed: CUDA_CHECK names the call and the error there.
  std::string last_words() const {
    if (secret) return {};
    const std::string all = process->output();
    const std::size_t end = all.find_last_not_of(" \n");
    if (end == std::string::npos) return {};
    const std::size_t begin = all.rfind('\n', end);
    return "\n" + all.substr(begin == std::string::npos ? 0 : begin + 1,
                             end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  }

  /// What a worker does once before its calls; nothing for most.
  Fault prepare(const CallPlan& plan) {
    if (!prepares) return {};
    worker::Reply reply{};
    const auto begin = std::chrono::steady_clock::now();
    Fault fault = ask(plan.prepare_request(), reply);
    prepare_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return fault;
  }

  void begin_region() {
    if (session) session->begin_region();
  }
  /// A trap of the device says more than the error that the runtime made of it.
  void end_region(std::optional<sim::Region>& region, Fault& fault) {
    if (!session || !answering) return;  // a device that is still busy would not answer either
    try {
      region = session->end_region();
    } catch (const sim::SessionTimeout&) {
      fault = lost(WorkerProcess::Wait::kDeadline);
      return;
    }
    if (!region->traps.empty()) {
      fault = fault_of(region->traps.front());
      usable = false;
    }
  }

  /// The arrays on the device. On a simulated one the machine says what lies in them.
  Fault load(const CallPlan& plan) {
    worker::Reply reply{};
    if (!session) return ask(plan.load_request(), reply);
    Fault fault = ask_for_reply(plan.load_request(), reply,
                                [&] { arrays->remember(plan, input.bytes(), output.bytes()); });
    if (fault) return fault;
    fault = arrays->prove(plan, reply.addresses);
    if (fault) usable = false;
    return fault;
  }

  Fault read_outputs(const CallPlan& plan, std::vector<std::byte>& copy) {
    if (!session) return download(plan, 0, copy);
    Fault fault = arrays->read(plan, copy);
    if (fault) usable = false;
    return fault;
  }

  Fault download(const CallPlan& plan, unsigned set, std::vector<std::byte>& copy) {
    worker::Reply reply{};
    worker::Request request = plan.fetch_request();
    request.fetch_set = set;
    Fault fault = ask(request, reply);
    if (fault) return fault;
    const auto bytes = output.bytes().first(plan.output_bytes());
    copy.assign(bytes.begin(), bytes.end());
    return {};
  }
};

Rig::Rig(const RigOptions& options, const std::filesystem::path& worker, const Program& program,
         std::uint64_t input_bytes, std::uint64_t output_bytes) {
  try {
    state_ = std::make_unique<State>(options, input_bytes, output_bytes);
    WorkerProcess::Start start;
    start.program = worker;
    start.environment = environment_for(options);
    start.input_fd = state_->input.fd();
    start.output_fd = state_->output.fd();
    if (options.budget) {
      if (const Fault fault = options.budget->exhausted()) throw StartFault(fault.message);
      start.keep_waiting = [state = state_.get()] { return !state->process || state->memory_holds(); };
    }
    if (state_->session) start.device_fd = state_->session->guest_fd();
    state_->pack(start);
    state_->process = std::make_unique<WorkerProcess>(start);
    if (state_->session) state_->session->close_guest_fd();
  } catch (const InfrastructureError&) {
    throw;
  } catch (const StartFault&) {
    throw;
  } catch (const std::exception& error) {
    throw InfrastructureError(error.what());
  }
  worker::Hello hello{};
  const auto wait = state_->receive(hello, std::chrono::steady_clock::now() + kFirstWord);
  if (wait != WorkerProcess::Wait::kRecord) {
    state_->process->end();
    // Whatever made no box would make none for the sentinel either: that one says whose fault a silence is.
    if (wait == WorkerProcess::Wait::kDeadline)
      throw StartFault("the program did not start: it said nothing within " +
                       std::to_string(kFirstWord.count()) + " s\n" + state_->process->output());
    if (!state_->process->began())
      throw InfrastructureError("the box could not be made: " + state_->process->output());
    throw StartFault("the program did not start: " + state_->process->how_it_ended() + "\n" +
                     state_->process->output());
  }
  check_signature(hello, program);
  state_->prepares = hello.prepares == 1;
}

Rig::~Rig() = default;
Rig::Rig(Rig&&) noexcept = default;
Rig& Rig::operator=(Rig&&) noexcept = default;

bool Rig::usable() const { return state_ != nullptr && state_->usable; }

CallOutcome Rig::call(const CallPlan& plan) {
  CallOutcome outcome;
  state_->secret = state_->secret || plan.shape().hidden;
  plan.fill(state_->input.bytes(), state_->output.bytes());
  // From here on each region ends where the next begins: the program does nothing unseen.
  state_->begin_region();
  outcome.fault = state_->load(plan);
  state_->end_region(outcome.load, outcome.fault);
  if (outcome.fault) return outcome;
  if (state_->prepares) {
    outcome.fault = state_->prepare(plan);
    state_->end_region(outcome.prepare, outcome.fault);
    if (outcome.fault) return outcome;
  }
  outcome.fault = state_->ask(plan.go_request(), outcome.reply);
  state_->end_region(outcome.go, outcome.fault);
  if (outcome.fault) return outcome;
  outcome.fault = state_->read_outputs(plan, outcome.output);
  state_->end_region(outcome.fetch, outcome.fault);
  // Without the seal the worker may have changed what the reference is about to read.
  if (!state_->input.write_sealed()) plan.fill(state_->input.bytes(), state_->output.bytes());
  return outcome;
}

Fault GpuRig::load(const CallPlan& plan, unsigned sets) {
  plan.fill(state_->input.bytes(), state_->output.bytes());
  worker::Request request = plan.load_request();
  request.sets = sets;
  request.spare = 1;
  worker::Reply reply{};
  if (Fault fault = state_->ask(request, reply)) return fault;
  return state_->prepare(plan);
}

Fault GpuRig::reset(worker::Reply& reply) {
  worker::Request request{};
  request.command = worker::Command::kReset;
  return state_->ask(request, reply);
}

sim::Trace SimulatedRig::trace() { return state_->session->trace(); }

std::vector<sim::LineRecord> SimulatedRig::lines() { return state_->session->lines(); }

void SimulatedRig::picture(const sim::PictureRequest& request) { state_->session->picture(request); }

sim::AccessPicture SimulatedRig::pictured() { return state_->session->pictured(); }

bool GpuRig::prepares() const { return state_->prepares; }

double GpuRig::prepare_seconds() const { return state_->prepare_seconds; }

Fault GpuRig::go(const CallPlan& plan, unsigned calls, bool gate, worker::Reply& reply) {
  worker::Request request = plan.go_request();
  request.timed = 1;
  request.calls = calls;
  request.gate = gate ? 1 : 0;
  return state_->ask(request, reply);
}

Fault GpuRig::look(const std::array<worker::PieceRecord, worker::kPieces>& where, unsigned set,
                   worker::Pieces& pieces) {
  worker::Request request{};
  request.command = worker::Command::kLook;
  request.fetch_set = set;
  std::ranges::copy(where, request.pieces);
  Fault fault = state_->ask(request, pieces);
  if (fault || pieces.error == 0) return fault;
  state_->usable = false;
  return {
      Class::kCrashed, "the outputs cannot be read (CUDA error " + std::to_string(pieces.error) + ")", {}, 0};
}

Fault GpuRig::fetch(const CallPlan& plan, unsigned set, std::vector<std::byte>& output) {
  return state_->download(plan, set, output);
}

Fault GpuRig::release() {
  worker::Request request{};
  request.command = worker::Command::kRelease;
  worker::Reply reply{};
  return state_->ask(request, reply);
}

std::span<const std::byte> Rig::input() const { return state_->input.bytes(); }

std::span<const std::byte> GpuRig::input() const { return state_->input.bytes(); }

GpuRig Rig::gpu() {
  if (state_->session) throw std::logic_error("a simulated device is asked for what only a GPU has");
  return GpuRig(*state_);
}

SimulatedRig Rig::simulated() {
  if (!state_->session) throw std::logic_error("a GPU is asked for what only a simulated device has");
  return SimulatedRig(*state_);
}

worker::Facts GpuRig::facts() {
  worker::Request request{};
  request.command = worker::Command::kFacts;
  request.serial = ++state_->serial;
  worker::Facts facts{};
  if (!state_->process->send(request) ||
      state_->process->receive(facts, state_->deadline()) != WorkerProcess::Wait::kRecord ||
      facts.error != 0) {
    throw InfrastructureError("the device does not answer (CUDA error " + std::to_string(facts.error) + ")");
  }
  return facts;
}

std::string Rig::end_program() {
  if (std::exchange(state_->usable, false)) {
    worker::Request request{};
    request.command = worker::Command::kEnd;
    request.serial = ++state_->serial;
    worker::Reply none{};
    if (state_->process->send(request)) state_->receive(none, std::chrono::steady_clock::now() + kGoodbye);
    state_->process->end();
  }
  return state_->secret ? std::string() : state_->process->output();
}

Fault SimulatedRig::finding() {
  // What is read too early was also not written yet: a race explains a finding of the init check.
  for (const sim::Check check : {sim::kCheckMemory, sim::kCheckRace, sim::kCheckSync, sim::kCheckInit})
    for (const sim::Finding& finding : state_->session->findings())
      if (finding.check == check && finding.level != sim::Finding::Level::kNote) return fault_of(finding);
  return {};
}

}  // namespace roofline::grader
