// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/graph.h"
#include "simulator/runtime/runtime.h"

/// From CUDA's parameter structures to work and back. Callers hold the runtime's lock.
namespace roofline::sim::runtime {

/// `kept`: attributes that the node has already.
cudaError_t make_kernel(Runtime& runtime, const cudaKernelNodeParams& p,
                        const std::vector<KernelAttribute>& kept, Work& work);
cudaError_t make_copy(const cudaMemcpy3DParms& p, Work& work);
cudaError_t make_copy_1d(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Work& work);
/// One end of the copy is a device variable.
cudaError_t make_symbol_copy(Runtime& runtime, const void* symbol, void* host_to, const void* host_from,
                             size_t bytes, size_t offset, cudaMemcpyKind kind, Work& work);
cudaError_t make_fill(const cudaMemsetParams& p, Work& work);
cudaError_t make_host(const cudaHostNodeParams& p, Work& work);
/// Clones the child, or takes it from the program.
cudaError_t make_child(cudaGraph_t child, bool move, Work& work);
cudaError_t make_wait(Runtime& runtime, cudaEvent_t event, Work& work);
cudaError_t make_record(Runtime& runtime, cudaEvent_t event, Work& work);
/// Fills in the address.
cudaError_t make_allocation(Runtime& runtime, cudaMemAllocNodeParams& p, Work& work);
cudaError_t make_free(void* pointer, Work& work);
/// Makes the bodies, empty, and gives them.
cudaError_t make_conditional(cudaConditionalNodeParams& p, Work& work);
/// Any of them.
cudaError_t make_work(Runtime& runtime, cudaGraphNodeParams& p, const Work* present, Work& work);

cudaKernelNodeParams parameters_of(const KernelCall& call);

}  // namespace roofline::sim::runtime
