// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/types.h"

namespace roofline::sim {

/// What a kernel did wrong while running: the learner's fault, the equivalent of a GPU fault.
enum class TrapKind : u8 {
  kIllegalAddress,       ///< cudaErrorIllegalAddress
  kMisalignedAddress,    ///< cudaErrorMisalignedAddress
  kInvalidAddressSpace,  ///< cudaErrorInvalidAddressSpace
  kIllegalInstruction,
  kInvalidPc,
  kAssert,  ///< cudaErrorAssert
  kTrap,    ///< cudaErrorLaunchFailure
  kStackOverflow,
  kDivergentBarrier,  ///< reported; real hardware hangs or misbehaves
  kDeadlock,          ///< cudaErrorLaunchTimeout
  kTimeout
};

/// What is wrong with the address of an access, where more is known than that it is not allowed. The message
/// says it to a person; code asks this.
enum class AddressFault : u8 {
  kOther,
  kPastEnd,          ///< of an allocation
  kHostMemory,       ///< memory of the host program, which a kernel cannot reach
  kFreed,            ///< memory that was freed
  kDestroyedObject,  ///< a texture or surface object that is no more
  kWrongObject       ///< one of another kind than the function is for
};

struct Trap {
  TrapKind kind = TrapKind::kTrap;
  AddressFault address = AddressFault::kOther;
  std::string message;  ///< complete, for a person: kernel, block, thread, access, allocation, lines
  std::string kernel;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string source_file;
  u32 source_line = 0;  ///< 0 when the program was built without -lineinfo
  u32 ptx_line = 0;
};

/// Thrown inside the machine to unwind out of a faulting kernel.
struct TrapException {
  Trap trap;
};

}  // namespace roofline::sim
