// expect: too-slow
// bench: a kernel for each operation
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// An interpreter: one ready-made kernel for each operation, every value in between goes to memory.

#include "compiler.h"
#include "cuda/check.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void apply(Op op, const float* a, const float* b, float constant, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i >= n) return;
  const float u = a != nullptr ? a[i] : constant, v = b != nullptr ? b[i] : 0.0F;
  switch (op) {
    case Op::kInput:
    case Op::kConstant:
      y[i] = u;
      break;
    case Op::kNegate:
      y[i] = -u;
      break;
    case Op::kAbsolute:
      y[i] = fabsf(u);
      break;
    case Op::kRelu:
      y[i] = fmaxf(u, 0.0F);
      break;
    case Op::kSine:
      y[i] = sinf(u);
      break;
    case Op::kTanh:
      y[i] = tanhf(u);
      break;
    case Op::kSigmoid:
      y[i] = 1.0F / (1.0F + expf(-u));
      break;
    case Op::kAdd:
      y[i] = u + v;
      break;
    case Op::kSubtract:
      y[i] = u - v;
      break;
    case Op::kMultiply:
      y[i] = u * v;
      break;
    case Op::kMaximum:
      y[i] = fmaxf(u, v);
      break;
    case Op::kMinimum:
      y[i] = fminf(u, v);
      break;
  }
}

}  // namespace

void evaluate(const Expression& e, const float* const* inputs, float* y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  float* values[Expression::kMostNodes] = {};
  for (int k = 0; k < e.nodes_used; ++k) {
    const Node node = e.nodes[k];
    const bool last = k + 1 == e.nodes_used;
    values[k] = y;
    if (!last) CUDA_CHECK(cudaMallocAsync(&values[k], n * sizeof(float), stream));
    const bool leaf = node.op == Op::kInput || node.op == Op::kConstant;
    const float* a = node.op == Op::kInput ? inputs[node.a] : leaf ? nullptr : values[node.a];
    apply<<<blocks, kBlock, 0, stream>>>(node.op, a, leaf ? nullptr : values[node.b],
                                         leaf ? e.constants[node.a % Expression::kMostConstants] : 0.0F,
                                         values[k], n);
  }
  for (int k = 0; k + 1 < e.nodes_used; ++k) CUDA_CHECK(cudaFreeAsync(values[k], stream));
}
