// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/fault.h"

#include <cstring>
#include <filesystem>

#include "grader/base/printable.h"
#include "grader/call/busy_computer.h"
#include "grader/call/worker_process.h"
#include "worker/refusal.h"

namespace roofline::grader {
namespace {

// Numbers of cudaError_t that decide a class; the judge links no CUDA.
constexpr int kMemoryAllocation = 2, kIllegalAddress = 700, kLaunchTimeout = 702, kMisalignedAddress = 716;
constexpr int kInvalidValue = 1, kNoKernelImage = 209, kUnsupportedPtx = 222;
constexpr int kLaunchOutOfResources = 701;

Class class_of(sim::TrapKind kind) {
  switch (kind) {
    case sim::TrapKind::kIllegalAddress:
    case sim::TrapKind::kInvalidAddressSpace:
      return Class::kOutOfBounds;
    case sim::TrapKind::kMisalignedAddress:
      return Class::kMisaligned;
    case sim::TrapKind::kDivergentBarrier:
      return Class::kDeadlock;
    case sim::TrapKind::kDeadlock:  // the machine saw at once what a card would only show by hanging
    case sim::TrapKind::kTimeout:
      return Class::kTimeout;
    default:
      return Class::kCrashed;
  }
}

Class class_of(sim::Check check) {
  switch (check) {
    case sim::kCheckInit:
      return Class::kUninitialised;
    case sim::kCheckRace:
      return Class::kRace;
    case sim::kCheckSync:
      return Class::kDeadlock;
    default:
      return Class::kOutOfBounds;
  }
}

/// A fixed-size text field of a record, which the worker may not have terminated.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return printable({field, strnlen(field, N)});
}

const char* phase_of(worker::Stage stage) {
  switch (stage) {
    case worker::Stage::kAllocate:
      return "while device memory was allocated for the arguments";
    case worker::Stage::kUpload:
      return "while the inputs were copied to the device";
    case worker::Stage::kCall:
      return "from your function";
    case worker::Stage::kSynchronize:
      return "while the device worked on what your function started";
    case worker::Stage::kDownload:
      return "while the outputs were copied back";
    default:
      return "at the start";
  }
}

Class class_of(worker::Refusal::Reason reason) {
  switch (reason) {
    case worker::Refusal::Reason::kBudgetExceeded:
      return Class::kBudgetExceeded;
    case worker::Refusal::Reason::kDoubleFree:
      return Class::kDoubleFree;
    case worker::Refusal::Reason::kNotReleased:
      return Class::kNotReleased;
    default:
      return Class::kCrashed;
  }
}

/// Whether a file is one of common/, whose kernels a lab hands to the learner.
bool is_given(const std::filesystem::path& file) {
  return file.parent_path().parent_path().filename() == "common";
}

}  // namespace

Fault fault_of(const sim::Trap& trap) {
  Fault fault{class_of(trap.kind), printable(trap.message), printable(trap.source_file), trap.source_line};
  if (fault.reason == Class::kTimeout) fault.message += busy_computer();
  if (fault.reason == Class::kMisaligned)
    fault.message +=
        "\nfix: an access of 4, 8 or 16 bytes needs an address that is a multiple of its size: the array, "
        "the offset in it, and the distance from one row to the next";
  if (trap.address == sim::AddressFault::kHostMemory)
    fault.message +=
        "\nfix: a kernel cannot reach the program's ordinary memory: did you forget cudaMalloc or "
        "cudaMemcpy? A small structure can be passed to the kernel by value";
  if (trap.address == sim::AddressFault::kPastEnd && is_given(trap.source_file))
    fault.message +=
        "\nfix: this kernel is not yours: is the array that you gave it as large as its header says, and the "
        "number of elements right?";
  else if (trap.address == sim::AddressFault::kPastEnd)
    fault.message +=
        "\nfix: work out this thread's index; where a block reaches past the end of the data, its threads "
        "without an element must do nothing: if (i < n). Does it have that check? Then compare with the size "
        "of the array that is "
        "named above";
  return fault;
}

Fault fault_of(const sim::Finding& finding) {
  Fault fault{
      class_of(finding.check), std::string(name_of(finding.check)) + " check: " + finding.message, {}, 0};
  for (const sim::Finding::Place& place : finding.places) {
    if (place.line == 0) continue;
    if (fault.line == 0) {
      fault.file = printable(place.file);
      fault.line = place.line;
    }
    fault.message += "\n  " + std::filesystem::path(place.file).filename().string() + ":" +
                     std::to_string(place.line) + ": " + place.what;
  }
  if (!finding.advice.empty()) fault.message += "\nfix: " + finding.advice;
  fault.message = printable(fault.message);
  return fault;
}

Fault fault_of(const worker::Reply& reply) {
  if (reply.status == worker::Status::kOk) return {};
  if (reply.status == worker::Status::kRefused)
    return {class_of(static_cast<worker::Refusal::Reason>(reply.error)), text_of(reply.error_text), {}, 0};
  Fault fault{Class::kCrashed,
              text_of(reply.error_name) + " (" + text_of(reply.error_text) + ") " + phase_of(reply.stage),
              {},
              0};
  if (reply.error == kMemoryAllocation) fault.reason = Class::kMemoryLimit;
  if (reply.error == kIllegalAddress) fault.reason = Class::kOutOfBounds;
  if (reply.error == kMisalignedAddress) fault.reason = Class::kMisaligned;
  if (reply.error == kLaunchTimeout) fault.reason = Class::kTimeout;
  if (reply.error == kInvalidValue) {
    fault.message +=
        "\nAn argument that the call does not allow. A launch: 0 blocks, or more than 1024 threads in a "
        "block, or more than 65535 blocks in y or z? "
        "Is the order <<<blocks, threads, bytes of shared memory, stream>>>? Count blocks as (n + block - 1) "
        "/ block, so that a part of a block counts, too; for an empty input, "
        "return before the launch. More than 48 KiB of shared memory a block have to be asked for, with "
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes); if they were, it "
        "is "
        "more than an SM has: use smaller tiles or fewer of them. A copy: does its direction fit the two "
        "pointers?";
  }
  if (reply.error == kLaunchOutOfResources) {
    fault.message +=
        "\nA block needs more registers than an SM has: launch fewer threads, or put "
        "__launch_bounds__(threads) on the kernel. Or it has more threads than __launch_bounds__ says: "
        "that number is blockDim.x * blockDim.y * blockDim.z.";
  }
  if (reply.error == kNoKernelImage || reply.error == kUnsupportedPtx) {
    fault.message += "\nThe program holds no code for this device.";
  }
  return fault;
}

}  // namespace roofline::grader
