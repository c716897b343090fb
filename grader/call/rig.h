// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/box/box.h"
#include "grader/call/budget.h"
#include "grader/call/call.h"
#include "grader/call/device.h"
#include "grader/call/fault.h"
#include "simulator/channel/machine_options.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

struct RigOptions {
  DeviceChoice device;
  std::filesystem::path simulator_directory, cuda_library_directory;
  std::filesystem::path driver_directory;  ///< GPU: of libcuda.so.1; empty: where the system looks anyway
  sim::MachineOptions machine;             ///< simulated; its device and its time limit are set by the rig
  unsigned gpus = 0;                       ///< how many the program finds; 0: as many as it asks for
  std::uint64_t sampling_seed = 0;         ///< simulated: see sim::Session::set_sampling_seed
  double deadline_seconds = 60;            ///< wall time of load, of go and of fetch each
  std::shared_ptr<Budget> budget{};        ///< of the submission that runs; none for programs of ours
  Sandbox sandbox = Sandbox::kNone;
};

/// What a call gave.
struct CallOutcome {
  Fault fault;                    ///< none: the output below is there
  std::vector<std::byte> output;  ///< the judge's own copy of the output memory
  /// Simulated: what the device did while loading, while the clock ran, while the outputs were copied back.
  std::optional<sim::Region> load, prepare, go, fetch;
  worker::Reply reply{};  ///< GPU: samples
};

class GpuRig;
class SimulatedRig;

/// A device with a worker on it: loads, calls, fetches. After a fault it is spent; make a new one.
class Rig {
 public:
  /// `input_bytes`, `output_bytes`: the most that any call will need. Throws InfrastructureError where the
  /// device or the process cannot be started, or the program's signature is not the spec's; StartFault where
  /// the program ends at once.
  Rig(const RigOptions& options, const std::filesystem::path& worker, const Program& program,
      std::uint64_t input_bytes, std::uint64_t output_bytes);
  ~Rig();
  Rig(Rig&&) noexcept;
  Rig& operator=(Rig&&) noexcept;

  bool usable() const;
  /// Fills, loads, runs once, fetches.
  CallOutcome call(const CallPlan& plan);
  /// The inputs of the last load, for the reference.
  std::span<const std::byte> input() const;
  /// Ends the worker, by itself if it still can, and tells what it printed, at its end as well: nothing where
  /// it has seen a hidden case. The rig is spent afterwards.
  std::string end_program();

  /// What one kind of device has beside that. Throws std::logic_error on the other kind.
  GpuRig gpu();
  SimulatedRig simulated();

 private:
  friend GpuRig;
  friend SimulatedRig;
  struct State;
  std::unique_ptr<State> state_;
};

/// On a GPU: the steps of a timed call, apart. A view of a Rig, which must outlive it.
class GpuRig {
 public:
  /// `sets` copies of all arrays, which calls go round, and one more for reset().
  Fault load(const CallPlan& plan, unsigned sets);
  /// The outputs of all copies as they were after load(). The reply has the SM clock.
  Fault reset(worker::Reply& reply);
  /// Calls back to back between two events.
  Fault go(const CallPlan& plan, unsigned calls, bool gate, worker::Reply& reply);
  /// Pieces of one copy's outputs.
  Fault look(const std::array<worker::PieceRecord, worker::kPieces>& where, unsigned set,
             worker::Pieces& pieces);
  Fault fetch(const CallPlan& plan, unsigned set, std::vector<std::byte>& output);
  /// Frees what load() allocated on the device.
  Fault release();
  std::span<const std::byte> input() const;
  /// The worker prepares its calls for the arrays that were loaded.
  bool prepares() const;
  /// Wall seconds that the last prepare took, the way to the worker and back included.
  double prepare_seconds() const;
  /// The device as the CUDA runtime describes it.
  worker::Facts facts();

 private:
  friend Rig;
  explicit GpuRig(Rig::State& state) : state_(&state) {}
  Rig::State* state_;
};

/// On a simulated device: what its machine saw. A view of a Rig, which must outlive it.
class SimulatedRig {
 public:
  /// The timeline since the start; empty unless machine.trace of RigOptions.
  sim::Trace trace();
  /// What every instruction did since the start.
  std::vector<sim::LineRecord> lines();
  /// Before the first call: writes down what one warp does at one source line.
  void picture(const sim::PictureRequest& request);
  /// An array that is an argument of the learner's function has its name there.
  sim::AccessPicture pictured();
  /// Calls with arrays that nobody filled, and reads nothing back: whether a kernel traps.
  Fault reach(const CallPlan& plan);
  /// The first bug that the checks of RigOptions found since the start.
  Fault finding();

 private:
  friend Rig;
  explicit SimulatedRig(Rig::State& state) : state_(&state) {}
  Rig::State* state_;
};

}  // namespace roofline::grader
