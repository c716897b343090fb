// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/driver/launch_config.h"
#include "simulator/driver/volume.h"

/// The parameters of graph nodes, in the runtime's terms and back. The other kinds of node have the same
/// structures in both APIs.
namespace roofline::sim::driver {

/// A kernel node for the runtime. Holds the list of parameters that it points to.
class KernelNode {
 public:
  CUresult take(const CUDA_KERNEL_NODE_PARAMS& given);
  const cudaKernelNodeParams& runtime() const { return same_; }

 private:
  Parameters parameters_;
  cudaKernelNodeParams same_{};
};
CUDA_KERNEL_NODE_PARAMS driver_node(const cudaKernelNodeParams& p);

CUresult runtime_copy(const CUDA_MEMCPY3D& given, cudaMemcpy3DParms& same);
CUDA_MEMCPY3D driver_copy(const cudaMemcpy3DParms& p);

/// A node of any kind for the runtime.
class AnyNode {
 public:
  CUresult take(const CUgraphNodeParams& given);
  cudaGraphNodeParams* runtime() { return &same_; }
  /// What the runtime wrote into its structure.
  void give_back(CUgraphNodeParams& given) const;

 private:
  KernelNode kernel_;
  cudaGraphNodeParams same_{};
};

}  // namespace roofline::sim::driver
