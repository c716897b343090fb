// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: kernels, copies, fills and the others.
#include "simulator/driver/graph_params.h"
#include "simulator/driver/stream_words.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

const cudaMemsetParams* same(const CUDA_MEMSET_NODE_PARAMS* p) {
  return reinterpret_cast<const cudaMemsetParams*>(p);
}
const cudaHostNodeParams* same(const CUDA_HOST_NODE_PARAMS* p) {
  return reinterpret_cast<const cudaHostNodeParams*>(p);
}

/// Runs `body(runtime's parameters)` for a kernel node.
template <class Body>
CUresult with_kernel_node(const CUDA_KERNEL_NODE_PARAMS* p, Body&& body) {
  return in_context([&] {
    KernelNode node;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = node.take(*p);
    return result == CUDA_SUCCESS ? to_driver(body(node.runtime())) : result;
  });
}

template <class Body>
CUresult with_copy(const CUDA_MEMCPY3D* p, Body&& body) {
  return in_context([&] {
    cudaMemcpy3DParms copy{};
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = runtime_copy(*p, copy);
    return result == CUDA_SUCCESS ? to_driver(body(copy)) : result;
  });
}

/// The first version has no kernel handle and no context.
CUDA_KERNEL_NODE_PARAMS later(const CUDA_KERNEL_NODE_PARAMS_v1& p) {
  return {p.func,      p.gridDimX,       p.gridDimY,     p.gridDimZ, p.blockDimX, p.blockDimY,
          p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra,    nullptr,     nullptr};
}

}  // namespace

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                                 const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel_node(p, [&](const cudaKernelNodeParams& kernel) {
    return cudaGraphAddKernelNode(node, graph, before, n, &kernel);
  });
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                              const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS same = later(*p);
  return cuGraphAddKernelNode_v2(node, graph, before, n, &same);
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
  return in_context([&] {
    cudaKernelNodeParams kernel{};
    if (!p) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGraphKernelNodeGetParams(node, &kernel);
    if (error == cudaSuccess) *p = driver_node(kernel);
    return error;
  });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* p) {
  CUDA_KERNEL_NODE_PARAMS k{};
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = cuGraphKernelNodeGetParams_v2(node, &k);
  if (result == CUDA_SUCCESS)
    *p = {k.func,      k.gridDimX,  k.gridDimY,       k.gridDimZ,     k.blockDimX,
          k.blockDimY, k.blockDimZ, k.sharedMemBytes, k.kernelParams, k.extra};
  return result;
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel_node(
      p, [&](const cudaKernelNodeParams& kernel) { return cudaGraphKernelNodeSetParams(node, &kernel); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS same = later(*p);
  return cuGraphKernelNodeSetParams_v2(node, &same);
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* p) {
  return with_kernel_node(p, [&](const cudaKernelNodeParams& kernel) {
    return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
  });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_KERNEL_NODE_PARAMS same = later(*p);
  return cuGraphExecKernelNodeSetParams_v2(exec, node, &same);
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       const CUkernelNodeAttrValue* value) {
  return in_context([&] {
    return cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(id),
                                           reinterpret_cast<const cudaLaunchAttributeValue*>(value));
  });
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id,
                                       CUkernelNodeAttrValue* value) {
  return in_context([&] {
    return cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(id),
                                           reinterpret_cast<cudaLaunchAttributeValue*>(value));
  });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return in_context([&] { return cudaGraphKernelNodeCopyAttributes(from, to); });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                              const CUDA_MEMCPY3D* p, CUcontext) {
  return with_copy(p, [&](const cudaMemcpy3DParms& copy) {
    return cudaGraphAddMemcpyNode(node, graph, before, n, &copy);
  });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p) {
  return in_context([&] {
    cudaMemcpy3DParms copy{};
    if (!p) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGraphMemcpyNodeGetParams(node, &copy);
    if (error == cudaSuccess) *p = driver_copy(copy);
    return error;
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p) {
  return with_copy(p,
                   [&](const cudaMemcpy3DParms& copy) { return cudaGraphMemcpyNodeSetParams(node, &copy); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* p,
                                        CUcontext) {
  return with_copy(
      p, [&](const cudaMemcpy3DParms& copy) { return cudaGraphExecMemcpyNodeSetParams(exec, node, &copy); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                              const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  return in_context([&] { return cudaGraphAddMemsetNode(node, graph, before, n, same(p)); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* p) {
  return in_context(
      [&] { return cudaGraphMemsetNodeGetParams(node, reinterpret_cast<cudaMemsetParams*>(p)); });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p) {
  return in_context([&] { return cudaGraphMemsetNodeSetParams(node, same(p)); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p,
                                        CUcontext) {
  return in_context([&] { return cudaGraphExecMemsetNodeSetParams(exec, node, same(p)); });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                            const CUDA_HOST_NODE_PARAMS* p) {
  return in_context([&] { return cudaGraphAddHostNode(node, graph, before, n, same(p)); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* p) {
  return in_context(
      [&] { return cudaGraphHostNodeGetParams(node, reinterpret_cast<cudaHostNodeParams*>(p)); });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
  return in_context([&] { return cudaGraphHostNodeSetParams(node, same(p)); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
  return in_context([&] { return cudaGraphExecHostNodeSetParams(exec, node, same(p)); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                                  CUgraph child) {
  return in_context([&] { return cudaGraphAddChildGraphNode(node, graph, before, n, child); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return in_context([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  return in_context([&] { return cudaGraphExecChildGraphNodeSetParams(exec, node, child); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n) {
  return in_context([&] { return cudaGraphAddEmptyNode(node, graph, before, n); });
}

#define EVENT_NODE(KIND)                                                                             \
  CUresult cuGraphAddEvent##KIND##Node(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,  \
                                       size_t n, CUevent event) {                                    \
    return in_context([&] { return cudaGraphAddEvent##KIND##Node(node, graph, before, n, event); }); \
  }                                                                                                  \
  CUresult cuGraphEvent##KIND##NodeGetEvent(CUgraphNode node, CUevent* event) {                      \
    return in_context([&] { return cudaGraphEvent##KIND##NodeGetEvent(node, event); });              \
  }                                                                                                  \
  CUresult cuGraphEvent##KIND##NodeSetEvent(CUgraphNode node, CUevent event) {                       \
    return in_context([&] { return cudaGraphEvent##KIND##NodeSetEvent(node, event); });              \
  }                                                                                                  \
  CUresult cuGraphExecEvent##KIND##NodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) { \
    return in_context([&] { return cudaGraphExecEvent##KIND##NodeSetEvent(exec, node, event); });    \
  }
EVENT_NODE(Record)
EVENT_NODE(Wait)

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                                CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  return in_context([&] {
    return cudaGraphAddMemAllocNode(node, graph, before, n, reinterpret_cast<cudaMemAllocNodeParams*>(p));
  });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  return in_context(
      [&] { return cudaGraphMemAllocNodeGetParams(node, reinterpret_cast<cudaMemAllocNodeParams*>(p)); });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                               CUdeviceptr address) {
  return in_context([&] { return cudaGraphAddMemFreeNode(node, graph, before, n, pointer(address)); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address) {
  return in_context([&] { return cudaGraphMemFreeNodeGetParams(node, address); });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext,
                                        unsigned value, unsigned flags) {
  return in_context([&] {
    cudaGraphConditionalHandle made = 0;
    const cudaError_t error = cudaGraphConditionalHandleCreate(handle ? &made : nullptr, graph, value, flags);
    if (error == cudaSuccess) *handle = made;
    return to_driver(error);
  });
}

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                           const CUgraphEdgeData* data, size_t n, CUgraphNodeParams* p) {
  return in_context([&] {
    AnyNode any;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
      return add_words_node(node, graph, before, data, n, p->memOp);
    if (const CUresult result = any.take(*p); result != CUDA_SUCCESS) return result;
    const cudaError_t error = cudaGraphAddNode(
        node, graph, before, reinterpret_cast<const cudaGraphEdgeData*>(data), n, any.runtime());
    if (error == cudaSuccess) any.give_back(*p);
    return to_driver(error);
  });
}
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                        CUgraphNodeParams* p) {
  return cuGraphAddNode_v2(node, graph, before, nullptr, n, p);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* p) {
  return in_context([&] {
    AnyNode any;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return change_words_node(node, p->memOp);
    const CUresult result = any.take(*p);
    return result == CUDA_SUCCESS ? to_driver(cudaGraphNodeSetParams(node, any.runtime())) : result;
  });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams* p) {
  return in_context([&] {
    AnyNode any;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    if (p->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP) return change_words_node(exec, node, p->memOp);
    const CUresult result = any.take(*p);
    return result == CUDA_SUCCESS ? to_driver(cudaGraphExecNodeSetParams(exec, node, any.runtime())) : result;
  });
}
