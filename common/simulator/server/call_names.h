// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <type_traits>

#include "simulator/channel/messages.h"

namespace roofline::sim::server {

/// What a timeline calls the function of the CUDA runtime behind a command; several functions share a
/// command, and calls that never reach the machine are not seen.
template <class T>
std::string call_name(const T& c) {
  using namespace channel;
  if constexpr (std::is_same_v<T, LoadModule>) return "load module";
  if constexpr (std::is_same_v<T, UnloadModule>) return "unload module";
  if constexpr (std::is_same_v<T, Allocate>) return "cudaMalloc";
  if constexpr (std::is_same_v<T, Release>) return c.ordered ? "cudaFreeAsync" : "cudaFree";
  if constexpr (std::is_same_v<T, AllocateHost>) return "cudaMallocHost";
  if constexpr (std::is_same_v<T, ReleaseHost>) return "cudaFreeHost";
  if constexpr (std::is_same_v<T, CopyIn> || std::is_same_v<T, CopyOut> || std::is_same_v<T, CopyWithin>)
    return c.async ? "cudaMemcpyAsync" : "cudaMemcpy";
  if constexpr (std::is_same_v<T, Fill>) return c.async ? "cudaMemsetAsync" : "cudaMemset";
  if constexpr (std::is_same_v<T, LaunchKernel>) return "cudaLaunchKernel";
  if constexpr (std::is_same_v<T, CreateStream>) return "cudaStreamCreate";
  if constexpr (std::is_same_v<T, DestroyStream>) return "cudaStreamDestroy";
  if constexpr (std::is_same_v<T, RecordEvent>) return "cudaEventRecord";
  if constexpr (std::is_same_v<T, WaitEvent>) return "cudaStreamWaitEvent";
  if constexpr (std::is_same_v<T, QueryEvent>) return "cudaEventQuery";
  if constexpr (std::is_same_v<T, QueryStream>) return "cudaStreamQuery";
  if constexpr (std::is_same_v<T, Synchronize>) {
    if (c.scope == Synchronize::Scope::kStream) return "cudaStreamSynchronize";
    return c.scope == Synchronize::Scope::kEvent ? "cudaEventSynchronize" : "cudaDeviceSynchronize";
  }
  if constexpr (std::is_same_v<T, ResetDevice>) return "cudaDeviceReset";
  if constexpr (std::is_same_v<T, DefineGraph>) return "cudaGraphInstantiate";
  if constexpr (std::is_same_v<T, LaunchGraph>) return "cudaGraphLaunch";
  if constexpr (std::is_same_v<T, ResumeGraph>) return "host node of a graph";
  if constexpr (std::is_same_v<T, UploadGraph>) return "cudaGraphUpload";
  if constexpr (std::is_same_v<T, ReserveAddresses>) return "cuMemAddressReserve";
  if constexpr (std::is_same_v<T, FreeAddresses>) return "cuMemAddressFree";
  if constexpr (std::is_same_v<T, CreateMemory>) return "cuMemCreate";
  if constexpr (std::is_same_v<T, ReleaseMemory>) return "cuMemRelease";
  if constexpr (std::is_same_v<T, MapMemory>) return "cuMemMap";
  if constexpr (std::is_same_v<T, UnmapMemory>) return "cuMemUnmap";
  if constexpr (std::is_same_v<T, AllowAccess>) return "cuMemSetAccess";
  if constexpr (std::is_same_v<T, PrefetchManaged>) return "cudaMemPrefetchAsync";
  if constexpr (std::is_same_v<T, CreateTexture>)
    return c.object.surface ? "cudaCreateSurfaceObject" : "cudaCreateTextureObject";
  if constexpr (std::is_same_v<T, DestroyTexture>) return "cudaDestroyTextureObject";
  if constexpr (std::is_same_v<T, WriteWord>) return "cuStreamWriteValue";
  if constexpr (std::is_same_v<T, AwaitWord>) return "cuStreamWaitValue";
  if constexpr (std::is_same_v<T, OpenShared>)
    return c.kind == Shared::kEvent ? "cudaIpcOpenEventHandle" : "cudaIpcOpenMemHandle";
  if constexpr (std::is_same_v<T, CloseShared>) return "cudaIpcCloseMemHandle";
  if constexpr (std::is_same_v<T, CreateCondition>) return "cudaGraphConditionalHandleCreate";
  return "CUDA call";
}

}  // namespace roofline::sim::server
