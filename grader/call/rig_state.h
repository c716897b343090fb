// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/call/busy_computer.h"
#include "grader/call/device_arrays.h"
#include "grader/call/rig.h"
#include "grader/call/shared_memory.h"
#include "grader/call/worker_process.h"
#include "simulator/host/session.h"
#include "worker/worker.h"

namespace roofline::grader {

/// What a rig holds and how it talks with it: the memory that it shares with the worker, the simulated device
/// where there is one, the worker, and whether these can still be used.
struct Rig::State {
  RigOptions options;
  SharedMemory input, output;  ///< on a simulated device the worker never sees them
  std::optional<sim::Session> session;
  std::optional<DeviceArrays> arrays;  ///< simulated: in the memory of the session's machine
  std::unique_ptr<Box> box;            // before the process that is in it
  std::unique_ptr<WorkerProcess> process;
  bool usable = true;
  bool answering = true;
  bool secret = false;    ///< the worker has seen a hidden case: nothing that it prints is told
  bool prepares = false;  ///< the worker asks for it
  bool prepared = false;  ///< it did, and has not been asked to release since
  double prepare_seconds = 0;
  ProcessorTime began{};    ///< when the present call did, without what descends from its processes
  std::size_t printed = 0;  ///< bytes that the worker had printed when the present call began
  std::uint32_t serial = 0;

  State(const RigOptions& rig_options, std::uint64_t input_bytes, std::uint64_t output_bytes)
      : options(rig_options),
        input("roofline-input", input_bytes, SharedMemory::Worker::kReads),
        output("roofline-output", output_bytes,
               rig_options.device.simulated ? SharedMemory::Worker::kReads : SharedMemory::Worker::kWrites) {
    if (options.device.simulated) start_device(output_bytes);
  }

  /// What the worker starts with.
  std::vector<std::string> environment() const;
  WorkerProcess::Deadline deadline() const;

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
  /// Worker and simulated device.
  std::vector<int> processes() const;
  /// Whether others had the processors for most of the present call. What descends from worker and simulated
  /// device is counted with all that it used before: to look for it at each begin would cost more than some
  /// calls.
  bool others_took_this_call() const;
  /// Worker and simulated device hold no more memory than the budget allows.
  bool memory_holds() const;

  void start_device(std::uint64_t output_bytes);

  /// The worker and, for a simulated device, the runtime library: all that a box has to hold.
  void pack(WorkerProcess::Start& start);

  /// Sends a request and waits for the record that answers it.
  template <class Record>
  Fault answer_to(worker::Request request, Record& record) {
    request.serial = ++serial;
    if (!process->send(request)) return lost(WorkerProcess::Wait::kDied);
    const auto wait = receive(record, deadline());
    if (wait != WorkerProcess::Wait::kRecord || record.serial != serial) {
      return lost(wait == WorkerProcess::Wait::kRecord ? WorkerProcess::Wait::kMalformed : wait);
    }
    return {};
  }
  Fault ask(const worker::Request& request, worker::Pieces& pieces) { return answer_to(request, pieces); }
  Fault ask(const worker::Request& request, worker::Reply& reply) {
    Fault fault = answer_to(request, reply);
    if (fault) return fault;
    fault = fault_of(reply);
    if (fault) usable = false;
    if (fault.reason == Class::kCrashed) {
      const std::string refused = refused_call();
      const std::size_t end = std::min(fault.message.find('\n'), fault.message.size());
      if (!refused.empty()) fault.message.replace(end, std::string::npos, refused);  // instead of what may be
    }
    return fault;
  }

  std::string stopped() const;  ///< that the deadline passed, in words
  std::string flood() const;    ///< that the program printed without end, where it did
  /// The worker is gone, late or out of step.
  Fault lost(WorkerProcess::Wait why);

  /// What ends a program like that in most cases.
  std::string usual_cause() const;

  /// The last line that the program printed: CUDA_CHECK names the call and the error there.
  std::string last_words() const;

  /// "\nthe launch of axpy is refused: ...", or a copy, as the simulated GPU told the program in this call,
  /// whose error says less.
  std::string refused_call() const;

  /// What a worker does once before its calls; nothing for most.
  Fault prepare(const CallPlan& plan);

  /// What was prepared for the last call is released before the next one is watched: that may use the device.
  Fault release();

  void begin_region() {
    if (session) session->begin_region();
  }
  /// A trap of the device says more than the error that the runtime made of it.
  void end_region(std::optional<sim::Region>& region, Fault& fault);

  /// The arrays on the device. On a simulated one there is nothing in them until give().
  Fault load(const CallPlan& plan);
  /// Simulated: fills the arrays that are to be known by then.
  Fault give(const CallPlan& plan, DeviceArrays::When when);

  Fault read_outputs(const CallPlan& plan, std::vector<std::byte>& copy);

  Fault download(const CallPlan& plan, unsigned set, std::vector<std::byte>& copy);
};

}  // namespace roofline::grader
