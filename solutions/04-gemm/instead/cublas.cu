// bench: cuBLAS, same layout, FP32 sums
// needs: gpu
// link: cublas
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS thinks in columns: a row-major C = A * B is, column by column, C^T = B^T * A^T.

#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>

#include "gemm.h"

namespace {

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
  std::exit(1);
}

cublasHandle_t handle() {
  static const cublasHandle_t one = [] {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made));
    return made;
  }();
  return one;
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const float one = 1, zero = 0;
  check(cublasSetStream(handle(), stream));
  check(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16F, n, a, CUDA_R_16F, k,
                     &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
