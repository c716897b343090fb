// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

namespace roofline::sim::channel {

/// What a command came to. The numbers are those of cudaError_t, so that the runtime passes them on.
enum class Status : u32 {
  kOk = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kMapFailed = 205,
  kNoKernelImage = 209,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kSymbolNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStack = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailure = 719,
  kCooperativeTooLarge = 720,
  kNotSupported = 801,
  kUnknown = 999
};

}  // namespace roofline::sim::channel
