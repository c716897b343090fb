// bench: cuDNN, scaled dot product attention
// needs: gpu
// link: cudnn nvrtc
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// cuDNN takes a graph of operations and looks for a kernel that does all of it. This graph has one operation.
// Its C++ interface is headers alone, and no part of the toolkit: `pip download --no-deps
// nvidia-cudnn-frontend`, unpack the wheel, and copy its include/ into the toolkit's.

#ifndef __CUDA_ARCH__  // host code alone: the compiler for device code need not read these headers
#if !__has_include(<cudnn_frontend.h>)
#error "cuDNN's C++ interface is missing: nvidia-cudnn-frontend, see the first lines of this file"
#endif
#include <cudnn_frontend.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>

#include "attention.h"

namespace {

namespace fe = cudnn_frontend;

void check(fe::error_t error) {
  if (error.is_good()) return;
  std::fprintf(stderr, "cuDNN: %s\n", error.get_message().c_str());
  std::exit(1);
}

void check(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuDNN: %s\n", cudnnGetErrorString(status));
  std::exit(1);
}

cudnnHandle_t handle() {
  static const cudnnHandle_t made = [] {
    cudnnHandle_t created = nullptr;
    check(cudnnCreate(&created));
    return created;
  }();
  return made;
}

/// How the graph's tensors are called.
enum Tensor : int64_t { kQ = 1, kK, kV, kO };

/// The graph for one shape, with the kernel that cuDNN chose and the memory which that wants.
struct Plan {
  fe::graph::Graph graph;
  void* workspace = nullptr;

  Plan(int heads, int n, bool causal) {
    graph.set_io_data_type(fe::DataType_t::HALF)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    const std::vector<int64_t> shape = {1, heads, n, kHeadSize};
    const std::vector<int64_t> strides = {int64_t{heads} * n * kHeadSize, int64_t{n} * kHeadSize, kHeadSize,
                                          1};
    const auto tensor = [&](Tensor name) {
      return graph.tensor(fe::graph::Tensor_attributes().set_uid(name).set_dim(shape).set_stride(strides));
    };
    auto attention = fe::graph::SDPA_attributes().set_generate_stats(false).set_attn_scale(0.125F);
    if (causal)
      attention.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    const auto o = graph.sdpa(tensor(kQ), tensor(kK), tensor(kV), attention)[0];
    o->set_output(true).set_uid(kO).set_dim(shape).set_stride(strides);
    check(graph.build(handle(), {fe::HeurMode_t::A}));
    int64_t bytes = 0;
    check(graph.get_workspace_size(bytes));
    if (bytes > 0 && cudaMalloc(&workspace, bytes) != cudaSuccess) check(CUDNN_STATUS_ALLOC_FAILED);
  }
};

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  if (heads == 0 || n == 0) return;
  static std::map<std::tuple<int, int, bool>, Plan> plans;
  const Plan& plan = plans.try_emplace({heads, n, causal}, heads, n, causal).first->second;
  std::unordered_map<int64_t, void*> tensors = {
      {kQ, const_cast<half*>(q)}, {kK, const_cast<half*>(k)}, {kV, const_cast<half*>(v)}, {kO, o}};
  check(cudnnSetStream(handle(), stream));
  check(plan.graph.execute(handle(), tensors, plan.workspace));
}

#endif
