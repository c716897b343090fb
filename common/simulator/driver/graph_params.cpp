// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/graph_params.h"

#include <cstring>

#include "simulator/runtime/copy.h"

namespace roofline::sim::driver {

// Node parameters that both APIs share, member by member.
static_assert(sizeof(CUDA_MEMSET_NODE_PARAMS) == sizeof(cudaMemsetParams));
static_assert(sizeof(CUDA_HOST_NODE_PARAMS) == sizeof(cudaHostNodeParams));
static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS) == sizeof(cudaMemAllocNodeParams));
static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));
static_assert(sizeof(CUgraphNodeParams) == sizeof(cudaGraphNodeParams));

CUresult KernelNode::take(const CUDA_KERNEL_NODE_PARAMS& given) {
  const CUfunction function = given.func ? given.func : reinterpret_cast<CUfunction>(given.kern);
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult result = parameters_.take(function, given.kernelParams, given.extra);
      result != CUDA_SUCCESS)
    return result;
  same_.func = function;
  same_.gridDim = {given.gridDimX, given.gridDimY, given.gridDimZ};
  same_.blockDim = {given.blockDimX, given.blockDimY, given.blockDimZ};
  same_.sharedMemBytes = given.sharedMemBytes;
  same_.kernelParams = parameters_.pointers();
  return CUDA_SUCCESS;
}

CUDA_KERNEL_NODE_PARAMS driver_node(const cudaKernelNodeParams& p) {
  CUDA_KERNEL_NODE_PARAMS same{};
  same.func = static_cast<CUfunction>(p.func);
  same.gridDimX = p.gridDim.x;
  same.gridDimY = p.gridDim.y;
  same.gridDimZ = p.gridDim.z;
  same.blockDimX = p.blockDim.x;
  same.blockDimY = p.blockDim.y;
  same.blockDimZ = p.blockDim.z;
  same.sharedMemBytes = p.sharedMemBytes;
  same.kernelParams = p.kernelParams;
  same.extra = p.extra;
  return same;
}

CUresult runtime_copy(const CUDA_MEMCPY3D& given, cudaMemcpy3DParms& same) {
  runtime::CopyRequest q{};
  if (const CUresult result = request_of(given, q); result != CUDA_SUCCESS) return result;
  const auto rows = [](size_t slice, size_t pitch) { return pitch ? slice / pitch : 0; };
  same = {};
  same.srcPtr = {const_cast<void*>(q.from), q.from_pitch, q.width, rows(q.from_slice, q.from_pitch)};
  same.dstPtr = {q.to, q.to_pitch, q.width, rows(q.to_slice, q.to_pitch)};
  same.extent = {q.width, q.height, q.depth};
  same.kind = q.kind;
  return CUDA_SUCCESS;
}

CUDA_MEMCPY3D driver_copy(const cudaMemcpy3DParms& p) {
  const auto type = [](const void* address) {
    return runtime::is_device_address(address) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  };
  CUDA_MEMCPY3D same{};
  same.srcXInBytes = p.srcPos.x;
  same.srcY = p.srcPos.y;
  same.srcZ = p.srcPos.z;
  same.srcMemoryType = type(p.srcPtr.ptr);
  same.srcHost = p.srcPtr.ptr;
  same.srcDevice = address_of(p.srcPtr.ptr);
  same.srcPitch = p.srcPtr.pitch;
  same.srcHeight = p.srcPtr.ysize;
  same.dstXInBytes = p.dstPos.x;
  same.dstY = p.dstPos.y;
  same.dstZ = p.dstPos.z;
  same.dstMemoryType = type(p.dstPtr.ptr);
  same.dstHost = p.dstPtr.ptr;
  same.dstDevice = address_of(p.dstPtr.ptr);
  same.dstPitch = p.dstPtr.pitch;
  same.dstHeight = p.dstPtr.ysize;
  same.WidthInBytes = p.extent.width;
  same.Height = p.extent.height;
  same.Depth = p.extent.depth;
  return same;
}

CUresult AnyNode::take(const CUgraphNodeParams& given) {
  same_ = {};
  switch (given.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS kernel{};
      static_assert(sizeof kernel == sizeof given.kernel);
      std::memcpy(&kernel, &given.kernel, sizeof kernel);
      if (const CUresult result = kernel_.take(kernel); result != CUDA_SUCCESS) return result;
      const cudaKernelNodeParams& p = kernel_.runtime();
      same_.kernel = {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
      break;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (const CUresult result = runtime_copy(given.memcpy.copyParams, same_.memcpy.copyParams);
          result != CUDA_SUCCESS)
        return result;
      break;
    default:
      std::memcpy(static_cast<void*>(&same_), &given, sizeof same_);
  }
  same_.type = static_cast<cudaGraphNodeType>(given.type);
  return CUDA_SUCCESS;
}

void AnyNode::give_back(CUgraphNodeParams& given) const {
  if (given.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) given.alloc.dptr = address_of(same_.alloc.dptr);
  if (given.type == CU_GRAPH_NODE_TYPE_GRAPH) given.graph.graph = same_.graph.graph;
  if (given.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    given.conditional.phGraph_out = same_.conditional.phGraph_out;
}

}  // namespace roofline::sim::driver
