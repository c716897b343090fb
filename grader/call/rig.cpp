// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/rig.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

#include "grader/call/rig_state.h"

namespace roofline::grader {
namespace {

constexpr std::chrono::seconds kFirstWord{20};
/// For a program to end by itself when it is no longer needed.
constexpr std::chrono::seconds kGoodbye{2};

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

Rig::Rig(const RigOptions& options, const std::filesystem::path& worker, const Program& program,
         std::uint64_t input_bytes, std::uint64_t output_bytes) {
  try {
    RigOptions how = options;
    if (how.gpus == 0) how.gpus = program.gpus;
    state_ = std::make_unique<State>(how, input_bytes, output_bytes);
    WorkerProcess::Start start;
    start.program = worker;
    start.environment = state_->environment();
    if (!state_->session) {
      start.input_fd = state_->input.fd();
      start.output_fd = state_->output.fd();
    }
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
  state_->began = processor_time(state_->processes());
  state_->printed = state_->process->output().size();
  state_->secret = state_->secret || plan.shape().hidden;
  plan.fill(state_->input.bytes(), state_->output.bytes());
  outcome.fault = state_->release();
  if (outcome.fault) return outcome;
  // From here on each region ends where the next begins: the program does nothing unseen.
  state_->begin_region();
  outcome.fault = state_->load(plan);
  state_->end_region(outcome.load, outcome.fault);
  if (outcome.fault) return outcome;
  if (state_->prepares) {
    outcome.fault = state_->give(plan, DeviceArrays::When::kPrepare);
    if (outcome.fault) return outcome;
    outcome.fault = state_->prepare(plan);
    state_->end_region(outcome.prepare, outcome.fault);
    if (outcome.fault) return outcome;
  }
  outcome.fault = state_->give(plan, DeviceArrays::When::kGo);
  if (outcome.fault) return outcome;
  outcome.fault = state_->ask(plan.go_request(), outcome.reply);
  state_->end_region(outcome.go, outcome.fault);
  if (outcome.fault) return outcome;
  outcome.fault = state_->read_outputs(plan, outcome.output);
  state_->end_region(outcome.fetch, outcome.fault);
  // Without the seal a worker that has it may have changed what the reference is about to read.
  if (!state_->session && !state_->input.write_sealed())
    plan.fill(state_->input.bytes(), state_->output.bytes());
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

Fault SimulatedRig::reach(const CallPlan& plan) {
  std::optional<sim::Region> region;
  state_->secret = state_->secret || plan.shape().hidden;
  state_->begin_region();
  Fault fault = state_->load(plan);
  if (!fault) fault = state_->prepare(plan);
  worker::Reply reply{};
  if (!fault) fault = state_->ask(plan.go_request(), reply);
  state_->end_region(region, fault);
  // A second kernel may take its addresses from what the first one has left out.
  return region && region->kernels.size() > 1 ? Fault{} : fault;
}

sim::Trace SimulatedRig::trace() { return state_->session->trace(); }

std::vector<sim::LineRecord> SimulatedRig::lines() { return state_->session->lines(); }

void SimulatedRig::picture(const sim::PictureRequest& request) { state_->session->picture(request); }

sim::AccessPicture SimulatedRig::pictured() {
  sim::AccessPicture picture = state_->session->pictured();
  // The machine knows arguments of the kernel, by number. A place may be in the list twice, as what is read
  // and as what the line stores to.
  std::map<std::string, std::string> names;
  for (const sim::AccessPicture::Request& request : picture.requests)
    if (const std::string name = state_->arrays->name_at(request.address); !request.shared && !name.empty())
      names.emplace(picture.places.at(request.place).what, "your argument " + name);
  for (sim::AccessPicture::Place& place : picture.places)
    if (const auto named = names.find(place.what); named != names.end()) place.what = named->second;
  return picture;
}

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
      if (finding.check == check && finding.level != sim::Finding::Level::kNote) {
        Fault fault = fault_of(finding);
        fault.message = state_->arrays->in_names(std::move(fault.message));
        return fault;
      }
  return {};
}

}  // namespace roofline::grader
