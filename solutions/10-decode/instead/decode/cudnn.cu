// bench: cuDNN, scaled dot product attention
// needs: gpu
// link: cudnn nvrtc
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The operation of lab 11 with a single row of queries. Where there are more query heads than caches, cuDNN
// sees it from the shapes. Its C++ interface is headers alone, and no part of the toolkit: `pip download
// --no-deps nvidia-cudnn-frontend`, unpack the wheel, and copy its include/ into the toolkit's.

#ifndef __CUDA_ARCH__  // host code alone: the compiler for device code need not read these headers
#if !__has_include(<cudnn_frontend.h>)
#error "cuDNN's C++ interface is missing: nvidia-cudnn-frontend, see the first lines of this file"
#endif
#include <cudnn_frontend.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>

#include "decode.h"

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

  Plan(int heads, int kv_heads, int n) {
    graph.set_io_data_type(fe::DataType_t::HALF)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    const auto described = [](fe::graph::Tensor_attributes tensor, int64_t of_heads, int64_t rows) {
      return tensor.set_dim({1, of_heads, rows, kDim})
          .set_stride({of_heads * rows * kDim, rows * kDim, kDim, 1});
    };
    const auto tensor = [&](Tensor name, int64_t of_heads, int64_t rows) {
      return graph.tensor(described(fe::graph::Tensor_attributes().set_uid(name), of_heads, rows));
    };
    const auto attention =
        fe::graph::SDPA_attributes().set_generate_stats(false).set_attn_scale(1 / std::sqrt(float{kDim}));
    const auto o =
        graph.sdpa(tensor(kQ, heads, 1), tensor(kK, kv_heads, n), tensor(kV, kv_heads, n), attention)[0];
    o->set_output(true).set_uid(kO).set_dim({1, heads, 1, kDim}).set_stride({heads * kDim, kDim, kDim, 1});
    check(graph.build(handle(), {fe::HeurMode_t::A}));
    int64_t bytes = 0;
    check(graph.get_workspace_size(bytes));
    if (bytes > 0 && cudaMalloc(&workspace, bytes) != cudaSuccess) check(CUDNN_STATUS_ALLOC_FAILED);
  }
};

}  // namespace

void decode(const half* q, const half* k, const half* v, half* out, int heads, int kv_heads, int n, float*,
            cudaStream_t stream) {
  static std::map<std::tuple<int, int, int>, Plan> plans;
  const Plan& plan = plans.try_emplace({heads, kv_heads, n}, heads, kv_heads, n).first->second;
  std::unordered_map<int64_t, void*> tensors = {
      {kQ, const_cast<half*>(q)}, {kK, const_cast<half*>(k)}, {kV, const_cast<half*>(v)}, {kO, out}};
  check(cudnnSetStream(handle(), stream));
  check(plan.graph.execute(handle(), tensors, plan.workspace));
}

#endif
